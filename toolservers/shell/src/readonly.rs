//! Proves that a command only reads, and a line of such: each is in the table with these very options.
//!
//! Unknown is not read-only: a program that is not listed, an option that is not listed (also an
//! abbreviated one), a word that could be an option and is not known, a program found inside the
//! workspace, git in a repository whose configuration is not plain. This is advice to the gate,
//! which lets a read-only call run unasked, so a doubt costs a question and an error costs a file.
//!
//! Not here: the grammar (`grammar`), sorting words into options and operands (`options`), the programs (`readonly_table`), those that need code of
//! their own (`readonly_checks`), git's repositories (`repo`), what holds of a command beside others
//! that do more (`proof`).

use std::path::{Component, Path, PathBuf};

use crate::{
    grammar::{self, Line},
    readonly_table::{BUILTINS, HELPERS, PROGRAMS, git::GIT},
    repo,
    words::{Doubt, Word},
};

pub(crate) use options::{Operands, Options, Sorted};

mod options;
#[cfg(test)]
pub(crate) mod tests;

/// Where a line would run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// Folders of programs, in order.
    pub(crate) path: &'a [PathBuf],
    /// The workspace and what was added to it: programs in there prove nothing.
    pub(crate) roots: &'a [PathBuf],
    /// The working directory.
    pub(crate) cwd: &'a Path,
}

/// What is proven of a line that only reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proof {
    /// It changes the working directory, so it must not run beside others.
    pub(crate) moves: bool,
}

