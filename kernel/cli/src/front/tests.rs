//! Goal: a card is shown after what happened before it, is answered once, and only a clear yes is one.

use super::*;
use crate::view::tests::card;

#[track_caller]
fn check(line: &str, expected: Said) {
    assert_eq!(said(line), expected, "{line:?}");
}

#[test]
fn only_a_clear_yes_is_one() {
    check("y", Said::Answer(Answer::Once));
    check(" YES ", Said::Answer(Answer::Once));
    check("n", Said::Answer(Answer::Deny(None)));
    check("s", Said::Answer(Answer::Stop));
    check("m", Said::Message);
    check("m use make instead", Said::Answer(Answer::Deny(Some("use make instead".into()))));
    for line in ["", "yy", "yes please", "ok", "1", "\u{1b}[A"] {
        check(line, Said::Nothing);
    }
}

#[tokio::test]
async fn a_question_is_answered_through_the_loop() {
    let (asking, questions) = Asking::new();
    let (events, seen) = mpsc::channel(1);
    let answerer = Answerer::Script(Box::new(|_| Answer::Once));
    let never = CancellationToken::new();
    let asked = async {
        let answer = asking.ask(&card(), &never).await;
        drop(events);
        answer
    };
    let never_done = CancellationToken::new();
    let mut view = View::Quiet;
    let (answer, ()) = tokio::join!(
        asked,
        watch(seen, questions, answerer, &never_done, Output::plain(80), &mut view)
    );
    assert_eq!(answer, Answer::Once);
}

/// [GATE-03]: no question waits for ever.
#[tokio::test]
async fn a_question_without_a_front_is_answered_by_nobody() {
    let (asking, questions) = Asking::new();
    drop(questions);
    let answer = asking.ask(&card(), &CancellationToken::new()).await;
    assert_eq!(answer, Answer::Nobody("the terminal is gone".into()));
}

#[tokio::test]
async fn a_cancelled_question_is_not_answered() {
    let (asking, questions) = Asking::new();
    let (events, seen) = mpsc::channel(1);
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let answerer = Answerer::Script(Box::new(|_| Answer::Once));
    let asked = async {
        let answer = asking.ask(&card(), &cancelled).await;
        drop(events);
        answer
    };
    let never_done = CancellationToken::new();
    let mut view = View::Quiet;
    let (answer, ()) = tokio::join!(
        asked,
        watch(seen, questions, answerer, &never_done, Output::plain(80), &mut view)
    );
    assert!(matches!(answer, Answer::Nobody(_)), "{answer:?}");
}
