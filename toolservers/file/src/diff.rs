//! Unified diffs for results and approval cards, bounded in time and size.

use std::time::Duration;

use similar::TextDiff;

use crate::{
    limits::{DIFF_CONTEXT_LINES, DIFF_JSON_BYTES_MAX, DIFF_MS_MAX},
    window::head,
};

/// A diff and its counts.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Diff {
    /// Unified, with a header that names the file.
    pub(crate) text: String,
    /// Lines that are new.
    pub(crate) added: usize,
    /// Lines that are gone.
    pub(crate) removed: usize,
}

impl Diff {
    /// What leads from one text to the other; bytes that are not UTF-8 are shown as U+FFFD.
    pub(crate) fn new(shown: &str, old: &[u8], new: &[u8]) -> Self {
        let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
        let diff = TextDiff::configure()
            .timeout(Duration::from_millis(DIFF_MS_MAX))
            .diff_lines(old.as_ref(), new.as_ref());
        let (mut added, mut removed) = (0, 0);
        for op in diff.ops() {
            if op.tag() != similar::DiffTag::Equal {
                removed += op.old_range().len();
                added += op.new_range().len();
            }
        }
        let text = diff
            .unified_diff()
            .context_radius(DIFF_CONTEXT_LINES)
            .header(&format!("a/{shown}"), &format!("b/{shown}"))
            .to_string();
        Self { text, added, removed }
    }

    /// The diff in at most about `bytes_max` bytes of whole lines; what is left out is counted.
    pub(crate) fn bounded(&self, bytes_max: usize) -> String {
        if self.text.len() <= bytes_max {
            return self.text.clone();
        }
        let start = head(&self.text, bytes_max);
        let start = start.rsplit_once('\n').map_or(start, |(lines, _)| lines);
        let (all, kept) = (self.text.lines().count(), start.lines().count());
        format!("{start}\n[{} more lines of the diff are not shown]\n", all - kept)
    }

    /// The diff as metadata holds it.
    pub(crate) fn for_metadata(&self) -> String {
        let mut bytes_max = DIFF_JSON_BYTES_MAX;
        loop {
            let text = self.bounded(bytes_max);
            // Escapes make JSON longer than its text, at worst six times.
            let length: usize = text.bytes().map(json_bytes).sum();
            if length <= DIFF_JSON_BYTES_MAX || bytes_max < 1024 {
                return text;
            }
            bytes_max /= 2;
        }
    }
}

fn json_bytes(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
        0..=0x1f | 0x7f => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
