//! `--approvals stdio` (`[CLI-03]`): lines of JSON on standard input answer questions, change the stance
//! and cancel the turn, while the events go out on standard output.
//!
//! ```text
//! {"approval": ID, "answer": "once|session|always|deny|stop", "message": TEXT (with deny)}
//! {"approval": "*", "answer": "deny"}                                                     all that wait
//! {"mode": "plan|work|operate", "posture": "ask|auto-review|full-access|never"}   one or both
//! {"cancel": true}
//! ```
//!
//! Invariants: a line that is wrong, stale or too long changes nothing and is answered by an `error`
//! event of class "approval"; at the end of standard input whatever waits is refused, and nothing is
//! asked any more (`B097`).
//!
//! Not here: what an answer means (the gate).

use std::{
    io::{self, BufRead, Read as _},
    sync::Arc,
};

use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tollgate_core::stance::{Mode, Posture, Stance};
use tollgate_engine::{
    approval::{
        Answer, Approver,
        desk::{Decided, Desk, Front},
    },
    context::SessionContext,
    event::Body,
};

use crate::{
    args::{Approvals, OutputFormat},
    exit::{Exit, Failure},
    limits::{MESSAGE_BYTES_MAX, STDIO_LINE_BYTES_MAX, STDIO_LINES_WAITING},
};

#[cfg(test)]
mod tests;

/// The class of the events that answer lines.
const CLASS: &str = "approval";

/// Standard input as a front.
#[derive(Debug)]
pub(crate) struct Lines {
    desk: Arc<Desk>,
    front: Front,
    lines: mpsc::Receiver<Line>,
}

/// One line.
#[derive(Debug, Eq, PartialEq)]
enum Line {
    /// Without its newline.
    Whole(Vec<u8>),
    /// Longer than [`STDIO_LINE_BYTES_MAX`]; it was passed over.
    TooLong,
}

/// Checks what `--approvals stdio` needs: events as output, and a message on the command line.
///
/// # Errors
/// One of them is missing, and what would be right.
pub(crate) fn check(
    approvals: Option<Approvals>,
    format: Option<OutputFormat>,
    prompt: Option<&str>,
) -> Result<(), Failure> {
    if approvals != Some(Approvals::Stdio) {
        return Ok(());
    }
    if format != Some(OutputFormat::StreamJson) {
        return Err(Failure::usage(
            "--approvals stdio answers questions that are told as events; add --output-format stream-json",
        ));
    }
    if prompt.is_none_or(|prompt| prompt == "-") {
        return Err(Failure::usage(
            "with --approvals stdio the answers come from standard input, so the message stands on the \
             command line: tollgate exec --approvals stdio --output-format stream-json \"…\"",
        ));
    }
    Ok(())
}

impl Lines {
    /// Begins to read standard input.
    ///
    /// # Errors
    /// No thread can be had.
    pub(crate) fn of_stdin() -> Result<Self, Failure> {
        let (lines, read) = mpsc::channel(STDIO_LINES_WAITING);
        // A thread, because a read of standard input cannot be cancelled; it ends with the process.
        std::thread::Builder::new()
            .name("stdin".into())
            .spawn(move || read_lines(&mut io::stdin().lock(), &lines))
            .map_err(|error| Failure::new(Exit::Failed, error))?;
        Ok(Self::of(read))
    }

    fn of(lines: mpsc::Receiver<Line>) -> Self {
        let desk = Desk::new("standard input is closed, so nobody can answer");
        let front = desk.attach();
        Self { desk, front, lines }
    }

    /// For the session.
    pub(crate) fn approver(&self) -> Arc<dyn Approver> {
        Arc::clone(&self.desk) as Arc<dyn Approver>
    }

    /// Has `turn` run while lines are read; both go on together.
    pub(crate) async fn beside<T>(
        self,
        cx: &SessionContext,
        cancel: &CancellationToken,
        turn: impl Future<Output = T>,
    ) -> T {
        let mut turn = std::pin::pin!(turn);
        tokio::select! {
            biased;
            ended = &mut turn => return ended,
            () = self.read(cx, cancel) => {}
        }
        turn.await
    }

