//! A QuickJS runtime with one program in it, and the few things that are done to it from outside.
//!
//! Invariants: the program gets `tools` and `console` and nothing else of the host; a host function is
//! reachable by the prelude alone; every value that is kept between two jobs is dropped before the runtime.
//!
//! Not here: when to do what (`pump`).

use std::{cell::Cell, rc::Rc};

use rquickjs::{
    Context, Ctx, Function, Object, Persistent, Promise, Value, context::EvalOptions,
    promise::PromiseState,
};

use super::{
    Answer, Fault, PROGRAM_FILE,
    fault::{Described, Describer, or_forget, place_in, stack_of},
    home::Home,
    host::Host,
    prelude,
};
use crate::{limits::Limits, source::Prepared};

/// One program's runtime.
pub(super) struct Machine {
    // Dropped in this order: a runtime may not end while a value of it is held.
    top: Option<Persistent<Promise<'static>>>,
    hooks: Persistent<Object<'static>>,
    context: Context,
    home: Home,
    host: Rc<Host>,
    /// The program; nothing until it is launched.
    prepared: Prepared,
    limits: Limits,
    /// Where the program was when it was stopped.
    stopped_at: Cell<(u32, u32)>,
}

/// What became of one job.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Job {
    /// It ran.
    Ran,
    /// There is none.
    None,
}

impl Machine {
    /// A runtime within its limits, with the prelude in place and the program not yet begun.
    ///
    /// # Errors
    /// The memory that the program is given does not hold the runtime itself.
    pub(super) fn start(limits: &Limits, host: &Rc<Host>) -> rquickjs::Result<Self> {
        let home = Home::new(limits, host)?;
        let started = Context::full(&home.runtime).and_then(|context| {
            let hooks = context.with(|ctx| {
                let hooks = prelude::run(&ctx, limits, host);
                if hooks.is_err() {
                    drop(ctx.catch());
                }
                hooks.map(|hooks| Persistent::save(&ctx, hooks))
            })?;
            Ok((context, hooks))
        });
        if started.is_err() {
            home.abandon();
        }
        let (context, hooks) = started?;
        home.track_rejections(hooks.clone());
        let host = Rc::clone(host);
        let stopped_at = Cell::new((0, 0));
        let (prepared, limits) = (Prepared::default(), *limits);
        Ok(Self { top: None, hooks, context, home, host, prepared, limits, stopped_at })
    }

    /// Runs the program up to its first `await`.
    ///
    /// # Errors
    /// The script is none, or did not give a promise.
    pub(super) fn launch(&mut self, prepared: &Prepared) -> Result<(), Fault> {
        self.prepared = prepared.clone();
        let top = self.context.with(|ctx| {
            let mut options = EvalOptions::default();
            options.strict = false;
            options.filename = Some(PROGRAM_FILE.to_owned());
            let top = ctx
                .eval_with_options::<Function<'_>, _>(self.prepared.script.as_str(), options)
                .and_then(|program| program.call::<_, Promise<'_>>(()));
            // A program that was stopped before its first `await` gives a promise and an exception.
            let thrown = ctx.has_exception().then(|| ctx.catch());
            if let Some(thrown) = &thrown {
                self.mark(&ctx, thrown);
            }
            match (top, thrown) {
                (Ok(top), _) => Ok(Persistent::save(&ctx, top)),
                (Err(_), Some(thrown)) => Err(self.describe(&ctx, &thrown).fault),
                (Err(error), None) => Err(no_script(&error)),
            }
        })?;
        self.top = Some(top);
        Ok(())
    }

    /// Runs one job.
    pub(super) fn step(&self) -> Job {
        match self.home.runtime.execute_pending_job() {
            Ok(true) => Job::Ran,
            Ok(false) => Job::None,
            Err(failed) => {
                failed.0.with(|ctx| {
                    let thrown = ctx.catch();
                    self.mark(&ctx, &thrown);
                });
                Job::Ran
            }
        }
    }

    /// Settles the promise of a call.
    pub(super) fn deliver(&self, id: u64, answer: Answer) {
        let Some(id) = self.host.answered(id) else { return };
        self.context.with(|ctx| {
            let Answer { code, result, message } = answer;
            let parsed = if result.is_empty() {
                Ok(Value::new_null(ctx.clone()))
            } else {
                ctx.json_parse(result)
            };
            let settled = match parsed {
                Ok(parsed) => self.settle(&ctx, id, code, parsed, &message),
                Err(_) => {
                    let thrown = ctx.catch();
                    self.mark(&ctx, &thrown);
                    let why = self.describe(&ctx, &thrown).fault.message;
                    let message = format!("the result does not fit into the program: {why}");
                    self.settle(&ctx, id, "failed", Value::new_null(ctx.clone()), &message)
                }
            };
            if settled.is_err() {
                self.mark(&ctx, &ctx.catch());
            }
        });
    }

    /// Whether the program has returned (`Resolved`) or thrown (`Rejected`).
    pub(super) fn state(&self) -> PromiseState {
        self.context
            .with(|ctx| Some(self.top.clone()?.restore(&ctx).ok()?.state()))
            .unwrap_or(PromiseState::Pending)
    }

    /// Lets no further call start.
    pub(super) fn close(&self) {
        self.context.with(|ctx| {
            let closed = self.hook(&ctx, "close").and_then(|hook| hook.call::<_, ()>(()));
            let _ = or_forget(&ctx, closed);
        });
    }

    /// The value of a program that returned, or why there is none. Getters and `toJSON` of it run here.
    ///
    /// # Errors
    /// What the program threw, or why its value is no JSON.
    pub(super) fn finish(&self) -> Result<String, Fault> {
        self.context.with(|ctx| {
            let top = self.top.clone().and_then(|top| top.restore(&ctx).ok());
            let value = top.and_then(|top| top.result::<Value<'_>>());
            let finished = match value {
                Some(Ok(value)) => {
                    self.hook(&ctx, "finish").and_then(|hook| hook.call::<_, Object<'_>>((value,)))
                }
                Some(Err(error)) => Err(error),
                None => Err(rquickjs::Error::WouldBlock),
            };
            let text = match finished {
                Ok(finished) => match finished.get::<_, Option<String>>("text") {
                    Ok(Some(text)) if text.len() <= self.limits.value_bytes_max => Ok(text),
                    Ok(Some(text)) => return Err(self.too_large(text.len())),
                    Ok(None) => return Err(refused_value(&ctx, &finished)),
                    Err(error) => Err(error),
                },
                Err(error) => Err(error),
            };
            text.map_err(|_| {
                let thrown = ctx.catch();
                self.mark(&ctx, &thrown);
                self.describe(&ctx, &thrown).fault
            })
        })
    }

    /// Notes rejections that nothing handled.
    pub(super) fn note_unheard(&self) {
        const SHOWN_MAX: usize = 8;
        self.context.with(|ctx| {
            let Some(reasons) = or_forget(&ctx, self.unheard(&ctx)) else { return };
            for reason in reasons.iter::<Value<'_>>().take(SHOWN_MAX).flatten() {
                let described = self.describe(&ctx, &reason);
                self.host.note(&unheard_note(&described));
            }
            if let Some(more) = reasons.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
                self.host
                    .note(&format!("{more} more promises were rejected and nothing caught them"));
            }
        });
    }

    /// Where the program was when it was stopped; (0, 0) when it waited or nothing is known.
    pub(super) fn stopped_at(&self) -> (u32, u32) {
        self.stopped_at.get()
    }

    /// The fault of a program that used up its memory.
    pub(super) fn memory_fault(&self) -> Fault {
        self.describer().memory()
    }

    /// Whether a program that waits for nothing has run out of memory: the engine forgets jobs that it has no
    /// memory for. It may have left the exception, and what the program holds is still held.
    pub(super) fn has_lost_jobs(&self) -> bool {
        let used = usize::try_from(self.home.runtime.memory_usage().malloc_size).unwrap_or(0);
        let left = self.context.with(|ctx| {
            ctx.has_exception() && self.describe(&ctx, &ctx.catch()).fault.class == "memory"
        });
        left || used >= self.limits.memory_bytes / 2
    }

    /// Remembers of an exception what cannot be learned later.
    fn mark<'js>(&self, ctx: &Ctx<'js>, thrown: &Value<'js>) {
        match thrown.as_object().filter(|_| thrown.is_uncatchable_error()) {
            Some(error) => self.stopped_at.set(place_in(&stack_of(ctx, error), &self.prepared)),
            None => drop(self.describe(ctx, thrown)),
        }
    }

