//! The only place that prints: answers and JSON on standard output, all else on standard error.
//!
//! Invariant: a reader that goes away (`tollgate … | head`) ends nothing with a panic; what cannot be
//! written is dropped, and the work goes on to its end.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use crate::limits::{COLUMNS_DEFAULT, COLUMNS_MIN};

/// Where output goes, and how it may look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// Standard output is a terminal.
    pub(crate) stdout_is_terminal: bool,
    /// Colour on standard output.
    pub(crate) stdout_paint: Paint,
    /// Colour on standard error.
    pub(crate) stderr_paint: Paint,
    /// Columns of the terminal.
    pub(crate) columns: usize,
}

impl Output {
    /// Looks at the process's streams and environment; `no_color` is the flag.
    pub(crate) fn of_process(no_color: bool) -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is = |name, word: &str| std::env::var_os(name).is_some_and(|value| value == *word);
        let is_off = no_color || set("NO_COLOR") || is("CLICOLOR", "0") || is("TERM", "dumb");
        let is_forced = set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0");
        let paint = |is_terminal| Paint { is_on: !is_off && (is_terminal || is_forced) };
        let stdout_is_terminal = io::stdout().is_terminal();
        let stderr_is_terminal = io::stderr().is_terminal();
        Self {
            stdout_is_terminal,
            stdout_paint: paint(stdout_is_terminal),
            stderr_paint: paint(stderr_is_terminal),
            columns: columns(),
        }
    }

    /// Plain text of a fixed width, for tests.
    #[cfg(test)]
    pub(crate) fn plain(columns: usize) -> Self {
        let paint = Paint { is_on: false };
        Self { stdout_is_terminal: false, stdout_paint: paint, stderr_paint: paint, columns }
    }
}

fn columns() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let asked = || rustix::termios::tcgetwinsize(io::stderr()).ok().map(|size| size.ws_col.into());
    told.or_else(asked).filter(|columns| *columns > 0).unwrap_or(COLUMNS_DEFAULT).max(COLUMNS_MIN)
}

/// Writes to standard output as it is, at once.
pub(crate) fn write_out(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    // A reader that has gone needs no more.
    drop(stdout.write_all(bytes).and_then(|()| stdout.flush()));
}

/// Writes a line to standard output.
pub(crate) fn line_out(text: &str) {
    write_out(format!("{text}\n").as_bytes());
}

/// Writes a text to standard error as it is, at once.
pub(crate) fn write_err(text: &str) {
    // Nobody is left to be told.
    drop(io::stderr().lock().write_all(text.as_bytes()));
}

/// Writes a line to standard error.
pub(crate) fn line_err(text: &str) {
    write_err(&format!("{text}\n"));
}

/// Writes a value to standard output as one line of JSON.
pub(crate) fn json_line(value: &impl Serialize) {
    line_out(&to_json(value, false));
}

/// Writes a value to standard output as JSON for people.
pub(crate) fn json_pretty(value: &impl Serialize) {
    line_out(&to_json(value, true));
}

fn to_json(value: &impl Serialize, is_pretty: bool) -> String {
    let text =
        if is_pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    // Only a map with keys that are no strings can fail; the careful answer says so.
    text.unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string())
}

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    /// Whether anything is coloured at all.
    pub(crate) is_on: bool,
}

impl Paint {
    /// Bad news and removed lines.
    pub(crate) fn red(self, text: &str) -> String {
        self.wrap("31", text)
    }
    /// Good news and added lines.
    pub(crate) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }
    /// What needs attention.
    pub(crate) fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }
    /// Places within a diff.
    pub(crate) fn cyan(self, text: &str) -> String {
        self.wrap("36", text)
    }
    /// Titles.
    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }
    /// What matters less.
    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.is_on && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
