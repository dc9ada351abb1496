//! Goal: everybody who listens hears the same, and who does not listen holds up nobody else.

use serde_json::{Value, json};
use tollgate_core::{name::SessionId, receipt::Decision};

use super::*;

fn event(seq: u64, body: Body) -> Event {
    let session = SessionId::try_from("s").unwrap();
    Event { seq, ts: 1, session, turn: None, step: None, call_id: None, body }
}

fn decided(seq: u64, id: &str) -> Event {
    let body = Body::ApprovalDecided {
        id: id.into(),
        decision: Decision::Denied,
        decider: "person".into(),
    };
    event(seq, body)
}

fn hub() -> (Arc<Hub>, mpsc::Sender<Event>, Feed, CancellationToken) {
    let (events, told) = mpsc::channel(16);
    let closing = CancellationToken::new();
    let (hub, feed) = Hub::new(told, closing.clone());
    (hub, events, feed, closing)
}

fn seq(bytes: &[u8]) -> u64 {
    serde_json::from_slice::<Value>(bytes).unwrap()["seq"].as_u64().unwrap()
}

/// The client of a turn gets every event up to its end, also those that still wait when it ends.
#[tokio::test]
async fn a_turn_gets_all_of_its_events() {
    let (hub, events, feed, _) = hub();
    let mut turn = hub.begin_turn();
    for number in 1..=3 {
        events.send(decided(number, "x")).await.unwrap();
    }
    let hub_too = Arc::clone(&hub);
    let ended = async { drop(hub.end_turn().await) };
    tokio::select! { () = hub_too.run(feed) => unreachable!(), () = ended => {} }
    let mut seen = Vec::new();
    while let Some(told) = turn.recv().await {
        seen.push(seq(&told.unwrap()));
    }
    assert_eq!(seen, [1, 2, 3]);
}

/// [GATE-62] Who comes while questions wait sees them first.
#[tokio::test]
async fn a_late_watcher_sees_the_questions_that_wait() {
    let (hub, ..) = hub();
    for id in ["a", "b"] {
        let told = json!({ "id": id }).to_string();
        hub.lock().questions.push((id.into(), told.into()));
    }
    hub.tell(&decided(1, "a")).await;
    let (questions, mut events) = hub.watch();
    assert_eq!(questions, [Bytes::from(json!({ "id": "b" }).to_string())]);
    hub.tell(&decided(2, "b")).await;
    assert_eq!(seq(&events.recv().await.unwrap()), 2);
    assert!(hub.watch().0.is_empty());
    assert!(hub.is_watched());
}

/// A watcher that does not read is told so, and the session goes on.
#[tokio::test]
async fn a_slow_watcher_holds_up_nobody() {
    let (hub, ..) = hub();
    let (_, mut events) = hub.watch();
    for number in 0..WATCHED_EVENTS_WAITING as u64 + 10 {
        hub.tell(&decided(number, "x")).await;
    }
    assert!(matches!(events.recv().await, Err(broadcast::error::RecvError::Lagged(10))));
}

/// A client of a turn that does not read is waited for, but not when the session is closed.
#[tokio::test]
async fn a_session_that_closes_waits_for_no_client() {
    let (hub, _, _, closing) = hub();
    let _turn = hub.begin_turn();
    for number in 0..TURN_EVENTS_WAITING as u64 {
        hub.tell(&decided(number, "x")).await;
    }
    let one_more = decided(999, "x");
    let mut waits = Box::pin(hub.tell(&one_more));
    assert!(futures::poll!(&mut waits).is_pending());
    closing.cancel();
    waits.await;
}

/// A turn that ended without a word still ends its stream.
#[tokio::test]
async fn a_dropped_turn_ends_its_stream() {
    let (hub, ..) = hub();
    let mut turn = hub.begin_turn();
    hub.drop_turn();
    assert!(turn.recv().await.is_none());
}