/// What a program may be given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// No option and no operand makes it write or run anything.
    Anything,
    /// Only these options, and operands within the bound.
    Listed(Options, Operands),
    /// Nothing but a question for its version, in one of these words; the one that a folder asks for may
    /// answer it.
    Version(&'static [&'static str]),
    /// The words after the program pass this.
    Checked(fn(&[Word], &Surroundings<'_>) -> Result<(), Doubt>),
}

/// Proves that a line only reads.
///
/// # Errors
/// Why it could not be proven.
pub(crate) fn prove(line: &str, around: &Surroundings<'_>) -> Result<Proof, Doubt> {
    prove_line(&grammar::read(line)?, around)
}

/// The same for a line that was read before.
///
/// # Errors
/// Why it could not be proven.
pub(crate) fn prove_line(line: &Line, around: &Surroundings<'_>) -> Result<Proof, Doubt> {
    if line.redirected {
        return Err("output goes to a file");
    }
    let moves = line.commands.iter().any(|command| is_cd(&command.words));
    let mut folders = None;
    for command in &line.commands {
        let reads = prove_command(&command.words, around)?;
        if reads == Reads::Files {
            continue;
        }
        if moves && goes_elsewhere(&command.words) {
            return Err("git would run in another folder");
        }
        for folder in folders
            .get_or_insert_with(|| folders_of(line, around))
            .as_ref()
            .map_err(|doubt| *doubt)?
        {
            reads.check_folder(folder)?;
        }
    }
    Ok(Proof { moves })
}

/// The folders that a line runs in: where it starts, and where its only `cd` goes.
fn folders_of(line: &Line, around: &Surroundings<'_>) -> Result<Vec<PathBuf>, Doubt> {
    let mut folders = vec![around.cwd.to_owned()];
    let mut moves = line.commands.iter().filter(|command| is_cd(&command.words));
    if let Some(command) = moves.next() {
        if moves.next().is_some() || line.repeats {
            return Err("a program would run in another folder");
        }
        folders.extend(goes_to(&command.words, around).ok_or("a folder is not known")?);
    }
    Ok(folders)
}

/// Whether a command is `cd`.
pub(crate) fn is_cd(words: &[Word]) -> bool {
    program_of(words) == Some("cd")
}

/// Where `cd FOLDER` leads, if it names one: by the letters, as the shell takes `..`, and by the folders, as
/// programs do.
pub(crate) fn goes_to(words: &[Word], around: &Surroundings<'_>) -> Option<[PathBuf; 2]> {
    let operands = words.iter().skip(1).filter(|word| word.is_operand());
    let [Some(folder)] = operands.map(Word::argument).collect::<Vec<_>>()[..] else { return None };
    let asked = around.cwd.join(folder);
    Some([by_letters(&asked), asked])
}

fn by_letters(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

/// Whether a command of git names its folder itself.
fn goes_elsewhere(words: &[Word]) -> bool {
    words.iter().any(|word| word.text == "-C")
}

/// What a proven command reads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reads {
    /// Files, by the program's own code alone.
    Files,
    /// The repository that git finds, if that is plain.
    Git,
    /// What is installed, if the folder does not ask for another version.
    Versions,
}

impl Reads {
    /// Checks that nothing in a folder, or above it, makes such a command do more than read there.
    ///
    /// # Errors
    /// Something does, or it cannot be told.
    pub(crate) fn check_folder(self, folder: &Path) -> Result<(), Doubt> {
        match self {
            Self::Files => Ok(()),
            Self::Git => repo::check_plain(folder),
            Self::Versions => repo::check_no_versions(folder),
        }
    }
}

/// Proves that a command by itself only reads, if its program is what its name says.
///
/// # Errors
/// Why it could not be proven.
pub(crate) fn prove_command(words: &[Word], around: &Surroundings<'_>) -> Result<Reads, Doubt> {
    let (name, rest) = split(words)?;
    let name = if BUILTINS.contains(&name) { name } else { program_file(name, around)? };
    prove_words(name, rest, around)
}

/// Proves what a program of the table is given.
fn prove_words(name: &str, rest: &[Word], around: &Surroundings<'_>) -> Result<Reads, Doubt> {
    if name == "git" {
        check_git(rest, around)?;
        return Ok(Reads::Git);
    }
    match rule_of(name)? {
        Rule::Anything => Ok(Reads::Files),
        Rule::Listed(options, operands) => {
            operands.check(&options.sort(rest)?)?;
            Ok(Reads::Files)
        }
        Rule::Version(words) => match rest {
            [word] if word.argument().is_some_and(|text| words.contains(&text)) => {
                Ok(Reads::Versions)
            }
            _ => Err("a program is not known to only read"),
        },
        Rule::Checked(check) => check(rest, around).map(|()| Reads::Files),
    }
}

/// Checks a command that is run by another program (`timeout 5 ls`), so that it is a file, also where the
/// shell has a command of that name. Git is not one of them.
///
/// # Errors
/// It is not proven.
pub(crate) fn prove_inner(words: &[Word], around: &Surroundings<'_>) -> Result<(), Doubt> {
    let (name, rest) = split(words)?;
    match prove_words(program_file(name, around)?, rest, around)? {
        Reads::Files => Ok(()),
        Reads::Git | Reads::Versions => Err("what is run depends on the folder"),
    }
}

/// Checks a command that gets more words that nobody knows (`xargs`, `find -exec`).
///
/// # Errors
/// Some words could make it do more than read.
pub(crate) fn prove_with_any_words(words: &[Word], around: &Surroundings<'_>) -> Result<(), Doubt> {
    let (name, _) = split(words)?;
    if BUILTINS.contains(&name) && !matches!(name, "echo" | "true" | "false" | "pwd") {
        return Err("a program is run with words that are not known");
    }
    match rule_of(program_file(name, around)?)? {
        Rule::Anything => Ok(()),
        Rule::Listed(..) | Rule::Version(_) | Rule::Checked(_) => {
            Err("a program is run with words that are not known")
        }
    }
}

/// The program's name as it is written, if it is known.
pub(crate) fn program_of(words: &[Word]) -> Option<&str> {
    words.first()?.argument()
}

fn split(words: &[Word]) -> Result<(&str, &[Word]), Doubt> {
    let (first, rest) = words.split_first().ok_or("there is no command")?;
    Ok((first.argument().ok_or("which program is run is not known")?, rest))
}

/// The name by which a program is in the table, if every file of that name is what the name says, and so
/// are the programs that it runs itself.
pub(crate) fn program_file<'a>(name: &'a str, around: &Surroundings<'_>) -> Result<&'a str, Doubt> {
    let (files, base): (Vec<PathBuf>, &str) = match name.rsplit_once('/') {
        Some(("/bin" | "/usr/bin", base)) => (vec![PathBuf::from(name)], base),
        Some(_) => return Err("a program is named by a path"),
        None => (in_path(name, around).collect(), name),
    };
    if !is_outside(files.into_iter(), around)? {
        return Err("a program is not installed");
    }
    let helpers = HELPERS.iter().filter(|(names, _)| names.split(' ').any(|listed| listed == base));
    for helper in helpers.flat_map(|(_, helpers)| helpers.split(' ')) {
        is_outside(in_path(helper, around), around)?;
    }
    Ok(base)
}

fn in_path(name: &str, around: &Surroundings<'_>) -> impl Iterator<Item = PathBuf> {
    around.path.iter().map(move |folder| folder.join(name))
}

/// Whether one of these files exists. Each of them counts: which is run depends on more than that it
/// exists.
fn is_outside(
    files: impl Iterator<Item = PathBuf>,
    around: &Surroundings<'_>,
) -> Result<bool, Doubt> {
    let mut exists = false;
    for file in files {
        let Ok(target) = file.canonicalize() else { continue };
        let inside = |path: &Path| around.roots.iter().any(|root| path.starts_with(root));
        if inside(&file) || inside(&target) {
            return Err("a program lies in the workspace");
        }
        exists = true;
    }
    Ok(exists)
}

fn rule_of(name: &str) -> Result<Rule, Doubt> {
    let row = PROGRAMS.iter().find(|(names, _)| names.split(' ').any(|listed| listed == name));
    row.map(|(_, rule)| *rule).ok_or("a program is not known to only read")
}

/// `git [OPTION…] SUBCOMMAND …`
fn check_git(words: &[Word], around: &Surroundings<'_>) -> Result<(), Doubt> {
    let words = after_git_options(words, around)?;
    let Some((subcommand, rest)) = words.split_first() else { return Ok(()) };
    let subcommand = subcommand.argument().ok_or("which git command is run is not known")?;
    if rest.iter().any(|word| checks_signatures(&word.text)) {
        return Err("git would check signatures by another program");
    }
    // Git runs another program to show its help; it looks at the first word only.
    let first = rest.first();
    if first.is_some_and(|word| {
        word.text == "--help" || !(word.is_operand() || word.argument().is_some())
    }) {
        return Err("git would show its help by another program");
    }
    let row = GIT.iter().find(|(names, _)| names.split(' ').any(|listed| listed == subcommand));
    match row.map(|(_, rule)| rule).ok_or("a git command is not known to only read")? {
        Rule::Anything => Ok(()),
        Rule::Listed(options, operands) => operands.check(&options.sort(rest)?),
        Rule::Version(_) => Err("a git command is not known to only read"),
        Rule::Checked(check) => check(rest, around),
    }
}

/// The words after the options of git itself. A folder that it goes to first must be plain.
fn after_git_options<'a>(
    words: &'a [Word],
    around: &Surroundings<'_>,
) -> Result<&'a [Word], Doubt> {
    let mut rest = words;
    let mut moved = false;
    while let Some((first, after)) = rest.split_first() {
        rest = match first.argument() {
            Some("--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs") => after,
            Some("-C") if !moved => {
                moved = true;
                let (folder, after) = after.split_first().ok_or("an option lacks its value")?;
                let folder = folder.argument().ok_or("a folder is not known")?;
                let asked = around.cwd.join(folder);
                repo::check_plain(&by_letters(&asked))?;
                repo::check_plain(&asked)?;
                after
            }
            _ => break,
        };
    }
    Ok(rest)
}

/// Whether a word makes git show signatures, for which it runs another program: `%G?` and its kin, with the
/// signs that may stand between, `%(signature)`, `--sort=signature`.
fn checks_signatures(text: &str) -> bool {
    let placeholder = |after: &str| after.trim_start_matches(['+', '-', ' ']).starts_with('G');
    text.split('%').skip(1).any(placeholder)
        || text.contains("(signature")
        || text.contains("(*signature")
        || text.trim_start_matches(['-', '*']).starts_with("signature")
        || (text.starts_with("--sort") && text.contains("signature"))
}
