//! The model's text made plain, line for line: line ends, a byte order mark, one Markdown fence around the
//! whole, a `#!` line.
//!
//! Invariants: every character but a line end stays in its line and column; what goes becomes blanks.
//!
//! Not here: anything inside the fence, backticks above all. That is the parser's.

use super::Diagnostic;

/// What the parser reads.
///
/// # Errors
/// Class `syntax`: a NUL, or a fence that is not around the whole text.
pub(super) fn plain(code: &str) -> Result<String, Diagnostic> {
    // JavaScript itself reads each of them as one "\n", in template literals too.
    let mut text = code.replace("\r\n", "\n").replace('\r', "\n");
    if let Some(rest) = text.strip_prefix('\u{feff}') {
        text = format!(" {rest}");
    }
    if let Some(offset) = text.find('\0') {
        let message = "the program has a NUL character; write \\0 in a string";
        return Err(Diagnostic::at("syntax", message, &text, offset));
    }
    let text = without_fence(text)?;
    Ok(if text.trim_start().starts_with("#!") { without_line(&text, first(&text)) } else { text })
}

/// How the message about a stray fence ends.
pub(super) const FENCE_HELP: &str = "the program is only what is inside one fence: send the code alone, with nothing before or after it";

/// What is said of a fence that the parser met in the code.
pub(super) const FENCE_INSIDE: &str = "there is a Markdown fence inside the text; the program is only what is \
    inside one fence: send the code alone, with nothing before or after it";

/// Line number (from 0) of the first line that opens or closes a fence.
pub(super) fn fence_line(text: &str) -> Option<usize> {
    text.split('\n').position(|line| marker(line).is_some())
}

fn without_fence(text: String) -> Result<String, Diagnostic> {
    let opens = first(&text);
    let Some(marker_opens) = text.split('\n').nth(opens).and_then(marker) else {
        return Ok(text);
    };
    let closes = text.trim_end().matches('\n').count();
    let last = text.split('\n').nth(closes).unwrap_or_default().trim();
    let is_closed = closes > opens
        && marker(last).is_some_and(|found| found.starts_with(marker_opens) && found == last);
    if is_closed {
        return Ok(without_line(&without_line(&text, closes), opens));
    }
    let outside = text.split('\n').skip(opens + 1).position(|line| {
        marker(line).is_some_and(|found| found.starts_with(marker_opens) && found == line.trim())
    });
    let (line, what) = match outside {
        Some(inside) => (opens + inside + 2, "there is text after the fence"),
        None => (opens, "the fence is never closed"),
    };
    let offset = text.split_inclusive('\n').take(line).map(str::len).sum();
    Err(Diagnostic::at("syntax", format!("{what}; {FENCE_HELP}"), &text, offset))
}

/// The run of three or more backticks or tildes that a line starts with.
fn marker(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ["`", "~"].into_iter().find_map(|mark| {
        let rest = line.trim_start_matches(mark);
        let run = line.strip_suffix(rest)?;
        (run.len() >= 3).then_some(run)
    })
}

/// The number, from 0, of the first line that is not blank.
fn first(text: &str) -> usize {
    text.split('\n').position(|line| !line.trim().is_empty()).unwrap_or_default()
}

fn without_line(text: &str, number: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (count, line) in text.split_inclusive('\n').enumerate() {
        if count == number {
            out.extend(line.chars().map(|each| if each == '\n' { '\n' } else { ' ' }));
        } else {
            out.push_str(line);
        }
    }
    out
}

#[cfg(test)]
mod tests;
