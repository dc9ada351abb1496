//! The floors, in this process: a bare interpreter, where a host function answers each call at once, and our
//! engine alone, where another thread does.

use std::{
    sync::{Arc, atomic::AtomicBool, mpsc},
    thread,
    time::Instant,
};

use anyhow::{Context as _, ensure};
use rquickjs::{Context, Ctx, Function, Promise, Runtime};
use tokio::sync::mpsc::unbounded_channel;
use tollgate_code::{
    engine::{Answer, Ask, Tell, run},
    limits::Limits,
    source::prepare,
};

use super::kind::Kind;
use crate::stats::Samples;

/// What every call comes back with.
const RESULT: &str = r#"{"content":"x","metadata":null,"truncated":null}"#;

/// The least that gives a program `tools.call`: JSON there and back, as every host must.
const TOOLS: &str = "globalThis.tools = {
  call: async (name, args) => JSON.parse(answer(name, JSON.stringify(args))),
};";

/// So many programs in a bare interpreter, each in a runtime of its own.
///
/// # Errors
/// One failed or gave another value.
pub(super) fn quickjs(kind: Kind, programs: usize) -> anyhow::Result<Samples> {
    let mut samples = Samples::default();
    for _ in 0..programs {
        let start = Instant::now();
        let runtime = Runtime::new()?;
        let context = Context::full(&runtime)?;
        let value = context.with(|cx| evaluate(&cx, kind.program()))?;
        drop((context, runtime));
        samples.since(start);
        ensure!(value == kind.calls(), "QuickJS gave {value}, not {}", kind.calls());
    }
    Ok(samples)
}

fn evaluate(cx: &Ctx<'_>, program: &str) -> rquickjs::Result<u32> {
    let answer = Function::new(cx.clone(), |_name: String, _arguments: String| RESULT)?;
    cx.globals().set("answer", answer)?;
    cx.eval::<(), _>(TOOLS)?;
    let promise: Promise<'_> = cx.eval(format!("(async () => {{ {program} }})()"))?;
    promise.finish()
}

/// So many programs in our engine, each on a thread of its own; another thread answers the calls.
///
/// # Errors
/// One failed or gave another value.
pub(super) fn ours(kind: Kind, programs: usize) -> anyhow::Result<Samples> {
    let mut samples = Samples::default();
    for _ in 0..programs {
        let start = Instant::now();
        let value = in_our_engine(kind.program())?;
        samples.since(start);
        ensure!(value == kind.calls().to_string(), "our engine gave {value}");
    }
    Ok(samples)
}

#[expect(clippy::disallowed_methods, reason = "it is full of one program's calls at most")]
fn in_our_engine(program: &str) -> anyhow::Result<String> {
    let (asks, mut asked) = unbounded_channel();
    let (tell, tells) = mpsc::channel();
    let answering = thread::spawn(move || {
        while let Some(ask) = asked.blocking_recv() {
            if let Ask::Call { id, .. } = ask {
                let answer = Answer { code: "ok", result: RESULT.into(), message: String::new() };
                tell.send(Tell::Answer { id, answer }).ok();
            }
        }
    });
    let limits = Limits::default();
    let prepared = prepare(program, limits.code_bytes)
        .map_err(|wrong| anyhow::anyhow!("{}", wrong.render(program)))?;
    let running = thread::spawn(move || {
        let stop = Arc::new(AtomicBool::new(false));
        run(&prepared, &limits, &asks, &tells, &stop)
    });
    let outcome = running.join().ok().context("our engine panicked")?;
    answering.join().ok().context("the thread that answers panicked")?;
    outcome.ended.map_err(|fault| anyhow::anyhow!("{}: {}", fault.class, fault.message))
}
