//! Wrappers and settings that do nothing by themselves: `timeout 5 cargo test`, `RUST_LOG=info`.
//!
//! The shell server gives a wrapper and what it runs as two subjects; the second is judged as any other,
//! so that the first needs no rule of its own. What is not understood to the last option is no pure
//! wrapper.

use super::words::{is_option, is_program};

/// Variables that change how a program talks, not what it does or which programs it runs (SH-11).
const HARMLESS_VARIABLES: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "NEXTEST_PROFILE",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_THREADS",
    "TERM",
    "TZ",
    "VERBOSE",
];

/// A program that runs the rest of its words as a command and does nothing else.
struct PureWrapper {
    name: &'static str,
    /// Options without a value.
    flags: &'static [&'static str],
    /// Options with a value, glued to it or as the next word.
    valued: &'static [&'static str],
    /// Words between options and command.
    operands: usize,
    /// `NAME=value` words before the command.
    assignments: bool,
}

const fn pure(
    name: &'static str,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
) -> PureWrapper {
    PureWrapper { name, flags, valued, operands: 0, assignments: false }
}

/// Never a shell, `sudo`, `xargs`, `ssh`: those change what the command may do or which words it gets.
const PURE_WRAPPERS: &[PureWrapper] = &[
    PureWrapper {
        operands: 1,
        ..pure(
            "timeout",
            &["--foreground", "--preserve-status", "--verbose", "-v"],
            &["-s", "-k", "--signal", "--kill-after"],
        )
    },
    pure("nice", &[], &["-n", "--adjustment"]),
    pure("nohup", &[], &[]),
    pure("stdbuf", &[], &["-i", "-o", "-e", "--input", "--output", "--error"]),
    PureWrapper { assignments: true, ..pure("env", &["-i", "-", "--ignore-environment"], &[]) },
    pure("time", &["-p"], &[]),
    pure("command", &[], &[]),
];

/// `NAME=value` with a name that cannot change what programs do.
pub(super) fn is_harmless_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| HARMLESS_VARIABLES.contains(&name))
}

/// `for NAME in WORD…` with a name that no program and no shell knows: the shell server gives the head of
/// a loop as a command, and `for PATH in x` changes what the loop's commands are.
pub(super) fn is_harmless_loop(argv: &[String]) -> bool {
    let [keyword, name, rest @ ..] = argv else { return false };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    matches!(keyword.as_str(), "for" | "select")
        && rest.first().is_none_or(|word| word == "in")
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(plain)
        && name != "histchars"
}

/// The command that a pure wrapper runs, if these words are one with options that are understood.
pub(super) fn behind_pure_wrapper(argv: &[String]) -> Option<&[String]> {
    let (program, mut rest) = argv.split_first()?;
    let wrapper = PURE_WRAPPERS.iter().find(|wrapper| is_program(wrapper.name, program))?;
    while let Some((word, after)) = rest.split_first() {
        rest = if wrapper.flags.contains(&word.as_str()) {
            after
        } else if wrapper.valued.contains(&word.as_str()) {
            after.get(1..)?
        } else if wrapper.valued.iter().any(|option| is_glued(option, word)) {
            after
        } else if is_option(word) {
            return None;
        } else {
            break;
        };
    }
    if wrapper.assignments {
        let set = rest.iter().take_while(|word| word.contains('='));
        if !set.clone().all(|word| is_harmless_assignment(word)) {
            return None;
        }
        rest = rest.get(set.count()..)?;
    }
    rest.get(wrapper.operands..).filter(|rest| !rest.is_empty())
}

/// `-oL`, `--output=L`.
fn is_glued(option: &str, word: &str) -> bool {
    word.strip_prefix(option).is_some_and(|value| {
        if option.starts_with("--") { value.starts_with('=') } else { !value.is_empty() }
    })
}
