//! Files that a command line runs as programs. A yes is to the line; what the file holds is read when it
//! runs, and may be something else by then (AP-06), so a card says so.
//!
//! Not here: binding the content itself, which no layer does.

use crate::{
    authority::words::{Command, listed},
    call::Classified,
};

/// Folders of the system's own programs, which nobody changes under a question.
const SYSTEM: &[&str] = &["/usr/", "/bin/", "/sbin/", "/opt/", "/lib/", "/nix/", "/gnu/"];

/// Options with which an interpreter runs a text or a module, or only answers.
const NO_FILE: &str = "-c -e -m -p --eval --print --version --help";

/// The first file that the call runs as a program, as the line names it.
pub(super) fn unbound(call: &Classified) -> Option<&str> {
    let commands = call.subjects().iter().filter_map(Command::of);
    commands.filter(|command| !command.read_only).find_map(|command| program_of(&command))
}

fn program_of<'a>(command: &Command<'a>) -> Option<&'a str> {
    let is_file = command.first.contains('/') && !command.first.contains(char::is_whitespace);
    if is_file && !SYSTEM.iter().any(|folder| command.first.starts_with(folder)) {
        return Some(command.first);
    }
    let runs_a_file = command.runs("source .")
        || (command.interprets()
            && !listed("sed ed ex vi vim nvim emacs awk gawk mawk nawk", command.program));
    // `node run x`: a word of its own language is no file that can be told; it is named all the same.
    (runs_a_file && !command.has(NO_FILE))
        .then(|| command.operands().find(|word| *word != "-"))
        .flatten()
}