    /// Reads to the end of standard input; then this front is gone.
    async fn read(self, cx: &SessionContext, cancel: &CancellationToken) {
        let Self { desk, front, mut lines } = self;
        let mut number = 0_u64;
        while let Some(line) = lines.recv().await {
            number += 1;
            if let Err(why) = obey(&line, &desk, cx, cancel).await {
                let message = format!("line {number} of standard input: {why}");
                let body = Body::Error { class: CLASS.to_owned(), message, retryable: false };
                cx.events.tell(None, None, body).await;
            }
        }
        drop(front);
    }
}

/// Does what one line says, or says why not.
async fn obey(
    line: &Line,
    desk: &Desk,
    cx: &SessionContext,
    cancel: &CancellationToken,
) -> Result<(), String> {
    match meaning(line)? {
        Said::Nothing => Ok(()),
        Said::Cancel => {
            cancel.cancel();
            Ok(())
        }
        Said::Stance(mode, posture) => {
            let now = cx.stance();
            let stance =
                Stance { mode: mode.unwrap_or(now.mode), posture: posture.unwrap_or(now.posture) };
            let set = cx.set_stance(stance).await;
            set.map(drop).map_err(|error| format!("the stance was not changed: {error}"))
        }
        Said::Answer(id, answer) => match desk.decide(&id, answer) {
            Decided::Taken => Ok(()),
            Decided::Stale(why) => {
                Err(format!("the answer to approval '{}' comes too late: {why}", shown(&id)))
            }
            Decided::Unknown => Err(format!("there is no approval '{}'", shown(&id))),
        },
    }
}

/// What a line means.
#[derive(Debug, Eq, PartialEq)]
enum Said {
    Nothing,
    Cancel,
    Stance(Option<Mode>, Option<Posture>),
    Answer(String, Answer),
}

/// A line as it is written; which fields go together is checked after.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    approval: Option<String>,
    answer: Option<Word>,
    message: Option<String>,
    mode: Option<Mode>,
    posture: Option<Posture>,
    cancel: Option<bool>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Once,
    Session,
    Always,
    Deny,
    Stop,
}

fn meaning(line: &Line) -> Result<Said, String> {
    let Line::Whole(bytes) = line else {
        return Err(format!("it is longer than {STDIO_LINE_BYTES_MAX} bytes"));
    };
    if bytes.trim_ascii().is_empty() {
        return Ok(Said::Nothing);
    }
    let written: Written = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match written {
        Written {
            approval: Some(id),
            answer: Some(word),
            message,
            mode: None,
            posture: None,
            cancel: None,
        } => Ok(Said::Answer(id, answer(word, message)?)),
        Written { approval: None, answer: None, message: None, mode, posture, cancel: None }
            if mode.is_some() || posture.is_some() =>
        {
            Ok(Said::Stance(mode, posture))
        }
        Written {
            approval: None,
            answer: None,
            message: None,
            mode: None,
            posture: None,
            cancel: Some(true),
        } => Ok(Said::Cancel),
        Written { .. } => {
            Err("a line is {\"approval\": ID, \"answer\": \"once|session|always|deny|stop\"}, \
             {\"mode\": …, \"posture\": …} or {\"cancel\": true}"
                .to_owned())
        }
    }
}

fn answer(word: Word, message: Option<String>) -> Result<Answer, String> {
    if message.is_some() && !matches!(word, Word::Deny) {
        return Err("\"message\" goes with \"deny\" only".to_owned());
    }
    if message.as_ref().is_some_and(|message| message.len() > MESSAGE_BYTES_MAX) {
        return Err(format!("\"message\" is longer than {MESSAGE_BYTES_MAX} bytes"));
    }
    Ok(match word {
        Word::Once => Answer::Once,
        Word::Session => Answer::Session,
        Word::Always => Answer::Always,
        Word::Deny => Answer::Deny(message.filter(|message| !message.is_empty())),
        Word::Stop => Answer::Stop,
    })
}

fn shown(id: &str) -> String {
    id.chars().take(80).flat_map(char::escape_default).collect()
}

/// Passes lines on until the input ends or nobody wants them.
fn read_lines(input: &mut impl BufRead, lines: &mpsc::Sender<Line>) {
    loop {
        let mut line = Vec::new();
        let limit = STDIO_LINE_BYTES_MAX as u64 + 1;
        let read = input.by_ref().take(limit).read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) {
            return;
        }
        let ended = line.pop_if(|last| *last == b'\n').is_some();
        let line = if line.len() <= STDIO_LINE_BYTES_MAX {
            Line::Whole(line)
        } else {
            if !ended && input.skip_until(b'\n').is_err() {
                return;
            }
            Line::TooLong
        };
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}
