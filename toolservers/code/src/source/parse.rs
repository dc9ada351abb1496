//! The parser: TypeScript first, then JavaScript, then a text that is one expression.
//!
//! TypeScript first, because `new Set<string>(names)` is valid JavaScript too (two comparisons), and a
//! model means the type; [`super::survey`] finds the rare text that compares. An expression last: an
//! object literal or an anonymous function as the whole text.
//!
//! Not here: what the program means.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, Program, Statement};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType};

use super::{Diagnostic, edits, hints};

const NO_MARKUP: &str =
    "JSX is not available: a program has no pages; build strings with template literals";

/// A complete program.
#[derive(Debug)]
pub(super) struct Parsed<'a> {
    pub(super) program: Program<'a>,
    /// What the program's offsets count in.
    pub(super) text: &'a str,
    /// Lines at the start and at the end of `text` that are not the model's: 0, or 1 for the parentheses
    /// around an expression.
    pub(super) lines_around: u32,
}

/// Reads a program, or says why it is none.
///
/// # Errors
/// Class `syntax`, at the first error; `unsupported` for markup in the code.
pub(super) fn program<'a>(allocator: &'a Allocator, text: &str) -> Result<Parsed<'a>, Diagnostic> {
    let text: &'a str = allocator.alloc_str(text);
    let failed = match parse(allocator, text, typescript()) {
        Ok(program) => return Ok(Parsed { program, text, lines_around: 0 }),
        Err(failed) => failed,
    };
    let failed_script = match parse(allocator, text, SourceType::mjs()) {
        Ok(program) => return Ok(Parsed { program, text, lines_around: 0 }),
        Err(failed) => failed,
    };
    if let Some(parsed) = expression(allocator, text) {
        return Ok(parsed);
    }
    if parse(allocator, text, typescript().with_jsx(true)).is_ok() {
        // Without types, `<` is where it goes wrong.
        let offset = failed_script.offset.unwrap_or_default();
        return Err(Diagnostic::at("unsupported", NO_MARKUP, text, offset));
    }
    Err(hints::explain(text, &failed))
}

/// The same text without types, if it is a program then.
pub(super) fn javascript<'a>(allocator: &'a Allocator, parsed: &Parsed<'a>) -> Option<Parsed<'a>> {
    let program = parse(allocator, parsed.text, SourceType::mjs()).ok()?;
    Some(Parsed { program, text: parsed.text, lines_around: parsed.lines_around })
}

/// Why a text is no program, in the parser's words.
#[derive(Debug, Default)]
pub(super) struct Failed {
    pub(super) message: String,
    /// Byte; the end when it is not known.
    pub(super) offset: Option<usize>,
    /// Where the bracket was opened that is not closed.
    pub(super) opened: Option<usize>,
}

fn typescript() -> SourceType {
    SourceType::ts().with_module(true)
}

fn parse<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    kind: SourceType,
) -> Result<Program<'a>, Failed> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        parse_regular_expression: true,
        ..ParseOptions::default()
    };
    let read = Parser::new(allocator, text, kind).with_options(options).parse();
    // The parser goes on after some errors; what it says then follows from the first.
    let first = read.diagnostics.iter().next();
    match first {
        None if read.panicked => Err(Failed::default()),
        None => Ok(read.program),
        Some(error) => {
            let place =
                |number: usize| error.labels.get(number).map(|label| edits::offset(label.offset()));
            let mut message = error.message.to_string();
            if let Some(help) = &error.help {
                message = format!("{message} ({help})");
            }
            Err(Failed { message, offset: place(0), opened: place(1) })
        }
    }
}

/// The text as one expression in parentheses of its own lines. Only if those are the parentheses of all of
/// it: `a) + (b` is none.
fn expression<'a>(allocator: &'a Allocator, text: &str) -> Option<Parsed<'a>> {
    // `{a: 1, b: 2};` is meant without its semicolon.
    let (body, end) = text.trim_end().strip_suffix(';').map_or((text, ""), |body| (body, " "));
    let text: &'a str = allocator.alloc_str(&format!("(\n{body}{end}\n)"));
    [typescript(), SourceType::mjs()].into_iter().find_map(|kind| {
        let program = parse(allocator, text, kind).ok()?;
        let [Statement::ExpressionStatement(only)] = program.body.as_slice() else {
            return None;
        };
        let is_whole = matches!(&only.expression, Expression::ParenthesizedExpression(_))
            && only.expression.span() == program.span
            && program.directives.is_empty();
        is_whole.then_some(Parsed { program, text, lines_around: 1 })
    })
}
