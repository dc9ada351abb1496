//! What of a command's output is the sandbox's doing, said in so many words (`[SHELL-05]`): programs say
//! "Permission denied" and leave it to the reader to guess whose.
//!
//! A line is not believed for its words alone (B053): a place that it names must be one that this very
//! confinement closes, and that the user could otherwise change; a word about names or routes counts only
//! where there is no network.
//!
//! Not here: what is closed (`sandbox`).

use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};
use tollgate_confine::child::Plan;

use crate::{
    limits::{DENIALS_TOLD_MAX, DENIED_LINES_MAX},
    sandbox::Confinement,
};

#[cfg(test)]
mod tests;

/// How programs say that a file is closed, in lower case.
const CLOSED: &[&str] = &[
    "permission denied",
    "read-only file system",
    "operation not permitted",
    "device or resource busy",
    "eacces",
    "erofs",
    "eperm",
    "ebusy",
    "permissionerror",
    "os error 13",
    "os error 30",
    "access is denied",
];

/// How programs say that there is no network, in lower case.
const UNREACHABLE: &[&str] = &[
    "could not resolve",
    "couldn't resolve",
    "unable to resolve",
    "temporary failure in name resolution",
    "temporary failure resolving",
    "name or service not known",
    "no address associated with hostname",
    "nodename nor servname provided",
    "failed to lookup address",
    "getaddrinfo",
    "enotfound",
    "network is unreachable",
    "enetunreach",
    "no route to host",
    "dns error",
    "name resolution",
];

/// How programs say that they reached nobody, before the name or number of whom, in lower case.
const UNANSWERED: &str = "failed to connect to ";

/// How numbers and names of this machine begin: nobody there is for the sandbox to answer for.
const LOOPBACK: &[&str] = &["localhost", "127.", "::1", "[::1]", "0.0.0.0"];

/// How programs say that a system call is closed: what they did, in lower case, beside [`CLOSED`].
const CALLS: &[&str] = &[
    "ptrace",
    "unshare",
    "setns",
    "mount",
    "chroot",
    "socket",
    "clone",
    "keyctl",
    "bpf",
    "namespace",
];

/// Something that the sandbox refused.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Denial {
    /// Reading a place that is withheld.
    Read(PathBuf),
    /// Changing a place inside its folders that is held.
    Held(PathBuf),
    /// Changing a place outside of them.
    Write(PathBuf),
    /// The network.
    Network,
    /// A system call.
    Call(&'static str),
}

/// What the lines of an output show to have been refused, each once. `folders`: where the command began and
/// ended, which its relative names mean.
pub(crate) fn of(output: &[&str], folders: &[&Path], confinement: &Confinement) -> Vec<Denial> {
    let Confinement::By(plan) = confinement else { return Vec::new() };
    let lines = output.iter().flat_map(|part| part.lines().rev().take(DENIED_LINES_MAX));
    let found: BTreeSet<Denial> = lines.filter_map(|line| of_line(line, folders, plan)).collect();
    found.into_iter().collect()
}

