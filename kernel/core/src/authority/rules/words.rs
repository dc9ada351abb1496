//! The words of a command: which program is meant, which words are known, and whether they are what a
//! rule names.
//!
//! Two readings of one question, both on the safe side: an allow rule matches word by word
//! ([`is_begun_by`]); a deny or ask rule matches what could be meant ([`could_be`]): around options, in
//! any order of them, with any folder before the program, and *maybe* where a word is not known.
//!
//! Not here: which subjects a rule looks at (`hold`, `cover`), wrappers (`wrappers`).

use super::{CommandMatch, hold::Hit};
use crate::authority::words::base_name;

/// Folders whose programs are the system's; elsewhere a program of the same name is another one.
const SYSTEM_FOLDERS: [&str; 6] =
    ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/"];

/// Whether a word of an opaque command stands for itself: nothing in it that a shell would replace.
pub(super) fn is_known(word: &str) -> bool {
    !word.is_empty()
        && !word.contains(|c: char| c.is_whitespace() || "$`*?[]{}()<>|&;!\\\"'~".contains(c))
}

/// Whether the program of an opaque command is told: a name, a file below the home folder, or no program
/// but an assignment of variables. (A text that begins like one may be a line that did not parse.)
pub(super) fn is_known_program(word: &str) -> bool {
    let (name, value) = word.split_once('=').unwrap_or_default();
    let name = name.strip_suffix('+').unwrap_or(name);
    let assigns = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && value.chars().all(|c| c.is_ascii_alphanumeric() || "_${}\"'.,:+-*?@%".contains(c));
    assigns || is_known(word.strip_prefix("~/").unwrap_or(word))
}

/// Whether a command that is not all known may be any command: not even its program is told, or it is a
/// shell that runs a text which nobody knows (`curl x | sh`, `eval $x`, `. <(x)`).
pub(super) fn is_any(argv: &[String], opaque: bool) -> bool {
    const SHELLS: [&str; 9] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "fish"];
    let Some((program, words)) = argv.split_first() else { return true };
    let name = base_name(program);
    let script = || words.iter().any(|word| is_known(word) && !is_option(word));
    let text = || words.iter().any(|word| letters(word, 5).is_some_and(|it| it.contains('c')));
    let runs_text = matches!(name, "eval" | "source" | ".")
        || (SHELLS.contains(&name) && (!script() || text()));
    opaque && (!is_known_program(program) || runs_text)
}

/// Whether a rule's program is this word, for certain: the same, or a bare name in a folder of the system.
pub(super) fn is_program(rule: &str, word: &str) -> bool {
    let of_system = || SYSTEM_FOLDERS.iter().any(|folder| word.strip_prefix(folder) == Some(rule));
    rule == word || (!rule.contains('/') && of_system())
}

/// Whether a known command is one that a rule allows.
pub(super) fn is_begun_by(argv: &[String], rule: &CommandMatch) -> bool {
    let (Some((program, words)), Some((meant, begin))) =
        (argv.split_first(), rule.argv.split_first())
    else {
        return false;
    };
    let rest = if rule.exact { words == begin } else { words.starts_with(begin) };
    rest && is_program(meant, program)
}

/// Whether a command is, or could turn out to be, one that a rule denies or asks for.
pub(super) fn could_be(argv: &[String], opaque: bool, rule: &CommandMatch) -> Hit {
    let (Some((program, words)), Some((meant, wanted))) =
        (argv.split_first(), rule.argv.split_first())
    else {
        return if rule.argv.is_empty() { Hit::Yes } else { Hit::Maybe };
    };
    if is_any(argv, opaque) && base_name(program) != base_name(meant) {
        Hit::Maybe
    } else if base_name(program) != base_name(meant) {
        Hit::No
    } else if rule.exact {
        all_words(words, opaque, wanted)
    } else {
        first_words(words, opaque, wanted)
    }
}

fn all_words(words: &[String], opaque: bool, wanted: &[String]) -> Hit {
    if words == wanted {
        return Hit::Yes;
    }
    let known = words.iter().take_while(|word| is_known(word)).count();
    let begin = words.get(..known).unwrap_or_default();
    if opaque && wanted.starts_with(begin) { Hit::Maybe } else { Hit::No }
}

fn first_words(words: &[String], opaque: bool, wanted: &[String]) -> Hit {
    let missing = if opaque { Hit::Maybe } else { Hit::No };
    let (options, plain): (Vec<&String>, Vec<&String>) =
        wanted.iter().partition(|word| is_option(word));
    let has_all = options.iter().all(|option| has_option(words, option));
    let options = if has_all { Hit::Yes } else { missing };
    options.min(in_order(words, opaque, &plain))
}

/// Whether the plain words of a rule stand in this order, with nothing between them but options, each
/// with one value at most: `git -C dir push` is a `git push`.
fn in_order(words: &[String], opaque: bool, wanted: &[&String]) -> Hit {
    let mut words = words.iter();
    for wanted in wanted {
        let mut after_option = false;
        loop {
            match words.next() {
                None => return if opaque { Hit::Maybe } else { Hit::No },
                Some(word) if word == *wanted => break,
                Some(word) if opaque && !is_known(word) => return Hit::Maybe,
                Some(word) if is_option(word) => after_option = true,
                Some(_) if after_option => after_option = false,
                Some(_) => return Hit::No,
            }
        }
    }
    Hit::Yes
}

/// `-f`, `--force`, and cargo's `+nightly`.
pub(super) fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with(['-', '+'])
}

/// Whether an option is among words: `--force` also as `--force=x`, `-rf` also as `-vfr` or `-r -f`.
fn has_option(words: &[String], option: &str) -> bool {
    let is_it = |word: &String| {
        word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let has_letter = |letter: char| {
        words.iter().filter_map(|word| letters(word, 5)).any(|letters| letters.contains(letter))
    };
    words.iter().any(is_it)
        || letters(option, 3).is_some_and(|letters| letters.chars().all(has_letter))
}

/// "rf" of `-rf`; longer ones are no letters but a word (`-exec`).
fn letters(option: &str, letters_max: usize) -> Option<&str> {
    let letters = option.strip_prefix('-')?;
    let few = (1..=letters_max).contains(&letters.len());
    (few && letters.chars().all(|c| c.is_ascii_alphabetic())).then_some(letters)
}
