//! [CAT-02] [CAT-20] B127 B128 B130: the beginning of a request stays, byte for byte.

use std::path::Path;

use serde_json::{Value, json};
use tollgate_tests::{Events, Script, World};

use super::{CONTRACT, names, parsed, requests, select};

/// Ten steps: two searches that activate, calls of what they found, and other calls between them.
fn ten_steps() -> Script {
    Script::new()
        .strict()
        .call("read", json!({ "path": "notes/a.txt" }))
        .call("tool_search", select("grep"))
        .call("grep", json!({ "pattern": "needle" }))
        .call("edit", json!({ "path": "notes/a.txt", "edits": [{ "old": "hay", "new": "straw" }] }))
        .call("read", json!({ "path": "notes/a.txt" }))
        .call("tool_search", select("list"))
        .call("list", json!({ "path": "notes" }))
        .calls([
            ("read", json!({ "path": "notes/b.txt" })),
            ("grep", json!({ "pattern": "straw", "path": "notes" })),
        ])
        .call("write", json!({ "path": "notes/c.txt", "content": "end\n" }))
        .text("Done.")
}

fn world() -> World {
    let world = World::new();
    world.write("notes/a.txt", "hay\nneedle\nmore\n");
    world.write("notes/b.txt", "nothing\n");
    world
}

/// What a request says before its messages.
fn before_messages(request: &str) -> &str {
    request.split_once(",\"messages\":[").expect("a request has messages").0
}

/// What a request says before the end of its tools.
fn open_tools(request: &str) -> &str {
    before_messages(request).strip_suffix(']').expect("the tools end")
}

fn messages(request: &str) -> &str {
    let (_, messages) = request.split_once(",\"messages\":[").expect("a request has messages");
    messages.strip_suffix("]}").expect("the messages end")
}

/// B127: over ten steps with two activations every request begins as the one before: tools and messages
/// are only appended to.
#[test]
fn ten_steps_with_two_activations_keep_the_prefix() {
    let world = world();
    let requests = requests(&world, &ten_steps(), &["--posture", "full-access"]);
    assert_eq!(requests.len(), 10);
    for (step, pair) in requests.windows(2).enumerate() {
        let [before, now] = pair else { unreachable!() };
        assert!(now.starts_with(open_tools(before)), "step {step}: the tools changed");
        assert!(messages(now).starts_with(messages(before)), "step {step}: the messages changed");
        // Where nothing was activated, the whole request is the beginning of the next.
        if step != 1 && step != 5 {
            let whole = before.strip_suffix("]}").unwrap();
            assert!(now.starts_with(whole), "step {step}: the prefix changed");
        }
    }
    let with = |more: &[&'static str]| [&CONTRACT[..], more].concat();
    let expected = |step: usize| match step {
        0 | 1 => with(&[]),
        2..=5 => with(&["grep"]),
        _ => with(&["grep", "list"]),
    };
    for (step, request) in requests.iter().enumerate() {
        assert_eq!(names(&parsed(request)), expected(step), "step {step}");
    }
    golden(&world, &requests);
}

/// The requests as files, so that a change of a byte is seen in review. `TOLLGATE_REGENERATE=1` writes
/// them anew.
fn golden(world: &World, requests: &[String]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/catalog/golden");
    let regenerate = std::env::var_os("TOLLGATE_REGENERATE").is_some();
    for (step, request) in requests.iter().enumerate() {
        let text = neutral(world, request);
        let file = folder.join(format!("{:02}.json", step + 1));
        if regenerate {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        let at = kept.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        let near = |text: &str| {
            let bytes = text.as_bytes();
            let end = bytes.len().min(at + 80);
            String::from_utf8_lossy(&bytes[at.saturating_sub(40).min(end)..end]).into_owned()
        };
        assert!(
            kept == text,
            "{} differs at byte {at}:\n  kept {}\n  now  {}\nTOLLGATE_REGENERATE=1 writes it anew",
            file.display(),
            near(&kept),
            near(&text)
        );
    }
}

/// Without what another run has otherwise: the folder, the day.
fn neutral(world: &World, request: &str) -> String {
    let place = world.workspace().display().to_string();
    let text = request.replace(&place, "/workspace");
    let form = b"2000-00-00";
    let is_day = |text: &&[u8]| {
        text.iter().zip(form).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            form => byte == form,
        })
    };
    let days = text.as_bytes().windows(form.len()).filter(is_day);
    let days: Vec<_> = days.map(|day| String::from_utf8_lossy(day).into_owned()).collect();
    days.into_iter().fold(text, |text, day| text.replace(&day, "2026-01-01"))
}

