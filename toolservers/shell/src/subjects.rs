//! What a line touches, in the words of the protocol: subjects for the rules, a preview for people.
//!
//! Invariants: at most 256 subjects, each within its bound; what does not fit is told by a last
//! opaque one, so that a line with more commands than that is never allowed by a rule (G-06).
//!
//! Not here: finding commands (`parse`), what names lead to by links (`through`).

use std::path::{Path, PathBuf};

use tollgate_sdk::{PathAccess, PathReach, Subject};

use crate::{
    limits::{PREVIEW_BYTES_MAX, SUBJECT_BYTES_MAX, SUBJECT_WORDS_MAX, SUBJECTS_MAX},
    links,
    parse::{self, Command, Parsed, Target},
};

#[cfg(test)]
mod tests;
mod through;

/// Commands after which a relative name may mean another file.
const MOVING: &[&str] = &["cd", "pushd", "popd"];

/// Targets that are no files.
const STREAMS: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"];

/// All subjects of a line, each once. `reads` says of each command whether it is proven to only read;
/// empty: of none. `line_reads`: the whole line is.
pub(crate) fn subjects(
    parsed: &Parsed,
    reads: &[bool],
    line_reads: bool,
    cwd: &Path,
    roots: &[PathBuf],
) -> Vec<Subject> {
    let linked = through::subjects(parsed, reads, line_reads, cwd, roots);
    let moves = parsed.commands.iter().any(moves);
    let targets = parsed.targets.iter().flat_map(|target| of_target(target, moves, cwd, roots));
    let reads = reads.iter().copied().chain(std::iter::repeat(false));
    let commands =
        parsed.commands.iter().zip(reads).map(|(command, reads)| of_command(command, reads));
    let mut subjects: Vec<Subject> = Vec::new();
    let mut more: usize = 0;
    for subject in commands.chain(targets).chain(linked) {
        if subjects.contains(&subject) {
            continue;
        }
        if subjects.len() + 1 < SUBJECTS_MAX {
            subjects.push(subject);
        } else {
            more += 1;
        }
    }
    if more > 0 {
        subjects.push(opaque(vec![format!("({more} more)")], String::new()));
    }
    subjects
}

/// A line in which nothing is found that it touches, as one subject of which nothing is known.
pub(crate) fn unknown(line: &str) -> Subject {
    opaque(vec![bounded(line, SUBJECT_BYTES_MAX).to_owned()], String::new())
}

/// What a text may be that a program reads: commands, if it is a shell. Subjects of the text as if it were
/// a line, after those that there are and one of which nothing is known: what no rule allows.
pub(crate) fn typed(
    into: &str,
    text: &str,
    cwd: &Path,
    roots: &[PathBuf],
    mut subjects: Vec<Subject>,
) -> Vec<Subject> {
    // With blanks in it, so that it is no program's name.
    subjects.push(unknown(&format!("{into} {text}")));
    for subject in self::subjects(&parse::parse(text), &[], false, cwd, roots) {
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    if subjects.len() > SUBJECTS_MAX {
        let more = subjects.split_off(SUBJECTS_MAX - 1).len();
        subjects.push(opaque(vec![format!("({more} more)")], String::new()));
    }
    subjects
}

/// The line and, if it is more than one command, its commands one a line.
pub(crate) fn preview(line: &str, parsed: &Parsed) -> String {
    let mut text = bounded(line, PREVIEW_BYTES_MAX / 2).to_owned();
    if parsed.commands.len() > 1 {
        text.push('\n');
        for command in &parsed.commands {
            let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
            let mark = if command.opaque { "  (not all known)" } else { "" };
            let entry = format!(
                "\n{:>4} {}{mark}",
                command.operator.escape_debug().to_string(),
                words.join(" ")
            );
            if text.len() + entry.len() > PREVIEW_BYTES_MAX {
                break;
            }
            text.push_str(&entry);
        }
    }
    text
}

fn moves(command: &Command) -> bool {
    let program = command.words.first().map(|word| word.text.as_str());
    program.is_some_and(|program| MOVING.contains(&program))
}

fn opaque(argv: Vec<String>, operator: String) -> Subject {
    Subject::Command { argv, operator, opaque: true, read_only: false }
}

/// What is not all known is never said to only read, whatever was proven.
fn of_command(command: &Command, reads: bool) -> Subject {
    let mut argv = Vec::new();
    let mut bytes = 0;
    for word in &command.words {
        bytes += word.text.len();
        if argv.len() == SUBJECT_WORDS_MAX || bytes > SUBJECT_BYTES_MAX {
            let text =
                bounded(&word.text, SUBJECT_BYTES_MAX.saturating_sub(bytes - word.text.len()));
            if argv.len() < SUBJECT_WORDS_MAX {
                argv.push(text.to_owned());
            }
            return opaque(argv, command.operator.clone());
        }
        argv.push(word.text.clone());
    }
    Subject::Command {
        argv,
        operator: command.operator.clone(),
        opaque: command.opaque,
        read_only: reads && !command.opaque,
    }
}

/// The file that a redirection opens, by every name that leads to it.
fn of_target(target: &Target, moves: bool, cwd: &Path, roots: &[PathBuf]) -> Vec<Subject> {
    let arrow = if target.write { ">" } else { "<" };
    let unknown = || {
        let name = bounded(&target.word.text, SUBJECT_BYTES_MAX / 2).to_owned();
        vec![opaque(vec![arrow.into(), name], arrow.into())]
    };
    let Some(name) = target.word.argument() else { return unknown() };
    if STREAMS.contains(&name) {
        return Vec::new();
    }
    let dialled = name.strip_prefix("/dev/tcp/").or_else(|| name.strip_prefix("/dev/udp/"));
    if let Some(address) = dialled {
        return vec![Subject::Host(address.replacen('/', ":", 1).to_ascii_lowercase())];
    }
    let path = Path::new(name);
    if moves && !path.is_absolute() {
        return unknown();
    }
    let Some(names) = links::names(&cwd.join(path)) else { return unknown() };
    of_names(names, target.write, roots)
}

/// One file by all its names, the first of which is its own.
fn of_names(names: Vec<PathBuf>, writes: bool, roots: &[PathBuf]) -> Vec<Subject> {
    let exists = names.first().is_some_and(|file| file.symlink_metadata().is_ok());
    let access = match (writes, exists) {
        (false, _) => PathAccess::Read,
        (true, true) => PathAccess::Write,
        (true, false) => PathAccess::Create,
    };
    let subject = |absolute: PathBuf| {
        let relative = relative(&absolute, roots);
        Subject::Path { absolute, relative, access, reach: PathReach::Itself }
    };
    names.into_iter().map(subject).collect()
}

/// Its place in the root that holds it; a root may be named by a link.
fn relative(path: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    let given = roots.iter().find_map(|root| path.strip_prefix(root).ok());
    let real = || {
        roots.iter().find_map(|root| {
            let root = root.canonicalize().ok()?;
            Some(path.strip_prefix(root).ok()?.to_owned())
        })
    };
    given.map(Path::to_owned).or_else(real)
}

/// As many whole characters of a text as fit.
pub(crate) fn bounded(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}
