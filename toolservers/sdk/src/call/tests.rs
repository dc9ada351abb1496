//! Goal: a call's line to the kernel is bounded and never waits for anybody but its own reader.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tollgate_proto::{
    limits::{OUTPUT_BYTES_MAX, OUTPUT_CREDIT_BYTES},
    tool::v1::{Reply, ServerFrame, called, reply, server_frame::Frame},
};
use tonic::Status;

use super::Line;
use crate::{Called, CancelReason, Channel, Ending, HostError};

type Incoming = mpsc::Receiver<Result<ServerFrame, Status>>;

fn line(frames: usize) -> (Line, Incoming, CancellationToken) {
    let (outgoing, incoming) = mpsc::channel(frames);
    (Line::new("call-1".into(), outgoing, Default::default()), incoming, CancellationToken::new())
}

fn frame(incoming: &mut Incoming) -> Option<Frame> {
    incoming.try_recv().ok().map(|frame| frame.unwrap().frame.unwrap())
}

#[tokio::test]
async fn output_is_cut_into_pieces_and_stops_at_the_credit() {
    let (line, mut incoming, cancelled) = line(64);
    let data = vec![b'o'; OUTPUT_CREDIT_BYTES as usize + 1];
    let sending = tokio::spawn({
        let line = line.clone();
        async move { line.output(Channel::Terminal, &data, &cancelled).await }
    });
    let mut bytes = 0;
    while bytes < OUTPUT_CREDIT_BYTES as usize {
        let Some(Frame::Output(output)) = incoming.recv().await.unwrap().unwrap().frame else {
            panic!("no output");
        };
        assert!(output.data.len() <= OUTPUT_BYTES_MAX);
        bytes += output.data.len();
    }
    tokio::task::yield_now().await;
    assert!(frame(&mut incoming).is_none() && !sending.is_finished());
    line.add_credit(1);
    assert!(sending.await.unwrap().is_ok());
    assert!(matches!(frame(&mut incoming), Some(Frame::Output(output)) if output.data.len() == 1));
}

#[tokio::test]
async fn a_call_that_waits_for_credit_can_be_cancelled() {
    let (line, _incoming, cancelled) = line(64);
    let stop = cancelled.clone();
    let data = vec![0; OUTPUT_CREDIT_BYTES as usize + 1];
    let sending =
        tokio::spawn(async move { line.output(Channel::Result, &data, &cancelled).await });
    tokio::task::yield_now().await;
    stop.cancel();
    assert!(matches!(sending.await.unwrap(), Err(HostError::Cancelled)));
}

/// A kernel that grants without end must not panic the semaphore.
#[test]
fn credit_without_end_is_harmless() {
    let (line, ..) = line(1);
    for _ in 0..10 {
        line.add_credit(u32::MAX);
    }
}

#[test]
fn progress_never_waits_and_comes_seldom() {
    let (line, mut incoming, _) = line(1);
    line.progress("one".into(), Some(0.5));
    line.progress("two, at once after one".into(), None);
    assert!(matches!(frame(&mut incoming), Some(Frame::Progress(said)) if said.text == "one"));
    assert!(frame(&mut incoming).is_none());
}

#[test]
fn progress_is_dropped_when_the_queue_is_full_and_is_bounded() {
    let (full, mut incoming, _) = line(1);
    full.0.outgoing.try_send(Ok(ServerFrame::default())).unwrap();
    full.progress("dropped".into(), None);
    assert!(incoming.try_recv().unwrap().unwrap().frame.is_none());
    assert!(incoming.try_recv().is_err());

    let (long, mut incoming, _) = line(1);
    long.progress("ü".repeat(2_000), None);
    assert!(matches!(frame(&mut incoming), Some(Frame::Progress(said)) if said.text.len() == 1024));
}

#[test]
fn the_first_reason_to_stop_is_the_reason() {
    let (line, ..) = line(1);
    assert_eq!(line.cancel_reason(), None);
    line.stop(CancelReason::Deadline);
    line.stop(CancelReason::User);
    assert_eq!(line.cancel_reason(), Some(CancelReason::Deadline));
}

/// Asks for a tool, lets the kernel answer with `answer`, and gives the end.
async fn asked(answer: Option<reply::Reply>) -> Result<Called, HostError> {
    let (line, mut incoming, cancelled) = line(8);
    let asking = tokio::spawn({
        let line = line.clone();
        async move { line.call_tool("read", "{}".into(), &cancelled).await }
    });
    let Some(Frame::Host(host)) = incoming.recv().await.unwrap().unwrap().frame else {
        panic!("no host request");
    };
    // Answers to nothing are ignored.
    let reply = |request_id, reply| Reply { call_id: "call-1".into(), request_id, reply };
    line.answer(reply(host.request_id + 1, Some(reply::Reply::Refused("other".into()))));
    line.answer(reply(host.request_id, answer));
    asking.await.unwrap()
}

#[tokio::test]
async fn the_kernels_answer_reaches_the_call() {
    let ending = called::Ending::Succeeded.into();
    let answer =
        tollgate_proto::tool::v1::Called { ending, result: "{}".into(), ..Default::default() };
    let called = asked(Some(reply::Reply::Called(answer))).await.unwrap();
    assert_eq!((called.ending, &called.result[..]), (Ending::Succeeded, &b"{}"[..]));
}

#[tokio::test]
async fn a_refusal_and_an_answer_that_is_none_are_refusals() {
    for (answer, word) in [
        (Some(reply::Reply::Refused("plan mode".into())), "plan mode"),
        (Some(reply::Reply::Value("{}".into())), "kind"),
        (Some(reply::Reply::Data("x".into())), "kind"),
        (None, "kind"),
    ] {
        let error = asked(answer).await.unwrap_err();
        assert!(matches!(&error, HostError::Refused(why) if why.contains(word)), "{error:?}");
    }
}
