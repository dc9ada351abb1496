//! Where the hunks of a patch apply in a text, all judged against one snapshot.
//!
//! A hunk's lines that stay or go must occur as they are: to the letter, else but for trailing blanks
//! and Unicode form, which is said. Of several places counts, in this order, the one at the line that
//! a unified diff names; the first one after the hunk's `@@` lines; the only one after the hunk
//! before. Any other hunk is refused, and nothing is guessed.
//!
//! Invariants: a line that stays is not touched, whatever its bytes; a line that comes takes the
//! break of the one that it replaces, else of its neighbour; a text that has no break at its end
//! keeps none (tests `every_other_byte_stays`, `breaks_follow_the_file`).
//!
//! Not here: reading a patch (`patch`), files (`patching`).

mod lines;
mod places;

use crate::{
    failed::{Class, Failed},
    limits::{FAULTS_TOLD_MAX, PATCH_LINES_MAX},
    matching::{Plan, Span},
    patch::{Hunk, Mark},
};

use lines::Lines;

/// Plans all hunks of one file, or tells all that is wrong with them.
///
/// # Errors
/// The class of the first fault, and a message with each.
pub(crate) fn plan(text: &[u8], hunks: &[Hunk]) -> Result<Plan, Failed> {
    let breaks = memchr::memchr_iter(b'\n', text).count();
    if breaks > PATCH_LINES_MAX {
        let message = format!(
            "the file has {breaks} lines; of more than {PATCH_LINES_MAX} none are patched. Use edit"
        );
        return Err(Failed::new(Class::TooLarge, message));
    }
    let is_utf8 = std::str::from_utf8(text).is_ok();
    let lines = Lines::new(text);
    let (mut plan, mut faults) = (Plan::default(), Vec::new());
    let mut after = 0;
    for (number, hunk) in (1..).zip(hunks) {
        match places::place(&lines, hunk, after) {
            Ok(_) if !is_utf8 && hunk.adds(char::REPLACEMENT_CHARACTER) => {
                let message = "it adds \u{FFFD}, which stands for bytes that are not UTF-8 where read \
                               shows it; leave such lines as they are";
                faults.push((number, Failed::new(Class::Encoding, message)));
            }
            Ok(place) => {
                let note = place.note.map(|note| format!("Hunk {number}: {note}"));
                plan.notes.extend(note);
                after = place.line + hunk.lines.iter().filter(|line| line.0 != Mark::Added).count();
                plan.spans.extend(spans(&lines, hunk, place.line, number));
            }
            Err(failed) => faults.push((number, failed)),
        }
    }
    plan.spans.sort_by_key(|span| (span.start, span.end, span.edit));
    for (a, b) in plan.spans.iter().zip(plan.spans.iter().skip(1)) {
        if b.start < a.end || b.start == a.start {
            let message = format!(
                "meets hunk {} at line {}; make one hunk of both",
                a.edit.min(b.edit),
                lines.number_at(b.start)
            );
            faults.push((a.edit.max(b.edit), Failed::new(Class::Overlap, message)));
        }
    }
    let is_idle = |span: &Span| text.get(span.start..span.end) == Some(span.new.as_bytes());
    if faults.is_empty() && plan.spans.iter().all(is_idle) {
        let message = "it changes nothing: what comes is what is there";
        faults.push((1, Failed::new(Class::InvalidPatch, message)));
    }
    if faults.is_empty() { Ok(plan) } else { Err(together(hunks, &faults)) }
}

fn together(hunks: &[Hunk], faults: &[(usize, Failed)]) -> Failed {
    let class = faults.first().map_or(Class::NoMatch, |(_, first)| first.class);
    let tell = |(number, failed): &(usize, Failed)| {
        let line = hunks.get(number - 1).map_or(0, |hunk| hunk.line);
        format!("Hunk {number} (line {line} of the patch): {}", failed.message)
    };
    let mut told: Vec<String> = faults.iter().take(FAULTS_TOLD_MAX).map(tell).collect();
    if faults.len() > told.len() {
        told.push(format!("{} more faults are not shown.", faults.len() - told.len()));
    }
    Failed::new(class, told.join("\n"))
}

/// What a hunk that begins at a line of the text changes: each run of lines that go or come.
fn spans(lines: &Lines<'_>, hunk: &Hunk, line: usize, number: usize) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut run = Run { first: line, removed: 0, added: Vec::new() };
    for (mark, text) in &hunk.lines {
        match mark {
            Mark::Removed => run.removed += 1,
            Mark::Added => run.added.push(text),
            Mark::Context => {
                let next = run.first + run.removed + 1;
                spans.extend(run.span(lines, number));
                run = Run { first: next, removed: 0, added: Vec::new() };
            }
        }
    }
    spans.extend(run.span(lines, number));
    spans
}

/// Lines that go, and those that come in their place.
struct Run<'a> {
    first: usize,
    removed: usize,
    added: Vec<&'a String>,
}

impl Run<'_> {
    fn span(&self, lines: &Lines<'_>, number: usize) -> Option<Span> {
        if self.removed == 0 && self.added.is_empty() {
            return None;
        }
        let after = self.first + self.removed;
        let (start, end) = (lines.start(self.first), lines.start(after));
        let mut new = String::new();
        for (k, text) in self.added.iter().enumerate() {
            new.push_str(text);
            let last = self.removed.checked_sub(1).map(|last| self.first + last.min(k));
            let own = last.and_then(|line| lines.ending(line));
            new.push_str(own.unwrap_or_else(|| lines.ending_near(self.first, after)));
        }
        // The text has no break at its end: what comes there has none either, but one before it.
        if after == lines.count() && lines.is_unended() {
            let bare = new.strip_suffix('\n').map_or(new.len(), str::len);
            let bare = new.get(..bare).and_then(|it| it.strip_suffix('\r')).map_or(bare, str::len);
            new.truncate(bare);
            if self.removed == 0 {
                new.insert_str(0, lines.ending_near(self.first, after));
            }
        }
        Some(Span { edit: number, start, end, new })
    }
}

#[cfg(test)]
mod tests;
