//! Text in columns: cut, wrapped, set in tables, by the width that a terminal shows.
//!
//! Everything here is given texts that are safe to show (see `visible`).

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

#[cfg(test)]
mod tests;

/// Columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text within a number of columns, with `…` in place of what is cut off.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |char: &char| {
        let wide = char.width().unwrap_or(0);
        let fits = wide <= left;
        left = left.saturating_sub(if fits { wide } else { left });
        fits
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.push('…');
    kept
}

/// The text in lines of at most so many columns; nothing is lost, and an empty text is one line.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let (mut part, mut taken) = (String::new(), 0);
        for char in line.chars() {
            // A tab is shown as four blanks, so that columns can be counted.
            let (shown, wide) =
                if char == '\t' { (' ', 4) } else { (char, char.width().unwrap_or(0)) };
            if taken + wide > columns && taken > 0 {
                lines.push(std::mem::take(&mut part));
                taken = 0;
            }
            part.extend(std::iter::repeat_n(shown, if char == '\t' { 4 } else { 1 }));
            taken += wide;
        }
        lines.push(part);
    }
    lines
}

/// As [`wrap`], broken between words where a line has more than one.
pub(crate) fn prose(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let mut open = String::new();
        for word in line.split_inclusive(' ') {
            let fits = width(&open) + width(word.trim_end()) <= columns;
            if !fits && !open.trim().is_empty() {
                lines.extend(wrap(std::mem::take(&mut open).trim_end(), columns));
            }
            open.push_str(word);
        }
        lines.extend(wrap(open.trim_end(), columns));
    }
    lines
}

/// Rows below a heading, in columns as wide as needed; the last column is cut to fit.
pub(crate) fn table(heading: &[&str], rows: &[Vec<String>], columns: usize) -> Vec<String> {
    let mut widths: Vec<usize> = heading.iter().map(|cell| width(cell)).collect();
    for row in rows {
        for (wide, cell) in widths.iter_mut().zip(row) {
            *wide = (*wide).max(width(cell));
        }
    }
    let heading: Vec<String> = heading.iter().map(|cell| (*cell).to_owned()).collect();
    std::iter::once(&heading).chain(rows).map(|row| set(row, &widths, columns)).collect()
}

fn set(row: &[String], widths: &[usize], columns: usize) -> String {
    let mut line = String::new();
    for (cell, wide) in row.iter().zip(widths) {
        if !line.is_empty() {
            line.push_str("  ");
        }
        let blanks = wide.saturating_sub(width(cell));
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', blanks));
    }
    cut(line.trim_end(), columns)
}

/// A duration for people: "0.3 s", "12 s", "3 min 5 s".
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        10_000..60_000 => format!("{} s", ms / 1000),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

/// A number with its noun: "1 line", "2 lines".
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A moment for people, in UTC: "2026-11-30 15:04".
pub(crate) fn moment(unix_ms: u64) -> String {
    let moment =
        i64::try_from(unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    moment.map_or_else(|| "?".to_owned(), |moment| moment.strftime("%Y-%m-%d %H:%M").to_string())
}

/// Enough of an id for a person to know it again.
pub(crate) fn short(id: &str) -> &str {
    id.get(..18).unwrap_or(id)
}

/// Beginnings of ids, just long enough that no two are the same.
pub(crate) fn beginnings(ids: &[&str]) -> Vec<String> {
    let longest = ids.iter().map(|id| id.len()).max().unwrap_or(0);
    let distinct = |length: &usize| {
        let mut cut: Vec<_> = ids.iter().map(|id| id.get(..*length).unwrap_or(id)).collect();
        cut.sort_unstable();
        cut.dedup();
        cut.len() == ids.len()
    };
    let length = (8..longest).find(distinct).unwrap_or(longest);
    ids.iter().map(|id| id.get(..length).unwrap_or(id).to_owned()).collect()
}
