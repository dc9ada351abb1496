//! What is opened, shared, listed and closed, and how wrong requests are answered.

use serde_json::{Value, json};
use tollgate_proto::kernel::v1::{
    DecideRequest, GetSnapshotRequest, ListReceiptsRequest, OpenSessionRequest, SearchToolsRequest,
    decide_request::Answer,
};
use tollgate_tests::{Script, peer::within};
use tonic::Code;

use super::{serving, touch};

/// [TURN-01] Sessions are opened, shared, closed and resumed; what is wrong is told by field.
#[tokio::test]
async fn sessions_are_opened_closed_and_resumed() {
    let script = Script::new().text("first").text("second");
    let (world, kernel, session) = serving(&script).await;
    assert_eq!(
        session.turn("one").await.unwrap().rest().await.unwrap().last().unwrap()["text"],
        "first"
    );
    session.stance("plan", "never").await.unwrap();
    let resume =
        OpenSessionRequest { session: session.session.clone(), ..OpenSessionRequest::default() };
    let shared = kernel.open(resume.clone()).await.unwrap();
    assert_eq!(shared.session, session.session, "it is open: the same one");
    let model = OpenSessionRequest { model: "script:/other".into(), ..resume.clone() };
    assert_eq!(kernel.open(model).await.unwrap_err().code(), Code::FailedPrecondition);
    // Another kernel must not have it, too.
    let held = world.tollgate(["resume", &session.session, "x"]).run();
    assert!(held.code != 0 && held.stderr.contains("another kernel"), "{held}");
    session.close().await.unwrap();
    assert_eq!(session.close().await.unwrap_err().code(), Code::NotFound);
    let gone = session.turn("more").await.unwrap_err();
    assert!(gone.code() == Code::NotFound && gone.message().contains("OpenSession"), "{gone}");
    let resumed = kernel.open(resume).await.unwrap();
    assert_eq!(resumed.session, session.session);
    let mut turn = resumed.turn("two").await.unwrap();
    assert_eq!(turn.until("turn.completed").await["text"], "second");
    // As tight as it was left.
    assert_eq!(resumed.stance("", "").await.unwrap(), ("plan".into(), "never".into()));
}

/// Whatever a client sends is answered by a status that says what is wrong.
#[tokio::test]
async fn what_is_wrong_is_told_by_field() {
    let (world, kernel, session) = serving(&Script::new()).await;
    let none = OpenSessionRequest::default;
    let elsewhere = world.folder().display().to_string();
    for (request, code, part) in [
        (OpenSessionRequest { workspace: elsewhere, ..none() }, Code::InvalidArgument, "workspace"),
        (
            OpenSessionRequest { workspace: "/nowhere".into(), ..none() },
            Code::InvalidArgument,
            "workspace",
        ),
        (
            OpenSessionRequest { mode: "yolo".into(), ..none() },
            Code::InvalidArgument,
            "plan, work, operate",
        ),
        (
            OpenSessionRequest { posture: "Ask".into(), ..none() },
            Code::InvalidArgument,
            "auto-review",
        ),
        (OpenSessionRequest { session: "../x".into(), ..none() }, Code::InvalidArgument, "session"),
        (OpenSessionRequest { session: "0198".into(), ..none() }, Code::NotFound, "0198"),
        (OpenSessionRequest { model: "m".repeat(300), ..none() }, Code::InvalidArgument, "model"),
    ] {
        let said = kernel.open(request.clone()).await.unwrap_err();
        assert!(said.code() == code && said.message().contains(part), "{request:?}: {said}");
    }
    let ours = world.workspace().display().to_string();
    kernel.open(OpenSessionRequest { workspace: ours, ..none() }).await.unwrap();
    for prompt in [String::new(), " \n".into(), "x".repeat(1024 * 1024 + 1)] {
        let said = session.turn(&prompt).await.unwrap_err();
        assert!(
            said.code() == Code::InvalidArgument && said.message().contains("prompt"),
            "{said}"
        );
    }
    assert_eq!(
        session.stance("work", "never ever").await.unwrap_err().code(),
        Code::InvalidArgument
    );
    assert_eq!(
        session.turn("go").await.unwrap().rest().await.unwrap_err().code(),
        Code::FailedPrecondition
    );
    let mut rpc = session.rpc.clone();
    let decide = |answer: i32, message: &str| DecideRequest {
        session: session.session.clone(),
        approval: "x".into(),
        answer,
        message: message.into(),
    };
    for request in [decide(77, ""), decide(1, "with a yes"), decide(4, &"x".repeat(5000))] {
        assert_eq!(within(rpc.decide(request)).await.unwrap_err().code(), Code::InvalidArgument);
    }
    assert!(!session.decide("", Answer::Once, "").await.taken);
    for session in ["", "x", "\u{1b}[2J"] {
        let request = GetSnapshotRequest { session: session.into() };
        assert_eq!(within(rpc.get_snapshot(request)).await.unwrap_err().code(), Code::NotFound);
    }
    // Arguments that are no JSON are the gate's to refuse, with a receipt.
    let wrong = session.call("read", &json!("text")).await.unwrap();
    assert_eq!(wrong.class(), "invalid_arguments");
    let unknown = session.call(&"n".repeat(200), &json!({})).await.unwrap();
    assert_eq!(unknown.class(), "unknown_tool");
}

