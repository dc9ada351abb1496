//! [CAT-13] Sources that a server connects on demand, through the catalog's search.

use std::time::Instant;

use serde_json::json;
use tollgate_tests::{
    Script, World,
    events::content_text,
    eventually::{WITHIN, eventually_true},
    kernel::{Client, Kernel},
};

use super::{prints, serving, started, world};

const TRUSTED: &str = "trust = \"trusted\"";

async fn opened(more: &str) -> (World, Kernel, Client) {
    let world = world("sources", &format!("{TRUSTED}\n{more}"));
    let (kernel, session) = serving(&world, &Script::new()).await;
    (world, kernel, session)
}

/// The text of a search's answer.
async fn search(session: &Client, query: &str) -> String {
    let called = session.call("tool_search", &json!({ "query": query })).await.unwrap();
    content_text(&called.result)
}

async fn call(session: &Client, name: &str) -> String {
    let called = session.call(name, &json!({ "how": "ok" })).await.unwrap();
    content_text(&called.result)
}

/// A source's tools are there when it is connected, and not before.
#[tokio::test]
async fn a_source_is_connected_when_it_is_asked_for() {
    let (world, _kernel, session) = opened("").await;
    let nothing = search(&session, "omega sigma").await;
    assert!(!nothing.contains("mcp_alpha"), "{nothing}");
    assert_eq!(started(&world), [""; 0], "an unrelated query starts nothing");
    let unknown = session.call("mcp_alpha_list", &json!({})).await.unwrap();
    assert_eq!(unknown.class(), "unknown_tool");
    let found = search(&session, "alpha letters").await;
    assert!(found.contains("mcp_alpha_list") && found.contains("mcp_alpha_get"), "{found}");
    assert!(!found.contains("mcp_slow") && !found.contains("mcp_broken"), "{found}");
    assert_eq!(started(&world), ["hostile"]);
    // In the same turn, and in a session that began before.
    assert_eq!(call(&session, "mcp_alpha_list").await, "ok");
    let receipts = world.receipts(Some(&session.session));
    assert!(
        receipts.words().contains(&"mcp_alpha_list ok auto".to_owned()),
        "{:?}",
        receipts.words()
    );
}

/// A model's turn: the array does not change by what is found, but by what is activated.
#[tokio::test]
async fn a_turn_calls_what_its_search_has_connected() {
    let world = world("sources", TRUSTED);
    let script = Script::new()
        .call("tool_search", json!({ "query": "select:mcp_alpha_get" }))
        .call("tool_search", json!({ "query": "alpha letters" }))
        .call("mcp_alpha_list", json!({ "how": "ok" }))
        .text("{{last.content}}");
    let (kernel, session) = serving(&world, &script).await;
    let events = session.turn("go").await.unwrap().rest().await.unwrap();
    let of =
        |kind: &str| -> Vec<_> { events.iter().filter(|event| event["type"] == kind).collect() };
    let [changed] = of("catalog.changed")[..] else { panic!("{events:#?}") };
    assert_eq!(changed["added"], json!(["mcp_alpha_get", "mcp_alpha_list"]));
    assert_eq!((&changed["removed"], &changed["changed"]), (&json!([]), &json!([])));
    let ends: Vec<_> = of("tool.result").iter().map(|it| it["status"].clone()).collect();
    assert_eq!(ends.last(), Some(&json!("ok")), "{events:#?}");
    // Another session learns of it by its own search.
    let other = kernel.session(&world, &Script::new()).await;
    assert_eq!(call(&other, "mcp_alpha_get").await, "ok");
}

/// What is slow, broken or switched off is said with its state, within the time; nothing is invented.
#[tokio::test]
async fn sources_that_cannot_be_connected_are_told() {
    let (world, _kernel, session) = opened("").await;
    let broken = search(&session, "broken shards").await;
    assert!(broken.contains("no such key"), "{broken}");
    let slow = search(&session, "slow snails").await;
    assert!(slow.contains("not there within"), "{slow}");
    for name in ["mcp_slow_list", "mcp_broken_list", "mcp_off_list"] {
        let called = session.call(name, &json!({})).await.unwrap();
        assert_eq!(called.class(), "unknown_tool", "{name}");
    }
    assert_eq!(started(&world), ["hostile"]);
}

/// [KERN-03] A person who has had enough does not wait for what connects.
#[test]
fn discovery_is_cancelled() {
    let world = world("sources", &format!("{TRUSTED}\nsettings.discover = \"hang\""));
    let script = Script::new().call("tool_search", json!({ "query": "alpha" })).text("done");
    let kernel = world.exec(&script, "go").spawn();
    eventually_true("the server runs", || started(&world).contains(&"hostile".to_owned()));
    kernel.signal(nix::sys::signal::Signal::SIGINT);
    let ran = kernel.finish().code(130);
    let events = ran.events().well_formed();
    assert_eq!(events.results().len(), 1, "{ran}");
    assert!(!ran.text().contains("did not answer in time"), "{ran}");
    world.is_quiet();
}

/// A source that is switched off is not asked for.
#[tokio::test]
async fn a_disabled_source_starts_nothing() {
    let (world, _kernel, session) = opened("").await;
    let off = search(&session, "off darkness").await;
    assert!(!off.contains("mcp_off"), "{off}");
    assert_eq!(started(&world), [""; 0]);
}

/// A server that answers wrongly, not at all, or dies: told in time, and its other tools go on.
#[tokio::test]
async fn a_server_that_misbehaves_at_discovery() {
    for (how, why) in [
        ("unimplemented", "connects nothing on demand"),
        ("hang", "did not answer in time"),
        ("forged", "not what its digest says"),
        ("bad-tool", "is not usable"),
        ("die", "connection"),
    ] {
        let (world, _kernel, session) = opened(&format!("settings.discover = {how:?}")).await;
        let said = search(&session, "alpha letters").await;
        assert!(said.contains(why), "{how}: {said}");
        assert!(!said.contains("mcp_alpha"), "{how}: {said}");
        assert_eq!(call(&session, "look").await, "ok", "{how}");
        drop(world);
    }
}

/// [PROTO-08] A process that is started again connects what the one before had.
#[tokio::test]
async fn sources_come_back_with_their_server() {
    let (_world, _kernel, session) = opened("").await;
    search(&session, "alpha letters").await;
    session.call("change", &json!({ "how": "die" })).await.unwrap();
    // Until the new process has connected it, the server itself says what becomes of the call.
    assert_eq!(call(&session, "mcp_alpha_list").await, "ok");
    let give_up = Instant::now() + WITHIN;
    loop {
        let called = session.call("mcp_alpha_get", &json!({ "how": "ok" })).await.unwrap();
        if content_text(&called.result) == "ok" {
            return;
        }
        assert!(Instant::now() < give_up, "{called:?}");
    }
}

/// What was connected is not kept: the next kernel asks.
#[tokio::test]
async fn what_was_connected_is_not_kept() {
    let (world, kernel, session) = opened("").await;
    search(&session, "alpha letters").await;
    assert_eq!(call(&session, "mcp_alpha_list").await, "ok");
    drop((kernel, session));
    let listed = world.tollgate(["tools", "list"]).run().success();
    assert!(!listed.text().contains("mcp_alpha"), "{listed}");
    assert_eq!(prints(&world), 1);
}
