//! Goal: whatever becomes of the task, the kernel is told, and told once.

use futures::StreamExt;

use super::*;
use crate::event::{Delta, Finished};
use crate::failure::Failure;

#[tokio::test]
async fn a_task_that_dies_leaves_a_failure() {
    let events = Events::start(Vec::new(), |mut outlet| async move {
        outlet.delta(Delta::Text("a".into())).await;
        panic!("a defect");
    });
    let events: Vec<_> = events.collect().await;
    assert!(matches!(&events[..], [Event::TextDelta(_), Event::Failed(_)]), "{events:?}");
}

#[tokio::test]
async fn an_answer_has_one_last_event() {
    for answer in [Ok(Finished::default()), Err(Failure::lasting(Class::Auth, "m"))] {
        let events = Events::start(Vec::new(), |outlet| outlet.end(answer));
        assert_eq!(events.count().await, 1);
    }
}

#[tokio::test]
async fn long_text_is_sent_in_pieces_that_fit() {
    let text = "é".repeat(100_000);
    let sent = text.clone();
    let events = Events::start(Vec::new(), |mut outlet| async move {
        outlet.delta(Delta::Text(sent)).await;
        outlet.end(Ok(Finished::default())).await;
    });
    let mut received = String::new();
    for event in events.collect::<Vec<_>>().await {
        if let Event::TextDelta(piece) = event {
            assert!(piece.len() <= crate::limits::DELTA_BYTES_MAX);
            received += &piece;
        }
    }
    assert_eq!(received, text);
}

/// [MODEL-01]
#[tokio::test]
async fn no_event_holds_a_secret() {
    let events = Events::start(vec!["sk-1".into()], |outlet| async move {
        outlet.retrying(1, 0, "bad sk-1").await;
        outlet.end(Err(Failure::lasting(Class::Auth, "worse sk-1"))).await;
    });
    let events: Vec<_> = events.collect().await;
    assert_eq!(events.len(), 2);
    assert!(!format!("{events:?}").contains("sk-1"), "{events:?}");
}

#[tokio::test]
async fn dropping_the_stream_drops_the_task() {
    let (guard, dropped) = tokio::sync::oneshot::channel::<()>();
    let events = Events::start(Vec::new(), |_outlet| async move {
        let _guard = guard;
        std::future::pending::<()>().await;
    });
    tokio::task::yield_now().await;
    drop(events);
    assert!(dropped.await.is_err(), "the task's parts are gone");
}
