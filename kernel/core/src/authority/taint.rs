//! Taint (`[THR-04]`): which results bring untrusted text in, and which calls then ask again.
//!
//! A call reaches out when it sends something or changes something outside the workspace. `cargo test`,
//! `pytest`, `make`, `npm test`, `git commit` do not, though they run programs: asking at each of them
//! would stop ordinary work, and the sandbox holds them in the workspace and off the network. Files
//! below `/tmp` and `/var/tmp` are inside in this sense. Reading from the network does reach out: what is
//! asked for says something (MD-05).
//!
//! Not here: remembering the sources (`engine::context`), who is asked (`judge`).

mod talkers;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::{
    Circumstances, Taint,
    baseline::places::{behind_home, flat},
    hosts::is_loopback,
    words::{Command, listed},
};
use crate::{
    call::Classified,
    safety::{Access, Subject, Trust},
};
pub(super) use talkers::talks;
use talkers::{fetches, hosts_in, is_any_program, is_unknown};

/// Folders of the system's own files: nobody who sends text writes there.
const SYSTEM: &[&str] =
    &["/dev", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/opt", "/run"];

/// Folders for files that nobody keeps.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev"];

/// Programs of which all operands may be written.
const WRITERS: &str = "mv tee touch mkdir rm rmdir unlink truncate shred chmod chown chgrp ln mktemp \
    mkfifo mknod patch setfacl chattr trash";

/// Programs of which the last operand is written.
const COPIERS: &str = "cp install rsync";

/// The source of untrusted text that this call's result brings in, if it does: an untrusted server,
/// a host, a file outside the workspace or in one that nobody trusts.
#[must_use]
pub fn source_of(call: &Classified, at: &Circumstances<'_>) -> Option<Taint> {
    if call.is_program() {
        // Its calls bring in what it brings.
        return None;
    }
    let entry = call.entry();
    let named = call.subjects().iter().find_map(|subject| source_in(subject, at));
    let has_commands = call.subjects().iter().any(|it| matches!(it, Subject::Command { .. }));
    let source = if let Some(source) = named {
        source
    } else if entry.trust == Trust::Untrusted {
        format!("server {}", entry.server.as_str())
    } else if call.safety().open_world && !has_commands {
        format!("tool {}", entry.canonical().as_str())
    } else {
        return None;
    };
    Some(Taint { tool: entry.canonical().as_str().to_owned(), source })
}

fn source_in(subject: &Subject, at: &Circumstances<'_>) -> Option<String> {
    let workspace = &at.policy.workspace;
    match subject {
        Subject::Mcp { server, .. } => Some(format!("MCP server {server}")),
        Subject::Host { host } => Some(host.clone()),
        Subject::Path { absolute, access: Access::Read, .. } => {
            let untrusted = !workspace.trusted || !is_inside(absolute, at);
            untrusted.then(|| absolute.display().to_string())
        }
        Subject::Command { .. } => {
            let command = Command::of(subject)?;
            let spoken = talks(&command).then(|| {
                let hosts = hosts_in(&command);
                hosts.into_iter().next().unwrap_or_else(|| command.program.to_owned())
            });
            let read = || read_outside(&command, at);
            let lies = || (!workspace.trusted).then(|| "a workspace that nobody trusts".to_owned());
            spoken.or_else(read).or_else(lies)
        }
        Subject::Unknown => Some("something unknown".to_owned()),
        Subject::Path { .. } | Subject::Repo { .. } | Subject::Tool { .. } => None,
    }
}

/// A file outside that a command which only reads names.
fn read_outside(command: &Command<'_>, at: &Circumstances<'_>) -> Option<String> {
    let outside = |word: &&str| {
        let place = place_of(word, at);
        let system = SYSTEM.iter().any(|folder| place.starts_with(folder));
        !is_inside(&place, at) && !system && !runs_nothing(command)
    };
    let named = |word: &&str| word.starts_with(['/', '~', '.']) || behind_home(word).is_some();
    let mut operands = command.operands().filter(named);
    command.read_only.then(|| operands.find(outside)).flatten().map(str::to_owned)
}

/// Commands that show nothing of a file's content.
fn runs_nothing(command: &Command<'_>) -> bool {
    command.runs("cd pushd echo printf test [ true false pwd which dirname basename")
}

/// Whether this call sends something out or changes something outside the workspace.
#[must_use]
pub fn reaches_out(call: &Classified, at: &Circumstances<'_>) -> bool {
    if call.is_program() {
        // Its calls are asked about.
        return false;
    }
    let safety = call.safety();
    let has_commands = call.subjects().iter().any(|it| matches!(it, Subject::Command { .. }));
    (safety.open_world && !has_commands)
        || call.subjects().iter().any(|subject| match subject {
            Subject::Host { .. } => true,
            Subject::Mcp { .. } | Subject::Unknown => !safety.read_only,
            Subject::Path { absolute, access, .. } => {
                *access != Access::Read && !is_inside(absolute, at)
            }
            Subject::Repo { path } => !safety.read_only && !is_inside(path, at),
            Subject::Command { .. } => {
                let command = Command::of(subject);
                !safety.read_only
                    && command.is_some_and(|command| command_reaches_out(&command, at))
            }
            Subject::Tool { .. } => false,
        })
}

fn command_reaches_out(command: &Command<'_>, at: &Circumstances<'_>) -> bool {
    if command.runs("cd pushd") {
        // Whatever changes something then does so there.
        return command.operands().any(|folder| is_outside(folder, at));
    }
    if command.read_only {
        return false;
    }
    if talks(command) {
        return true;
    }
    match command.program {
        "<" => false,
        ">" => command.rest.iter().any(|word| is_unknown(word) || is_outside(word, at)),
        "dd" => {
            let output = command.rest.iter().find_map(|word| word.strip_prefix("of="));
            output.is_some_and(|output| is_outside(output, at))
        }
        program if listed(WRITERS, program) => command.operands().any(|it| is_outside(it, at)),
        program if listed(COPIERS, program) => {
            let last = command.operands().last();
            let into = option_value(command, "-t", "--target-directory");
            last.into_iter().chain(into).any(|it| is_outside(it, at))
        }
        _ => is_any_program(command) || names_outside(command, at),
    }
}

/// Whether a command that may change something names a place outside that is none of the system's:
/// `sed -i s/a/b/ ~/x`, `tar -C /srv -xf x`, `git -C ../other commit`.
fn names_outside(command: &Command<'_>, at: &Circumstances<'_>) -> bool {
    let named = |word: &str| {
        word.starts_with(['/', '~']) || word.starts_with("..") || behind_home(word).is_some()
    };
    command.rest.iter().any(|word| {
        let value = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        let system = || SYSTEM.iter().any(|folder| place_of(value, at).starts_with(folder));
        named(value) && is_outside(value, at) && !system()
    })
}

fn option_value<'a>(command: &Command<'a>, short: &str, long: &str) -> Option<&'a str> {
    let mut words = command.rest.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == short || word == long {
            return words.next();
        }
        if let Some(value) = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value);
        }
    }
    None
}

