//! Goal: an inbox holds no more than was granted, loses nothing of it, and ends once.

use tollgate_proto::{
    limits::OUTPUT_CREDIT_BYTES,
    tool::v1::{Completed, output::Channel},
};

use super::{CallEvent, Inbox};

#[tokio::test]
async fn output_is_joined_and_comes_before_the_end() {
    let inbox = Inbox::new();
    inbox.accepted();
    inbox.output(Channel::Terminal, b"ab");
    inbox.output(Channel::Terminal, b"cd");
    inbox.completed(Box::default());
    assert!(matches!(inbox.next().await, CallEvent::Accepted));
    assert!(matches!(inbox.next().await, CallEvent::Output(_, data) if data[..] == *b"abcd"));
    assert!(matches!(inbox.next().await, CallEvent::Completed(_)));
}

#[tokio::test]
async fn output_beyond_the_credit_is_a_fault_of_this_call() {
    let inbox = Inbox::new();
    inbox.output(Channel::Terminal, &vec![0; OUTPUT_CREDIT_BYTES as usize]);
    inbox.output(Channel::Terminal, b"x");
    assert!(matches!(inbox.next().await, CallEvent::Fault(_)));
}

#[tokio::test]
async fn granted_credit_lets_more_in() {
    let inbox = Inbox::new();
    inbox.output(Channel::Terminal, &vec![0; OUTPUT_CREDIT_BYTES as usize]);
    assert!(matches!(inbox.next().await, CallEvent::Output(..)));
    inbox.add_credit(1);
    inbox.output(Channel::Terminal, b"x");
    assert!(matches!(inbox.next().await, CallEvent::Output(_, data) if data[..] == *b"x"));
}

#[tokio::test]
async fn nothing_follows_the_end() {
    let inbox = Inbox::new();
    inbox.completed(Box::new(Completed { call_id: "a".into(), ..Completed::default() }));
    inbox.completed(Box::new(Completed { call_id: "b".into(), ..Completed::default() }));
    inbox.output(Channel::Terminal, b"late");
    inbox.lost("later");
    assert!(matches!(inbox.next().await, CallEvent::Completed(first) if first.call_id == "a"));
    let silent = tokio::time::timeout(std::time::Duration::ZERO, inbox.next()).await;
    assert!(silent.is_err(), "{silent:?}");
}

#[tokio::test]
async fn progress_keeps_the_newest() {
    let inbox = Inbox::new();
    for text in ["one", "two", "three"] {
        inbox.progress(text.into(), None);
    }
    assert!(matches!(inbox.next().await, CallEvent::Progress { text, .. } if text == "three"));
}
