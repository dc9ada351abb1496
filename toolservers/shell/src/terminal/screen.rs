//! What is kept of a terminal's output: the screen as a person would see it, and the lines that scrolled
//! off its top.
//!
//! Invariants: no control character leaves (test `what_leaves_holds_no_control_characters`); memory is
//! bounded at any output: by the screen's size, by `kept` for what scrolled, by `guard` and the emulator
//! for sequences; a fault of the emulator costs the screen and nothing else.
//!
//! Not here: where the bytes come from (`background` of `process`), the words (`say`).

use std::{
    fmt,
    num::NonZeroU16,
    panic::{AssertUnwindSafe, catch_unwind},
};

use vt100::{
    Callbacks, Parser,
    capture::{BasicFormattedCaptureState, RowContents, basic_formatted_to_plain},
};

use super::guard::Guard;
use crate::{
    limits::{
        SCROLLED_CHARS_MAX, TERMINAL_ANSWER_BYTES_MAX, TERMINAL_COLS, TERMINAL_COLS_MAX,
        TERMINAL_COLS_MIN, TERMINAL_ROWS, TERMINAL_ROWS_MAX, TERMINAL_ROWS_MIN,
    },
    process::{
        kept::{Kept, Window},
        kind::{Keeping, Kind},
    },
};

#[cfg(test)]
mod tests;

/// Rows and columns of a screen, within their bounds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Size {
    pub(crate) rows: NonZeroU16,
    pub(crate) cols: NonZeroU16,
}

impl Size {
    /// The nearest size within the bounds; the ordinary one where nothing is said.
    pub(crate) fn of(rows: Option<u16>, cols: Option<u16>) -> Self {
        let within = |asked: Option<u16>, usual: u16, min: u16, max: u16| {
            NonZeroU16::new(asked.unwrap_or(usual).clamp(min, max)).unwrap_or(NonZeroU16::MIN)
        };
        Self {
            rows: within(rows, TERMINAL_ROWS, TERMINAL_ROWS_MIN, TERMINAL_ROWS_MAX),
            cols: within(cols, TERMINAL_COLS, TERMINAL_COLS_MIN, TERMINAL_COLS_MAX),
        }
    }
}

/// A screen, and what scrolled off it.
pub(crate) struct Screen {
    parser: Parser<Beside>,
    guard: Guard,
    /// The line of what scrolled up to which its reader was told.
    told: u64,
    /// Bytes of output when its reader last looked.
    pub(super) looked_at: u64,
    /// How often the emulator failed, and began anew.
    faults: u64,
}

/// What the emulator does not keep itself.
#[derive(Debug, Default)]
struct Beside {
    scrolled: Kept,
    /// For the program, at its next reading.
    answer: Vec<u8>,
}

/// What a reader is shown.
#[derive(Debug)]
pub(super) struct Picture {
    /// The screen's rows, without blanks at their ends and empty rows at the bottom.
    pub(super) rows: Vec<String>,
    /// Of what scrolled since the last look.
    pub(super) scrolled: Window,
    pub(super) size: Size,
    /// From 1: row and column.
    pub(super) cursor: (u16, u16),
    /// A program that fills the screen has it for itself.
    pub(super) is_alternate: bool,
    pub(super) faults: u64,
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("rows", &self.rows()).finish_non_exhaustive()
    }
}

impl Screen {
    pub(crate) fn new(size: Size) -> Self {
        let parser = Parser::new_with_callbacks(size.rows, size.cols, 0, Beside::default());
        Self { parser, guard: Guard::default(), told: 0, looked_at: 0, faults: 0 }
    }

    /// The screen and what scrolled since the last look; with `told`, this was a look, at so many bytes of
    /// output.
    pub(super) fn picture(&mut self, told: Option<u64>) -> Picture {
        let scrolled = self.parser.callbacks().scrolled.after_within(self.told, SCROLLED_CHARS_MAX);
        if let Some(bytes) = told {
            self.told = scrolled.next;
            self.looked_at = bytes;
        }
        let screen = self.parser.screen();
        let (row, col) = screen.cursor_position();
        let cursor = (row.saturating_add(1), col.saturating_add(1));
        let is_alternate = screen.alternate_screen();
        let rows = self.rows();
        Picture { rows, scrolled, size: self.size(), cursor, is_alternate, faults: self.faults }
    }

    pub(super) fn size(&self) -> Size {
        let (rows, cols) = self.parser.screen().size();
        Size { rows, cols }
    }

