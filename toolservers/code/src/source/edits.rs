//! What changes between the model's text and the script: characters that become blanks or one other
//! character, and pieces that are put between two.
//!
//! Invariants: a line end stays a line end; blanks take as many characters as what they replace.
//!
//! Not here: what changes, and why.

use oxc_span::Span;

use super::{Inserted, Prepared};

/// Kept as it is.
const KEEP: u8 = 0;

/// Where a piece stands among those of the same place, first to last.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Order {
    /// Closes an expression that is part of a larger one.
    Inner,
    /// Closes the value of the program.
    Outer,
    /// Opens the value of the program.
    Before,
}

/// Changes to one text.
#[derive(Debug)]
pub(super) struct Edits<'t> {
    text: &'t str,
    /// One for each byte: [`KEEP`], or the ASCII character that stands there instead.
    marks: Vec<u8>,
    pieces: Vec<(usize, Order, String)>,
}

impl<'t> Edits<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, marks: vec![KEEP; text.len()], pieces: Vec::new() }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Where the next token starts: after blanks, line ends and comments.
    pub(super) fn next_token(&self, from: u32) -> u32 {
        let mut rest = self.text.get(offset(from)..).unwrap_or_default();
        loop {
            let trimmed = rest.trim_start();
            rest = if let Some(comment) = trimmed.strip_prefix("//") {
                comment.find('\n').and_then(|end| comment.get(end..)).unwrap_or_default()
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                comment.split_once("*/").map_or("", |(_, after)| after)
            } else {
                return u32::try_from(self.text.len() - trimmed.len()).unwrap_or(u32::MAX);
            };
        }
    }

    /// The word (an identifier, a keyword) that starts at `at`, perhaps empty.
    pub(super) fn word(&self, at: u32) -> &'t str {
        let rest = self.text.get(offset(at)..).unwrap_or_default();
        let end = rest.find(|each: char| !each.is_alphanumeric() && each != '_' && each != '$');
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// Blanks `word` if it stands at `at`.
    pub(super) fn blank_word(&mut self, at: u32, word: &str) {
        if self.word(at) == word {
            self.blank(at, at + u32::try_from(word.len()).unwrap_or_default());
        }
    }

    pub(super) fn blank(&mut self, from: u32, to: u32) {
        let range = offset(from)..offset(to);
        if let Some(marks) = self.marks.get_mut(range) {
            marks.fill(b' ');
        }
    }

    /// Blanks a span that may be all there is between two statements: its first character becomes a `;`, so
    /// that the lines around it do not grow together.
    pub(super) fn blank_statement(&mut self, span: Span) {
        self.blank(span.start, span.end);
        self.replace(span.start, b';');
    }

    /// Puts `character` (ASCII) in place of the one at `at`.
    pub(super) fn replace(&mut self, at: u32, character: u8) {
        let at = self.text.floor_char_boundary(offset(at));
        if let Some(mark) = self.marks.get_mut(at) {
            *mark = character;
        }
    }

    /// A statement or a class's field that ends at `end` without a `;` of its own gets one if what it ended
    /// with is gone: it ended there because of a type, and the next line may start with `(` or `[`.
    pub(super) fn end_statement(&mut self, end: u32) {
        let is_gone = end > 0 && self.marks.get(offset(end - 1)) == Some(&b' ');
        // A parenthesis that is put there ends it as well.
        let is_wrapped = self.pieces.iter().any(|(at, ..)| *at == offset(end));
        if is_gone && !is_wrapped {
            self.replace(end - 1, b';');
        }
    }

    pub(super) fn insert(&mut self, at: u32, order: Order, piece: impl Into<String>) {
        self.pieces.push((offset(at), order, piece.into()));
    }

    /// The script: `last_line` stands after the text, on a line of its own. The text's first and last
    /// `lines_around` are not the model's.
    pub(super) fn finish(
        mut self,
        lines_around: u32,
        last_line: &str,
        notes: Vec<String>,
    ) -> Prepared {
        self.pieces.sort_by_key(|(at, order, _)| (*at, *order));
        let mut script = Script::new(lines_around, notes);
        script.text.push_str("(async () => {\"use strict\";\n");
        let mut pieces = self.pieces.iter().peekable();
        for (at, character) in self.text.char_indices() {
            while let Some((_, _, piece)) = pieces.next_if(|(place, ..)| *place <= at) {
                script.piece(piece);
            }
            match self.marks.get(at).copied().unwrap_or(KEEP) {
                KEEP => script.push(character),
                b' ' if matches!(character, '\n' | '\u{2028}' | '\u{2029}') => {
                    script.push(character);
                }
                other => script.push(char::from(other)),
            }
        }
        for (_, _, piece) in pieces {
            script.piece(piece);
        }
        script.finish(last_line)
    }
}

/// A script that grows, and where it is.
struct Script {
    text: String,
    lines_around: u32,
    notes: Vec<String>,
    line: u32,
    before: u32,
    inserted: Vec<Inserted>,
}

impl Script {
    fn new(lines_around: u32, notes: Vec<String>) -> Self {
        Self { text: String::new(), lines_around, notes, line: 2, before: 0, inserted: Vec::new() }
    }

    fn push(&mut self, character: char) {
        self.text.push(character);
        if character == '\n' {
            self.line += 1;
            self.before = 0;
        } else {
            self.before += 1;
        }
    }

    fn piece(&mut self, piece: &str) {
        let (line, before) = (self.line, self.before);
        for character in piece.chars() {
            self.push(character);
        }
        self.inserted.push(Inserted { line, before, characters: self.before - before });
    }

    fn finish(mut self, last_line: &str) -> Prepared {
        self.text.push('\n');
        self.text.push_str(last_line);
        self.text.push_str("})");
        Prepared {
            script: self.text,
            lines_before: self.lines_around + 1,
            notes: self.notes,
            lines: self.line - 1 - 2 * self.lines_around,
            inserted: self.inserted,
        }
    }
}

/// Offsets of the parser as offsets of Rust.
pub(super) fn offset(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}