/// [CAT-10] The catalog's search is a call of the client's, with a receipt; it activates nothing.
#[tokio::test]
async fn the_catalog_is_searched() {
    let (world, _kernel, session) = serving(&Script::new()).await;
    let mut rpc = session.rpc.clone();
    let mut search = async |arguments: &str| {
        let session = session.session.clone();
        let request = SearchToolsRequest { session, arguments: arguments.to_owned().into() };
        within(rpc.search_tools(request)).await
    };
    let found = search(r#"{"query":"read a file","limit":1}"#).await.unwrap().into_inner();
    let found: Value = serde_json::from_slice(&found.result).unwrap();
    assert_eq!(found["matches"][0]["name"], "read");
    assert_eq!(found["activated"], json!([]));
    for wrong in
        ["", "{}", r#"{"query":null}"#, r#"{"query":" "}"#, r#"{"query":"[","kind":"regex"}"#]
    {
        let error = search(wrong).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{wrong}: {error}");
        assert!(error.message().starts_with("arguments: "), "{wrong}: {error}");
    }
    let words = world.receipts(Some(&session.session)).sound(&world).words();
    assert_eq!(words.len(), 6, "{words:?}");
    assert_eq!(words[0], "tool_search ok auto");
}

/// Receipts come in pages, also of a session that runs, and the snapshot is the request's tools.
#[tokio::test]
async fn receipts_and_tools_are_listed() {
    let (world, _kernel, session) = serving(&Script::new()).await;
    world.write("a.txt", "x\n");
    for _ in 0..103 {
        session.call("read", &json!({ "path": "a.txt" })).await.unwrap();
    }
    let mut rpc = session.rpc.clone();
    let (mut token, mut sizes, mut ids) = (String::new(), Vec::new(), Vec::new());
    loop {
        let request = ListReceiptsRequest { session: session.session.clone(), page_token: token };
        let page = within(rpc.list_receipts(request)).await.unwrap().into_inner();
        sizes.push(page.receipts.len());
        for receipt in &page.receipts {
            let receipt: Value = serde_json::from_slice(receipt).unwrap();
            assert_eq!((&receipt["type"], &receipt["tool"]), (&json!("receipt"), &json!("read")));
            ids.push(receipt["id"].as_str().unwrap().to_owned());
        }
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(sizes, [100, 3]);
    assert!(ids.is_sorted(), "oldest first");
    for (session, page_token, code) in [
        (session.session.as_str(), "x", Code::InvalidArgument),
        (session.session.as_str(), "-1", Code::InvalidArgument),
        ("0198-none", "", Code::NotFound),
        ("../../etc", "", Code::InvalidArgument),
    ] {
        let request =
            ListReceiptsRequest { session: session.into(), page_token: page_token.into() };
        assert_eq!(within(rpc.list_receipts(request)).await.unwrap_err().code(), code, "{session}");
    }
    let request = GetSnapshotRequest { session: session.session.clone() };
    let snapshot = within(rpc.get_snapshot(request)).await.unwrap().into_inner();
    assert!(!snapshot.callers.is_empty());
    let snapshot: Value = serde_json::from_slice(&snapshot.snapshot).unwrap();
    let names: Vec<_> =
        snapshot["tools"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["read", "write", "edit", "bash", "tool_search", "execute_tools"]);
    assert_eq!(snapshot["omitted"], 0);
}

/// Many sessions: the one that is unused for longest makes room, and can be resumed.
#[tokio::test]
async fn the_session_unused_for_longest_makes_room() {
    let (_world, kernel, first) = serving(&Script::new()).await;
    let _watched = first.watch(true).await.unwrap();
    let second = kernel.open(OpenSessionRequest::default()).await.unwrap();
    for _ in 0..63 {
        kernel.open(OpenSessionRequest::default()).await.unwrap();
    }
    first.stance("", "").await.expect("somebody watches it: it is in use");
    assert_eq!(second.stance("", "").await.unwrap_err().code(), Code::NotFound);
    let resume =
        OpenSessionRequest { session: second.session.clone(), ..OpenSessionRequest::default() };
    assert_eq!(kernel.open(resume).await.unwrap().session, second.session);
}

/// One turn at a time, and no call beside it; a question of another session is none here.
#[tokio::test]
async fn a_session_does_one_thing_at_a_time() {
    let script = Script::new().call("bash", touch("a.txt")).text("done");
    let (world, kernel, session) = serving(&script).await;
    let other = kernel.session(&world, &Script::new()).await;
    let mut turn = session.turn("go").await.unwrap();
    let id = turn.question().await;
    let busy = session.turn("me too").await.unwrap_err();
    assert_eq!(busy.code(), Code::FailedPrecondition, "{busy}");
    assert!(busy.message().contains("wait"), "{busy}");
    let busy = session.call("read", &json!({ "path": "x" })).await.unwrap_err();
    assert_eq!(busy.code(), Code::FailedPrecondition, "{busy}");
    // [AP-08] The answer is for one session.
    let elsewhere = other.decide(&id, Answer::Once, "").await;
    assert!(!elsewhere.taken && elsewhere.reason.contains("no such"), "{}", elsewhere.reason);
    assert!(!world.has("a.txt"));
    // Another session is free all the while.
    let missing = other.call("read", &json!({ "path": "missing" })).await.unwrap();
    assert_eq!(missing.result["is_error"], true);
    assert!(session.decide(&id, Answer::Once, "").await.taken);
    turn.rest().await.unwrap();
    assert!(world.has("a.txt"));
}

/// Large arguments go in whole; receipts are sent without them, and say so.
#[tokio::test]
async fn large_arguments_are_left_out_of_receipts() {
    let (world, _kernel, session) = serving(&Script::new()).await;
    session.stance("", "full-access").await.unwrap();
    let content = "0123456789abcdef".repeat(64 * 1024);
    let write = json!({ "path": "large.txt", "content": content });
    let called = session.call("write", &write).await.unwrap();
    assert_eq!(called.result["is_error"], false, "{}", called.result);
    assert_eq!(world.read("large.txt").len(), content.len());
    let receipt = &called.receipt;
    assert_eq!(
        (&receipt["arguments"], &receipt["arguments_omitted"]),
        (&Value::Null, &json!(true))
    );
    assert_eq!(receipt["arguments_bytes"], write.to_string().len());
}
