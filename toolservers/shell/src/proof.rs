//! What is proven of a line and of each of its commands, by the two readers of shell lines together.
//!
//! A command of a line that does more than read can be proven by itself: `cd src && cargo test | tail`
//! names one command that nothing is known of, and two that only read. The gate lets a rule that
//! allows the one allow the line, so all of these must hold for the others:
//!
//! - both readers see the same commands, and the line is within the small grammar of `grammar`: no
//!   assignment, function, substitution, here-document or background job anywhere;
//! - every program of the line is known, and none is a command of the shell itself that is not proven:
//!   `set`, `export`, `alias`, `exec`, `eval`, `source`, `trap` … can change what the others are;
//! - no redirection of it or of a group around it does more than read;
//! - `cd` goes to one visible folder inside the roots, and is the only one: what stands after it is
//!   then judged by rules as it is written;
//! - git runs before everything that could change its repository.
//!
//! Not here: one command alone (`readonly`), opaque commands, of which none is told (`subjects`).

use std::path::{Path, PathBuf};

use crate::{
    grammar::{self, Line},
    limits::SUBJECTS_MAX,
    parse::Parsed,
    readonly::{self, Proof, Reads, Surroundings, goes_to, is_cd, program_of},
    words::{Doubt, Word},
    wrappers,
};

#[cfg(test)]
mod gold;
#[cfg(test)]
mod ground;
#[cfg(test)]
mod ran;
#[cfg(test)]
mod tests;

/// What is proven.
#[derive(Debug, Default)]
pub(crate) struct Proven {
    /// Of the line as a whole: that it only reads.
    pub(crate) line: Option<Proof>,
    /// Whether each of [`Parsed::commands`] only reads, wherever it stands; of more than there are
    /// places for, none.
    pub(crate) each: Vec<bool>,
}

/// All commands of bash 5.2 itself.
const OF_THE_SHELL: &str = ". : [ [[ alias bg bind break builtin caller cd command compgen complete \
     compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash \
     help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly \
     return set shift shopt source suspend test times trap true type typeset ulimit umask unalias \
     unset wait";

/// Proves what can be proven of a line.
pub(crate) fn prove(line: &str, parsed: &Parsed, around: &Surroundings<'_>) -> Proven {
    let Ok(line) = grammar::read(line) else { return Proven::default() };
    let direct = parsed.commands.iter().filter(|command| command.direct);
    let agree = direct.map(|command| &command.words).eq(line.commands.iter().map(|c| &c.words));
    if !(parsed.whole && agree && around.cwd.is_dir()) {
        return Proven::default();
    }
    let proof = readonly::prove_line(&line, around).ok();
    let each = each(&line, around).map(|each| with_inner(parsed, &each, proof.is_some()));
    Proven { line: proof, each: each.unwrap_or_default() }
}

/// What a proven command runs is proven with it; a script given to a shell was not looked at. `reads_all`:
/// the line only reads.
fn with_inner(parsed: &Parsed, direct: &[bool], reads_all: bool) -> Vec<bool> {
    let mut direct = direct.iter().copied();
    let mut inner = false;
    let mut each = Vec::new();
    for command in &parsed.commands {
        if command.direct {
            let reads = direct.next().unwrap_or(false);
            inner = reads && !wrappers::reads_script_from_input(&command.words);
            each.push(reads);
        } else {
            // The head of a loop: what it names, the loop's commands may do anything to.
            each.push(if command.loops { reads_all } else { inner });
        }
    }
    each
}

/// Whether each command of the line only reads, whatever the others do.
///
/// # Errors
/// Some command may change what another one is.
fn each(line: &Line, around: &Surroundings<'_>) -> Result<Vec<bool>, Doubt> {
    if line.commands.len() > SUBJECTS_MAX {
        return Err("there are too many commands");
    }
    let mut alone = Vec::new();
    for command in &line.commands {
        let program = program_of(&command.words).ok_or("which program is run is not known")?;
        let proof = readonly::prove_command(&command.words, around);
        if OF_THE_SHELL.split(' ').any(|name| name == program) {
            proof?;
        }
        alone.push(proof.ok().filter(|_| !command.redirected));
    }
    let all = alone.iter().all(Option::is_some) && !line.redirected;
    let moves = line.commands.iter().filter(|command| is_cd(&command.words)).count();
    let here = |reads: Reads| {
        moves == 0 && alone.contains(&Some(reads)) && reads.check_folder(around.cwd).is_ok()
    };
    let (git, versions) = (here(Reads::Git), here(Reads::Versions));
    let in_order = !line.pipes && !line.repeats;
    let mut before = true;
    let mut each = Vec::new();
    for (command, reads) in line.commands.iter().zip(alone) {
        each.push(match reads {
            None => false,
            Some(Reads::Git) => git && (all || in_order && before),
            Some(Reads::Versions) => versions && (all || in_order && before),
            Some(Reads::Files) if is_cd(&command.words) => {
                moves == 1 && !line.repeats && goes_inside(&command.words, around)
            }
            Some(Reads::Files) => true,
        });
        before &= reads.is_some();
    }
    Ok(each)
}

/// Whether `cd FOLDER` leads to a folder inside the roots, no part of whose name there is hidden:
/// protected places are, and rules and the gate know them by their whole names.
fn goes_inside(words: &[Word], around: &Surroundings<'_>) -> bool {
    let Some(folders) = goes_to(words, around) else { return false };
    folders.iter().all(|path| {
        path.canonicalize().is_ok_and(|path| path.is_dir() && is_visible(&path, around.roots))
    })
}

fn is_visible(path: &Path, roots: &[PathBuf]) -> bool {
    let visible = |root: &PathBuf| {
        let root = root.canonicalize().ok()?;
        let within = path.strip_prefix(root).ok()?;
        Some(within.components().all(|part| !part.as_os_str().as_encoded_bytes().starts_with(b".")))
    };
    roots.iter().any(|root| visible(root) == Some(true))
}
