//! Programs that run another program: where in their words the other one begins.
//!
//! Rules see both: `sudo touch x` is a subject, and so is `touch x`. Where the inner command cannot
//! be told for certain (an option that is not listed, words that come from elsewhere), it is given
//! as opaque, so that a rule that denies still sees the words and none that allows is enough.
//!
//! Not here: what only reads (`readonly`); wrappers prove nothing there unless it says so.

use crate::words::Word;

#[cfg(test)]
mod tests;

/// What a command runs besides itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Inner {
    /// A command; `true` if its words are not all there or not certain.
    Command(Vec<Word>, bool),
    /// A script in one of its words.
    Script(String),
    /// Something that its words do not tell: what comes on standard input, what a variable holds.
    Elsewhere,
}

/// A program that takes options, then some operands, then a command.
struct Wrapper {
    /// Separated by blanks.
    names: &'static str,
    /// Short options that take a value.
    valued: &'static str,
    /// Long options that take one as the next word.
    long_valued: &'static str,
    /// Operands before the command.
    operands: usize,
    /// `NAME=value` words before the command.
    assignments: bool,
    /// More words are added when it runs.
    adds_words: bool,
}

const fn wrapper(names: &'static str, valued: &'static str, operands: usize) -> Wrapper {
    Wrapper { names, valued, long_valued: "", operands, assignments: false, adds_words: false }
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper { assignments: true, long_valued: "unset chdir", ..wrapper("env", "uC", 0) },
    Wrapper {
        assignments: true,
        long_valued: "user group host prompt chdir role type close-from other-user chroot command-timeout",
        ..wrapper("sudo doas", "ughpCrtTUDR", 0)
    },
    Wrapper {
        adds_words: true,
        long_valued: "arg-file delimiter max-args max-procs max-chars replace max-lines",
        ..wrapper("xargs", "adEILnPs", 0)
    },
    Wrapper { long_valued: "adjustment", ..wrapper("nice", "n", 0) },
    Wrapper { long_valued: "signal kill-after", ..wrapper("timeout", "ks", 1) },
    Wrapper { long_valued: "input output error", ..wrapper("stdbuf", "ioe", 0) },
    wrapper("nohup setsid command builtin coproc", "", 0),
    wrapper("exec", "a", 0),
    Wrapper { long_valued: "format output", ..wrapper("time", "fo", 0) },
    wrapper("ionice", "cnpPu", 0),
    wrapper("chrt taskset", "", 1),
    wrapper("strace ltrace", "aeEIoOpPsSuUX", 0),
    wrapper("chroot", "", 1),
    wrapper("unshare", "", 0),
    wrapper("flock", "Ew", 1),
    wrapper("busybox toybox", "", 0),
    wrapper(
        "setpriv runuser unbuffer faketime prlimit cgexec systemd-run catchsegv valgrind fakeroot \
         eatmydata proxychains proxychains4 torsocks rlwrap firejail xvfb-run dbus-run-session caffeinate",
        "",
        0,
    ),
    wrapper("gosu su-exec", "", 1),
    Wrapper { adds_words: true, ..wrapper("parallel entr", "jaIN", 0) },
];

/// Shells, which take a script after `-c`, in a file, or from their input.
const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "fish"];

/// The name of a program without its folder.
pub(crate) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a command is a shell that reads its script from standard input.
pub(crate) fn reads_script_from_input(words: &[Word]) -> bool {
    let name = words.first().map(|word| base_name(&word.text)).unwrap_or_default();
    let plain = |word: &&Word| !word.text.starts_with(['-', '+']);
    SHELLS.contains(&name) && words.iter().skip(1).all(|word| !plain(&word) || word.text == "-")
}

/// What a command runs besides itself.
pub(crate) fn inner(words: &[Word]) -> Vec<Inner> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let Some(program) = program.argument() else { return vec![Inner::Elsewhere] };
    let name = base_name(program);
    match name {
        "eval" => vec![joined(rest)],
        "alias" => rest.iter().filter_map(aliased).collect(),
        "trap" => rest.first().map(script).into_iter().collect(),
        "watch" => vec![joined(after_options(rest, "nqd", "interval").0)],
        "find" => of_find(rest),
        "git" => of_git(rest),
        "su" | "script" | "runuser" => {
            value_after(rest, &["-c", "--command"]).map(script).into_iter().collect()
        }
        "flock" if value_after(rest, &["-c", "--command"]).is_some() => {
            value_after(rest, &["-c", "--command"]).map(script).into_iter().collect()
        }
        "env" if split_string(rest).is_some() => split_string(rest).into_iter().collect(),
        name if SHELLS.contains(&name) => of_shell(rest),
        name => {
            let found = WRAPPERS.iter().find(|wrapper| wrapper.names.split(' ').any(|n| n == name));
            found.map(|wrapper| wrapped(wrapper, rest)).into_iter().flatten().collect()
        }
    }
}

fn wrapped(wrapper: &Wrapper, words: &[Word]) -> Option<Inner> {
    let (mut rest, certain) = after_options(words, wrapper.valued, wrapper.long_valued);
    if wrapper.assignments {
        let set = rest.iter().take_while(|word| word.text.contains('=')).count();
        rest = rest.get(set..).unwrap_or_default();
    }
    let rest = rest.get(wrapper.operands..).unwrap_or_default();
    (!rest.is_empty()).then(|| Inner::Command(rest.to_vec(), wrapper.adds_words || !certain))
}

