//! What a program threw becomes a [`Fault`]: its class, its words, and its place in the model's own text.
//!
//! Not here: whether the program was stopped, which the pump knows.

mod hints;
mod place;

use rquickjs::{Ctx, Function, Object, Type, Value};

pub(super) use self::place::place_in;
use super::{Fault, text::shortened};
use crate::{limits::Limits, source::Prepared};

/// Bytes of a message.
const MESSAGE_BYTES_MAX: usize = 4096;

/// What a fault is described with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Describer<'a> {
    /// Whose places are named.
    pub(super) prepared: &'a Prepared,
    /// What a class of fault names.
    pub(super) limits: &'a Limits,
}

/// A fault, and the tool whose call it came from.
#[derive(Debug)]
pub(super) struct Described {
    /// As the result of a program shows it.
    pub(super) fault: Fault,
    /// Whether a call of a tool failed.
    pub(super) of_call: bool,
}

impl Describer<'_> {
    /// Describes what was thrown; `shown` writes a value as the console does.
    pub(super) fn describe<'js>(
        &self,
        ctx: &Ctx<'js>,
        thrown: &Value<'js>,
        shown: &Function<'js>,
    ) -> Described {
        let Some(error) = thrown.as_object().filter(|_| thrown.is_error()) else {
            return Described { fault: self.of_value(ctx, thrown, shown), of_call: false };
        };
        let field = |name| text_field(ctx, error, name, shown);
        let name = field("name").unwrap_or_else(|| "Error".to_owned());
        let message = field("message").unwrap_or_default();
        let (line, column) = place_in(&stack_of(ctx, error), self.prepared);
        let tool = field("tool");
        let (class, message) = match (name.as_str(), message.as_str(), &tool) {
            ("InternalError", "out of memory" | "", _) => ("memory", self.memory_message()),
            ("RangeError", "Maximum call stack size exceeded", _) => (
                "stack",
                format!(
                    "the program recursed deeper than its stack of {} KiB; use a loop",
                    self.limits.stack_bytes / 1024
                ),
            ),
            (_, _, Some(tool)) => ("threw", of_call(tool, field("code").as_deref(), &message)),
            ("AggregateError", _, None) => {
                let errors = or_forget(ctx, error.get::<_, Value<'js>>("errors"));
                let errors = errors.and_then(|errors| text_of(ctx, &errors, shown));
                let parts = [name, message, errors.unwrap_or_default()];
                (
                    "threw",
                    parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(": "),
                )
            }
            (_, "", None) => ("threw", name),
            (_, _, None) => {
                ("threw", format!("{name}: {message}{}", hints::after(&name, &message)))
            }
        };
        let message = shortened(&message, MESSAGE_BYTES_MAX);
        Described { fault: Fault { class, message, line, column }, of_call: tool.is_some() }
    }

    /// The fault of a program that used up its memory.
    pub(super) fn memory(&self) -> Fault {
        Fault { class: "memory", message: self.memory_message(), line: 0, column: 0 }
    }

    fn of_value<'js>(&self, ctx: &Ctx<'js>, thrown: &Value<'js>, shown: &Function<'js>) -> Fault {
        if thrown.type_of() == Type::Uninitialized || thrown.is_null() && !self.throws_null() {
            return self.memory();
        }
        let text = text_of(ctx, thrown, shown).unwrap_or_else(|| thrown.type_name().to_owned());
        let message = format!(
            "the program threw {text}, which is no Error: `throw new Error(text)` says where"
        );
        Fault {
            class: "threw",
            message: shortened(&message, MESSAGE_BYTES_MAX),
            line: 0,
            column: 0,
        }
    }

    /// The engine throws null, or what is no value at all, when no memory is left for an error, and tells in
    /// no other way. Programs do not throw null, but for those that say so.
    fn throws_null(&self) -> bool {
        ["throw null", "reject(null"].iter().any(|it| self.prepared.script.contains(it))
    }

    fn memory_message(&self) -> String {
        format!(
            "the program used more than its memory of {} KiB; keep less at a time, or let a tool do the work",
            self.limits.memory_bytes / 1024
        )
    }
}

fn of_call(tool: &str, code: Option<&str>, message: &str) -> String {
    let tool = shortened(tool, 200);
    match code {
        Some("denied") => format!("the call of {tool:?} was denied: {message}"),
        Some("refused") => format!("the call of {tool:?} was refused: {message}"),
        _ => format!("the call of {tool:?} failed: {message}"),
    }
}

/// The stack of an error; no program runs for it, unless it replaced the field by a getter.
pub(super) fn stack_of(ctx: &Ctx<'_>, error: &Object<'_>) -> String {
    let stack = error.get::<_, Value<'_>>("stack");
    or_forget(ctx, stack)
        .and_then(|stack| or_forget(ctx, stack.as_string()?.to_string()))
        .unwrap_or_default()
}

/// A field that holds a text.
fn text_field<'js>(
    ctx: &Ctx<'js>,
    of: &Object<'js>,
    name: &str,
    shown: &Function<'js>,
) -> Option<String> {
    let value = or_forget(ctx, of.get::<_, Value<'_>>(name))?;
    if value.is_string() { text_of(ctx, &value, shown) } else { None }
}

fn text_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>, shown: &Function<'js>) -> Option<String> {
    or_forget(ctx, shown.call::<_, String>((value.clone(),)))
}

/// A failed look at a value is no value; its exception must not meet the next one who looks for his own.
pub(super) fn or_forget<T>(ctx: &Ctx<'_>, result: rquickjs::Result<T>) -> Option<T> {
    result.map_err(|_| drop(ctx.catch())).ok()
}
