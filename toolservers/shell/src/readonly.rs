//! Proves that a command only reads, and a line of such: each is in the table with these very options.
//!
//! Unknown is not read-only: a program that is not listed, an option that is not listed (also an
//! abbreviated one), a word that could be an option and is not known, a program found inside the
//! workspace, git in a repository whose configuration is not plain. This is advice to the gate,
//! which lets a read-only call run unasked, so a doubt costs a question and an error costs a file.
//!
//! Not here: the grammar (`grammar`), the programs (`readonly_table`), those that need code of
//! their own (`readonly_checks`), git's repositories (`repo`), what holds of a command beside others
//! that do more (`proof`).

use std::path::{Path, PathBuf};

use crate::{
    grammar::{self, Line},
    readonly_table::{BUILTINS, GIT, PROGRAMS},
    repo,
    words::{Doubt, Shape, Word},
};

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
    /// The words after the program pass this.
    Checked(fn(&[Word], &Surroundings<'_>) -> Result<(), Doubt>),
}

/// Options by exact name; a long one that is abbreviated is not listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Short ones without a value, as letters.
    pub(crate) flags: &'static str,
    /// Short ones with a value, glued or as the next word.
    pub(crate) valued: &'static str,
    /// Long ones without dashes, with `=` if a value must follow and `?` if one may (by `=` alone).
    pub(crate) long: &'static str,
    /// Whether `-12` is an option.
    pub(crate) numeric: bool,
}

/// Words that are no options.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operands {
    /// As many as wanted.
    Free,
    /// Known ones, at most this many.
    AtMost(usize),
    /// They pass this.
    Checked(fn(&[&Word]) -> Result<(), Doubt>),
}

/// The words of a command, sorted by [`Options::sort`].
#[derive(Debug, Default)]
pub(crate) struct Sorted<'a> {
    /// Names of options, in order, without dashes, with their value if it is known.
    pub(crate) options: Vec<(&'a str, Option<&'a str>)>,
    /// The rest.
    pub(crate) operands: Vec<&'a Word>,
}

impl Sorted<'_> {
    /// Whether one of these options was given.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(name))
    }
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
    let moves = line.commands.iter().any(|command| program_of(&command.words) == Some("cd"));
    let mut uses_git = false;
    for command in &line.commands {
        uses_git |= prove_command(&command.words, around)? == Reads::Git;
    }
    if uses_git {
        if moves {
            return Err("git would run in another folder");
        }
        repo::check_plain(around.cwd)?;
    }
    Ok(Proof { moves })
}

/// What a proven command reads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reads {
    /// Files, by the program's own code alone.
    Files,
    /// The repository that git finds, if that is plain.
    Git,
}

/// Proves that a command by itself only reads, if its program is what its name says.
///
/// # Errors
/// Why it could not be proven.
pub(crate) fn prove_command(words: &[Word], around: &Surroundings<'_>) -> Result<Reads, Doubt> {
    let (name, rest) = split(words)?;
    let name = program_name(name, around)?;
    if name == "git" {
        check_git(rest)?;
        return Ok(Reads::Git);
    }
    match rule_of(name)? {
        Rule::Anything => Ok(Reads::Files),
        Rule::Listed(options, operands) => {
            operands.check(&options.sort(rest)?)?;
            Ok(Reads::Files)
        }
        Rule::Checked(check) => check(rest, around).map(|()| Reads::Files),
    }
}

