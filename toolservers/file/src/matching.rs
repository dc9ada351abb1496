//! Where the edits of one call apply, all judged against one snapshot.
//!
//! Per edit, in this order: exact bytes; then `old` with every break taken as LF or CRLF; then a
//! near miss ([`crate::near`]). All faults of all edits are told together, and a plan exists only if
//! there is none.
//!
//! Invariant: spans lie in ascending order and do not overlap, so that no edit sees the output of
//! another (test `edits_are_matched_against_one_snapshot`).
//!
//! Not here: reading or writing the file; no content is judged, no bracket counted.

use memchr::memmem;

use crate::{
    ending::{Endings, with_endings},
    failed::{Class, Failed},
    limits::{FAULTS_TOLD_MAX, LINES_TOLD_MAX, PLACES_MAX, WHOLE_BYTES_MAX},
    near::{self, Near},
};

/// How the message begins that tells the faults of edits, or of a patch.
pub(crate) const NOTHING_WRITTEN: &str = "Nothing was written";

/// One wanted replacement.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// Text that is in the file.
    pub(crate) old: String,
    /// Text to put there.
    pub(crate) new: String,
    /// Whether every occurrence is meant.
    pub(crate) all: bool,
}

/// One place to change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Span {
    /// The edit that asks for it, from 1.
    pub(crate) edit: usize,
    /// Bytes of the snapshot's text.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// What comes there, with the file's line endings.
    pub(crate) new: String,
}

/// Everything that a call changes.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Ascending, disjoint.
    pub(crate) spans: Vec<Span>,
    /// Sentences on edits that were applied although `old` was not there to the letter.
    pub(crate) notes: Vec<String>,
}

/// Plans all edits, or tells all that is wrong with them.
///
/// # Errors
/// The class of the first fault, and a message with each.
pub(crate) fn plan(text: &[u8], edits: &[Edit]) -> Result<Plan, Failed> {
    let mut plan = Plan::default();
    let mut faults: Vec<(usize, Failed)> = Vec::new();
    let plain = WithoutReturns::new(text);
    for (number, edit) in (1..).zip(edits) {
        match places(text, &plain, edit) {
            Ok((places, note)) => {
                plan.notes.extend(note.map(|note| format!("Edit {number}: {note}")));
                let spans = places.into_iter().map(|place| place.span(text, number));
                let spans: Vec<Span> = spans.collect();
                if spans
                    .iter()
                    .all(|span| text.get(span.start..span.end) == Some(span.new.as_bytes()))
                {
                    let message =
                        "it would change nothing, since `old` and `new` are the same here";
                    faults.push((number, Failed::new(Class::InvalidEdit, message)));
                }
                plan.spans.extend(spans);
            }
            Err(failed) => faults.push((number, failed)),
        }
    }
    plan.spans.sort_by_key(|span| (span.start, span.end, span.edit));
    for (a, b) in plan.spans.iter().zip(plan.spans.iter().skip(1)).filter(|(a, b)| b.start < a.end)
    {
        let line = line_of(text, b.start);
        let message =
            format!("overlaps edit {} at line {line}; make one edit of both", a.edit.min(b.edit));
        faults.push((a.edit.max(b.edit), Failed::new(Class::Overlap, message)));
    }
    if faults.is_empty() { Ok(plan) } else { Err(together(&faults, edits.len())) }
}

impl Plan {
    /// A text with every span replaced, given the place of each byte of the snapshot's text in it
    /// and the bytes for each new text.
    ///
    /// # Errors
    /// What `encode` says.
    pub(crate) fn apply(
        &self,
        bytes: &[u8],
        place: impl Fn(usize) -> usize,
        encode: impl Fn(&str) -> Result<Vec<u8>, Failed>,
    ) -> Result<Vec<u8>, Failed> {
        let mut out = Vec::with_capacity(bytes.len());
        let mut done = 0;
        for span in &self.spans {
            out.extend_from_slice(bytes.get(done..place(span.start)).unwrap_or_default());
            out.extend(encode(&span.new)?);
            done = place(span.end);
        }
        out.extend_from_slice(bytes.get(done..).unwrap_or_default());
        Ok(out)
    }
}

/// A place and what comes there, before line endings are settled.
struct Found {
    start: usize,
    end: usize,
    new: String,
}

impl Found {
    /// With the line endings of the place: break for break, the last one for those that are more.
    fn span(self, text: &[u8], edit: usize) -> Span {
        let old = text.get(self.start..self.end).unwrap_or_default();
        let mut breaks: Vec<&'static str> = Vec::new();
        for line in old.split_inclusive(|byte| *byte == b'\n') {
            if line.ends_with(b"\r\n") {
                breaks.push("\r\n");
            } else if line.ends_with(b"\n") {
                breaks.push("\n");
            }
        }
        if breaks.is_empty() {
            breaks.extend(nearby_break(text, self.start, self.end));
        }
        let new = match breaks.last() {
            None => self.new,
            Some(last) => with_endings(&self.new, |k| breaks.get(k).copied().unwrap_or(last)),
        };
        Span { edit, start: self.start, end: self.end, new }
    }
}

/// The break that ends the line of a place, or the one before it.
fn nearby_break(text: &[u8], start: usize, end: usize) -> Option<&'static str> {
    let (before, after) = (text.get(..start)?, text.get(end..)?);
    let kind = |line: &[u8]| if line.ends_with(b"\r") { "\r\n" } else { "\n" };
    if let Some(at) = memchr::memchr(b'\n', after) {
        return after.get(..at).map(|line| if line.is_empty() { kind(before) } else { kind(line) });
    }
    memchr::memrchr(b'\n', before).and_then(|at| before.get(..at)).map(kind)
}

