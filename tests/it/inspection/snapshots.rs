//! `GetSnapshot`, and the toolbox seen through it.

use serde_json::{Value, json};
use tollgate_proto::kernel::v1::GetSnapshotRequest;
use tollgate_tests::{
    Script, World,
    kernel::{Client, Kernel},
    peer::within,
};

use super::{digest, payload};

async fn snapshot(session: &Client) -> Value {
    let request = GetSnapshotRequest { session: session.session.clone() };
    let mut rpc = session.rpc.clone();
    let answer = within(rpc.get_snapshot(request)).await.unwrap().into_inner();
    assert!(!answer.callers.is_empty());
    serde_json::from_slice(&answer.snapshot).unwrap()
}

/// `[CAT-31, 34]`: before the first request what it would carry, marked so; then what the latest carried, the
/// same as `tools payload` shows of it.
#[tokio::test]
async fn a_client_sees_the_latest_prepared_request() {
    let world = World::new();
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, &Script::new().text("one").text("two")).await;
    let before = snapshot(&session).await;
    assert_eq!((&before["prepared"], &before["snapshot"]), (&json!(false), &Value::Null));
    assert_eq!(before["tools"][0]["name"], "read");
    let events = session.turn("go").await.unwrap().rest().await.unwrap();
    let event = events.iter().find(|event| event["type"] == "request.prepared").unwrap();
    let now = snapshot(&session).await;
    assert_eq!(now["prepared"], true);
    assert_eq!(now["tools_sha256"], event["active_tool_catalog_sha256"]);
    assert_eq!(now["tools_sha256"], before["tools_sha256"], "what was promised");
    let shown = payload(&world, &["--session", &session.session]);
    assert_eq!(now["snapshot"], shown["snapshot"]);
    session.stance("plan", "never").await.unwrap();
    session.turn("more").await.unwrap().rest().await.unwrap();
    let next = snapshot(&session).await;
    assert_eq!(next["snapshot"]["request"]["turn"], 2);
    // `[CODE-05]`: plan takes programs off the end, and nothing else.
    let mut planned = now["tools"].as_array().unwrap().clone();
    assert_eq!(planned.pop().unwrap()["name"], "execute_tools");
    assert_eq!(next["tools"], json!(planned), "the wire is otherwise as it was");
    let surface = &next["snapshot"]["surface"];
    assert_eq!((&surface["mode"], &surface["posture"]), (&json!("plan"), &json!("never")));
    assert_eq!(now["snapshot"]["surface"]["posture"], "ask");
    let write = &surface["tools"][1];
    assert_eq!(
        (&write["name"], &write["approval"]["requires"]),
        (&json!("write"), &json!("refused"))
    );
}

/// `[CAT-02, 20, 30]` B127: a reason is told exactly when the bytes change; the new tool is shown as activated.
#[test]
fn a_reason_is_told_only_when_the_bytes_change() {
    let world = World::new().hostile("plain", "trust = \"trusted\"");
    let script = Script::new()
        .call("read", json!({ "path": "none.txt" }))
        .call("tool_search", json!({ "query": "select:look" }))
        .call("read", json!({ "path": "none.txt" }))
        .text("done");
    let ran = super::recorded_turn(&world, &script, &[]).success();
    let events = ran.events().well_formed();
    let prepared = events.of("request.prepared");
    let reasons: Vec<_> = prepared
        .iter()
        .map(|event| event["prefix_change_reason"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(reasons, ["-", "-", "toolbox", "-"]);
    let digests: Vec<_> =
        (1..=4).map(|n| super::recorded(&world, &format!("{n:04}.json")).0).collect();
    assert_eq!((&digests[0], &digests[2]), (&digests[1], &digests[3]));
    for (event, digest) in prepared.iter().zip(&digests) {
        assert_eq!(event["active_tool_catalog_sha256"], *digest);
    }
    let shown = payload(&world, &[]);
    let tools = shown["snapshot"]["surface"]["tools"].as_array().unwrap();
    let look = tools.last().unwrap();
    assert_eq!((&look["name"], &look["visibility"]), (&json!("look"), &json!("toolbox")));
    assert_eq!(look["provenance"], "plugin");
    // Both arrays are kept, each under its digest.
    for id in [&digests[0], &digests[3]] {
        let kept = world.tollgate(["artifacts", "show", id]).run().success();
        assert_eq!(digest(&kept.stdout), *id);
    }
}
