//! The front of a session in a terminal: shows its events, and has its questions answered.
//!
//! Events and questions come through two queues to one loop, so that a card is shown after everything
//! that happened before it, and nothing is printed over it while a person reads.
//!
//! Not here: how things look (`view`).

use std::{fmt, pin::Pin};

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tollgate_engine::{
    approval::{Answer, Approver, Card},
    event::Event,
};

use crate::{
    limits::{EVENTS_HELD_MAX, HANG_UP_WITHIN, QUESTIONS_WAITING},
    output::{Output, Paint, line_err, write_err},
    text,
    tty::Tty,
    view::{
        View,
        card::{choices, lines},
    },
};

#[cfg(test)]
mod tests;

/// A question that waits for its answer.
#[derive(Debug)]
pub(crate) struct Question {
    card: Card,
    cancelled: CancellationToken,
    answer: oneshot::Sender<Answer>,
}

/// Passes questions on to the loop.
#[derive(Debug)]
pub(crate) struct Asking {
    questions: mpsc::Sender<Question>,
}

impl Asking {
    /// An approver and the queue of its questions.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Question>) {
        let (questions, asked) = mpsc::channel(QUESTIONS_WAITING);
        (Self { questions }, asked)
    }
}

impl Approver for Asking {
    fn can_ask(&self) -> bool {
        true
    }

    fn ask<'a>(
        &'a self,
        card: &'a Card,
        cancelled: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        let (answer, answered) = oneshot::channel();
        let question = Question { card: card.clone(), cancelled: cancelled.clone(), answer };
        Box::pin(async move {
            let gone = || Answer::Nobody("the terminal is gone".to_owned());
            if self.questions.send(question).await.is_err() {
                return gone();
            }
            answered.await.unwrap_or_else(|_| gone())
        })
    }
}

/// Who answers questions.
pub(crate) enum Answerer {
    /// The person at the terminal.
    Person(Tty),
    /// A script, for the demo: what it says is shown.
    Script(Box<dyn FnMut(&Card) -> Answer>),
    /// Nobody: there are no questions.
    Nobody,
}

impl fmt::Debug for Answerer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Person(_) => "Person",
            Self::Script(_) => "Script",
            Self::Nobody => "Nobody",
        })
    }
}

/// Shows events and has questions answered until the session is gone or `done` fires.
pub(crate) async fn watch(
    mut events: mpsc::Receiver<Event>,
    mut questions: mpsc::Receiver<Question>,
    mut answerer: Answerer,
    done: &CancellationToken,
    output: Output,
    view: &mut View,
) {
    loop {
        tokio::select! {
            biased;
            event = events.recv() => match event {
                Some(event) => view.show(&event),
                None => return,
            },
            Some(question) = questions.recv() => {
                while let Ok(event) = events.try_recv() {
                    view.show(&event);
                }
                // Calls beside this one go on meanwhile; what they tell is shown after the card.
                let mut later = Vec::new();
                let answer = {
                    let mut asking = std::pin::pin!(answerer.ask(&question.card, output));
                    loop {
                        tokio::select! {
                            biased;
                            () = question.cancelled.cancelled() => {
                                line_err("│ cancelled");
                                break None;
                            }
                            answer = &mut asking => break Some(answer),
                            Some(event) = events.recv(), if later.len() < EVENTS_HELD_MAX => {
                                later.push(event);
                            }
                        }
                    }
                };
                later.iter().for_each(|event| view.show(event));
                // Whoever asked may have been cancelled meanwhile.
                drop(answer.map(|answer| question.answer.send(answer)));
            }
            // Last: everything that was told before it has been shown.
            () = done.cancelled() => return,
        }
    }
}

impl Answerer {
    async fn ask(&mut self, card: &Card, output: Output) -> Answer {
        for line in lines(card, output) {
            line_err(&line);
        }
        match self {
            Self::Person(tty) => by_person(tty, card, output).await,
            Self::Script(answer) => {
                let answer = answer(card);
                let said = match &answer {
                    Answer::Once => "y",
                    Answer::Session => "s",
                    Answer::Always => "a",
                    Answer::Deny(None) => "n",
                    Answer::Deny(Some(message)) => message,
                    Answer::Stop => "q",
                    Answer::Nobody(_) => "",
                };
                let asking = asking(card, output.columns, Paint { is_on: false });
                line_err(&format!("{asking}{}", output.stderr_paint.bold(said)));
                answer
            }
            Self::Nobody => Answer::Nobody("nobody answers questions here".to_owned()),
        }
    }
}

/// The card's last rows, behind which the answer is typed; no choice is broken.
fn asking(card: &Card, columns: usize, paint: Paint) -> String {
    let mut rows: Vec<String> = Vec::new();
    for choice in choices(card).split("  ") {
        match rows.last_mut() {
            // The frame, two blanks before the choice, and a colon with its blank.
            Some(row) if text::width(row) + text::width(choice) + 6 <= columns => {
                row.extend(["  ", choice]);
            }
            _ => rows.push(choice.to_owned()),
        }
    }
    let rows: Vec<String> = rows.iter().map(|row| paint.bold(row)).collect();
    format!("╰ {}: ", rows.join("\n  "))
}

async fn by_person(tty: &Tty, card: &Card, output: Output) -> Answer {
    tty.forget();
    let may_store = !card.offer.is_empty();
    loop {
        write_err(&asking(card, output.columns, output.stderr_paint));
        let Some(line) = tty.line().await else {
            if tty.is_gone() {
                // Its signal is on the way, and interrupts the whole run: that is how the run ends, and
                // not with a refusal that nobody gave.
                tokio::time::sleep(HANG_UP_WITHIN).await;
            }
            return Answer::Nobody("the terminal was closed".to_owned());
        };
        match said(&line, may_store) {
            Said::Answer(answer) => return answer,
            Said::Message => {
                write_err("  what should the model know? ");
                let message = tty.line().await.filter(|message| !message.is_empty());
                return Answer::Deny(message);
            }
            Said::Nothing if may_store => line_err("  please answer y, s, a, n, m or q"),
            Said::Nothing => line_err("  please answer y, n, m or q"),
        }
    }
}

/// What a typed line means.
#[derive(Debug, Eq, PartialEq)]
enum Said {
    Answer(Answer),
    /// A no whose message comes next.
    Message,
    Nothing,
}

/// Only a clear yes is one, and a wider yes only where the card offers one.
fn said(line: &str, may_store: bool) -> Said {
    let line = line.trim();
    match line.to_lowercase().as_str() {
        "y" | "yes" => Said::Answer(Answer::Once),
        "s" | "session" if may_store => Said::Answer(Answer::Session),
        "a" | "always" if may_store => Said::Answer(Answer::Always),
        "n" | "no" => Said::Answer(Answer::Deny(None)),
        "q" | "quit" => Said::Answer(Answer::Stop),
        "m" | "message" => Said::Message,
        _ => match line.split_once(' ') {
            Some(("m" | "M", message)) => {
                Said::Answer(Answer::Deny(Some(message.trim().to_owned())))
            }
            _ => Said::Nothing,
        },
    }
}
