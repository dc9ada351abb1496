//! The one place where a hunk applies.

use super::lines::{Alike, Lines};
use crate::{
    failed::{Class, Failed},
    limits::LINES_TOLD_MAX,
    near::{self, Near},
    patch::{Hunk, Mark},
    roots::shown,
};

/// Where a hunk applies.
#[derive(Debug)]
pub(super) struct Place {
    /// The first of its lines, from 0; for one that only adds, the line that it comes before.
    pub(super) line: usize,
    /// What is to be said of it.
    pub(super) note: Option<String>,
}

/// Finds the place of a hunk; the hunk before it ended before the line `after`.
///
/// # Errors
/// `no_match`, `ambiguous`, `encoding`.
pub(super) fn place(lines: &Lines<'_>, hunk: &Hunk, after: usize) -> Result<Place, Failed> {
    let anchor = anchor(lines, hunk, after);
    let old: Vec<&str> = hunk
        .lines
        .iter()
        .filter(|(mark, _)| *mark != Mark::Added)
        .map(|(_, text)| text.as_str())
        .collect();
    if old.is_empty() {
        return added(lines, hunk, anchor?);
    }
    let is_end = |place: &usize| !hunk.at_end || place + old.len() == lines.count();
    let find = |alike| {
        let mut places = lines.find(&old, alike);
        places.retain(is_end);
        places
    };
    let (places, is_exact) = match find(Alike::Exactly) {
        places if places.is_empty() => (find(Alike::Seen), false),
        places => (places, true),
    };
    let line = match places.as_slice() {
        [] => return Err(nowhere(lines, hunk, &old)),
        [only] => only_place(old.len(), *only, anchor)?,
        several => one_of(hunk, several, anchor, after)?,
    };
    let note = (!is_exact).then(|| {
        format!(
            "its lines differ from those at line {} in trailing blanks, Unicode form, or bytes that \
             are not UTF-8; it was applied there",
            line + 1
        )
    });
    Ok(Place { line, note })
}

/// The line of the text that the last `@@` line of a hunk names; `None` if there is no such line.
fn anchor(lines: &Lines<'_>, hunk: &Hunk, after: usize) -> Result<Option<usize>, Failed> {
    let mut found = None;
    for (depth, wanted) in hunk.anchors.iter().enumerate() {
        let matching = |from: usize, test: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let line = |line| String::from_utf8_lossy(lines.get(line));
            (from..lines.count()).filter(|at| test(line(*at).trim())).collect()
        };
        let from = found.map_or(after, |line: usize| line + 1);
        let is = |line: &str| line == wanted;
        let mut places = matching(from, &is);
        if places.is_empty() && depth == 0 {
            // Of several hunks below one line each may name it.
            places = matching(0, &is);
        }
        if places.is_empty() {
            places = matching(from, &|line| line.starts_with(wanted.as_str()));
        }
        // Only what stands below another heading may stand several times.
        found = match places.as_slice() {
            [] => {
                let message = format!("there is no line \"{}\" (its `@@` line)", shown(wanted));
                return Err(Failed::new(Class::NoMatch, message));
            }
            [_, _, ..] if depth == 0 => {
                let message = format!(
                    "its `@@` line \"{}\" stands at lines {}; give more lines around the change",
                    shown(wanted),
                    told(&places)
                );
                return Err(Failed::new(Class::Ambiguous, message));
            }
            [first, ..] => Some(*first),
        };
    }
    Ok(found)
}

/// A hunk that only adds: after its `@@` line, else at the end.
fn added(lines: &Lines<'_>, hunk: &Hunk, anchor: Option<usize>) -> Result<Place, Failed> {
    if let Some(anchor) = anchor {
        let note = format!("it only adds, and was put after line {}, its `@@` line", anchor + 1);
        return Ok(Place { line: anchor + 1, note: Some(note) });
    }
    // `@@ -0,0` is how a unified diff says that a file was empty.
    if hunk.at.is_some_and(|at| at != 0 || lines.count() > 0) {
        let message = "it has no line of the file around what it adds, so its place is not sure; add \
                       some that stay";
        return Err(Failed::new(Class::Ambiguous, message));
    }
    let note = "it only adds and names no place, so it was put at the end".to_owned();
    Ok(Place { line: lines.count(), note: (lines.count() > 0).then_some(note) })
}

/// The only place, unless the hunk's own `@@` line stands below it.
fn only_place(
    length: usize,
    place: usize,
    anchor: Result<Option<usize>, Failed>,
) -> Result<usize, Failed> {
    match anchor {
        Ok(Some(anchor)) if anchor >= place + length => {
            let message = format!(
                "its lines stand only at line {}, above its `@@` line at line {}; read the file again",
                place + 1,
                anchor + 1
            );
            Err(Failed::new(Class::NoMatch, message))
        }
        // The lines of the hunk are sure; what its `@@` line was meant as does not matter.
        Ok(_) | Err(_) => Ok(place),
    }
}

/// The one of several places that the hunk tells.
fn one_of(
    hunk: &Hunk,
    places: &[usize],
    anchor: Result<Option<usize>, Failed>,
    after: usize,
) -> Result<usize, Failed> {
    if let Some(at) = hunk.at.and_then(|at| at.checked_sub(1)).filter(|at| places.contains(at)) {
        return Ok(at);
    }
    if let Some(anchor) = anchor? {
        let first = |from| places.iter().find(|place| **place >= from).copied();
        if let Some(place) = first(anchor.max(after)).or_else(|| first(anchor)) {
            return Ok(place);
        }
    }
    let mut later = places.iter().filter(|place| **place >= after);
    if let (true, Some(only), None) = (after > 0, later.next(), later.next()) {
        return Ok(*only);
    }
    let message = format!(
        "its lines stand {} times, at lines {}; add lines around the change, or a line \
         \"@@ LINE\" with a line of the file above it, until one place is left",
        places.len(),
        told(places)
    );
    Err(Failed::new(Class::Ambiguous, message))
}

fn nowhere(lines: &Lines<'_>, hunk: &Hunk, old: &[&str]) -> Failed {
    if hunk.at_end && !lines.find(old, Alike::Seen).is_empty() {
        let message = "its lines do not stand at the end of the file, as it says";
        return Failed::new(Class::NoMatch, message);
    }
    let message = match near::near(lines.text(), &old.join("\n"), "") {
        Near::Tell(message) => message.replace("`old`", "what it wants to find"),
        Near::Apply { start, .. } => format!(
            "its lines stand at line {} with other blanks at their start or end; copy them from the \
             file as they are",
            lines.number_at(start)
        ),
    };
    Failed::new(Class::NoMatch, message)
}

fn told(places: &[usize]) -> String {
    let told: Vec<String> =
        places.iter().take(LINES_TOLD_MAX).map(|place| (place + 1).to_string()).collect();
    match places.len() - told.len() {
        0 => told.join(", "),
        more => format!("{} and {more} more", told.join(", ")),
    }
}
