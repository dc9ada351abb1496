//! Every row is prepared, evaluated in a plain QuickJS, and compared with what JavaScript or TypeScript
//! means by it.

mod forms;
mod hazards;
mod hostile;
#[expect(clippy::wildcard_enum_match_arm, reason = "of a syntax tree's many kinds a few matter")]
mod pairs;
mod refusals;
mod typescript;

use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, Statement};
use oxc_parser::Parser;
use oxc_span::SourceType;
use rquickjs::{CatchResultExt, CaughtError, Context, Function, Object, Promise, Runtime, Value};

use super::{Diagnostic, Prepared, prepare};

const BYTES_MAX: usize = 256 * 1024;

/// What a program is worth: compact JSON, "undefined", or "threw MESSAGE at LINE:COLUMN" in its own text.
#[track_caller]
fn check(code: &str, expected: &str) {
    let prepared =
        prepare(code, BYTES_MAX).unwrap_or_else(|error| panic!("{}", error.render(code)));
    check_lines(code, &prepared);
    check_script(code, &prepared);
    let found = evaluate(&prepared);
    assert_eq!(found, expected, "{code}\n--- became ---\n{}", prepared.script);
}

/// What is said of a text that is no program, and where: "CLASS LINE:COLUMN MESSAGE", of which `message` is
/// a part.
#[track_caller]
fn check_refused(code: &str, place: &str, message: &str) {
    let error = match prepare(code, BYTES_MAX) {
        Ok(prepared) => panic!("{code:?} was accepted as\n{}", prepared.script),
        Err(error) => error,
    };
    let Diagnostic { class, message: said, line, column } = &error;
    assert_eq!(format!("{class} {line}:{column}"), place, "{}", error.render(code));
    assert!(said.contains(message), "{said:?} lacks {message:?}");
}

/// Every character of the model's text stands in the script, itself or as a blank, and its place there maps
/// back to it.
#[track_caller]
fn check_lines(code: &str, prepared: &Prepared) {
    let code = code.replace("\r\n", "\n").replace('\r', "\n");
    let number = |number: usize| u32::try_from(number).unwrap() + 1;
    let script: Vec<&str> = prepared.script.split('\n').collect();
    for (at, line) in code.split('\n').enumerate().take(200) {
        let in_script = at + usize::try_from(prepared.lines_before).unwrap();
        let is_ours = |column: usize| {
            prepared.inserted.iter().any(|piece| {
                piece.line == number(in_script)
                    && (piece.before..piece.before + piece.characters)
                        .contains(&(number(column) - 1))
            })
        };
        let kept =
            script[in_script].char_indices().enumerate().filter(|(column, _)| !is_ours(*column));
        let kept: Vec<(usize, char)> = kept.map(|(_, kept)| kept).collect();
        assert_eq!(kept.len(), line.chars().count(), "{code}\n{}", prepared.script);
        // Long lines only at their start: every place is counted from it.
        for (column, (character, (bytes, kept))) in line.chars().zip(kept).enumerate().take(200) {
            assert!(kept == character || " ;()".contains(kept), "{code}\n{}", prepared.script);
            let mapped = prepared.place(number(in_script), number(bytes));
            assert_eq!(mapped, (number(at), number(column)), "{code}\n{}", prepared.script);
        }
    }
}

/// The script is plain JavaScript, and one function that nothing stands beside.
#[track_caller]
fn check_script(code: &str, prepared: &Prepared) {
    let allocator = Allocator::default();
    let read = Parser::new(&allocator, &prepared.script, SourceType::script()).parse();
    let message = read.diagnostics.iter().next().map(|error| error.message.to_string());
    assert_eq!(message, None, "{code}\n--- became ---\n{}", prepared.script);
    let [Statement::ExpressionStatement(only)] = read.program.body.as_slice() else {
        panic!("{code}\n--- became ---\n{}", prepared.script);
    };
    let function = only.expression.without_parentheses();
    assert!(matches!(function, Expression::ArrowFunctionExpression(it) if it.r#async), "{code}");
}

fn evaluate(prepared: &Prepared) -> String {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        ctx.eval::<(), _>(
            "globalThis.tools = { call: async (name, args) => ({ content: [name, args] }) };
             globalThis.console = { log() {}, error() {} };",
        )
        .unwrap();
        let ran = (|| {
            let program: Function<'_> = ctx.eval(prepared.script.as_str()).catch(&ctx)?;
            let promise: Promise<'_> = program.call(()).catch(&ctx)?;
            promise.finish::<Value<'_>>().catch(&ctx)
        })();
        match ran {
            Ok(value) => ctx
                .json_stringify(value)
                .unwrap()
                .map_or_else(|| "undefined".to_owned(), |json| json.to_string().unwrap()),
            Err(CaughtError::Exception(exception)) => {
                let object: &Object<'_> = exception.as_object();
                let name: String = object.get("name").unwrap();
                let stack = exception.stack().unwrap_or_default();
                let (line, column) = first_place(&stack);
                let (line, column) = prepared.place(line, column);
                format!(
                    "threw {name}: {} at {line}:{column}",
                    exception.message().unwrap_or_default()
                )
            }
            Err(other) => format!("threw {other}"),
        }
    })
}

/// The topmost `eval_script:LINE:COLUMN` of a stack.
fn first_place(stack: &str) -> (u32, u32) {
    let place = stack.split("eval_script:").nth(1).unwrap_or_default();
    let mut numbers =
        place.split(|each: char| !each.is_ascii_digit()).map(|each| each.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
