//! One try of a call: sent, heard, stopped when a clock runs out, and bounded in what it brings.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tollgate_core::call::{Classified, Effects, Outcome};
use tollgate_proto::{
    limits::{HOST_REQUESTS_MAX, PROGRESS_BYTES_MAX},
    tool::v1::{Completed, Start, cancel::Reason, output::Channel},
};

use super::{grace_of, ledger::Ledger, nested::Nested, output::Collected, pace::Pace, spill};
use crate::{
    context::SessionContext,
    event::Body,
    secrets::Redactor,
    servers::{CallEvent, Connection, Inbox, wire},
    settings::{Clocks, ProgramLimits},
    store::Artifacts,
};

/// After the server's own grace the kernel waits this much longer for its last word.
const LAST_WORD_WITHIN: Duration = Duration::from_millis(500);

/// What became of one try.
pub(super) enum Executed {
    /// It ended, or was ended.
    Ended(Box<wire::Ended>),
    /// The connection went away; what it did is not known.
    Lost {
        /// Why.
        reason: String,
        /// The call may have reached the server.
        sent: bool,
    },
}

/// Why a call is being stopped.
#[derive(Clone, Copy)]
enum Stopping {
    Cancelled,
    Clock(&'static str, Duration),
    Fault,
}

/// How listening to a call ended.
enum Heard {
    Completed(Box<Completed>),
    /// The grace was over, or the contract broken.
    Overdue(Stopping),
    Lost(String),
}

struct Try<'a> {
    cx: &'a SessionContext,
    call: &'a Classified,
    secrets: &'a Redactor,
    artifacts: Artifacts,
    connection: &'a Connection,
    inbox: Inbox,
    clocks: Clocks,
    pace: Pace,
    nested: Nested<'a>,
    ledger: &'a Ledger,
    collected: Collected,
    stopping: Option<(Stopping, Instant)>,
    fault: Option<String>,
}

/// What a try is of, beside its start.
pub(super) struct Ground<'a> {
    pub(super) cx: &'a SessionContext,
    pub(super) call: &'a Classified,
    pub(super) secrets: &'a Redactor,
    pub(super) connection: &'a Connection,
    pub(super) ledger: &'a Ledger,
    pub(super) clocks: Clocks,
}

pub(super) async fn execute(
    ground: Ground<'_>,
    start: Start,
    cancel: &CancellationToken,
) -> Executed {
    let Ground { cx, call, secrets, connection, ledger, clocks } = ground;
    let call_id = start.call_id.clone();
    let inbox = match connection.start(start).await {
        Ok(inbox) => inbox,
        Err(gone) => return Executed::Lost { reason: gone.to_string(), sent: false },
    };
    let pace = if call.entry().runs_programs() {
        Pace::program(program_limits(cx, call), clocks)
    } else {
        Pace::call(clocks)
    };
    let mut tried = Try {
        cx,
        call,
        secrets,
        artifacts: cx.artifacts.keeping_out(secrets.clone()),
        connection,
        inbox,
        clocks,
        pace,
        nested: Nested::new(cx, call, connection, ledger, cancel),
        ledger,
        collected: Collected::new(cx.limits.output_bytes_max),
        stopping: None,
        fault: None,
    };
    let heard = tried.listen(cancel).await;
    tried.nested.end().await;
    connection.forget(&call_id);
    match heard {
        Heard::Completed(completed) => tried.completed(*completed).await,
        Heard::Overdue(why) => tried.overdue(why),
        Heard::Lost(reason) => tried.lost(reason),
    }
}

/// The configured limits; a call may lower its time (`[CODE-08]`).
pub(super) fn program_limits(cx: &SessionContext, call: &Classified) -> ProgramLimits {
    let limits = cx.limits.program;
    let asked = call.value().get("timeout_ms").and_then(serde_json::Value::as_u64);
    let wall = asked.map_or(limits.wall, |ms| limits.wall.min(Duration::from_millis(ms)));
    ProgramLimits { wall, ..limits }
}

