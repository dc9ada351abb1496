//! How a session ends, and what is left of it: nothing.

use tollgate_proto::tool::v1::{
    Attach, Credit, GetExecutionRequest, GetExecutionResponse,
    completed::{Effects, Outcome, Rejection},
    get_execution_response::State,
    kernel_frame,
    server_frame::Frame,
};
use tonic::Code;

use super::{text, words};
use crate::testing::{Kernel, SESSION, World, attach};

/// The status that a stream ends with, past its heartbeats.
async fn status(kernel: &mut Kernel) -> Option<(Code, String)> {
    while let Some(frame) = kernel.frame().await {
        match frame {
            Ok(Frame::Heartbeat(_)) => {}
            Ok(other) => panic!("{other:?}"),
            Err(status) => return Some((status.code(), status.message().to_owned())),
        }
    }
    None
}

/// What the server knows of a call, once it no longer runs. For tests with paused time.
async fn execution(world: &World, call_id: &str) -> GetExecutionResponse {
    let asked = GetExecutionRequest { session: SESSION.into(), call_id: call_id.into() };
    loop {
        let told = world.client().get_execution(asked.clone()).await.unwrap().into_inner();
        if told.state() != State::Running {
            return told;
        }
        // Paused time: nothing waits.
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

/// A call that waits to be cancelled, accepted.
async fn waiting(world: &World, kernel: &mut Kernel) {
    kernel.start(world.call("call-1", "wait", 0)).await;
    assert!(matches!(kernel.next().await, Frame::Accepted(_)));
}

#[tokio::test]
async fn the_first_frame_is_attach() {
    let world = World::start().await;
    let credit = Credit { call_id: "call-1".into(), bytes: 1 };
    let mut kernel = world.session(kernel_frame::Frame::Credit(credit)).await;
    let (code, why) = status(&mut kernel).await.unwrap();
    assert_eq!(code, Code::InvalidArgument);
    assert!(why.contains("Attach"), "{why}");
}

#[tokio::test]
async fn a_stream_is_of_one_session() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    kernel.send(attach(SESSION)).await;
    kernel.send(attach("session-2")).await;
    let (code, why) = status(&mut kernel).await.unwrap();
    assert_eq!(code, Code::InvalidArgument);
    assert!(why.contains("another session"), "{why}");
}

/// A dead laptop leaves nothing running: its stream ends, its calls are told to stop.
#[tokio::test(start_paused = true)]
async fn calls_stop_when_the_stream_ends() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    waiting(&world, &mut kernel).await;
    drop(kernel);
    let told = execution(&world, "call-1").await.completed.unwrap();
    assert_eq!((told.outcome(), text(&told)), (Outcome::Cancelled, "Some(Session)"));
}

/// … and one that does not hear is ended.
#[tokio::test(start_paused = true)]
async fn a_deaf_call_is_ended_when_the_stream_ends() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    kernel.start(world.call("call-1", "deaf", 0)).await;
    assert!(matches!(kernel.next().await, Frame::Accepted(_)));
    drop(kernel);
    let told = execution(&world, "call-1").await.completed.unwrap();
    assert_eq!((told.outcome(), told.effects()), (Outcome::Cancelled, Effects::Unknown));
}

/// A stream that stays open in silence: the machine sleeps, or the kernel hangs.
#[tokio::test(start_paused = true)]
async fn calls_stop_when_the_lease_passes() {
    let world = World::start().await;
    let lease = Attach { session: SESSION.into(), lease_ms: 10_000, heartbeat_ms: 1_000 };
    let mut kernel = world.session(kernel_frame::Frame::Attach(lease)).await;
    waiting(&world, &mut kernel).await;
    let before = tokio::time::Instant::now();
    let (frames, completed) = kernel.rest().await;
    assert_eq!(words(&frames), [""; 0]);
    assert_eq!((completed.outcome(), text(&completed)), (Outcome::Cancelled, "Some(Session)"));
    let silent = before.elapsed().as_millis();
    assert!((9_000..11_000).contains(&silent), "{silent}");
    assert_eq!(status(&mut kernel).await, None);
}

