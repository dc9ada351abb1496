//! A live server that offers something else than its cache says: the running turn goes on with what it
//! had, the next one has the new tools and says so.

use serde_json::{Value, json};
use tollgate_tests::{Script, events::content_text, eventually::WITHIN, kernel::Client};

use super::{TRUSTED, prints, serving, world};

/// The events of a turn.
async fn turn(session: &Client) -> Vec<Value> {
    session.turn("go").await.unwrap().rest().await.unwrap()
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

/// The names of a turn's requests that are the hostile server's, a list each.
fn arrays(events: &[Value]) -> Vec<Vec<&str>> {
    of(events, "request.prepared").into_iter().map(ours).collect()
}

fn ours(event: &Value) -> Vec<&str> {
    let names = event["tool_names"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
    names.filter(|name| ["look", "again", "fresh"].contains(name)).collect()
}

/// What `shifted` of the test server is beside the tools before.
#[track_caller]
fn tells_the_shift(event: &Value) {
    let told = [&event["server"], &event["added"], &event["removed"], &event["changed"]];
    let expected = [json!("hostile"), json!(["fresh"]), json!(["again"]), json!(["look"])];
    assert_eq!(told, expected.each_ref(), "{event}");
}

/// [CAT-40] [CAT-02]
#[tokio::test]
async fn a_difference_is_taken_up_at_the_next_turn() {
    let world = world("shifty", TRUSTED);
    let script = Script::new()
        .call("look", json!({ "how": "ok" }))
        .call("change", json!({ "how": "ok" }))
        .text("one")
        .call("fresh", json!({ "how": "ok" }))
        .text("{{last.content}}")
        .text("three");
    let (kernel, session) = serving(&world, &script).await;
    let first = turn(&session).await;
    assert_eq!(of(&first, "catalog.changed").len(), 0, "{first:#?}");
    assert_eq!(arrays(&first), [["again", "look"]; 3], "a running turn's array stays as it is");
    let results = of(&first, "tool.result");
    // The tool that is another one now is not called; the one that is the same is.
    let (look, change) = (results[0], results[1]);
    assert_eq!(look["metadata"]["error"], "server_changed", "{look}");
    let text = content_text(look);
    for part in ["'look' was not called", "has changed since the catalog was made", "next turn"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(change["status"], "ok", "{change}");
    let second = turn(&session).await;
    tells_the_shift(of(&second, "catalog.changed")[0]);
    assert_eq!(arrays(&second), [["fresh", "look"]; 2]);
    let prepared = of(&second, "request.prepared")[0];
    assert_eq!(prepared["prefix_change_reason"], "catalog", "{prepared}");
    assert_eq!(of(&second, "tool.result")[0]["status"], "ok");
    let third = turn(&session).await;
    assert_eq!(of(&third, "catalog.changed").len(), 0, "it is told once");
    assert_eq!(prints(&world), 1);
    // What the live server said is what is kept.
    drop(kernel);
    let listed = world.tollgate(["tools", "list"]).run().success();
    assert!(listed.text().contains("fresh") && !listed.text().contains("again"), "{listed}");
    assert_eq!(prints(&world), 1);
}

/// [CAT-40] The next direct call has it as well.
#[tokio::test]
async fn a_difference_is_taken_up_by_the_next_call() {
    let world = world("shifty", TRUSTED);
    let (_kernel, session) = serving(&world, &Script::new()).await;
    let before = session.call("fresh", &json!({ "how": "ok" })).await.unwrap();
    assert_eq!(before.class(), "unknown_tool");
    session.call("change", &json!({ "how": "ok" })).await.unwrap();
    let after = session.call("fresh", &json!({ "how": "ok" })).await.unwrap();
    assert_eq!(content_text(&after.result), "ok");
    let gone = session.call("again", &json!({ "how": "ok" })).await.unwrap();
    assert_eq!(gone.class(), "unknown_tool");
}

/// Calls until a new tool is there.
async fn until_fresh(session: &Client) {
    let give_up = std::time::Instant::now() + WITHIN;
    loop {
        let called = session.call("fresh", &json!({ "how": "ok" })).await.unwrap();
        if content_text(&called.result) == "ok" {
            return;
        }
        assert!(std::time::Instant::now() < give_up, "the change is never taken up: {called:?}");
    }
}

/// [PROTO-04] `ManifestChanged` is heard while the server runs.
#[tokio::test]
async fn a_server_that_says_that_it_has_changed_is_asked() {
    let world = world("printing", TRUSTED);
    let (kernel, session) = serving(&world, &Script::new()).await;
    let mut watched = session.watch(true).await.unwrap();
    let called = session.call("change", &json!({ "how": "shift" })).await.unwrap();
    assert_eq!(content_text(&called.result), "shifted");
    until_fresh(&session).await;
    tells_the_shift(&watched.until("catalog.changed").await);
    // Another session has it from the start.
    let other = kernel.session(&world, &Script::new()).await;
    let called = other.call("fresh", &json!({ "how": "ok" })).await.unwrap();
    assert_eq!(content_text(&called.result), "ok");
}

/// A server that says so without end stops nothing, and is not asked without end.
#[tokio::test]
async fn a_flood_of_changes_is_one_change() {
    let world = world("printing", TRUSTED);
    let (_kernel, session) = serving(&world, &Script::new()).await;
    let called = session.call("change", &json!({ "how": "shift-flood" })).await.unwrap();
    assert_eq!(content_text(&called.result), "shifted");
    until_fresh(&session).await;
}

/// [PROTO-02] A server whose new manifest breaks the contract loses its tools at the next turn, with the
/// reason; calls that run meanwhile end well.
#[tokio::test]
async fn a_server_whose_new_manifest_is_broken_is_told() {
    let world = world("printing", TRUSTED);
    let (_kernel, session) = serving(&world, &Script::new()).await;
    let mut watched = session.watch(true).await.unwrap();
    let called = session.call("change", &json!({ "how": "shift-broken" })).await.unwrap();
    assert_eq!(content_text(&called.result), "shifted");
    let give_up = std::time::Instant::now() + WITHIN;
    let gone = loop {
        let called = session.call("look", &json!({ "how": "ok" })).await.unwrap();
        // Between the two it may be told that the server has changed.
        let text = content_text(&called.result);
        if text != "ok" && !text.contains("has changed since") {
            break called;
        }
        assert!(std::time::Instant::now() < give_up, "the change is never taken up: {called:?}");
    };
    let text = content_text(&gone.result);
    assert!(text.contains("not available") && text.contains("is not usable"), "{text}");
    let told = watched.until("catalog.changed").await;
    assert_eq!(told["removed"].as_array().unwrap().len(), 4, "{told}");
}

/// [PROTO-08] A server that died too often takes its tools with it, until somebody says otherwise.
#[tokio::test]
async fn the_tools_of_a_quarantined_server_leave() {
    let world = world("printing", TRUSTED);
    let script = Script::new().text("one").text("two");
    let (_kernel, session) = serving(&world, &script).await;
    assert_eq!(arrays(&turn(&session).await), [["again", "look"]]);
    for _ in 0..5 {
        session.call("change", &json!({ "how": "die" })).await.unwrap();
    }
    // The fifth death is seen by the call after it.
    session.call("look", &json!({ "how": "ok" })).await.unwrap();
    let called = session.call("look", &json!({ "how": "ok" })).await.unwrap();
    assert_eq!(called.class(), "server_unavailable", "{called:?}");
    assert!(content_text(&called.result).contains("quarantined"), "{called:?}");
    assert_eq!(arrays(&turn(&session).await), [[""; 0]]);
    world.tollgate(["servers", "restart", "hostile"]).run().success();
    let called = session.call("look", &json!({ "how": "ok" })).await.unwrap();
    assert_eq!(content_text(&called.result), "ok");
}

/// [PROTO-06] A server that only turns calls away is understood, and asked as well.
#[tokio::test]
async fn a_server_that_rejects_a_schema_is_asked() {
    let world = world("printing", TRUSTED);
    let (_kernel, session) = serving(&world, &Script::new()).await;
    let called = session.call("change", &json!({ "how": "shift-silently" })).await.unwrap();
    assert_eq!(called.receipt["end"]["error_class"], "schema_changed", "{called:?}");
    let text = content_text(&called.result);
    for part in ["did not run", "has changed since the catalog was made", "next turn"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(called.receipt["end"]["may_have_run"], false, "{called:?}");
    until_fresh(&session).await;
}