/// The words after the options, and whether all of those were understood. An option that is not
/// listed as taking a value may take one after all, so it makes what follows uncertain; but the
/// most common ones, single letters and `--name=value`, are taken as they look.
fn after_options<'a>(words: &'a [Word], valued: &str, long_valued: &str) -> (&'a [Word], bool) {
    let mut rest = words;
    let mut certain = true;
    while let Some((first, after)) = rest.split_first() {
        let Some(text) = first.argument() else { return (rest, false) };
        if text == "--" {
            return (after, certain);
        }
        let Some(option) = text.strip_prefix('-').filter(|option| !option.is_empty()) else {
            break;
        };
        let takes_next = match option.strip_prefix('-') {
            Some(long) => long_valued.split(' ').any(|listed| listed == long),
            None => {
                option.chars().next_back().is_some_and(|c| valued.contains(c)) && option.len() == 1
            }
        };
        let glued =
            option.chars().next().is_some_and(|c| valued.contains(c)) || option.contains('=');
        certain &=
            takes_next || glued || option.len() == 1 || option.chars().all(|c| c.is_ascii_digit());
        rest = if takes_next { after.get(1..).unwrap_or_default() } else { after };
    }
    (rest, certain)
}

fn script(word: &Word) -> Inner {
    word.argument().map_or(Inner::Elsewhere, |text| Inner::Script(text.to_owned()))
}

/// `alias NAME=SCRIPT`
fn aliased(word: &Word) -> Option<Inner> {
    let Some(text) = word.argument() else { return Some(Inner::Elsewhere) };
    text.split_once('=').map(|(_, script)| Inner::Script(script.to_owned()))
}

fn joined(words: &[Word]) -> Inner {
    let texts: Option<Vec<&str>> = words.iter().map(Word::argument).collect();
    texts.map_or(Inner::Elsewhere, |texts| Inner::Script(texts.join(" ")))
}

/// The word after one of `names`.
fn value_after<'a>(words: &'a [Word], names: &[&str]) -> Option<&'a Word> {
    let place = words.iter().position(|word| names.contains(&word.text.as_str()))?;
    words.get(place + 1)
}

/// `env -S TEXT`, `env -STEXT`, `env --split-string=TEXT`.
fn split_string(words: &[Word]) -> Option<Inner> {
    let glued = words.iter().find_map(|word| {
        let text = word.argument()?;
        text.strip_prefix("--split-string=")
            .or_else(|| text.strip_prefix("-S").filter(|t| !t.is_empty()))
    });
    let next = || value_after(words, &["-S", "--split-string"]).map(script);
    glued.map(|text| Inner::Script(text.to_owned())).or_else(next)
}

/// `sh -c SCRIPT`, also with other letters in the option; else a file, which is among its words, or its input.
fn of_shell(words: &[Word]) -> Vec<Inner> {
    let runs_text = |word: &Word| {
        let letters = word.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| letters.contains('c'))
    };
    if let Some(place) = words.iter().position(runs_text) {
        // Further options may stand between it and the script.
        let after = words.get(place + 1..).unwrap_or_default();
        let text = after.iter().find(|word| !word.text.starts_with(['-', '+']));
        return vec![text.map_or(Inner::Elsewhere, script)];
    }
    let names_all = |word: &Word| !word.text.starts_with(['-', '+']) || word.text == "--version";
    if words.iter().any(names_all) { Vec::new() } else { vec![Inner::Elsewhere] }
}

/// What git is told to run: `submodule foreach LINE`, `rebase -x LINE`, `bisect run COMMAND`.
fn of_git(words: &[Word]) -> Vec<Inner> {
    let place = |name: &str| words.iter().position(|word| word.text == name);
    let after =
        |place: Option<usize>| place.and_then(|place| words.get(place + 1..)).unwrap_or_default();
    let options = |word: &&Word| word.text.starts_with('-');
    if place("submodule").is_some() && place("foreach").is_some() {
        let line: Vec<Word> = after(place("foreach")).iter().skip_while(options).cloned().collect();
        return vec![joined(&line)];
    }
    let run = after(place("run"));
    if place("bisect").is_some() && !run.is_empty() {
        return vec![Inner::Command(run.to_vec(), false)];
    }
    if place("rebase").is_none() {
        return Vec::new();
    }
    let glued = words.iter().filter_map(|word| {
        let text = word
            .argument()?
            .strip_prefix("--exec=")
            .or_else(|| word.argument()?.strip_prefix("-x").filter(|rest| !rest.is_empty()));
        text.map(|text| Inner::Script(text.to_owned()))
    });
    let next = words.iter().zip(words.iter().skip(1));
    let next = next.filter(|(word, _)| matches!(word.text.as_str(), "-x" | "--exec"));
    glued.chain(next.map(|(_, line)| script(line))).collect()
}

/// `find … -exec COMMAND ;` and its kin; `{}` stands for words that nobody knows.
fn of_find(words: &[Word]) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut rest = words;
    let runs = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    while let Some(place) = rest.iter().position(runs) {
        let after = rest.get(place + 1..).unwrap_or_default();
        let end = after.iter().position(|word| matches!(word.text.as_str(), ";" | "+"));
        let (command, next) = after.split_at(end.unwrap_or(after.len()));
        if !command.is_empty() {
            found.push(Inner::Command(command.to_vec(), true));
        }
        rest = next;
    }
    found
}