/// B130: exactly the contract's tools, at any number of others and in every posture.
#[test]
fn other_servers_change_no_byte() {
    let done = || Script::new().text("Done.");
    let alone = requests(&World::new(), &done(), &[]);
    let postures = ["ask", "auto-review", "full-access", "never"];
    for (behaviour, count, postures) in [("plain", 4, &postures[..]), ("full", 100_000, &["ask"])] {
        let world = World::new().hostile(behaviour, "trust = \"trusted\"");
        let listed = world.tollgate(["tools", "list", "--json"]).run().success().json();
        assert!(listed["tools"].as_array().unwrap().len() > count, "{behaviour}");
        for posture in postures {
            let crowded = requests(&world, &done(), &["--posture", posture]);
            let tools = |request: &str| parsed(request)["tools"].to_string();
            assert_eq!(tools(&crowded[0]), tools(&alone[0]), "{behaviour} {posture}");
        }
    }
    assert_eq!(names(&parsed(&alone[0])), CONTRACT);
}

/// [CAT-02] Two sessions prepare the same bytes.
#[test]
fn two_sessions_prepare_the_same_tools() {
    let world = world();
    let once = || requests(&world, &Script::new().text("Done."), &[]);
    assert_eq!(before_messages(&once()[0]), before_messages(&once()[0]));
}

/// B128: however many searches, at most eight tools and 16 KiB of schemas are there.
#[test]
fn many_searches_keep_the_toolbox_small() {
    let world = World::new().hostile("full", "trust = \"trusted\"");
    let searches = (0..50).fold(Script::new().strict(), |script, number| {
        script.call("tool_search", select(&format!("t{number},t{}", number + 1000)))
    });
    let requests = requests(&world, &searches.text("Done."), &[]);
    assert_eq!(requests.len(), 51);
    let mut most = 0;
    for request in &requests {
        let request = parsed(request);
        let tools = request["tools"].as_array().unwrap();
        let activated = &tools[CONTRACT.len()..];
        let bytes: usize = activated.iter().map(|it| it["input_schema"].to_string().len()).sum();
        assert!(activated.len() <= 8 && bytes <= 16 * 1024, "{} {bytes}", activated.len());
        most = most.max(activated.len());
    }
    assert_eq!(most, 8, "the toolbox was full");
    // The last ones are there: the least recently used left.
    let last = parsed(requests.last().unwrap());
    assert!(names(&last).contains(&"t1049"), "{:?}", names(&last));
}

/// [TURN-06] A deferred tool that is called without a search runs if its arguments fit; else the answer
/// has its schema, and the next request has the tool.
#[test]
fn a_deferred_tool_can_be_called_at_once() {
    let world = world();
    let script = Script::new()
        .call("grep", json!({ "pattern": "needle" }))
        .call("grep", json!({ "patern": "needle" }))
        .text("Done.");
    let requests = requests(&world, &script, &[]);
    let [_, after_good, after_bad] = &requests[..] else { panic!("{}", requests.len()) };
    let last = |request: &str| {
        let request = parsed(request);
        let message = request["messages"].as_array().unwrap().last().unwrap().clone();
        let text = message["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (message["is_error"] == Value::Bool(true), text)
    };
    let (failed, text) = last(after_good);
    assert!(!failed && text.contains("needle"), "{text}");
    assert_eq!(names(&parsed(after_good)), CONTRACT);
    let (failed, text) = last(after_bad);
    assert!(failed && text.contains("The schema of 'grep': {"), "{text}");
    assert_eq!(names(&parsed(after_bad)), [&CONTRACT[..], &["grep"]].concat());
}

/// [CAT-20] A resumed session begins with an empty toolbox.
#[test]
fn a_resumed_session_has_an_empty_toolbox() {
    let world = world();
    let script = Script::new().call("tool_search", select("grep")).text("Found.").text("Again.");
    let model = world.script(&script);
    let events = world
        .tollgate(["exec", "--model", &model, "--output-format", "stream-json", "Find it."])
        .run()
        .success()
        .events()
        .well_formed();
    let carried = |events: &Events| {
        let last = events.of("request.prepared").pop().unwrap().clone();
        last["tool_names"].as_array().unwrap().len()
    };
    assert_eq!(carried(&events), CONTRACT.len() + 1);
    let reasons: Vec<_> = events.of("request.prepared");
    assert_eq!(reasons[1]["prefix_change_reason"], "toolbox", "{}", reasons[1]);
    let id = events.session().to_owned();
    let resumed = world
        .tollgate(["exec", "--model", &model, "--resume", &id])
        .args(["--output-format", "stream-json", "Again."])
        .run()
        .success()
        .events()
        .well_formed();
    assert_eq!(carried(&resumed), CONTRACT.len());
}
