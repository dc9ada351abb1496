//! Exact text on a card: nothing is left out but what is counted.
//!
//! Not here: unseen characters (`visible`), which are numbered before a text comes here.

use serde_json::Value;

use crate::{limits::BLANKS_SHOWN, text, visible};

/// Lines of blanks in a row that are shown as they are.
const EMPTY_LINES_SHOWN: usize = 3;
/// Blanks as they stand in JSON and in a text of one line.
const ESCAPED_BLANKS: [&str; 3] = [r"\t", r"\n", r"\r"];

/// Each argument on a line of its own; texts of several lines as they are, deeper.
pub(super) fn arguments(arguments: &Value) -> Vec<String> {
    let Some(object) = arguments.as_object() else {
        return vec![counted(&visible::line(&arguments.to_string()))];
    };
    let mut lines = Vec::new();
    for (name, value) in object {
        let name = counted(&visible::line(name));
        match value.as_str().filter(|text| text.contains('\n')) {
            Some(text) => {
                let (count, bytes) = (text.lines().count(), text.len());
                lines.push(format!("{name}: ({}, {bytes} bytes)", text::count(count, "line")));
                let folded = folded(&visible::lines(text));
                lines.extend(folded.iter().map(|line| format!("    {line}")));
            }
            None => lines.push(format!("{name}: {}", counted(&visible::line(&value.to_string())))),
        }
    }
    lines
}

/// The lines of a text, with padding counted: in lines, and lines of nothing else.
pub(super) fn folded(shown: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut empty = 0;
    let flush = |lines: &mut Vec<String>, empty: usize| {
        if empty > EMPTY_LINES_SHOWN {
            lines.push(format!("<{empty} empty lines>"));
        } else {
            lines.extend(std::iter::repeat_n(String::new(), empty));
        }
    };
    for line in shown.split('\n') {
        if line.chars().all(visible::is_blank) && line.chars().count() <= BLANKS_SHOWN {
            empty += 1;
            continue;
        }
        flush(&mut lines, std::mem::take(&mut empty));
        lines.push(counted(line));
    }
    flush(&mut lines, empty);
    lines
}

/// A line in which runs of blanks are numbers: `<5000 × U+0020>`. Blanks beside the space and the tab
/// always are, since they pass for it; tabs and newlines may stand as their escapes: `<5000 × \t>`.
pub(super) fn counted(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let (run, after) = blanks_before(rest);
        shown.push_str(&blanks(&run));
        // Another escape is taken whole: the `\t` in `\\t` is no tab.
        let taken = if after.starts_with('\\') { 2 } else { 1 };
        let end = after.char_indices().nth(taken).map_or(after.len(), |(at, _)| at);
        let (other, after) = after.split_at(end);
        shown.push_str(other);
        rest = after;
    }
    numbers(&shown)
}

/// The blanks at the beginning, each as it is written, and what follows them.
fn blanks_before(text: &str) -> (Vec<&str>, &str) {
    let mut run = Vec::new();
    let mut rest = text;
    loop {
        let escape = ESCAPED_BLANKS.iter().find(|escape| rest.starts_with(**escape));
        let blank = rest.chars().next().filter(|char| visible::is_blank(*char));
        let bytes = escape.map(|escape| escape.len()).or(blank.map(char::len_utf8));
        let Some((first, after)) = bytes.and_then(|bytes| rest.split_at_checked(bytes)) else {
            return (run, rest);
        };
        run.push(first);
        rest = after;
    }
}

/// A run of blanks: as it is, or as numbers.
fn blanks(run: &[&str]) -> String {
    let number = |blank: &str| match blank.chars().next() {
        Some(char) if visible::is_blank(char) => visible::code(char),
        _ => blank.to_owned(),
    };
    let shown = |blank: &&str| {
        if matches!(*blank, " " | "\t") { (*blank).to_owned() } else { number(blank) }
    };
    let count = run.len();
    match run.first() {
        Some(first) if count > BLANKS_SHOWN && run.iter().all(|blank| blank == first) => {
            format!("<{count} × {}>", number(first).trim_matches(['<', '>']))
        }
        Some(_) if count > BLANKS_SHOWN => format!("<{count} blanks>"),
        _ => run.iter().map(shown).collect(),
    }
}

/// Runs of one numbered character as one: `<5000 × U+2800>`.
fn numbers(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find("<U+") {
        let (before, from) = rest.split_at(start);
        shown.push_str(before);
        let end = from.find('>').map_or(from.len(), |end| end + 1);
        let (number, mut after) = from.split_at(end);
        let mut count = 1;
        while let Some(next) = after.strip_prefix(number).filter(|_| number.ends_with('>')) {
            after = next;
            count += 1;
        }
        if count == 1 {
            shown.push_str(number);
        } else {
            let number = number.trim_matches(['<', '>']);
            shown.extend(["<", &count.to_string(), " × ", number, ">"]);
        }
        rest = after;
    }
    shown + rest
}

/// Words as a shell would have them, so that their bounds are seen. `opaque`: some mean what only running
/// tells (`*`, `$x`), so that quotes would tell a lie about them.
pub(super) fn words(argv: &[String], opaque: bool) -> String {
    let word = |word: &String| {
        let meant = opaque && !word.contains([' ', '\'', '"', '\n', '\t']);
        let plain = !word.is_empty()
            && word.chars().all(|char| {
                meant
                    || char.is_alphanumeric()
                    || matches!(char, '_' | '-' | '.' | '/' | ':' | '=' | ',' | '@' | '%' | '+')
            });
        if plain { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}
