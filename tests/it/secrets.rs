//! [GATE-81] [THR-02] [RX-03] [EN-03] Canaries: a provider's key, a secret argument, and a server that says
//! both wherever it can. None of them is in anything that Tollgate keeps, prints or hands on.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tollgate_proto::grant::sha256;
use tollgate_tests::{Ran, Script, World, events::content_text};

/// The key; a server is handed it by configuration.
const KEY: &str = "sk-canary-4f1c9e7ab2d85603";
/// The secret argument.
const PASSWORD: &str = "pass-canary-77c0ffee1234";
/// As parts of them are: nothing that can be used is left of them.
const PARTS: [&str; 2] = ["canary-4f1c9e7", "canary-77c0ff"];

fn world() -> World {
    World::new().hostile("leaky", "trust = \"trusted\"\nenv = [\"OPENAI_API_KEY\"]")
}

fn login(more: &Value) -> Value {
    let mut arguments = json!({ "user": "ann", "password": PASSWORD });
    for (key, value) in more.as_object().expect("an object") {
        arguments[key] = value.clone();
    }
    arguments
}

/// Nothing of the canaries in what was printed.
#[track_caller]
fn clean(ran: &Ran) {
    let printed = ran.text() + &ran.stderr;
    for part in PARTS {
        assert!(!printed.contains(part), "{part} was printed: {ran}");
    }
}

/// Nothing of the canaries in any file of the home.
#[track_caller]
fn swept(world: &World) {
    let mut files = 0;
    sweep(&world.home(), &mut files);
    assert!(files > 5, "the home was not looked at");
}

#[track_caller]
fn sweep(folder: &Path, files: &mut usize) {
    for entry in fs::read_dir(folder).expect("the home is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sweep(&path, files);
        } else if let Ok(bytes) = fs::read(&path) {
            *files += 1;
            let text = String::from_utf8_lossy(&bytes);
            for part in PARTS {
                assert!(!text.contains(part), "{part} is in {}", path.display());
                assert!(!path.to_string_lossy().contains(part), "{part}: {}", path.display());
            }
        }
    }
}

/// `call`, allowed, with the key in the kernel's environment.
fn call(world: &World, tool: &str, arguments: &str) -> Ran {
    let ran = world
        .tollgate(["call", tool, arguments, "--json", "--posture", "full-access"])
        .env("OPENAI_API_KEY", KEY)
        .run();
    clean(&ran);
    ran
}

