//! What a search found, file after file, in the memory of what is shown.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::query::{Output, Query};
use crate::limits::{FOUND_BYTES_MAX, GREP_LINE_BYTES_MAX};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};

/// A line that is shown, or a gap between lines.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Row {
    /// A line of a match, or of its context.
    Line { number: u64, text: String, is_match: bool },
    /// Lines are left out here.
    Gap,
}

/// The matches of one file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct FileHits {
    /// From the directory that is searched; empty for a file that is searched alone.
    pub(crate) path: PathBuf,
    pub(crate) matches: u64,
    pub(crate) rows: Vec<Row>,
}

/// All matches, of which those that fit are kept.
#[derive(Debug)]
pub(crate) struct Hits {
    output: Output,
    limit: usize,
    /// Files with a match, in the order of the walk, as many as are shown.
    pub(crate) files: Vec<FileHits>,
    /// All, also what is not kept.
    pub(crate) matches: u64,
    pub(crate) files_matching: u64,
    /// Matches whose lines are kept.
    pub(crate) shown: u64,
    bytes: usize,
    /// The file that is searched now.
    now: FileHits,
    now_bytes: usize,
    now_shown: u64,
    is_binary: bool,
}

impl Hits {
    pub(super) fn new(query: &Query) -> Self {
        Self {
            output: query.output,
            limit: query.limit,
            files: Vec::new(),
            matches: 0,
            files_matching: 0,
            shown: 0,
            bytes: 0,
            now: FileHits::default(),
            now_bytes: 0,
            now_shown: 0,
            is_binary: false,
        }
    }

    pub(super) fn begin(&mut self, path: &Path) {
        self.now = FileHits { path: path.to_path_buf(), ..FileHits::default() };
        self.now_bytes = path.as_os_str().len() + 2;
        self.now_shown = 0;
        self.is_binary = false;
    }

    pub(super) fn sink<'a>(&'a mut self, matcher: &'a RegexMatcher) -> FileSink<'a> {
        FileSink { hits: self, matcher, is_open: false }
    }

    pub(super) fn is_binary(&self) -> bool {
        self.is_binary
    }

    /// Lets go of what the file gave.
    pub(super) fn forget(&mut self) {
        self.now = FileHits::default();
    }

    /// Takes over what the file gave.
    pub(super) fn keep(&mut self) {
        let now = std::mem::take(&mut self.now);
        if now.matches == 0 {
            return;
        }
        self.matches += now.matches;
        self.files_matching += 1;
        let fits = match self.output {
            Output::Content => self.now_shown > 0,
            Output::Files | Output::Count => self.files.len() < self.limit && self.has_room(),
        };
        if fits {
            self.shown += self.now_shown;
            self.bytes += self.now_bytes;
            self.files.push(now);
        }
    }

    fn has_room(&self) -> bool {
        self.bytes + self.now_bytes < FOUND_BYTES_MAX
    }

    fn wants_rows(&self) -> bool {
        let shown = self.shown + self.now_shown;
        self.output == Output::Content && shown < self.limit as u64 && self.has_room()
    }

    fn push(&mut self, row: Row) {
        // The line number, a mark and the line feed.
        self.now_bytes += match &row {
            Row::Line { text, .. } => text.len() + 9,
            Row::Gap => 3,
        };
        self.now.rows.push(row);
    }
}

/// Takes the lines of one file.
pub(super) struct FileSink<'a> {
    hits: &'a mut Hits,
    matcher: &'a RegexMatcher,
    /// Whether the last match is shown, so that its context is too.
    is_open: bool,
}

impl FileSink<'_> {
    fn line(&mut self, number: u64, line: &[u8], is_match: bool) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let found = self.matcher.find(line).ok().flatten().filter(|_| is_match);
        let at = found.map_or(0, |found| found.start());
        self.hits.push(Row::Line { number, text: cut(line, at), is_match });
    }
}

impl Sink for FileSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.hits.now.matches += 1;
        self.is_open = self.hits.wants_rows();
        if self.is_open {
            self.hits.now_shown += 1;
            for (number, line) in (found.line_number().unwrap_or(1)..).zip(found.lines()) {
                if !self.hits.has_room() {
                    self.hits.push(Row::Gap);
                    break;
                }
                self.line(number, line, true);
            }
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let is_shown = match context.kind() {
            SinkContextKind::After => self.is_open && self.hits.has_room(),
            SinkContextKind::Before | SinkContextKind::Other => self.hits.wants_rows(),
        };
        if is_shown {
            self.line(context.line_number().unwrap_or(1), context.bytes(), false);
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        if self.hits.wants_rows() {
            self.hits.push(Row::Gap);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.hits.is_binary = true;
        Ok(false)
    }
}

/// A line as text; of one that is too long, whole characters around the match at `at`.
fn cut(line: &[u8], at: usize) -> String {
    if line.len() <= GREP_LINE_BYTES_MAX {
        return String::from_utf8_lossy(line).into_owned();
    }
    let is_inside = |at: &usize| line.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let from = at.saturating_sub(GREP_LINE_BYTES_MAX / 4).min(line.len() - GREP_LINE_BYTES_MAX);
    let to = from + GREP_LINE_BYTES_MAX;
    // A character has at most four bytes; what has more of these is not UTF-8.
    let from = (from..from + 4).find(|at| !is_inside(at)).unwrap_or(from);
    let to = (to - 3..=to).rev().find(|at| !is_inside(at)).unwrap_or(to);
    let text = String::from_utf8_lossy(line.get(from..to).unwrap_or_default());
    let (start, end) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
    format!("{start}{text}{end} [of a line of {} bytes]", line.len())
}
