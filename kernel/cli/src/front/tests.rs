//! Goal: a card is shown after what happened before it, is answered once, and only a clear yes is one.

use super::*;
use crate::view::tests::card;

#[track_caller]
fn check(line: &str, may_store: bool, expected: Said) {
    assert_eq!(said(line, may_store), expected, "{line:?}");
}

#[test]
fn only_a_clear_yes_is_one() {
    for may_store in [true, false] {
        check("y", may_store, Said::Answer(Answer::Once));
        check(" YES ", may_store, Said::Answer(Answer::Once));
        check("n", may_store, Said::Answer(Answer::Deny(None)));
        check("q", may_store, Said::Answer(Answer::Stop));
        check("m", may_store, Said::Message);
        let message = Answer::Deny(Some("use make instead".into()));
        check("m use make instead", may_store, Said::Answer(message));
        for line in ["", "yy", "yes please", "ok", "1", "\u{1b}[A", "sa", "ya"] {
            check(line, may_store, Said::Nothing);
        }
    }
}

/// [GATE-23] A wider yes is taken only where the card says what it would store.
#[test]
fn a_wider_yes_needs_an_offer() {
    check("s", true, Said::Answer(Answer::Session));
    check("Always", true, Said::Answer(Answer::Always));
    check("s", false, Said::Nothing);
    check("a", false, Said::Nothing);
}

/// The choices fit a narrow terminal, none of them broken.
#[test]
fn the_choices_fit_the_terminal() {
    let plain = Paint { is_on: false };
    let mut card = card();
    card.offer = vec!["bash(ls *)".into()];
    for (columns, expected) in [
        (80, "╰ [y]es once  [s]ession  [a]lways  [n]o  [m]essage  [q]uit turn: "),
        (40, "╰ [y]es once  [s]ession  [a]lways\n  [n]o  [m]essage  [q]uit turn: "),
        (20, "╰ [y]es once\n  [s]ession\n  [a]lways  [n]o\n  [m]essage\n  [q]uit turn: "),
    ] {
        assert_eq!(asking(&card, columns, plain), expected);
    }
    let painted = asking(&card, 40, Paint { is_on: true });
    assert!(painted.lines().all(|row| row.matches('\u{1b}').count() == 2), "{painted:?}");
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
