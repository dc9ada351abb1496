//! Lines and columns: of a byte, of a place in the script, and drawn with a caret.
//!
//! Not here: which places there are.

use unicode_width::UnicodeWidthChar;

use super::Prepared;

/// Columns of a terminal for the model's line; a longer one is cut around the caret.
const WIDTH_MAX: usize = 100;

/// What a tab is drawn as.
const TAB: &str = "    ";

/// Line and column in characters, from 1, of a byte; one after the end is the end.
pub(super) fn of(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..text.floor_char_boundary(offset)).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (
        count(before.matches('\n').count()).saturating_add(1),
        count(line.chars().count()).saturating_add(1),
    )
}

/// See [`Prepared::place`].
pub(super) fn in_text(prepared: &Prepared, line: u32, column: u32) -> Option<(u32, u32)> {
    let of_text = line.checked_sub(prepared.lines_before).filter(|of_text| *of_text > 0)?;
    if of_text > prepared.lines {
        return end(prepared);
    }
    let script = prepared.script.split('\n').nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
    let bytes = script.floor_char_boundary(usize::try_from(column.saturating_sub(1)).ok()?);
    let mut characters = count(script.get(..bytes)?.chars().count());
    // From the right, so that `before` of each still counts the pieces on its left.
    for piece in prepared.inserted.iter().rev().filter(|piece| piece.line == line) {
        characters -= characters.saturating_sub(piece.before).min(piece.characters);
    }
    Some((of_text, characters.saturating_add(1)))
}

/// What QuickJS finds at the token after a statement may be found after the program: that is its end.
fn end(prepared: &Prepared) -> Option<(u32, u32)> {
    let before = usize::try_from(prepared.lines_before).ok()?;
    let lines = prepared.script.split('\n').enumerate().skip(before);
    let lines = lines.take(usize::try_from(prepared.lines).ok()?);
    let (number, line) = lines.filter(|(_, line)| !line.trim().is_empty()).last()?;
    in_text(prepared, count(number + 1), count(line.trim_end().len() + 1))
}

/// The line of `code` (the model's own text) with its number, and a caret under the column (in characters,
/// from 1). Empty when there is no such line.
///
/// ```text
///   3 | const x = ;
///     |           ^
/// ```
pub fn render_place(code: &str, line: u32, column: u32) -> String {
    let code = code.replace("\r\n", "\n").replace('\r', "\n");
    let wanted = usize::try_from(line).unwrap_or(usize::MAX).checked_sub(1);
    let Some(text) = wanted.and_then(|line| code.split('\n').nth(line)) else {
        return String::new();
    };
    let before = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
    let cells: Vec<(String, usize)> = text.trim_end().chars().map(cell).collect();
    let before = before.min(cells.len());
    let (from, to) = window(&cells, before);
    let shown: String = cells.iter().take(to).skip(from).map(|(text, _)| text.as_str()).collect();
    let (left, right) = (if from > 0 { "…" } else { "" }, if to < cells.len() { "…" } else { "" });
    let indent: usize = cells.iter().take(before).skip(from).map(|(_, width)| width).sum();
    let indent = indent + left.chars().count();
    format!("{line:>3} | {left}{shown}{right}\n{:>3} | {:indent$}^", "", "")
        .replace(" | \n", " |\n")
}

/// A character as it is drawn, and the columns it takes. What steers a terminal or turns the direction of
/// the line is drawn as a replacement character.
fn cell(character: char) -> (String, usize) {
    match character {
        '\t' => (TAB.to_owned(), TAB.len()),
        '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => ("\u{fffd}".to_owned(), 1),
        _ if character.is_control() => ("\u{fffd}".to_owned(), 1),
        _ => (character.to_string(), character.width().unwrap_or(0)),
    }
}

/// The cells to draw: all, or as many around the caret as fit.
fn window(cells: &[(String, usize)], caret: usize) -> (usize, usize) {
    let width = |from: usize, to: usize| -> usize {
        cells.iter().take(to).skip(from).map(|(_, width)| width).sum()
    };
    if width(0, cells.len()) <= WIDTH_MAX {
        return (0, cells.len());
    }
    // A third of the room for what follows: what is wrong is more often before the caret.
    let mut from = caret;
    while from > 0 && width(from - 1, caret) <= WIDTH_MAX * 2 / 3 {
        from -= 1;
    }
    let mut to = caret;
    while to < cells.len() && width(from, to + 1) <= WIDTH_MAX {
        to += 1;
    }
    (from, to)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
