//! What a model wrote becomes one script that the engine evaluates (`[CODE-01]`, `[CODE-02]`).
//!
//! The straight line: [`text`] (fence, line ends) → [`nesting`] (brackets, a stack that is large enough)
//! → [`parse`] (one complete program, or a [`Diagnostic`]) → [`survey`] (names, levels) → [`types`]
//! (TypeScript becomes blanks) → [`shape`] (what the program's value is) → [`edits`] (the script).
//!
//! Invariants: nothing is recognised by its lines except the fence; no line of the model's text moves, and
//! a column moves only by what [`Prepared::place`] takes back; what the parser did not read as one complete
//! program never becomes a script, so that a text cannot close the function around it.
//!
//! Not here: running it, and errors that only the engine finds (a name declared twice, a bad regular
//! expression): they come with a place of the script, which [`Prepared::place`] maps.

mod edits;
mod hints;
mod members;
mod nesting;
mod parse;
mod place;
#[expect(clippy::wildcard_enum_match_arm, reason = "of a syntax tree's many kinds a few matter")]
mod shape;
mod survey;
mod text;
#[expect(clippy::wildcard_enum_match_arm, reason = "of a syntax tree's many kinds a few matter")]
mod types;

pub use place::render_place;

/// A script and how its places map to the model's own text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Prepared {
    /// Evaluates to a function `async () => value` whose body is the program.
    pub script: String,
    /// Lines of the script before the program's first line.
    pub lines_before: u32,
    /// Sentences for the model: what was done to its text. Usually none.
    pub notes: Vec<String>,
    /// Lines of the model's text.
    pub lines: u32,
    /// What the script has beyond the model's text inside its lines, in the script's order.
    pub inserted: Vec<Inserted>,
}

/// A piece of the script that the model did not write.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Inserted {
    /// Of the script, from 1.
    pub line: u32,
    /// Characters of that line before the piece.
    pub before: u32,
    /// Its length in characters; it has no line end.
    pub characters: u32,
}

/// Why a text is no program, at a place of the model's own text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    /// "syntax", "unsupported" or "limit".
    pub class: &'static str,
    /// What is wrong and what would work. Without the place.
    pub message: String,
    /// From 1; 0 when no place is known.
    pub line: u32,
    /// In characters, from 1; 0 when no place is known.
    pub column: u32,
}

/// Reads a program: the body of an async function in JavaScript or TypeScript, bare or in one fence.
///
/// Blocks for as long as the parser takes: milliseconds, but a text that is made for it (`a<a<a<…`, which may
/// be type arguments at each level) takes quadratic time and cannot be stopped. Call it where a process
/// that does not yield is ended.
///
/// # Errors
/// A [`Diagnostic`] for a text over `bytes_max` bytes, one that is no program, and one that uses what a
/// program does not have (imports, enums). None of it may then run.
pub fn prepare(code: &str, bytes_max: usize) -> Result<Prepared, Diagnostic> {
    if code.len() > bytes_max {
        return Err(Diagnostic::nowhere(
            "limit",
            format!(
                "the program has {} bytes, the limit is {bytes_max}; keep data in files and read it with a tool",
                code.len()
            ),
        ));
    }
    let plain = text::plain(code)?;
    nesting::with_stack(&plain, || read(&plain))
}

fn read(text: &str) -> Result<Prepared, Diagnostic> {
    let allocator = oxc_allocator::Allocator::default();
    let mut parsed = parse::program(&allocator, text)?;
    let mut survey = survey::survey(&parsed)?;
    if survey.compares_values()
        && let Some(script) = parse::javascript(&allocator, &parsed)
    {
        parsed = script;
        survey = survey::survey(&parsed)?;
    }
    let mut edits = edits::Edits::new(parsed.text);
    let shape = shape::shape(&parsed, &survey, &mut edits)?;
    types::erase(&parsed, &mut edits, survey.declares("require"))?;
    Ok(edits.finish(parsed.lines_around, &shape.last_line, shape.notes))
}

impl Diagnostic {
    /// Without a place.
    fn nowhere(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), line: 0, column: 0 }
    }

    /// At byte `offset` of `text`, whose lines are the model's.
    fn at(class: &'static str, message: impl Into<String>, text: &str, offset: usize) -> Self {
        let (line, column) = place::of(text, offset);
        Self { class, message: message.into(), line, column }
    }

    /// The message, and the line of `code` (the model's own text) with a caret under the column.
    pub fn render(&self, code: &str) -> String {
        let shown = render_place(code, self.line, self.column);
        if shown.is_empty() {
            return self.message.clone();
        }
        format!("{} (line {}, column {})\n{shown}", self.message, self.line, self.column)
    }
}

impl Prepared {
    /// The place in the model's text of a place in the script: a line, and a column in *bytes*, as QuickJS
    /// counts it, both from 1, become a line and a column in characters. (0, 0): not in the model's text.
    pub fn place(&self, line: u32, column: u32) -> (u32, u32) {
        place::in_text(self, line, column).unwrap_or((0, 0))
    }
}

#[cfg(test)]
mod tests;
