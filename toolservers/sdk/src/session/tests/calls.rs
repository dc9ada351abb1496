//! Calls of a session that lives.

use std::collections::BTreeSet;

use tollgate_proto::{
    limits::OUTPUT_CREDIT_BYTES,
    tool::v1::{
        Called, Reply, Start,
        accepted::Disposition,
        completed::{Effects, Outcome},
        kernel_frame, prepared, reply,
        server_frame::Frame,
    },
};

use super::{text, words};
use crate::testing::World;

#[tokio::test]
async fn a_heartbeat_comes_at_once() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let first = kernel.frame().await.unwrap().unwrap();
    assert!(matches!(first, Frame::Heartbeat(beat) if beat.calls == 0));
}

#[tokio::test]
async fn accepted_comes_first_and_completed_last() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let (frames, completed) = kernel.call(world.call("call-1", "output", 100_000)).await;
    assert_eq!(words(&frames), ["accepted", "output", "output"]);
    let Frame::Accepted(accepted) = &frames[0] else { panic!() };
    assert_eq!(accepted.disposition(), Disposition::Fresh);
    assert_eq!((completed.call_id.as_str(), text(&completed)), ("call-1", "sent"));
    assert_eq!((completed.outcome(), completed.effects()), (Outcome::Succeeded, Effects::Complete));
}

#[tokio::test]
async fn a_failing_tool_is_an_answer() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let (frames, completed) = kernel.call(world.call("call-1", "fail", 0)).await;
    assert_eq!(words(&frames), ["accepted"]);
    assert_eq!((completed.outcome(), completed.effects()), (Outcome::Failed, Effects::None));
    assert_eq!((completed.error_class.as_str(), text(&completed)), ("not_found", "nothing there"));
}

#[tokio::test]
async fn a_panic_is_a_failure_of_its_call_alone() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let (_, completed) = kernel.call(world.call("call-1", "panic", 0)).await;
    assert_eq!((completed.outcome(), completed.effects()), (Outcome::Failed, Effects::Unknown));
    assert_eq!(completed.error_class, "panic");
    let (_, completed) = kernel.call(world.call("call-2", "answer", 3)).await;
    assert_eq!(text(&completed), "xxx");
}

/// The kernel has checked them; a server checks again.
#[tokio::test]
async fn arguments_that_do_not_fit_never_reach_the_tool() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    for (call_id, arguments, word) in [
        ("call-1", r#"{"action":"answer","byte":1}"#, "/byte: unknown field"),
        ("call-2", r#"{"action":"answer","bytes":100000001}"#, "/bytes: "),
        ("call-3", "{", "not JSON"),
    ] {
        let grant = crate::testing::signed(&world.claims(call_id, arguments));
        let start = Start {
            arguments: arguments.into(),
            grant: Some(grant),
            ..world.call(call_id, "answer", 0)
        };
        let (_, completed) = kernel.call(start).await;
        assert_eq!(completed.error_class, "invalid_arguments");
        assert!(text(&completed).contains(word), "{completed:?}");
    }
    assert_eq!(world.ran(), 0);
}

/// Credit is per call: one that has used its own waits, and another is not held up.
#[tokio::test]
async fn a_call_without_credit_blocks_no_other() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let credit = OUTPUT_CREDIT_BYTES as usize;
    kernel.start(world.call("slow", "output", credit + 65_536)).await;
    kernel.start(world.call("quick", "output", credit)).await;
    let (mut frames, completed) = kernel.rest().await;
    assert_eq!(completed.call_id, "quick");
    kernel.credit("other", 1_000_000).await;
    kernel.start(world.call("next", "answer", 1)).await;
    let (more, completed) = kernel.rest().await;
    assert_eq!(completed.call_id, "next");
    frames.extend(more);
    let sent = |frames: &[Frame]| {
        let bytes = frames.iter().map(|frame| {
            let Frame::Output(output) = frame else { return 0 };
            if output.call_id == "slow" { output.data.len() } else { 0 }
        });
        bytes.sum::<usize>()
    };
    assert_eq!(sent(&frames), credit, "the slow call sent more than it was allowed");
    kernel.credit("slow", 65_536).await;
    let (rest, completed) = kernel.rest().await;
    assert_eq!((completed.call_id.as_str(), sent(&rest)), ("slow", 65_536));
}

