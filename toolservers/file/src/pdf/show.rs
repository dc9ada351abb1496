//! Texts with their places on a page become lines: a text that stands lower is on a new line, one that
//! stands apart gets a blank before it.
//!
//! Order is that of the content, which is how nearly all programs write.

use std::rc::Rc;

use super::fonts::Font;
use crate::limits::PDF_DEPTH_MAX;

/// `[a b c d e f]`, as PDF has it.
type Matrix = [f32; 6];

const SAME: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// What is saved and restored with the state of drawing.
#[derive(Clone)]
struct State<'a> {
    page: Matrix,
    font: Option<Rc<Font<'a>>>,
    size: f32,
    leading: f32,
    spacing: f32,
    word_spacing: f32,
}

/// Where a text ended.
#[derive(Clone, Copy)]
struct End {
    x: f32,
    y: f32,
    /// Height of a line of it.
    height: f32,
}

/// The lines of a page.
pub(super) struct Lines<'a> {
    text: String,
    state: State<'a>,
    saved: Vec<State<'a>>,
    /// Saved states that were too many to keep.
    unsaved: usize,
    /// Of the next text, and of the line that it is in.
    place: Matrix,
    line: Matrix,
    end: Option<End>,
}

impl Default for Lines<'_> {
    fn default() -> Self {
        let state = State {
            page: SAME,
            font: None,
            size: 1.0,
            leading: 0.0,
            spacing: 0.0,
            word_spacing: 0.0,
        };
        Self {
            text: String::new(),
            state,
            saved: Vec::new(),
            unsaved: 0,
            place: SAME,
            line: SAME,
            end: None,
        }
    }
}

impl<'a> Lines<'a> {
    pub(super) fn save(&mut self) {
        if self.saved.len() < PDF_DEPTH_MAX {
            self.saved.push(self.state.clone());
        } else {
            self.unsaved += 1;
        }
    }

    pub(super) fn restore(&mut self) {
        if let Some(less) = self.unsaved.checked_sub(1) {
            self.unsaved = less;
        } else if let Some(state) = self.saved.pop() {
            self.state = state;
        }
    }

    pub(super) fn transform(&mut self, matrix: Matrix) {
        self.state.page = product(matrix, self.state.page);
    }

    pub(super) fn begin(&mut self) {
        self.place(SAME);
    }

    pub(super) fn place(&mut self, matrix: Matrix) {
        (self.place, self.line) = (matrix, matrix);
    }

    pub(super) fn step(&mut self, x: f32, y: f32) {
        self.place(product([1.0, 0.0, 0.0, 1.0, x, y], self.line));
    }

    pub(super) fn next_line(&mut self) {
        self.step(0.0, -self.state.leading);
    }

    pub(super) fn leading(&mut self, leading: f32) {
        self.state.leading = leading;
    }

    pub(super) fn spacing(&mut self, spacing: f32) {
        self.state.spacing = spacing;
    }

    pub(super) fn word_spacing(&mut self, spacing: f32) {
        self.state.word_spacing = spacing;
    }

    pub(super) fn font(&mut self, font: Option<Rc<Font<'a>>>, size: f32) {
        (self.state.font, self.state.size) = (font, size);
    }

    /// Moves the next text back by thousandths of the size.
    pub(super) fn kern(&mut self, thousandths: f32) {
        self.advance(-thousandths / 1_000.0 * self.state.size);
    }

    /// Shows codes of the font.
    pub(super) fn show(&mut self, codes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        self.separate();
        let before = self.text.len();
        let width = font.show(codes, &mut self.text);
        let shown = self.text.get(before..).unwrap_or_default();
        let (mut characters, mut blanks) = (0_u16, 0_u16);
        for character in shown.chars() {
            characters = characters.saturating_add(1);
            blanks = blanks.saturating_add(u16::from(character == ' '));
        }
        let apart = f32::from(characters) * self.state.spacing
            + f32::from(blanks) * self.state.word_spacing;
        self.advance(width * self.state.size + apart);
        let at = product(self.place, self.state.page);
        self.end = Some(End { x: at[4], y: at[5], height: self.height(at) });
    }

    /// Bytes of text so far.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The text: no blanks at the ends of lines, at most one empty line in a row.
    pub(super) fn finish(self) -> String {
        let mut text = String::with_capacity(self.text.len());
        for line in self.text.lines().map(str::trim_end) {
            if !line.is_empty() || !text.ends_with("\n\n") && !text.is_empty() {
                text.push_str(line);
                text.push('\n');
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Puts between the last text and the next what their places tell.
    fn separate(&mut self) {
        let at = product(self.place, self.state.page);
        let Some(end) = self.end else { return };
        // Along the line and across it, whichever way it is turned.
        let length = at[0].hypot(at[1]);
        let (along_x, along_y) =
            if length > 0.0 { (at[0] / length, at[1] / length) } else { (1.0, 0.0) };
        let (x, y) = (at[4] - end.x, at[5] - end.y);
        let (along, across) = (x * along_x + y * along_y, (x * along_y - y * along_x).abs());
        let height = end.height.max(self.height(at));
        if across > 0.5 * height {
            self.text.push('\n');
            if across > 2.2 * height {
                self.text.push('\n');
            }
        } else if (along > 0.17 * height || along < -height) && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    fn height(&self, at: Matrix) -> f32 {
        (self.state.size * at[2].hypot(at[3])).abs()
    }

    fn advance(&mut self, width: f32) {
        self.place = product([1.0, 0.0, 0.0, 1.0, width, 0.0], self.place);
    }
}

/// First the one, then the other.
fn product(first: Matrix, then: Matrix) -> Matrix {
    let [a, b, c, d, e, f] = first;
    let [k, l, m, n, o, p] = then;
    [
        a * k + b * m,
        a * l + b * n,
        c * k + d * m,
        c * l + d * n,
        e * k + f * m + o,
        e * l + f * n + p,
    ]
}