#[tokio::test(start_paused = true)]
async fn any_frame_renews_the_lease() {
    let world = World::start().await;
    let lease = Attach { session: SESSION.into(), lease_ms: 10_000, heartbeat_ms: 1_000 };
    let mut kernel = world.session(kernel_frame::Frame::Attach(lease)).await;
    waiting(&world, &mut kernel).await;
    let before = tokio::time::Instant::now();
    // Frames come with the server's heartbeats, far beyond one lease.
    for _ in 0..30 {
        let beat = kernel.frame().await.unwrap().unwrap();
        assert!(matches!(beat, Frame::Heartbeat(beat) if beat.calls <= 1));
        kernel.credit("nobody", 1).await;
    }
    assert!(before.elapsed().as_secs() >= 25);
    kernel.cancel("call-1", 1_000).await;
    assert_eq!(text(&kernel.rest().await.1), "Some(Deadline)");
}

/// A peer that connects and says nothing holds no session for ever.
#[tokio::test(start_paused = true)]
async fn a_kernel_that_never_attaches_is_sent_away() {
    let world = World::start().await;
    let (_silent, frames) = tokio::sync::mpsc::channel(1);
    let frames = tokio_stream::wrappers::ReceiverStream::new(frames);
    let mut answers = world.client().session(frames).await.unwrap().into_inner();
    let ended = answers.message().await.unwrap_err();
    assert_eq!(ended.code(), Code::DeadlineExceeded);
}

/// Draining: told, no new calls, running ones end, then the stream and the server.
#[tokio::test]
async fn a_draining_server_finishes_what_runs_and_takes_nothing_new() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    waiting(&world, &mut kernel).await;
    world.draining.cancel();
    assert!(matches!(kernel.next().await, Frame::Draining(told) if told.within_ms > 0));
    let (_, refused) = kernel.call(world.call("call-2", "answer", 1)).await;
    assert_eq!((refused.rejection(), world.ran()), (Rejection::Draining, 1));
    kernel.cancel("call-1", 1_000).await;
    assert_eq!(kernel.rest().await.1.outcome(), Outcome::Cancelled);
    assert_eq!(status(&mut kernel).await, None);
    world.served.await.unwrap().unwrap();
}

/// [PROTO-08]: what became of a call is told after the stream broke, to its session only.
#[tokio::test(start_paused = true)]
async fn what_became_of_a_call_is_told_after_the_stream() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let (_, completed) = kernel.call(world.call("call-1", "answer", 3)).await;
    drop(kernel);
    let told = execution(&world, "call-1").await;
    assert_eq!((told.state(), told.completed.as_ref()), (State::Done, Some(&completed)));
    assert_eq!(execution(&world, "call-2").await.state(), State::Unknown);
    let other = GetExecutionRequest { session: "session-2".into(), call_id: "call-1".into() };
    let told = world.client().get_execution(other).await.unwrap().into_inner();
    assert_eq!((told.state(), told.completed), (State::Unknown, None));
}

/// A kernel that asks on and on without reading is sent away; the server's memory is bounded.
#[tokio::test]
async fn a_kernel_that_does_not_read_is_sent_away() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    for n in 0..=crate::limits::ANSWERS_MAX {
        kernel.prepare(&format!("call-{n}"), "dawdle", 0).await;
    }
    let (code, _) = status(&mut kernel).await.unwrap();
    assert_eq!(code, Code::ResourceExhausted);
}

/// What a call left running is told when the session has ended, and not when the call has.
#[tokio::test]
async fn what_outlives_its_call_is_told_of_the_sessions_end() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    kernel.call(world.call("call-1", "answer", 1)).await;
    let over = world.probe.session_over.lock().unwrap().clone();
    assert!(!over.is_cancelled());
    drop(kernel);
    over.cancelled().await;
}
