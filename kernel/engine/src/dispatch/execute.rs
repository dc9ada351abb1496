//! One try of a call: sent, heard, stopped when a clock runs out, and bounded in what it brings.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tollgate_core::call::{Classified, Effects, Outcome};
use tollgate_proto::tool::v1::{Completed, Start, cancel::Reason};

use super::{grace_of, host, output::Collected, spill};
use crate::{
    context::SessionContext,
    event::Body,
    secrets::Redactor,
    servers::{CallEvent, Connection, Inbox, wire},
    settings::Clocks,
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

struct Try<'a> {
    cx: &'a SessionContext,
    call: &'a Classified,
    secrets: &'a Redactor,
    artifacts: Artifacts,
    connection: &'a Connection,
    inbox: Inbox,
    clocks: Clocks,
    collected: Collected,
    /// The whole call's end, and the next frame's.
    ends: Instant,
    idle: Instant,
    /// What runs out at `idle`.
    idle_clock: (&'static str, Duration),
    stopping: Option<(Stopping, Instant)>,
    fault: Option<String>,
}

pub(super) async fn execute(
    cx: &SessionContext,
    call: &Classified,
    secrets: &Redactor,
    connection: &Connection,
    start: Start,
    clocks: Clocks,
    cancel: &CancellationToken,
) -> Executed {
    let call_id = start.call_id.clone();
    let inbox = match connection.start(start).await {
        Ok(inbox) => inbox,
        Err(gone) => return Executed::Lost { reason: gone.to_string(), sent: false },
    };
    let now = Instant::now();
    let tried = Try {
        cx,
        call,
        secrets,
        artifacts: cx.artifacts.keeping_out(secrets.clone()),
        connection,
        inbox,
        clocks,
        collected: Collected::new(cx.limits.output_bytes_max),
        ends: now + clocks.call,
        idle: now + clocks.start,
        idle_clock: ("to start", clocks.start),
        stopping: None,
        fault: None,
    };
    let executed = tried.run(cancel).await;
    connection.forget(&call_id);
    executed
}

impl Try<'_> {
    async fn run(mut self, cancel: &CancellationToken) -> Executed {
        loop {
            let wake = match self.stopping {
                Some((_, until)) => until,
                None => self.ends.min(self.idle),
            };
            let event = tokio::select! {
                biased;
                event = self.inbox.next() => event,
                () = cancel.cancelled(), if self.stopping.is_none() => {
                    self.stop(Stopping::Cancelled, Reason::User);
                    continue;
                }
                () = sleep_until(wake) => match self.stopping {
                    Some((why, _)) => return self.overdue(why),
                    None => {
                        let (clock, limit) = if self.ends <= Instant::now() {
                            ("to finish", self.clocks.call)
                        } else {
                            self.idle_clock
                        };
                        self.stop(Stopping::Clock(clock, limit), Reason::Deadline);
                        continue;
                    }
                },
            };
            self.idle = Instant::now() + self.clocks.idle;
            self.idle_clock = ("without a word", self.clocks.idle);
            match event {
                CallEvent::Accepted => {}
                CallEvent::Progress { text, fraction } => {
                    let raw = self.call.raw();
                    let text = self.secrets.text(text);
                    let body = Body::ToolProgress { text, fraction };
                    self.cx.events.hint(Some(&raw.position), Some(&raw.id), body);
                }
                CallEvent::Output(data) => {
                    self.collected.take(&self.artifacts, &data);
                    let id = self.call.raw().id.as_str();
                    self.connection.credit(id, &self.inbox, data.len()).await;
                }
                CallEvent::Host(request) => {
                    // The clocks stand still while the kernel works for the call.
                    let before = Instant::now();
                    let reply = host::answer(self.cx, self.call, request, cancel).await;
                    let stood_still = before.elapsed();
                    self.ends += stood_still;
                    self.idle += stood_still;
                    self.connection.reply(reply).await;
                }
                CallEvent::Completed(completed) => return self.completed(*completed).await,
                CallEvent::Lost(reason) => return self.lost(reason),
                CallEvent::Fault(fault) => {
                    self.fault = Some(fault);
                    self.stop(Stopping::Fault, Reason::Fault);
                    return self.overdue(Stopping::Fault);
                }
            }
        }
    }

    /// Tells the server to stop and starts the last clock.
    fn stop(&mut self, why: Stopping, reason: Reason) {
        let grace = grace_of(self.call.entry(), self.clocks);
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
        spill::fit(&self.artifacts, self.call.entry(), &mut ended, self.collected);
        Executed::Ended(Box::new(ended))
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
        if !matches!(why, Stopping::Fault) {
            self.connection.kill("a call did not stop when it was told to");
        }
        let mut ended = ended(Outcome::failure(class, effects, message));
        ended.cancelled = matches!(why, Stopping::Cancelled);
        Executed::Ended(Box::new(ended))
    }

    fn lost(self, reason: String) -> Executed {
        if let Some((Stopping::Cancelled, _)) = self.stopping {
            let effects =
                if self.call.safety().read_only { Effects::None } else { Effects::Unknown };
            let why = format!("the call was cancelled, and its server was lost: {reason}");
            let mut ended = ended(Outcome::failure("cancelled", effects, why));
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
    spill::fit(&cx.artifacts, call.entry(), &mut ended, Collected::new(0));
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
    }
}

fn timed_out(clock: &str, limit: Duration) -> tollgate_core::call::Block {
    let text = format!("The call took more than {} {clock} and was stopped.", seconds(limit));
    tollgate_core::call::Block::Text { text }
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}
