//! Goal: a question is answered once, by its own id, in any order; and where nobody can answer, never
//! by a yes.

use std::task::Poll;

use futures::FutureExt as _;
use tollgate_core::{call::Caller, digest::Digest, safety::Safety};

use super::*;

fn id(number: usize) -> CallId {
    CallId::try_from(format!("call-{number:04}")).unwrap()
}

fn card(number: usize) -> Card {
    Card {
        call_id: id(number),
        caller: Caller::Model,
        agent: "main".into(),
        tool: "write".into(),
        title: String::new(),
        server: "file".into(),
        host: "local".into(),
        arguments: serde_json::json!({ "path": "a.txt" }),
        preview: String::new(),
        subjects: Vec::new(),
        safety: Safety::default(),
        why: Vec::new(),
        commands: Vec::new(),
        escalation: None,
        reach: None,
        arguments_bytes: 0,
        arguments_sha256: Digest::of(b""),
        offer: Vec::new(),
    }
}

fn desk() -> Arc<Desk> {
    Desk::new("nobody is there")
}

type Asked<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// The answer so far; `None`: it waits.
fn so_far(asked: &mut Asked<'_>) -> Option<Answer> {
    match asked.poll_unpin(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

fn nobody() -> Option<Answer> {
    Some(Answer::Nobody("nobody is there".into()))
}

/// [GATE-61] Several cards are answered in any order, each by its own id.
#[tokio::test]
async fn cards_are_answered_in_any_order() {
    let (desk, never) = (desk(), CancellationToken::new());
    let _front = desk.attach();
    let cards = [card(1), card(2), card(3)];
    let mut asked: Vec<Asked<'_>> = cards.iter().map(|card| desk.ask(card, &never)).collect();
    let waiting: Vec<CallId> = desk.waiting().into_iter().map(|card| card.call_id).collect();
    assert_eq!(waiting, [id(1), id(2), id(3)]);
    assert_eq!(desk.decide("call-0003", Answer::Once), Decided::Taken);
    assert_eq!(desk.decide("call-0001", Answer::Deny(None)), Decided::Taken);
    assert_eq!(so_far(&mut asked[0]), Some(Answer::Deny(None)));
    assert_eq!(so_far(&mut asked[1]), None, "nobody answered the second");
    assert_eq!(so_far(&mut asked[2]), Some(Answer::Once));
    assert_eq!(desk.waiting().len(), 1);
}

/// [AP-08] [AP-11] An answer that comes twice, late, or for no question changes nothing.
#[tokio::test]
async fn an_answer_counts_once_and_for_its_question_only() {
    let (desk, never) = (desk(), CancellationToken::new());
    let _front = desk.attach();
    let (first, second) = (card(1), card(2));
    let (mut one, mut two) = (desk.ask(&first, &never), desk.ask(&second, &never));
    assert_eq!(desk.decide("call-0009", Answer::Once), Decided::Unknown);
    assert_eq!(desk.decide("", Answer::Once), Decided::Unknown);
    assert_eq!(desk.decide("call-0001", Answer::Once), Decided::Taken);
    for answer in [Answer::Once, Answer::Deny(None), Answer::Always] {
        assert_eq!(desk.decide("call-0001", answer), Decided::Stale("it was answered before"));
    }
    assert_eq!(so_far(&mut one), Some(Answer::Once));
    assert_eq!(so_far(&mut two), None);
    // The id of a question is never used again.
    let mut again = desk.ask(&first, &never);
    assert!(matches!(so_far(&mut again), Some(Answer::Nobody(why)) if why.contains("once")));
}

/// [B106] [B107] A call that is cancelled takes its question along, whether or not its end was awaited.
#[tokio::test]
async fn a_cancelled_question_is_stale() {
    let desk = desk();
    let _front = desk.attach();
    let (first, second) = (card(1), card(2));
    let cancelled = CancellationToken::new();
    let mut one = desk.ask(&first, &cancelled);
    let two = desk.ask(&second, &cancelled);
    assert_eq!(so_far(&mut one), None);
    cancelled.cancel();
    assert!(matches!(so_far(&mut one), Some(Answer::Nobody(_))));
    drop(two);
    assert!(desk.waiting().is_empty());
    for id in ["call-0001", "call-0002"] {
        assert_eq!(desk.decide(id, Answer::Once), Decided::Stale("its call was cancelled"));
    }
}

/// A yes that is taken and then overtaken by a cancel is no yes.
#[tokio::test]
async fn a_cancel_overtakes_an_answer() {
    let (desk, cancelled) = (desk(), CancellationToken::new());
    let _front = desk.attach();
    let card = card(1);
    let mut asked = desk.ask(&card, &cancelled);
    assert_eq!(desk.decide("call-0001", Answer::Once), Decided::Taken);
    cancelled.cancel();
    assert!(matches!(so_far(&mut asked), Some(Answer::Nobody(_))));
}

/// [GATE-03] [AP-10] [B097] Without a front there is no question, and the last front takes all along.
#[tokio::test]
async fn without_a_front_nobody_answers() {
    let (desk, never) = (desk(), CancellationToken::new());
    let (first, second) = (card(1), card(2));
    assert!(!desk.can_ask());
    assert_eq!(so_far(&mut desk.ask(&first, &never)), nobody());
    let (one, two) = (desk.attach(), desk.attach());
    assert!(desk.can_ask());
    let mut asked = desk.ask(&second, &never);
    drop(one);
    assert_eq!(so_far(&mut asked), None, "another front is still there");
    drop(two);
    assert!(!desk.can_ask());
    assert_eq!(so_far(&mut asked), nobody());
    assert!(matches!(desk.decide("call-0002", Answer::Once), Decided::Stale(_)));
    assert!(desk.waiting().is_empty());
}

/// [AP-12] Of a flood only so many wait; the rest is refused at once, and one word says no to all.
#[tokio::test]
async fn a_flood_is_bounded_and_denied_at_once() {
    let (desk, never) = (desk(), CancellationToken::new());
    let _front = desk.attach();
    let cards: Vec<Card> = (0..500).map(card).collect();
    let mut asked: Vec<Asked<'_>> = cards.iter().map(|card| desk.ask(card, &never)).collect();
    assert_eq!(desk.waiting().len(), QUESTIONS_MAX);
    let refused = asked.iter_mut().filter_map(so_far).collect::<Vec<_>>();
    assert_eq!(refused.len(), 500 - QUESTIONS_MAX);
    assert!(refused.iter().all(|it| matches!(it, Answer::Nobody(why) if why.contains("64"))));
    for yes in [Answer::Once, Answer::Session, Answer::Always, Answer::Stop] {
        assert!(matches!(desk.decide(EVERY_QUESTION, yes), Decided::Stale(_)));
    }
    assert_eq!(desk.waiting().len(), QUESTIONS_MAX, "a yes is for one question");
    let enough = || Answer::Deny(Some("enough".into()));
    assert_eq!(desk.decide(EVERY_QUESTION, enough()), Decided::Taken);
    assert!(matches!(desk.decide(EVERY_QUESTION, enough()), Decided::Stale(_)));
    for asked in &mut asked[..QUESTIONS_MAX] {
        assert_eq!(so_far(asked), Some(Answer::Deny(Some("enough".into()))));
    }
    // What comes later is a new question.
    let next = card(1000);
    let mut asked = desk.ask(&next, &never);
    assert_eq!(so_far(&mut asked), None);
}

/// Ended questions are remembered up to a bound.
#[tokio::test]
async fn the_memory_of_ended_questions_is_bounded() {
    let (desk, never) = (desk(), CancellationToken::new());
    let _front = desk.attach();
    for number in 0..=ENDED_MAX {
        let card = card(number);
        drop(desk.ask(&card, &never));
    }
    assert_eq!(desk.decide("call-0000", Answer::Once), Decided::Unknown);
    assert!(matches!(desk.decide("call-0001", Answer::Once), Decided::Stale(_)));
}