/// Checks a command that is run by another one (`timeout 5 ls`). Git is not one of them.
///
/// # Errors
/// It is not proven.
pub(crate) fn prove_inner(words: &[Word], around: &Surroundings<'_>) -> Result<(), Doubt> {
    match prove_command(words, around)? {
        Reads::Files => Ok(()),
        Reads::Git => Err("git is run by another program"),
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
        Rule::Listed(..) | Rule::Checked(_) => {
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

/// The name by which a program is in the table, if it is what the name says.
fn program_name<'a>(name: &'a str, around: &Surroundings<'_>) -> Result<&'a str, Doubt> {
    if BUILTINS.contains(&name) { Ok(name) } else { program_file(name, around) }
}

/// The same for a program that is certainly a file.
fn program_file<'a>(name: &'a str, around: &Surroundings<'_>) -> Result<&'a str, Doubt> {
    let (files, base): (Vec<PathBuf>, &str) = match name.rsplit_once('/') {
        Some(("/bin" | "/usr/bin", base)) => (vec![PathBuf::from(name)], base),
        Some(_) => return Err("a program is named by a path"),
        None => (around.path.iter().map(|folder| folder.join(name)).collect(), name),
    };
    // Every file of that name counts: which is run depends on more than that it exists.
    let mut installed = false;
    for file in files {
        let Ok(target) = file.canonicalize() else { continue };
        let inside = |path: &Path| around.roots.iter().any(|root| path.starts_with(root));
        if inside(&file) || inside(&target) {
            return Err("a program lies in the workspace");
        }
        installed = true;
    }
    if installed { Ok(base) } else { Err("a program is not installed") }
}

fn rule_of(name: &str) -> Result<Rule, Doubt> {
    let row = PROGRAMS.iter().find(|(names, _)| names.split(' ').any(|listed| listed == name));
    row.map(|(_, rule)| *rule).ok_or("a program is not known to only read")
}

/// `git [OPTION…] SUBCOMMAND …`
fn check_git(words: &[Word]) -> Result<(), Doubt> {
    let global = |word: &&Word| {
        matches!(
            word.argument(),
            Some("--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs")
        )
    };
    let options = words.iter().take_while(global).count();
    let words = words.get(options..).unwrap_or_default();
    let Some((subcommand, rest)) = words.split_first() else { return Ok(()) };
    let subcommand = subcommand.argument().ok_or("which git command is run is not known")?;
    let rest_texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    // These show signatures, for which git runs another program.
    if rest_texts.iter().any(|text| text.contains("%G") || text.contains("(signature")) {
        return Err("git would check signatures by another program");
    }
    let row = GIT.iter().find(|(names, _)| names.split(' ').any(|listed| listed == subcommand));
    match row.map(|(_, rule)| rule).ok_or("a git command is not known to only read")? {
        Rule::Anything => Ok(()),
        Rule::Listed(options, operands) => operands.check(&options.sort(rest)?),
        Rule::Checked(check) => {
            check(rest, &Surroundings { path: &[], roots: &[], cwd: Path::new("/") })
        }
    }
}

impl Options {
    /// No option at all.
    pub(crate) const NONE: Self = Self::new("", "", "");

    /// These; see the fields.
    pub(crate) const fn new(flags: &'static str, valued: &'static str, long: &'static str) -> Self {
        Self { flags, valued, long, numeric: false }
    }

    /// And `-12`.
    pub(crate) const fn numeric(self) -> Self {
        Self { numeric: true, ..self }
    }

    /// Sorts words into options and operands, which may be mixed until `--`.
    ///
    /// # Errors
    /// An option is not listed, lacks its value, or a word could be an option and is not known.
    pub(crate) fn sort<'a>(&self, words: &'a [Word]) -> Result<Sorted<'a>, Doubt> {
        let mut sorted = Sorted::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.argument() else {
                if !word.is_operand() {
                    return Err("a word that is not known could be an option");
                }
                sorted.operands.push(word);
                continue;
            };
            if text == "--" {
                sorted.operands.extend(words);
                return Ok(sorted);
            }
            if let Some(long) = text.strip_prefix("--") {
                self.long(long, &mut words, &mut sorted)?;
            } else if let Some(letters) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) {
                if !(self.numeric && letters.chars().all(|c| c.is_ascii_digit())) {
                    self.short(letters, &mut words, &mut sorted)?;
                }
            } else {
                sorted.operands.push(word);
            }
        }
        Ok(sorted)
    }

    fn long<'a>(
        &self,
        text: &'a str,
        words: &mut std::slice::Iter<'a, Word>,
        sorted: &mut Sorted<'a>,
    ) -> Result<(), Doubt> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let listed =
            self.long.split(' ').find(|listed| listed.trim_end_matches(['=', '?']) == name);
        let listed = listed.filter(|listed| !listed.is_empty()).ok_or("an option is not known")?;
        let value = match (listed.ends_with('='), value) {
            (true, None) => value_of(words)?,
            (false, Some(_)) if !listed.ends_with('?') => return Err("an option takes no value"),
            (_, value) => value,
        };
        sorted.options.push((name, value));
        Ok(())
    }

    fn short<'a>(
        &self,
        letters: &'a str,
        words: &mut std::slice::Iter<'a, Word>,
        sorted: &mut Sorted<'a>,
    ) -> Result<(), Doubt> {
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            let (name, after) = rest.split_at(letter.len_utf8());
            rest = after;
            if self.flags.contains(letter) {
                sorted.options.push((name, None));
            } else if self.valued.contains(letter) {
                let value = if rest.is_empty() { value_of(words)? } else { Some(rest) };
                sorted.options.push((name, value));
                return Ok(());
            } else {
                return Err("an option is not known");
            }
        }
        Ok(())
    }
}

/// An option's value in the next word. It must be exactly one and must not look like an option:
/// where another version of the program takes no value there, nothing is then overlooked.
fn value_of<'a>(words: &mut std::slice::Iter<'a, Word>) -> Result<Option<&'a str>, Doubt> {
    let word = words.next().ok_or("an option lacks its value")?;
    match word.shape {
        Shape::Known | Shape::One(_) if word.is_operand() => Ok(word.argument()),
        Shape::Known | Shape::One(_) | Shape::Many(_) => {
            Err("an option's value is not known to be one word")
        }
    }
}

impl Operands {
    fn check(self, sorted: &Sorted<'_>) -> Result<(), Doubt> {
        match self {
            Self::Free => Ok(()),
            Self::AtMost(most) => {
                let known = sorted.operands.iter().all(|word| word.argument().is_some());
                if known && sorted.operands.len() <= most {
                    Ok(())
                } else {
                    Err("a program could write to one of its operands")
                }
            }
            Self::Checked(check) => check(&sorted.operands),
        }
    }
}
