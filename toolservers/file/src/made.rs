//! A text that is made of a document (a PDF, a notebook), seen through a window as a file's own text is.
//!
//! The texts made last are kept while their files are the same, so that the next window costs nothing.
//!
//! Invariant: no line is longer than [`MADE_LINE_BYTES_MAX`], so that each can be shown whole (test
//! `long_lines_are_broken`).
//!
//! Not here: how the text is made (`pdf`, `notebook`).

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::{
    index::Version,
    limits::{BLOCK_BYTES, DOCUMENTS_KEPT_MAX, MADE_LINE_BYTES_MAX},
    pass::Pass,
    view::TextView,
    window::{Shown, Wanted, head},
};

/// A text and what it was made of.
#[derive(Debug)]
pub(crate) struct Made {
    text: String,
    of: Of,
    /// What a reader must know of the whole.
    notices: Vec<String>,
}

/// What a text was made of.
#[derive(Debug)]
pub(crate) enum Of {
    /// The pages of a PDF.
    Pdf {
        /// Pages of the document, also those that are not in the text.
        pages: usize,
        /// The line, from 1, at which each page begins, as far as pages are in the text.
        starts: Vec<u64>,
    },
    /// The cells of a notebook.
    Notebook { cells: usize, language: String },
}

impl Made {
    /// A text made of a document; lines that are too long are broken, for which `of` is right already
    /// if it counts lines as [`broken`] gives them.
    pub(crate) fn new(text: String, of: Of, notices: Vec<String>) -> Self {
        Self { text, of, notices }
    }

    /// What is seen of it; `size` and `sha256` are those of the document.
    pub(crate) fn view(&self, wanted: Wanted, size: u64, sha256: Option<[u8; 32]>) -> TextView {
        let mut pass = Pass::new(wanted, self.text.as_bytes(), (1, 0));
        let mut rest = self.text.as_bytes();
        while !pass.is_ended() {
            let (block, after) = rest.split_at(rest.len().min(BLOCK_BYTES));
            pass.feed(block);
            rest = after;
        }
        let total = pass.total();
        let view = TextView { sha256, ..pass.finish(size, total) };
        let made = Some(Told { notices: self.notices.clone(), facts: self.facts(&view.shown) });
        TextView { made, ..view }
    }

    fn facts(&self, shown: &Shown) -> Map<String, Value> {
        let mut facts = Map::new();
        let mut fact = |name: &str, value: Value| facts.insert(name.to_owned(), value);
        match &self.of {
            Of::Pdf { pages, starts } => {
                let page = |line: u64| starts.partition_point(|start| *start <= line);
                let last = shown.from + shown.lines.saturating_sub(1);
                fact("document", "pdf".into());
                fact("pages", (*pages).into());
                fact("first_page", page(shown.from).into());
                fact("last_page", page(last).into());
            }
            Of::Notebook { cells, language } => {
                fact("document", "notebook".into());
                fact("cells", (*cells).into());
                fact("language", language.as_str().into());
            }
        }
        facts
    }
}

/// What is said beside a window of a made text.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// For the model, in the order of weight.
    pub(crate) notices: Vec<String>,
    /// For metadata.
    pub(crate) facts: Map<String, Value>,
}

/// Lines, with those that are too long broken at a blank, or between two characters. Each ends with a
/// line feed; control characters but tabs are left out.
pub(crate) fn broken(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + 1);
    for line in text.lines() {
        let line: String = line
            .chars()
            .filter(|character| *character == '\t' || !character.is_control())
            .collect();
        let mut rest = line.as_str();
        while rest.len() > MADE_LINE_BYTES_MAX {
            let start = head(rest, MADE_LINE_BYTES_MAX);
            let at = start.rfind(' ').map_or(start.len(), |blank| blank + 1);
            let (start, after) = rest.split_at(at);
            lines.push_str(start);
            lines.push('\n');
            rest = after;
        }
        lines.push_str(rest);
        lines.push('\n');
    }
    lines
}

/// A document that was read: its text and its digest.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) made: Arc<Made>,
    pub(crate) sha256: [u8; 32],
}

/// The documents read last, the most recent at the end.
static KEPT: Mutex<Vec<(Version, Kept)>> = Mutex::new(Vec::new());

/// The text that was made of this version of a file.
pub(crate) fn recall(version: Version) -> Option<Kept> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let at = kept.iter().position(|(key, _)| *key == version)?;
    let found = kept.remove(at);
    let text = found.1.clone();
    kept.push(found);
    Some(text)
}

/// Keeps the text that was made of this version of a file.
pub(crate) fn keep(version: Version, text: Kept) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|(key, _)| *key != version);
    if kept.len() >= DOCUMENTS_KEPT_MAX {
        kept.remove(0);
    }
    kept.push((version, text));
}

#[cfg(test)]
mod tests;
