//! A syntax error in words that a model can act on (`[CODE-19]`).
//!
//! Not here: errors that are no question of syntax.

use super::{Diagnostic, parse::Failed, place, text};

/// Starts of lines that are Python.
const PYTHON_STARTS: [&str; 8] =
    ["def ", "elif ", "from ", "print(f", "except", "with open", "import ", "# "];

/// Words of Python that JavaScript has in another form.
const PYTHON_WORDS: [&str; 5] = ["None", "True", "False", "lambda", "elif"];

/// The diagnostic of a text that the parser refused.
pub(super) fn explain(text: &str, failed: &Failed) -> Diagnostic {
    // At the end of what is written, not on the blank lines after it.
    let end = text.trim_end().len();
    let offset = failed.offset.unwrap_or(end).min(end);
    if let Some(line) = text::fence_line(text) {
        let offset = text.split_inclusive('\n').take(line).map(str::len).sum();
        return Diagnostic::at("syntax", text::FENCE_INSIDE, text, offset);
    }
    let mut message = format!("syntax error: {}", lowered(&failed.message));
    if let Some(hint) = hint(text, offset, end, failed) {
        message.push_str("; ");
        message.push_str(&hint);
    }
    Diagnostic::at("syntax", message, text, offset)
}

fn lowered(message: &str) -> String {
    if message.starts_with("Expected a semicolon") {
        return "expected `;` or a new line".to_owned();
    }
    let message = if message.is_empty() { "this is no JavaScript" } else { message };
    let message = message.trim_end_matches('.').replace("`EOF`", "the end of the text");
    let mut characters = message.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

fn hint(text: &str, offset: usize, end: usize, failed: &Failed) -> Option<String> {
    let here = text.get(offset..).unwrap_or_default();
    let line_start =
        text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(line_start..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
    if let Some(quote) = here.chars().next().filter(|each| "“”‘’„«»".contains(*each)) {
        return Some(format!("{quote} is no quote of JavaScript: write \" or '"));
    }
    if here.starts_with('…') {
        return Some("write out the code that … stands for".to_owned());
    }
    if here.starts_with("...") {
        return Some("`...` spreads inside an array, an object or a call: [...list]".to_owned());
    }
    if is_python(line) {
        return Some("this looks like Python: a program is JavaScript".to_owned());
    }
    if let Some(opened) = failed.opened.filter(|opened| *opened < offset) {
        let (line, column) = place::of(text, opened);
        return Some(format!("it was opened at line {line}, column {column}"));
    }
    if failed.message.starts_with("Unterminated string") {
        return Some(
            "a string ends on its line: write \\n, or a template literal in backticks".to_owned(),
        );
    }
    if offset < end {
        return None;
    }
    Some(if failed.message.contains("`EOF`") {
        "the text ends too early: a bracket, a brace or a template literal is not closed".to_owned()
    } else {
        "the text ends in the middle of a statement".to_owned()
    })
}

fn is_python(line: &str) -> bool {
    let line = line.trim();
    let is_block = line.ends_with(':')
        && ["if ", "for ", "while ", "else:", "try:", "class "]
            .iter()
            .any(|word| line.starts_with(word));
    is_block
        || PYTHON_STARTS.iter().any(|start| line.starts_with(start))
            && !line.contains(['{', ';', '\''])
        || line.split(|each: char| !each.is_alphanumeric()).any(|word| PYTHON_WORDS.contains(&word))
}