/// [PROTO-04]: 64 calls, of which a third never get credit; all others end, and those end when told.
#[tokio::test]
async fn many_calls_of_which_some_are_never_read() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let call_id = |n: usize| format!("call-{n}");
    let stuck: BTreeSet<String> = (0..64).filter(|n| n % 3 == 0).map(call_id).collect();
    for n in 0..64 {
        let id = call_id(n);
        let more = if stuck.contains(&id) { OUTPUT_CREDIT_BYTES as usize } else { 0 };
        kernel.start(world.call(&id, "output", more + 20_000)).await;
    }
    let mut ended = BTreeSet::new();
    while ended.len() < 64 - stuck.len() {
        let (_, completed) = kernel.rest().await;
        assert_eq!(completed.outcome(), Outcome::Succeeded);
        ended.insert(completed.call_id);
    }
    assert!(ended.is_disjoint(&stuck));
    for id in &stuck {
        kernel.cancel(id, 1_000).await;
    }
    let mut cancelled = BTreeSet::new();
    while cancelled.len() < stuck.len() {
        let (_, completed) = kernel.rest().await;
        assert_eq!(completed.outcome(), Outcome::Cancelled);
        cancelled.insert(completed.call_id);
    }
    assert_eq!((cancelled, world.ran()), (stuck, 64));
}

/// Calls answer in their own order, each with its own frames.
#[tokio::test]
async fn calls_do_not_wait_for_each_other() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    kernel.start(world.call("first", "wait", 0)).await;
    let (frames, completed) = kernel.call(world.call("second", "answer", 1)).await;
    assert_eq!(completed.call_id, "second");
    assert_eq!(words(&frames), ["accepted", "accepted"]);
    kernel.cancel("first", 1_000).await;
    assert_eq!(kernel.rest().await.1.call_id, "first");
}

#[tokio::test]
async fn a_cancelled_call_says_what_it_did() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    kernel.start(world.call("call-1", "wait", 0)).await;
    kernel.cancel("call-1", 1_000).await;
    // A second word changes nothing, and one for another call is ignored.
    kernel.cancel("call-1", 0).await;
    kernel.cancel("call-9", 0).await;
    let (frames, completed) = kernel.rest().await;
    assert_eq!(words(&frames), ["accepted"]);
    assert_eq!((completed.outcome(), completed.effects()), (Outcome::Cancelled, Effects::Partial));
    assert_eq!(text(&completed), "Some(Deadline)");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_hear_is_ended_after_the_grace() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    kernel.start(world.call("call-1", "deaf", 0)).await;
    assert!(matches!(kernel.next().await, Frame::Accepted(_)));
    let before = tokio::time::Instant::now();
    kernel.cancel("call-1", 3_000).await;
    let (_, completed) = kernel.rest().await;
    assert!(before.elapsed().as_millis() >= 3_000, "{:?}", before.elapsed());
    assert_eq!((completed.outcome(), completed.effects()), (Outcome::Cancelled, Effects::Unknown));
}

/// [PROTO-05]
#[tokio::test]
async fn a_call_asks_the_kernel_and_gets_its_answer() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    kernel.start(world.call("call-1", "ask", 0)).await;
    assert!(matches!(kernel.next().await, Frame::Accepted(_)));
    let Frame::Host(host) = kernel.next().await else { panic!("no host request") };
    let reply = |call_id: &str, reply| {
        let (call_id, request_id) = (call_id.to_owned(), host.request_id);
        kernel_frame::Frame::Reply(Reply { call_id, request_id, reply: Some(reply) })
    };
    // The answer to another call's request is not this call's.
    kernel.send(reply("call-2", reply::Reply::Refused("no".into()))).await;
    kernel
        .send(reply(
            "call-1",
            reply::Reply::Called(Called { ending: 1, result: "{}".into(), ..Called::default() }),
        ))
        .await;
    let (_, completed) = kernel.rest().await;
    assert_eq!(completed.outcome(), Outcome::Succeeded);
}

async fn prepared(action: &str, count: usize) -> prepared::Result {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    kernel.prepare("call-1", action, count).await;
    let Frame::Prepared(prepared) = kernel.next().await else { panic!("not prepared") };
    assert_eq!((prepared.call_id.as_str(), world.ran()), ("call-1", 0));
    prepared.result.unwrap()
}

#[track_caller]
fn invalid(result: prepared::Result, pointer: &str, class: &str) {
    let prepared::Result::Invalid(invalid) = result else { panic!("{result:?}") };
    assert_eq!((invalid.pointer.as_str(), invalid.error_class.as_str()), (pointer, class));
}

/// [PROTO-03]
#[tokio::test]
async fn prepared_says_what_the_call_would_do() {
    let prepared::Result::Preparation(said) = prepared("answer", 256).await else {
        panic!("invalid")
    };
    assert_eq!((said.subjects.len(), said.title.as_str()), (256, "Probe"));
    assert!(said.safety.unwrap().read_only);
}

#[tokio::test]
async fn a_call_that_cannot_work_is_invalid() {
    invalid(prepared("invalid", 0).await, "/action", "invalid_arguments");
    invalid(prepared("nonsense", 0).await, "/action", "invalid_arguments");
    // What a person cannot look through is not asked.
    invalid(prepared("answer", 257).await, "", "invalid_arguments");
    invalid(prepared("panic", 0).await, "", "panic");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_thinks_too_long_is_invalid() {
    invalid(prepared("dawdle", 0).await, "", "timeout");
}
