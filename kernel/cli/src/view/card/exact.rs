//! Exact text on a card: nothing is left out but what is counted.
//!
//! Not here: unseen characters (`visible`), which are numbered before a text comes here.

use serde_json::Value;

use crate::{limits::BLANKS_SHOWN, text, visible};

/// Lines of blanks in a row that are shown as they are.
const EMPTY_LINES_SHOWN: usize = 3;

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
/// always are, since they pass for it.
pub(super) fn counted(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(visible::is_blank) {
        let (before, from) = rest.split_at(start);
        let (run, after) =
            from.split_at(from.find(|char| !visible::is_blank(char)).unwrap_or(from.len()));
        shown.push_str(before);
        shown.push_str(&blanks(run));
        rest = after;
    }
    numbers(&(shown + rest))
}

/// A run of blanks: as it is, or as numbers.
fn blanks(run: &str) -> String {
    let count = run.chars().count();
    let is_padding = count > BLANKS_SHOWN;
    let first = run.chars().next().unwrap_or(' ');
    if !is_padding && run.chars().all(|char| matches!(char, ' ' | '\t')) {
        run.to_owned()
    } else if !is_padding {
        let shown = |char: char| match char {
            ' ' | '\t' => char.to_string(),
            odd => visible::code(odd),
        };
        run.chars().map(shown).collect()
    } else if run.chars().all(|char| char == first) {
        format!("<{count} × {}>", visible::code(first).trim_matches(['<', '>']))
    } else {
        format!("<{count} blanks>")
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

/// Words as a shell would have them, so that their bounds are seen.
pub(super) fn words(argv: &[String]) -> String {
    let word = |word: &String| {
        let plain = !word.is_empty()
            && word.chars().all(|char| {
                char.is_alphanumeric()
                    || matches!(char, '_' | '-' | '.' | '/' | ':' | '=' | ',' | '@' | '%' | '+')
            });
        if plain { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}