/// Whatever the server says, by every way that it has; the digest and the size of the arguments stay.
#[test]
fn nothing_that_a_call_says_holds_a_secret() {
    let world = world();
    let text = login(&json!({})).to_string();
    let ran = call(&world, "login", &text).success();
    let printed = ran.json();
    let receipt = &printed["receipt"];
    let hidden = json!({ "secret": true, "bytes": PASSWORD.len() });
    assert_eq!(receipt["arguments"], json!({ "user": "ann", "password": hidden }));
    assert_eq!(receipt["arguments_bytes"], text.len());
    let digest: String = sha256(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(receipt["arguments_sha256"], digest.as_str(), "of the exact bytes");
    let said = content_text(&printed["result"]);
    assert!(said.contains("[secret OPENAI_API_KEY]"), "the server has the key: {said}");
    assert!(said.contains("[secret argument]"), "the server has the password: {said}");
    let log = fs::read_to_string(world.state("logs/hostile.log")).expect("the server's log");
    assert!(log.contains("[secret OPENAI_API_KEY]"), "{log}");
    swept(&world);
}

/// Results that are spilled: streamed in pieces that cut the values, and whole ones that are too large.
#[test]
fn no_artifact_holds_a_secret() {
    for how in ["output", "large"] {
        let world = world();
        let ran = call(&world, "login", &login(&json!({ "how": how })).to_string()).success();
        let printed = ran.json();
        let spill = printed["result"]["truncated"]["spill"].as_str().expect("it was spilled");
        let shown = world.tollgate(["artifacts", "show", spill]).run().success();
        clean(&shown);
        assert!(shown.text().matches("[secret OPENAI_API_KEY]").count() > 1000, "{how}");
        swept(&world);
    }
}

/// Failures: the tool's, the server's, a refused preparation, a schema that does not fit, broken JSON.
#[test]
fn no_error_holds_a_secret() {
    let world = world();
    let broken = login(&json!({})).to_string().replace('}', "");
    let rows = [
        (login(&json!({ "how": "fail" })).to_string(), 5, true),
        (login(&json!({ "how": "die" })).to_string(), 5, true),
        (login(&json!({ "how": "invalid" })).to_string(), 2, false),
        (login(&json!({ "password": PASSWORD.repeat(9) })).to_string(), 2, false),
        (login(&json!({ "user": { "password": PASSWORD } })).to_string(), 2, false),
        (json!({ "passwrd": PASSWORD }).to_string(), 2, false),
        (json!(login(&json!({})).to_string()).to_string() + "x", 2, false),
        (broken, 2, false),
        (json!([PASSWORD]).to_string(), 2, false),
    ];
    for (arguments, code, ran) in rows {
        let printed = call(&world, "login", &arguments);
        assert_eq!(printed.code == 2, code == 2, "{arguments}: {printed}");
        let receipt = &printed.json()["receipt"];
        assert_eq!(receipt["end"]["status"] == "refused", !ran, "{receipt}");
        assert_eq!(receipt["arguments_bytes"], arguments.len());
    }
    clean(&world.tollgate(["receipts", "list", "--json"]).run().success());
    clean(&world.tollgate(["servers", "list", "--json"]).run().success());
    swept(&world);
}

/// A whole turn: the conversation, its events, what goes to the model, what is recorded and shown again.
#[test]
fn no_turn_holds_a_secret() {
    let world = world();
    let requests = world.home().join("requests");
    let script = Script::new()
        .call("login", login(&json!({})))
        .call("login", login(&json!({ "how": "fail" })))
        .call(
            "bash",
            // The floor refuses the plain name; a computed one gets past it, and finds no key.
            json!({ "command": format!("echo {KEY}; env; e=environ; tr '\\0' '\\n' < /proc/self/$e") }),
        )
        .call(
            "bash",
            json!({ "command": "e=environ; tr '\\0' '\\n' < /proc/$PPID/$e; cat /proc/[0-9]*/$e" }),
        )
        .call("write", json!({ "path": format!("{KEY}.txt"), "content": KEY }))
        .text(&format!("my key is {KEY}, {{{{results.0.content}}}}"));
    let ran = world
        .exec(&script, &format!("use {KEY}"))
        .args(["--posture", "full-access", "--record-requests", requests.to_str().unwrap()])
        .env("OPENAI_API_KEY", KEY)
        .run();
    clean(&ran);
    let events = ran.events().well_formed();
    let results = events.results();
    assert_eq!(results.len(), 5, "{ran}");
    let of_bash = content_text(results[2]);
    assert!(
        of_bash.starts_with("[secret OPENAI_API_KEY]\n"),
        "the call itself is exact: {of_bash}"
    );
    let variables = of_bash.lines().skip(1);
    assert!(!variables.clone().any(|line| line.contains("KEY=")), "a child has it: {of_bash}");
    assert!(variables.count() > 3, "the environment was printed: {of_bash}");
    // What the model was allowed to do was done with what it said.
    assert_eq!(world.read(&format!("{KEY}.txt")), KEY);
    let end = events.one("turn.completed")["text"].as_str().unwrap();
    assert!(end.starts_with("my key is [secret OPENAI_API_KEY], "), "{end}");
    let session = events.session().to_owned();
    let kept = fs::read_to_string(requests.join("0002.json")).expect("a request was recorded");
    assert!(kept.contains(r#"\"secret\":true"#), "the model's own call: {kept}");
    for arguments in [
        ["sessions", "show", &session],
        ["receipts", "list", "--json"],
        ["receipts", "export", "--json"],
    ] {
        clean(&world.tollgate(arguments).run());
    }
    world.receipts(Some(&session)).sound(&world);
    swept(&world);
}

/// A question to the guardian, which is another model: it sees that there is a secret, and its size.
#[test]
fn the_guardian_is_not_shown_a_secret() {
    let world = world();
    let script = Script::new()
        .call("login", login(&json!({})))
        .text("done")
        .guardian(json!({ "match": PASSWORD, "reason": "it saw the password" }))
        .guardian(json!({ "match": KEY, "reason": "it saw the key" }))
        .guardian(json!({ "match": "\"secret\":true", "reason": format!("fine, says {KEY}") }));
    let ran = world
        .exec(&script, "go")
        .args(["--posture", "auto-review"])
        .env("OPENAI_API_KEY", KEY)
        .run()
        .success();
    clean(&ran);
    let judged = ran.events().one("guardian.judged").clone();
    assert_eq!(judged["allowed"], true, "{judged}");
    assert_eq!(judged["reason"], "low risk: fine, says [secret OPENAI_API_KEY]");
    swept(&world);
}

/// Neither a card nor what is answered keeps them; a rule that would is not offered.
#[test]
fn no_question_holds_a_secret() {
    let world = world();
    let script = Script::new()
        .call("login", login(&json!({})))
        .call("login", login(&json!({})))
        .call("bash", json!({ "command": format!("touch {KEY}") }))
        .text("end");
    let command = world.exec(&script, "go").args(["--approvals", "stdio"]);
    let mut turn = command.env("OPENAI_API_KEY", KEY).stdin_open().spawn();
    let answers = [
        json!({ "answer": "deny", "message": format!("not {KEY}") }),
        json!({ "answer": "once" }),
        json!({ "answer": "always" }),
    ];
    for mut answer in answers {
        let asked = turn.event_type("approval.requested");
        let card = &asked["card"];
        if card["tool"] == "login" {
            let hidden = json!({ "secret": true, "bytes": PASSWORD.len() });
            assert_eq!(card["arguments"]["password"], hidden, "{card}");
            assert_eq!(card["offer"], json!([]), "{card}");
        } else {
            let command = &card["arguments"]["command"];
            assert_eq!(*command, "touch [secret OPENAI_API_KEY]", "{card}");
            // What cannot be kept is not offered, and a wider yes to it is a yes to this call.
            answer =
                json!({ "answer": if card["offer"] == json!([]) { "once" } else { "always" } });
        }
        answer["approval"] = asked["id"].clone();
        turn.say(&answer.to_string());
    }
    let ran = turn.finish();
    clean(&ran);
    let events = ran.events().well_formed();
    let statuses: Vec<_> = events.results().iter().map(|it| it["status"].clone()).collect();
    assert_eq!(statuses, ["refused", "ok", "ok"], "{ran}");
    assert!(world.has(KEY), "the person's yes was for the exact call");
    let refused = content_text(events.results()[0]);
    assert!(refused.contains("not [secret OPENAI_API_KEY]"), "{refused}");
    swept(&world);
}

/// Nobody can be asked.
#[test]
fn a_question_that_nobody_answers_does_not_hold_a_secret() {
    let world = world();
    let script = Script::new().call("login", login(&json!({}))).text("refused");
    let ran = world.exec(&script, "go").env("OPENAI_API_KEY", KEY).run();
    clean(&ran.code(3));
    swept(&world);
}