    /// Sets the size, as far as it is the picture's.
    pub(super) fn resize(&mut self, size: Size) {
        self.guarded(|parser| {
            // Else blank rows stand for what scrolled long ago.
            parser.screen_mut().clear_scrollback();
            parser.set_size(size.rows, size.cols);
        });
    }

    /// The lines that scrolled off its top so far.
    pub(super) fn scrolled(&self) -> u64 {
        self.parser.callbacks().scrolled.total()
    }

    /// Whether the program wants to be told of arrows in its own way.
    pub(super) fn application_cursor(&self) -> bool {
        self.parser.screen().application_cursor()
    }

    /// Whether the program wants to be told of what is pasted.
    pub(super) fn bracketed_paste(&self) -> bool {
        self.parser.screen().bracketed_paste()
    }

    /// The line that the cursor stands in, its wrapped rows as one.
    pub(super) fn cursor_line(&self) -> String {
        let screen = self.parser.screen();
        let (cursor, _) = screen.cursor_position();
        let mut first = cursor;
        while first > 0 && screen.row_wrapped(first - 1) {
            first -= 1;
        }
        let mut last = cursor;
        while screen.row_wrapped(last) {
            last += 1;
        }
        let rows = self.rows();
        let count = usize::from(last - first) + 1;
        rows.into_iter().skip(first.into()).take(count).collect()
    }

    fn rows(&self) -> Vec<String> {
        let (_, cols) = self.parser.screen().size();
        let rows = self.parser.screen().rows(0, cols.get());
        let mut rows: Vec<String> = rows.map(|row| plain(&row).trim_end().to_owned()).collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// Does something to the emulator; one that fails begins anew.
    fn guarded(&mut self, does: impl FnOnce(&mut Parser<Beside>)) {
        let size = self.size();
        if catch_unwind(AssertUnwindSafe(|| does(&mut self.parser))).is_err() {
            self.faults += 1;
            let beside = std::mem::take(self.parser.callbacks_mut());
            self.parser = Parser::new_with_callbacks(size.rows, size.cols, 0, beside);
        }
    }
}

impl Keeping for Screen {
    const KIND: Kind = Kind::TERMINAL;

    fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let bytes = self.guard.pass(bytes);
        self.guarded(|parser| parser.process(&bytes));
        std::mem::take(&mut self.parser.callbacks_mut().answer)
    }

    fn finish(&mut self) {
        self.parser.callbacks_mut().scrolled.finish();
    }
}

impl Beside {
    fn answers(&mut self, answer: &str) {
        if self.answer.len() + answer.len() <= TERMINAL_ANSWER_BYTES_MAX {
            self.answer.extend_from_slice(answer.as_bytes());
        }
    }
}

impl Callbacks for Beside {
    fn on_scroll(&mut self, row: RowContents<'_>, is_alternate: bool) {
        if is_alternate {
            return;
        }
        let (mut text, mut state) = (String::new(), BasicFormattedCaptureState::new());
        // Neither a `String` nor a probe fails but as said.
        row.write_formatted_basic(&mut text, &mut state).ok();
        for part in basic_formatted_to_plain(&text) {
            self.scrolled.push(part.as_bytes());
        }
        let mut next = Beginning(None);
        row.write_formatted_basic(&mut next, &mut state).ok();
        if next.0 == Some('\n') {
            self.scrolled.push(b"\n");
        }
    }

    /// What programs ask a terminal: the cursor's place, whether all is well, what it is
    /// (ctlseqs of xterm: DSR, DA). Nothing of what is on the screen is ever answered.
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        _: Option<u8>,
        parameters: &[&[u16]],
        last: char,
    ) {
        let parameter = parameters.first().and_then(|all| all.first()).copied().unwrap_or(0);
        match (first, last, parameter) {
            (None, 'n', 5) => self.answers("\x1b[0n"),
            (None, 'n', 6) => {
                let (row, col) = screen.cursor_position();
                self.answers(&format!("\x1b[{};{}R", row + 1, col + 1));
            }
            // A VT100 with the advanced video option; a terminal without a version.
            (None, 'c', 0) => self.answers("\x1b[?1;2c"),
            (Some(b'>'), 'c', 0) => self.answers("\x1b[>0;0;0c"),
            _ => {}
        }
    }
}

/// Takes the first character and no more.
struct Beginning(Option<char>);

impl fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.or_else(|| text.chars().next());
        if self.0.is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// A row as plain text.
fn plain(row: &str) -> String {
    row.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}