fn of_line(line: &str, folders: &[&Path], plan: &Plan) -> Option<Denial> {
    let lower = line.to_lowercase();
    let says = |words: &[&'static str]| words.iter().copied().find(|word| lower.contains(word));
    let is_far = |rest: &str| !LOOPBACK.iter().any(|name| rest.starts_with(name));
    let far = lower.split_once(UNANSWERED).is_some_and(|(_, rest)| is_far(rest));
    if !plan.network && (far || says(UNREACHABLE).is_some()) {
        return Some(Denial::Network);
    }
    says(CLOSED)?;
    let in_any = |place| folders.iter().find_map(|folder| closed(&folder.join(place), plan));
    let place = places_in(without_script(line)).find_map(in_any);
    place.or_else(|| says(CALLS).map(Denial::Call))
}

/// What a confinement closes of a place, if that is why it was refused.
fn closed(place: &Path, plan: &Plan) -> Option<Denial> {
    let real = real(place)?;
    let is_in = |all: &[PathBuf]| all.iter().any(|one| real.starts_with(one));
    if is_in(&plan.masked) {
        return Some(Denial::Read(real));
    }
    if is_in(&plan.held) {
        return Some(Denial::Held(real));
    }
    (!is_in(&plan.write) && would_be_written(&real)).then_some(Denial::Write(real))
}

/// A path without links as far as it exists; nothing of one that climbs out of what does not.
fn real(place: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    for ancestor in place.ancestors() {
        if let Ok(real) = ancestor.canonicalize() {
            return Some(missing.into_iter().rev().fold(real, |path, name| path.join(name)));
        }
        match ancestor.components().next_back()? {
            Component::Normal(name) => missing.push(name.to_owned()),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    None
}

/// Whether this user could change a place, or make it, without a sandbox.
fn would_be_written(real: &Path) -> bool {
    let Some(existing) = real.ancestors().find(|it| it.symlink_metadata().is_ok()) else {
        return false;
    };
    if existing.starts_with("/proc") || existing.starts_with("/sys") {
        return false;
    }
    let is_open = access(existing, Access::WRITE_OK).is_ok();
    let flags = statvfs(existing).map(|found| found.f_flag);
    is_open && flags.is_ok_and(|flags| !flags.contains(StatVfsMountFlags::RDONLY))
}

/// A line without what a shell begins it with, its own name or a script's: "bash: line 1: ", "./x.sh: 3: ".
fn without_script(line: &str) -> &str {
    let mut parts = line.splitn(3, ": ").skip(1);
    let (Some(number), Some(rest)) = (parts.next(), parts.next()) else { return line };
    let number = number.strip_prefix("line ").unwrap_or(number);
    if number.parse::<u32>().is_ok() { rest } else { line }
}

/// Texts of a line that may be paths: what stands in quotes, and the parts between colons; behind the words
/// that say it is closed, only what begins at the root ("Permission denied: sandbox test" names nothing).
fn places_in(line: &str) -> impl Iterator<Item = &str> {
    let quoted =
        ['\'', '"', '`'].into_iter().flat_map(|quote| line.split(quote).skip(1).step_by(2));
    let typographic = line.split('‘').skip(1).filter_map(|rest| Some(rest.split_once('’')?.0));
    let words = line.to_lowercase();
    let said = CLOSED.iter().filter_map(|word| words.find(word)).min().unwrap_or(line.len());
    // Letters that change their length with their case may move the place a little.
    let (before, behind) = line.split_at_checked(said).unwrap_or((line, ""));
    // "bash: line 1: FILE: Permission denied": from the end on.
    let parts = before.rsplit(": ").map(str::trim);
    let last_words = before.rsplit(": ").filter_map(|part| part.split_whitespace().next_back());
    let rooted = behind.split(": ").map(str::trim).filter(|part| part.starts_with('/'));
    let all = quoted.chain(typographic).chain(parts).chain(last_words).chain(rooted);
    let may_be = |text: &&str| !text.is_empty() && text.len() < 4096 && !text.contains('\0');
    all.filter(may_be).filter(|text| !is_word_of_it(text))
}

/// Whether a text is itself the word for the refusal.
fn is_word_of_it(text: &str) -> bool {
    let lower = text.to_lowercase();
    CLOSED.iter().any(|word| lower.contains(word) || word.ends_with(&lower))
}

/// For the result, each in brackets. `roots`: those of the session; `can_ask`: a wider sandbox can be had by
/// asking.
pub(crate) fn notes(denials: &[Denial], roots: &[PathBuf], can_ask: bool) -> Vec<String> {
    let mut notes: Vec<String> = denials
        .iter()
        .take(DENIALS_TOLD_MAX)
        .map(|denial| format!("[sandbox: {}]", sentence(denial, roots, can_ask)))
        .collect();
    if denials.len() > DENIALS_TOLD_MAX {
        notes.push(format!("[sandbox: {} more refusals]", denials.len() - DENIALS_TOLD_MAX));
    }
    notes
}

fn sentence(denial: &Denial, roots: &[PathBuf], can_ask: bool) -> String {
    let wider = |sandbox: &str| match can_ask {
        true => {
            format!("; if it must be, call bash with sandbox \"{sandbox}\" and a justification")
        }
        false => String::new(),
    };
    match denial {
        Denial::Read(place) => {
            format!("reading {} was refused: a rule withholds it from commands", place.display())
        }
        Denial::Held(place) => format!(
            "changing {} was refused: it is protected, since it decides what programs or agents do{}",
            place.display(),
            wider("off")
        ),
        Denial::Write(place) => format!(
            "write to {} was refused: this command may change {}{}",
            place.display(),
            folders(roots),
            wider("off")
        ),
        Denial::Network => {
            format!("this command had no network{}", wider("network"))
        }
        Denial::Call(what) => {
            format!("the system call behind \"{what}\" was refused{}", wider("off"))
        }
    }
}

/// "only /w and its temporary folder, $TMPDIR".
fn folders(roots: &[PathBuf]) -> String {
    let named: Vec<String> = roots.iter().map(|folder| folder.display().to_string()).collect();
    match named.as_slice() {
        [] => "nothing but its temporary folder, $TMPDIR".to_owned(),
        named => format!("only {} and its temporary folder, $TMPDIR", named.join(", ")),
    }
}
