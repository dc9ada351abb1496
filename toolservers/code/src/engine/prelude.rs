//! The JavaScript that runs before a program: it makes `tools` and `console`, and keeps the host to itself.
//!
//! Invariants: host functions are arguments of the prelude's one function, and no global ever holds them;
//! what it does after the program began uses only what it took from the language before.

use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Value, context::EvalOptions};

use super::host::Host;
use crate::limits::Limits;

const TEXT: &str = concat!(
    "(function (host) {\n",
    include_str!("prelude/intrinsics.js"),
    include_str!("prelude/values.js"),
    include_str!("prelude/inspect.js"),
    include_str!("prelude/tools.js"),
    "})",
);

/// Runs the prelude; what it gives back are the hooks that the host holds.
///
/// # Errors
/// The memory of the runtime does not hold it.
pub(super) fn run<'js>(
    ctx: &Ctx<'js>,
    limits: &Limits,
    host: &Rc<Host>,
) -> rquickjs::Result<Object<'js>> {
    let mut options = EvalOptions::default();
    options.filename = Some("prelude".to_owned());
    let prelude: Function<'js> = ctx.eval_with_options(TEXT, options)?;

    let given = Object::new(ctx.clone())?;
    let (send, log, note) = (Rc::clone(host), Rc::clone(host), Rc::clone(host));
    given.set("isPromise", Function::new(ctx.clone(), |value: Value<'_>| value.is_promise())?)?;
    given.set(
        "send",
        Function::new(ctx.clone(), move |id: u32, name: String, arguments: String| {
            send.send(id, name, arguments)
        })?,
    )?;
    given.set(
        "log",
        Function::new(ctx.clone(), move |level: String, text: String| log.log(&level, &text))?,
    )?;
    given.set("note", Function::new(ctx.clone(), move |text: String| note.note(&text))?)?;
    for (name, number) in [
        ("depth", limits.depth),
        ("calls", limits.calls),
        ("callsInFlight", limits.calls_in_flight.max(1)),
        ("argumentsBytes", limits.arguments_bytes),
        ("valueBytes", limits.value_bytes_max),
        ("logBytes", limits.log_bytes),
    ] {
        given.set(name, u32::try_from(number).unwrap_or(u32::MAX))?;
    }
    prelude.call((given,))
}
