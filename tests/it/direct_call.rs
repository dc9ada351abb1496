//! `tollgate call`: one gated call from the command line to a separate process and back, with its
//! receipt and its exit code.

use serde_json::json;
use tollgate_tests::{World, events::content_text};

/// [CLI-04] [GATE-80] Result and receipt, as JSON.
#[test]
fn a_call_prints_its_result_and_its_receipt() {
    let world = World::new();
    world.write("README.md", "one\ntwo\nthree\n");
    let ran = world.call("read", &json!({ "path": "README.md", "limit": 2 })).run().success();
    let printed = ran.json();
    let (result, receipt) = (&printed["result"], &printed["receipt"]);
    assert!(content_text(result).starts_with("one\ntwo\n"), "{result}");
    assert_eq!(result["is_error"], false);
    for key in ["metadata", "truncated"] {
        assert!(result.get(key).is_some(), "the result lacks {key}: {result}");
    }
    assert_eq!((&receipt["tool"], &receipt["server"]), (&json!("read"), &json!("file")));
    assert_eq!((&receipt["caller"], &receipt["decision"]), (&json!("user"), &json!("auto")));
    assert_eq!((&receipt["mode"], &receipt["posture"]), (&json!("work"), &json!("ask")));
    assert_eq!(receipt["end"]["status"], "ok");
    assert_eq!(receipt["end"]["may_have_run"], false);
    assert_eq!(receipt["arguments"], json!({ "path": "README.md", "limit": 2 }));
    for key in ["id", "session", "arguments_sha256", "grant_sha256", "instance", "server_facts"] {
        assert!(!receipt[key].is_null(), "the receipt lacks {key}: {receipt}");
    }
    assert_eq!(receipt["subjects"][0]["relative"], "README.md");
    assert_eq!(world.receipts(None).sound(&world).words(), ["read ok auto"]);
    world.is_quiet();
}

/// [CLI-01] Standard output is the answer and nothing else; progress goes to standard error.
#[test]
fn without_json_the_answer_alone_is_on_standard_output() {
    let world = World::new();
    world.write("a.txt", "only this\n");
    let ran = world.tollgate(["call", "read", r#"{"path":"a.txt"}"#]).run().success();
    assert_eq!(ran.text(), "only this\n");
}

/// Arguments may come through standard input.
#[test]
fn arguments_are_read_from_standard_input() {
    let world = World::new();
    world.write("a.txt", "piped\n");
    let ran = world.tollgate(["call", "read", "-"]).stdin(r#"{"path":"a.txt"}"#).run().success();
    assert_eq!(ran.text(), "piped\n");
}

/// [CLI-05] The code says whether the tool failed, the gate refused, or something was not there.
#[test]
fn the_exit_code_says_what_became_of_the_call() {
    let world = World::new().hostile("exit", "");
    world.write("a.txt", "x\n");
    let code = |name: &str, arguments: serde_json::Value| world.call(name, &arguments).run().code;
    assert_eq!(code("read", json!({ "path": "a.txt" })), 0, "done");
    assert_eq!(code("read", json!({ "path": "missing.txt" })), 1, "the tool failed");
    assert_eq!(code("bash", json!({ "command": "touch b.txt" })), 3, "refused by the gate");
    assert_eq!(code("read", json!({ "path": 5 })), 2, "wrong arguments");
    assert_eq!(world.tollgate(["call"]).run().code, 2, "no tool was named");
    assert_eq!(world.tollgate(["servers", "describe", "hostile"]).run().code, 4, "no server");
    // Unknown is not unavailable: the tool may be one of the server that is not there.
    assert_eq!(code("zzz_tool", json!({})), 4, "a server is not there");
    assert!(!world.has("b.txt"));
}

/// [PROTO-04] Arguments that do not fit into a frame go before it, prepared and run all the same.
#[test]
fn arguments_larger_than_a_frame_are_prepared_and_run() {
    let world = World::new();
    let content = "0123456789abcde\n".repeat(40_000);
    let arguments = json!({ "path": "big.txt", "content": content }).to_string();
    let call = ["call", "write", "-", "--posture", "full-access", "--json"];
    let ran = world.tollgate(call).stdin(arguments.as_str()).run().success();
    assert!(world.read("big.txt") == content);
    let receipt = &ran.json()["receipt"];
    assert_eq!(receipt["arguments_bytes"], arguments.len());
    assert_eq!(receipt["subjects"][0]["relative"], "big.txt", "it was prepared");
    world.is_quiet();
}

/// [FILE-02] [FILE-05] What a person meets first says what helps.
#[test]
fn a_failed_call_says_what_helps() {
    let world = World::new();
    world.write("notes.txt", "x\n");
    let ran = world.call("read", &json!({ "path": "note.txt" })).run().code(1);
    let result = &ran.json()["result"];
    assert!(content_text(result).contains("notes.txt"), "the nearest name is told: {result}");
    assert_eq!(result["is_error"], true);
    let ran = world.call("read", &json!({ "path": "." })).run().code(1);
    assert!(content_text(&ran.json()["result"]).contains("director"), "{ran}");
}

/// [GATE-81] A receipt is shown by the beginning of its id, and the chain verifies.
#[test]
fn a_receipt_is_shown_and_verified() {
    let world = World::new();
    world.write("a.txt", "x\n");
    let printed = world.call("read", &json!({ "path": "a.txt" })).run().success().json();
    let id = printed["receipt"]["id"].as_str().unwrap().to_owned();
    let shown = world.tollgate(["receipts", "show", &id, "--json"]).run().success().json();
    assert_eq!(shown["receipt"]["end"]["status"], "ok");
    assert_eq!(shown["decided"]["id"], id.as_str(), "it was written before the call was sent");
    let text = world.tollgate(["receipts", "show", &id]).run().success().text();
    assert!(text.contains("read") && text.contains("a.txt"), "{text}");
    let verified = world.tollgate(["receipts", "verify", "--json"]).run().success().json();
    assert_eq!(verified.as_array().unwrap().len(), 1, "{verified}");
}