impl Try<'_> {
    async fn listen(&mut self, cancel: &CancellationToken) -> Heard {
        loop {
            let asked = self.cx.waits.changed();
            self.pace.asked(self.cx.waits.is_open());
            let wake = match self.stopping {
                Some((_, until)) => Some(until),
                None => self.pace.wake(),
            };
            let event = tokio::select! {
                biased;
                reply = self.nested.next() => {
                    self.pace.closed();
                    self.connection.reply(reply).await;
                    continue;
                }
                event = self.inbox.next() => event,
                () = cancel.cancelled(), if self.stopping.is_none() => {
                    self.stop(Stopping::Cancelled, Reason::User);
                    continue;
                }
                () = asked, if self.pace.is_program() => continue,
                () = until(wake) => match self.stopping {
                    Some((why, _)) => {
                        self.connection.kill("a call did not stop when it was told to");
                        return Heard::Overdue(why);
                    }
                    None => {
                        if let Some((clock, limit)) = self.pace.ran_out() {
                            self.stop(Stopping::Clock(clock, limit), Reason::Deadline);
                        }
                        continue;
                    }
                },
            };
            self.pace.heard();
            if let Some(heard) = self.take(event).await {
                return heard;
            }
        }
    }

    /// One event; `Some`: it was the last.
    async fn take(&mut self, event: CallEvent) -> Option<Heard> {
        let raw = self.call.raw();
        match event {
            CallEvent::Accepted => {}
            CallEvent::Progress { text, fraction } => self.progress(text, fraction),
            CallEvent::Output(channel, data) => {
                if self.pace.is_program() && channel == Channel::Terminal {
                    let text = self.secrets.text(String::from_utf8_lossy(&data).into_owned());
                    self.ledger.log(&text, self.cx.limits.program.log_bytes);
                    self.progress(wire::bounded(text, PROGRESS_BYTES_MAX), None);
                } else {
                    self.collected.take(&self.artifacts, &data);
                }
                self.connection.credit(raw.id.as_str(), &self.inbox, data.len()).await;
            }
            CallEvent::Host(_) if self.nested.open() >= HOST_REQUESTS_MAX => {
                let fault = "the server opened more host requests than a call may have";
                return Some(self.broken(fault.to_owned()));
            }
            CallEvent::Host(request) => {
                self.pace.opened();
                self.nested.ask(request);
            }
            CallEvent::Completed(completed) => return Some(Heard::Completed(completed)),
            CallEvent::Lost(reason) => return Some(Heard::Lost(reason)),
            CallEvent::Fault(fault) => return Some(self.broken(fault)),
        }
        None
    }

    /// The server broke the contract for this call, which ends; the session goes on.
    fn broken(&mut self, fault: String) -> Heard {
        self.fault = Some(fault);
        self.stop(Stopping::Fault, Reason::Fault);
        Heard::Overdue(Stopping::Fault)
    }

    fn progress(&self, text: String, fraction: Option<f32>) {
        let raw = self.call.raw();
        let body = Body::ToolProgress { text: self.secrets.text(text), fraction };
        self.cx.events.hint(Some(&raw.position), Some(&raw.id), body);
    }

    /// Tells the server to stop and starts the last clock.
    fn stop(&mut self, why: Stopping, reason: Reason) {
        self.nested.stop();
        let grace = grace_of(self.call, self.clocks);
        let told = self.connection.cancel(self.call.raw().id.as_str(), reason, grace);
        // A server that does not even read gets no grace.
        let wait = if told { grace + LAST_WORD_WITHIN } else { Duration::ZERO };
        self.stopping = Some((why, Instant::now() + wait));
    }

    async fn completed(self, mut completed: Completed) -> Executed {
        if let Err(status) = self.connection.fill_in(&mut completed).await {
            let why = format!("the result could not be fetched: {}", wire::status(&status));
            return Executed::Ended(Box::new(ended(Outcome::failure(
                "result_lost",
                Effects::Unknown,
                why,
            ))));
        }
        let mut ended = wire::ended(completed);
        if let Some((Stopping::Clock(clock, limit), _)) = self.stopping
            && ended.cancelled
        {
            ended.outcome.error_class = "timeout".to_owned();
            ended.outcome.content.insert(0, timed_out(clock, limit));
        }
        self.secrets.outcome(&mut ended.outcome);
        self.effects(&mut ended.outcome);
        spill::fit(&self.artifacts, self.call, &mut ended, self.collected);
        Executed::Ended(Box::new(ended))
    }

    /// What a program changed is what its calls changed.
    fn effects(&self, outcome: &mut Outcome) {
        if self.pace.is_program() {
            outcome.effects = self.ledger.effects();
        }
    }

    /// The grace is over: the kernel waits no longer, and a local server's process is ended.
    fn overdue(self, why: Stopping) -> Executed {
        let entry = self.call.entry();
        let effects = if self.call.safety().read_only { Effects::None } else { Effects::Unknown };
        let (class, message) = match (why, &self.fault) {
            (Stopping::Fault, Some(fault)) => {
                let server = &entry.server;
                ("contract", format!("server '{server}' broke the contract: {fault}"))
            }
            (Stopping::Clock(clock, limit), _) => (
                "timeout",
                format!(
                    "the call took more than {} {clock} and did not stop when it was told to",
                    seconds(limit)
                ),
            ),
            (Stopping::Cancelled | Stopping::Fault, _) => {
                ("cancelled", "the call did not stop in time when it was cancelled".to_owned())
            }
        };
        let mut ended = ended(Outcome::failure(class, effects, message));
        self.effects(&mut ended.outcome);
        ended.cancelled = matches!(why, Stopping::Cancelled);
        Executed::Ended(Box::new(ended))
    }

    fn lost(self, reason: String) -> Executed {
        if self.pace.is_program()
            && let Some((Stopping::Clock(clock, limit), _)) = self.stopping
        {
            let why = format!(
                "the program took more than {} {clock}, and the code server was lost when it stopped it: {reason}",
                seconds(limit)
            );
            let outcome = Outcome::failure("timeout", self.ledger.effects(), why);
            return Executed::Ended(Box::new(ended(outcome)));
        }
        if let Some((Stopping::Cancelled, _)) = self.stopping {
            let effects =
                if self.call.safety().read_only { Effects::None } else { Effects::Unknown };
            let why = format!("the call was cancelled, and its server was lost: {reason}");
            let mut ended = ended(Outcome::failure("cancelled", effects, why));
            self.effects(&mut ended.outcome);
            ended.cancelled = true;
            return Executed::Ended(Box::new(ended));
        }
        Executed::Lost { reason, sent: true }
    }
}

/// A call whose end was learnt after its stream broke: its output is gone, its result is not.
pub(super) fn completed(
    cx: &SessionContext,
    call: &Classified,
    secrets: &Redactor,
    completed: Completed,
) -> wire::Ended {
    let mut ended = wire::ended(completed);
    ended.whole_in_output = false;
    secrets.outcome(&mut ended.outcome);
    spill::fit(&cx.artifacts, call, &mut ended, Collected::new(0));
    ended
}

pub(super) fn ended(outcome: Outcome) -> wire::Ended {
    wire::Ended {
        outcome,
        cancelled: false,
        rejected: None,
        cwd: None,
        observations: Vec::new(),
        whole_in_output: false,
        confinement: String::new(),
    }
}

/// Ends at a moment; never without one.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

fn timed_out(clock: &str, limit: Duration) -> tollgate_core::call::Block {
    let text = format!("The call took more than {} {clock} and was stopped.", seconds(limit));
    tollgate_core::call::Block::Text { text }
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}