/// Whether a word names a place outside, or one that is known only when the line runs and that does
/// not begin inside.
fn is_outside(word: &str, at: &Circumstances<'_>) -> bool {
    !is_inside(&place_of(word, at), at)
}

fn place_of(word: &str, at: &Circumstances<'_>) -> PathBuf {
    match (behind_home(word), &at.policy.home) {
        (Some(rest), Some(home)) => flat(&home.join(rest.trim_start_matches('/'))),
        (Some(_), None) => PathBuf::from("/~"),
        (None, _) => flat(&at.cwd.join(word)),
    }
}

fn is_inside(path: &Path, at: &Circumstances<'_>) -> bool {
    let workspace = &at.policy.workspace;
    let path = flat(path);
    let roots = workspace.roots.iter().chain([&workspace.root]);
    let mut roots = roots.filter(|root| root.is_absolute());
    let temporary =
        TEMPORARY.iter().any(|folder| path.starts_with(folder) && path != Path::new(folder));
    roots.any(|root| path.starts_with(root)) || temporary
}

/// Whether some command of the call talks to other hosts.
pub(super) fn sends_out(call: &Classified) -> bool {
    commands(call).any(|command| talks(&command))
}

/// Whether the call's processes have something to say to other hosts: it names one, or a command talks, or
/// fetches what a list names.
pub(super) fn needs_network(call: &Classified) -> bool {
    let names_one = call
        .subjects()
        .iter()
        .any(|subject| matches!(subject, Subject::Host { host } if !is_loopback(host)));
    names_one || commands(call).any(|command| talks(&command) || fetches(&command))
}

/// Hosts that the call names, and that commands of it name which talk to other hosts.
pub(super) fn named_hosts(call: &Classified) -> Vec<String> {
    let subjects = call.subjects().iter().filter_map(|subject| match subject {
        Subject::Host { host } => Some(host.clone()),
        Subject::Path { .. }
        | Subject::Command { .. }
        | Subject::Repo { .. }
        | Subject::Mcp { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => None,
    });
    let commands = commands(call).filter(talks).flat_map(|command| hosts_in(&command));
    subjects.chain(commands).collect()
}

fn commands(call: &Classified) -> impl Iterator<Item = Command<'_>> {
    call.subjects().iter().filter_map(Command::of)
}
