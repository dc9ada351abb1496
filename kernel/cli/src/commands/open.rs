//! One session, from its opening to the end of its servers: what `exec`, `call`, `resume` and `demo`
//! have in common.

use std::{io::IsTerminal as _, sync::Arc};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tollgate_engine::{
    approval::{Approver, Nobody},
    error::KernelError,
    event::{EVENTS_WAITING, Event},
    kernel::Kernel,
    session::{Session, SessionOptions},
};

use crate::{
    exit::{Exit, Failure},
    front::{Answerer, Asking, Question, watch},
    interrupt::Interrupts,
    output::Output,
    stdio::Lines,
    tty::Tty,
    view::View,
};

#[cfg(test)]
mod tests;

/// Who answers questions, and the queue through which they come.
#[derive(Debug)]
pub(super) struct Desk {
    /// For the session.
    pub(super) approver: Arc<dyn Approver>,
    /// For the front.
    pub(super) questions: mpsc::Receiver<Question>,
    /// For the front.
    pub(super) answerer: Answerer,
}

impl Desk {
    /// Whoever reads standard input.
    pub(super) fn of_lines(lines: &Lines) -> Self {
        let (_, questions) = Asking::new();
        Self { approver: lines.approver(), questions, answerer: Answerer::Nobody }
    }

    /// A person if there is a terminal and the options do not forbid it, else nobody.
    pub(super) fn of_process(is_denied: bool, is_text: bool) -> Self {
        Self::beside(is_denied, is_text, std::io::stdin().is_terminal())
    }

    /// The same where standard input may be read for something else: `can_answer` says that a terminal can
    /// be asked all the same.
    pub(super) fn beside(is_denied: bool, is_text: bool, can_answer: bool) -> Self {
        let has_terminal = can_answer && std::io::stderr().is_terminal();
        let why = if is_denied {
            "--approvals is deny"
        } else if !is_text || !has_terminal {
            "no terminal is attached and --approvals is deny"
        } else if let Ok(tty) = Tty::open() {
            let (asking, questions) = Asking::new();
            return Self { approver: Arc::new(asking), questions, answerer: Answerer::Person(tty) };
        } else {
            "the terminal cannot be opened"
        };
        Self::nobody(Nobody(why.to_owned()))
    }

    /// Nobody answers.
    pub(super) fn nobody(nobody: Nobody) -> Self {
        let (_, questions) = Asking::new();
        Self { approver: Arc::new(nobody), questions, answerer: Answerer::Nobody }
    }
}

/// Opens a session, has `work` done in it while events are shown and questions answered, and ends the
/// servers. A second interrupt ends it at once.
///
/// # Errors
/// The session cannot be opened, and what `work` says.
pub(super) async fn in_session<T>(
    kernel: &Kernel,
    options: SessionOptions,
    desk: Desk,
    output: Output,
    view: &mut View,
    work: impl AsyncFnOnce(Session, CancellationToken) -> Result<T, KernelError>,
) -> Result<T, Failure> {
    let (events, seen): (mpsc::Sender<Event>, _) = mpsc::channel(EVENTS_WAITING);
    let cancel = CancellationToken::new();
    let done = CancellationToken::new();
    let mut interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::Failed, error))?;
    let worked = async {
        let opened = Box::pin(kernel.open(options, desk.approver, events)).await;
        let ended = match opened {
            Ok(session) => Box::pin(work(session, cancel.clone())).await,
            Err(error) => Err(error),
        };
        done.cancel();
        ended
    };
    let watched = watch(seen, desk.questions, desk.answerer, &done, output, view);
    let both = async {
        let (ended, ()) = tokio::join!(worked, watched);
        kernel.stop().await;
        ended
    };
    match interrupts.during(&cancel, both).await {
        Some(ended) => Ok(ended?),
        None => Err(Failure::new(
            Exit::Interrupted,
            anyhow::Error::msg("ended at once; `tollgate resume --last` says what was running"),
        )),
    }
}