/// Where one edit applies, and what is to be said of it.
fn places(
    text: &[u8],
    plain: &WithoutReturns,
    edit: &Edit,
) -> Result<(Vec<Found>, Option<String>), Failed> {
    if edit.old.is_empty() {
        let message = "`old` is empty: give the text to replace (a new file is made by write)";
        return Err(Failed::new(Class::InvalidEdit, message));
    }
    if edit.old == edit.new {
        return Err(Failed::new(Class::InvalidEdit, "`old` and `new` are the same"));
    }
    let exact = occurrences(text, edit.old.as_bytes(), edit.all);
    let found = match exact.len() {
        1 if !edit.all => exact,
        n if n > 1 && !edit.all => return Err(ambiguous(text, &exact)),
        _ => plain.occurrences(&edit.old, edit.all),
    };
    if found.len() > 1 && !edit.all {
        return Err(ambiguous(text, &found));
    }
    let grown = found.len().saturating_mul(edit.new.len()) as u64;
    if found.len() > PLACES_MAX || grown > WHOLE_BYTES_MAX {
        let message = format!(
            "`old` occurs {} times: more than {PLACES_MAX} places, or than {WHOLE_BYTES_MAX} bytes of \
             new text, are not edited at once. Use a program for this",
            found.len()
        );
        return Err(Failed::new(Class::TooLarge, message));
    }
    if !found.is_empty() {
        let new = |(start, end)| Found { start, end, new: edit.new.clone() };
        return Ok((found.into_iter().map(new).collect(), None));
    }
    match near::near(text, &edit.old, &edit.new) {
        Near::Apply { start, end, new, note } => Ok((vec![Found { start, end, new }], Some(note))),
        Near::Tell(message) => Err(Failed::new(Class::NoMatch, message)),
    }
}

/// Where a text occurs; with `all` those that can be replaced together, else also overlapping ones.
fn occurrences(text: &[u8], old: &[u8], all: bool) -> Vec<(usize, usize)> {
    let finder = memmem::Finder::new(old);
    let mut found = Vec::new();
    let mut from = 0;
    while found.len() <= PLACES_MAX {
        let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) else { break };
        // An LF that begins `old` brings the carriage return before it along.
        let start = from + at;
        let begins =
            old.starts_with(b"\n") && text.get(..start).is_some_and(|b| b.ends_with(b"\r"));
        found.push((start - usize::from(begins), start + old.len()));
        from += at + if all { old.len() } else { 1 };
    }
    found
}

/// A text with LF for each CRLF.
struct WithoutReturns {
    text: Vec<u8>,
    /// The places of `text` whose LF had a carriage return before it; ascending.
    removed: Vec<usize>,
}

impl WithoutReturns {
    fn new(text: &[u8]) -> Self {
        let (mut plain, mut removed) = (Vec::with_capacity(text.len()), Vec::new());
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\r\n") {
                None => plain.extend_from_slice(line),
                Some(line) => {
                    plain.extend_from_slice(line);
                    removed.push(plain.len());
                    plain.push(b'\n');
                }
            }
        }
        Self { text: plain, removed }
    }

    fn occurrences(&self, old: &str, all: bool) -> Vec<(usize, usize)> {
        let old = old.replace("\r\n", "\n");
        let original = |place: usize| place + self.removed.partition_point(|at| *at < place);
        let found = occurrences(&self.text, old.as_bytes(), all);
        found.into_iter().map(|(start, end)| (original(start), original(end))).collect()
    }
}

fn ambiguous(text: &[u8], found: &[(usize, usize)]) -> Failed {
    let message = format!(
        "`old` occurs {} times, at lines {}; add lines around it to `old` until it occurs once, or \
         set `all` to change every one",
        found.len(),
        lines_told(text, found)
    );
    Failed::new(Class::Ambiguous, message)
}

/// The line numbers of places for a message, at most [`LINES_TOLD_MAX`].
pub(crate) fn lines_told(text: &[u8], places: &[(usize, usize)]) -> String {
    let told = places.iter().take(LINES_TOLD_MAX);
    let told: Vec<String> = told.map(|(start, _)| line_of(text, *start).to_string()).collect();
    match places.len() - told.len() {
        0 => told.join(", "),
        more => format!("{} and {more} more", told.join(", ")),
    }
}

/// The line, from 1, of a byte.
pub(crate) fn line_of(text: &[u8], place: usize) -> u64 {
    let before = text.get(..place).unwrap_or(text);
    let endings = Endings::of(before);
    endings.lf + endings.crlf + 1
}

fn together(faults: &[(usize, Failed)], edits: usize) -> Failed {
    let class = faults.first().map_or(Class::InvalidEdit, |(_, first)| first.class);
    let mut lines: Vec<String> = vec![format!("{NOTHING_WRITTEN}: all edits apply, or none.")];
    for (number, fault) in faults.iter().take(FAULTS_TOLD_MAX) {
        lines.push(format!("Edit {number} of {edits}: {}", fault.message));
    }
    if faults.len() > FAULTS_TOLD_MAX {
        lines.push(format!("{} more faults are not shown.", faults.len() - FAULTS_TOLD_MAX));
    }
    Failed::new(class, lines.join("\n"))
}

#[cfg(test)]
mod tests;
