//! Calls that broke the contract: each is answered, none runs, and the session goes on ([PROTO-06]).

use tollgate_proto::{
    limits::INLINE_BYTES_MAX,
    tool::v1::{
        BlobRef, GrantClaims, Start,
        accepted::Disposition,
        completed::{Effects, Outcome, Rejection},
        server_frame::Frame,
    },
};

use super::{text, words};
use crate::{
    grants::unix_ms,
    testing::{World, arguments, signed},
};

/// A call whose `Start` was changed is rejected with this, before any code of the tool ran.
async fn check(change: impl FnOnce(&mut Start, GrantClaims), expected: Rejection) {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let mut start = world.call("call-1", "answer", 1);
    change(&mut start, world.claims("call-1", &arguments("answer", 1)));
    let (frames, completed) = kernel.call(start).await;
    assert_eq!(words(&frames), [""; 0], "{expected:?}");
    assert_eq!(completed.outcome(), Outcome::Rejected, "{expected:?}");
    assert_eq!(completed.rejection(), expected, "{completed:?}");
    assert_eq!((completed.effects(), world.ran()), (Effects::None, 0), "{expected:?}");
    assert!(!text(&completed).is_empty());
    // Nothing of it is left: the id is free, the session lives.
    let (_, completed) = kernel.call(world.call("call-1", "answer", 1)).await;
    assert_eq!((completed.outcome(), world.ran()), (Outcome::Succeeded, 1), "{expected:?}");
}

fn regranted(change: impl Fn(&mut GrantClaims)) -> impl Fn(&mut Start, GrantClaims) {
    move |start, mut claims| {
        change(&mut claims);
        start.grant = Some(signed(&claims));
    }
}

#[tokio::test]
async fn nothing_runs_without_a_grant() {
    check(|start, _| start.grant = None, Rejection::GrantMissing).await;
}

#[tokio::test]
async fn nothing_runs_with_a_forged_grant() {
    let forged = |start: &mut Start, _| {
        start.grant.as_mut().unwrap().signature = vec![0; 32].into();
    };
    check(forged, Rejection::GrantInvalid).await;
    check(regranted(|claims| claims.key_id = "key-2".into()), Rejection::GrantInvalid).await;
    check(regranted(|claims| claims.nonce.clear()), Rejection::GrantInvalid).await;
    let too_long = |claims: &mut GrantClaims| claims.expires_unix_ms = u64::MAX;
    check(regranted(too_long), Rejection::GrantInvalid).await;
}

#[tokio::test]
async fn nothing_runs_late() {
    check(regranted(|claims| claims.expires_unix_ms = unix_ms()), Rejection::GrantExpired).await;
}

#[tokio::test]
async fn nothing_runs_with_the_grant_of_another_call() {
    let changes: [fn(&mut GrantClaims); 6] = [
        |claims| claims.server = "probe".into(),
        |claims| claims.instance = "before-the-restart".into(),
        |claims| claims.session = "session-2".into(),
        |claims| claims.call_id = "call-2".into(),
        |claims| claims.attempt = 2,
        |claims| claims.tool = "other".into(),
    ];
    for change in changes {
        check(regranted(change), Rejection::GrantAudience).await;
    }
}

#[tokio::test]
async fn nothing_runs_with_other_bytes_or_another_schema() {
    let other = |start: &mut Start, _| start.arguments = arguments("answer", 2).into();
    check(other, Rejection::ArgumentsDigest).await;
    let schema = |claims: &mut GrantClaims| claims.schema_sha256 = vec![0; 32].into();
    check(regranted(schema), Rejection::SchemaChanged).await;
    let blob = |start: &mut Start, _| start.arguments_blob = Some(BlobRef::default());
    check(blob, Rejection::ArgumentsDigest).await;
}

#[tokio::test]
async fn nothing_runs_that_is_not_there_or_too_large() {
    check(|start, _| start.tool = "other".into(), Rejection::UnknownTool).await;
    let large = |start: &mut Start, _| start.arguments = vec![b' '; INLINE_BYTES_MAX + 1].into();
    check(large, Rejection::LimitExceeded).await;
    check(|start, _| start.call_id.clear(), Rejection::LimitExceeded).await;
    check(|start, _| start.call_id = "c".repeat(65), Rejection::LimitExceeded).await;
}

#[tokio::test]
async fn a_grant_runs_once() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let start = world.call("call-1", "answer", 1);
    assert_eq!(kernel.call(start.clone()).await.1.outcome(), Outcome::Succeeded);
    let (_, completed) = kernel.call(start).await;
    assert_eq!((completed.rejection(), world.ran()), (Rejection::GrantReplayed, 1));
}

/// [PROTO-08]: the same id with the same bytes under a new grant is answered from memory.
#[tokio::test]
async fn a_call_id_runs_once() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let (_, first) = kernel.call(world.call("call-1", "answer", 3)).await;
    let (frames, again) = kernel.call(world.call("call-1", "answer", 3)).await;
    assert_eq!(words(&frames), ["accepted"]);
    let Frame::Accepted(accepted) = &frames[0] else { panic!() };
    assert_eq!(accepted.disposition(), Disposition::Replayed);
    assert_eq!((again, world.ran()), (first, 1));

    let (frames, other) = kernel.call(world.call("call-1", "answer", 4)).await;
    assert_eq!(words(&frames), [""; 0]);
    assert_eq!((other.rejection(), world.ran()), (Rejection::DuplicateCall, 1));
}

#[tokio::test]
async fn a_running_call_id_is_taken() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    kernel.start(world.call("call-1", "wait", 0)).await;
    assert!(matches!(kernel.next().await, Frame::Accepted(_)));
    let (_, completed) = kernel.call(world.call("call-1", "wait", 0)).await;
    assert_eq!(completed.rejection(), Rejection::DuplicateCall);
    // The first is not disturbed.
    kernel.cancel("call-1", 1_000).await;
    assert_eq!(kernel.rest().await.1.outcome(), Outcome::Cancelled);
    assert_eq!(world.ran(), 1);
}

/// Across sessions too: another kernel's session of the same name cannot run the id again.
#[tokio::test]
async fn a_call_id_that_runs_in_another_stream_is_taken() {
    let world = World::start().await;
    let (mut one, mut two) = (world.attach().await, world.attach().await);
    one.start(world.call("call-1", "wait", 0)).await;
    assert!(matches!(one.next().await, Frame::Accepted(_)));
    let (_, completed) = two.call(world.call("call-1", "wait", 0)).await;
    assert_eq!((completed.rejection(), world.ran()), (Rejection::DuplicateCall, 1));
}

#[tokio::test]
async fn more_calls_than_the_server_runs_are_refused() {
    let world = World::start().await;
    let mut kernel = world.attach().await;
    let max = crate::limits::CALLS_MAX;
    for n in 0..max {
        kernel.start(world.call(&format!("call-{n}"), "wait", 0)).await;
    }
    let (_, completed) = kernel.call(world.call("one-more", "answer", 1)).await;
    assert_eq!(
        (completed.call_id.as_str(), completed.rejection()),
        ("one-more", Rejection::Overloaded)
    );
    kernel.cancel("call-0", 1_000).await;
    assert_eq!(kernel.rest().await.1.call_id, "call-0");
}
