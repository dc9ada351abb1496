//! What shows only in a line as a whole: downloads that are run, lines that start themselves, and what
//! runs on when the line has ended.

use std::collections::{BTreeMap, BTreeSet};

use super::{Line, Step};
use crate::{
    authority::words::{Command, listed, runs_inside},
    safety::{Access, Subject},
};

/// Programs that bring text from elsewhere.
const DOWNLOADERS: &str = "curl wget aria2c http https xh httpie fetch lynx nc ncat socat ftp lftp";

/// Programs that make a program of text that says nothing to who reads it.
const DECODERS: &str = "base64 base32 xxd uudecode openssl gunzip zcat gpg";

/// Programs that run what they are given as text in the shell itself.
const RUNNERS: &str = "eval source .";

/// Programs that let others run on.
const DETACHERS: &str = "nohup setsid disown daemonize systemd-run at batch";

/// Whether the line runs what it downloads or decodes.
pub(super) fn runs_download(line: &Line<'_>) -> bool {
    let substituted =
        line.commands.iter().any(|it| it.runs(DOWNLOADERS) && !starts_anew(it.operator));
    let takes_input = line.commands.iter().any(|it| interprets(it) && is_fed_program(it));
    let mut brought = false;
    let mut saved: BTreeSet<&str> = written_here(line).collect();
    line.commands.iter().any(|command| {
        let fed = !starts_anew(command.operator) && !matches!(command.operator, "&&" | ";");
        let script = script_of(command);
        let runs = (brought && fed && interprets(command) && is_fed_program(command))
            || (brought && command.runs("eval") && command.opaque)
            || substitutes_download(command, substituted, takes_input)
            || (brought && script.is_some_and(|script| saved.contains(script)))
            || script.is_some_and(|script| {
                script.starts_with("http://") || script.starts_with("https://")
            })
            || fetches_program(command);
        if command.runs(DOWNLOADERS) {
            brought = true;
            saved.extend(command.rest.iter().map(|word| file_name(word)));
        }
        brought |= command.runs(DECODERS);
        runs
    })
}

/// Whether a command after this operator has no part in what stands before it.
fn starts_anew(operator: &str) -> bool {
    matches!(operator, "" | "||" | "\n" | "&" | "<<")
}

/// Whether an interpreter takes its program from its input.
fn is_fed_program(command: &Command<'_>) -> bool {
    let texts = "-c -e -m --eval --print --version -V -h --help";
    let has_text = command.options().any(|given| listed(texts, given)) || command.has("-c -m");
    let from_input = command.operands().all(|word| matches!(word, "-" | "/dev/stdin"))
        || command.options().any(|given| given == "-s");
    !has_text && from_input
}

/// `sh -c "$(curl x)"`, `bash <(curl x)`, `eval "$(curl x)"`, `bash < <(curl x)`. `substituted`: some
/// download of the line may stand in a substitution; `takes_input`: some interpreter reads its input.
fn substitutes_download(command: &Command<'_>, substituted: bool, takes_input: bool) -> bool {
    let names = |word: &String| {
        runs_inside(word)
            && (substituted || word.split(|c| !is_name(c)).any(|name| listed(DOWNLOADERS, name)))
    };
    let runs = interprets(command)
        || command.runs(RUNNERS)
        || (takes_input && matches!(command.program, "<" | "<("));
    runs && command.rest.iter().any(names)
}

/// A program text that fetches and runs in one.
fn fetches_program(command: &Command<'_>) -> bool {
    const FETCHES: [&str; 6] =
        ["urlopen(", "requests.get(", "fetch(", "http.get(", "https.get(", "URI.open("];
    const RUNS: [&str; 5] = ["exec(", "eval(", "eval ", "Function(", "instance_eval"];
    let has = |word: &str, parts: &[&str]| parts.iter().any(|part| word.contains(part));
    interprets(command) && command.rest.iter().any(|word| has(word, &FETCHES) && has(word, &RUNS))
}

/// Files that redirections of the line write, seen from where it begins.
fn written_here<'a>(line: &'a Line<'_>) -> impl Iterator<Item = &'a str> {
    line.call.subjects().iter().filter_map(|subject| match subject {
        Subject::Path { absolute, access: Access::Write | Access::Create, .. } => {
            absolute.strip_prefix(line.at.cwd).ok()?.to_str()
        }
        Subject::Path { .. }
        | Subject::Command { .. }
        | Subject::Host { .. }
        | Subject::Repo { .. }
        | Subject::Mcp { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => None,
    })
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '2')
}

/// The file that a command runs: `sh i.sh`, `./i.sh`, which may be what a download was saved as.
fn script_of<'a>(command: &Command<'a>) -> Option<&'a str> {
    let script = if interprets(command) || command.runs(RUNNERS) {
        command.operands().next()
    } else {
        Some(command.first).filter(|first| first.contains('/'))
    };
    script.map(file_name).filter(|name| !name.is_empty())
}

fn file_name(word: &str) -> &str {
    word.trim_start_matches("--output=").trim_start_matches("./")
}

/// Interpreters of the language of whole programs; `awk` and `sed` take their input as data.
fn interprets(command: &Command<'_>) -> bool {
    command.interprets() && !command.runs("awk gawk mawk nawk sed ed ex vi vim nvim emacs")
}

/// A name that is called in its own body, piped into itself or left behind.
pub(super) fn is_fork_bomb(line: &Line<'_>) -> bool {
    #[derive(Default)]
    struct Calls {
        all: usize,
        in_body: bool,
        left: bool,
    }
    let mut calls: BTreeMap<&str, Calls> = BTreeMap::new();
    for command in line.commands.iter().filter(|it| it.rest.is_empty() && !it.first.is_empty()) {
        let calls = calls.entry(command.first).or_default();
        calls.all += 1;
        calls.in_body |= command.operator == "{";
        calls.left |= matches!(command.operator, "|" | "&");
    }
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    // A line that did not parse is there as it is written.
    let spelled = |text: &str| text.contains(':') && bare(text).contains(":|:&");
    let forks = |text: &String| {
        text.contains("fork")
            && (bare(text).contains("forkwhilefork")
                || (text.contains("while") && text.contains("os.fork()")))
    };
    calls.iter().any(|(name, it)| (it.left && it.in_body && it.all > 2) || spelled(name))
        || line.commands.iter().any(|command| command.rest.iter().any(forks))
}

/// Whether something of the line runs on when the line has ended.
pub(super) fn is_background(commands: &[Step<'_>], preview: &str) -> bool {
    let detached = |command: &Step<'_>| command.operator == "&" || command.runs(DETACHERS);
    commands.iter().any(detached) || has_lone_ampersand(preview)
}

/// A command that is left behind at the end of a line has no command after it that could tell.
fn has_lone_ampersand(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(place, byte)| {
        let before = place.checked_sub(1).and_then(|place| bytes.get(place)).copied();
        let after = bytes.get(place + 1).copied();
        *byte == b'&'
            && !matches!(before, Some(b'&' | b'>' | b'<' | b'|'))
            && !matches!(after, Some(b'&' | b'>' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z'))
    })
}