    fn settle<'js>(
        &self,
        ctx: &Ctx<'js>,
        id: u32,
        code: &str,
        parsed: Value<'js>,
        message: &str,
    ) -> rquickjs::Result<()> {
        self.hook(ctx, "settle")?.call((id, code, parsed, message))
    }

    fn unheard<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<rquickjs::Array<'js>> {
        let top = self.top.clone().map(|top| top.restore(ctx)).transpose()?;
        self.hook(ctx, "unheardReasons")?.call((top,))
    }

    fn hook<'js>(&self, ctx: &Ctx<'js>, name: &str) -> rquickjs::Result<Function<'js>> {
        self.hooks.clone().restore(ctx)?.get(name)
    }

    fn describe<'js>(&self, ctx: &Ctx<'js>, thrown: &Value<'js>) -> Described {
        let described = match self.hook(ctx, "shown") {
            Ok(shown) => self.describer().describe(ctx, thrown, &shown),
            Err(_) => Described { fault: self.describer().memory(), of_call: false },
        };
        if described.fault.class == "memory" {
            self.host.met_memory_limit();
        }
        described
    }

    fn describer(&self) -> Describer<'_> {
        Describer { prepared: &self.prepared, limits: &self.limits }
    }

    fn too_large(&self, bytes: usize) -> Fault {
        let message = format!(
            "the returned value is {bytes} bytes of JSON, more than {}. Return less: counts, a part, or what \
             matters.",
            self.limits.value_bytes_max
        );
        Fault { class: "value", message, line: 0, column: 0 }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // The runtime will be left behind, so let it hold little.
        if self.host.has_met_memory_limit() {
            self.context.with(|ctx| {
                let emptied = self.hook(&ctx, "empty").and_then(|hook| hook.call::<_, ()>(()));
                let _ = or_forget(&ctx, emptied);
            });
        }
    }
}

fn no_script(error: &rquickjs::Error) -> Fault {
    let message = format!("the program could not be run: {error}");
    Fault { class: "threw", message, line: 0, column: 0 }
}

fn refused_value(ctx: &Ctx<'_>, finished: &Object<'_>) -> Fault {
    let field = |name| or_forget(ctx, finished.get::<_, String>(name)).unwrap_or_default();
    let class = if field("kind") == "not_awaited" { "not_awaited" } else { "value" };
    Fault { class, message: field("why"), line: 0, column: 0 }
}

fn unheard_note(described: &Described) -> String {
    let Fault { message, line, .. } = &described.fault;
    let place = if *line == 0 { String::new() } else { format!(" (line {line})") };
    if described.of_call {
        format!("a call was not awaited, and {message}{place}")
    } else {
        format!(
            "a promise was rejected{place} and nothing caught it: {message}; await it, or catch"
        )
    }
}
