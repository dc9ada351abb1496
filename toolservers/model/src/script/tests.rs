//! Goal: a script plays as written, and every mistake in one is told with its place [MODEL-05].

use std::path::PathBuf;

use futures::StreamExt;
use tempfile::TempDir;

use super::*;
use crate::models::tests::{models, print};
use crate::request::Request;

/// A script file in a folder of its own.
fn script(json: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    std::fs::write(&path, json).unwrap();
    (folder, path)
}

/// The single toucher: a script, the request's messages and tools, and its answer as one line.
async fn check(json: &str, request: &str, expected: &str) {
    let (_folder, path) = script(json);
    let request = Request::parse(request.as_bytes()).unwrap();
    let model = format!("script:{}", path.display());
    let events: Vec<_> = models("{}", &[]).answer(&model, request).collect().await;
    let printed = print(&events).replace(&path.display().to_string(), "FILE");
    assert_eq!(printed, expected, "{json}");
}

const START: &str = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#;
const AFTER_A_CALL: &str = r#"{"messages":[
    {"role":"user","content":[{"type":"text","text":"hi"}]},
    {"role":"assistant","content":[],"tool_calls":[{"id":"a","name":"read","arguments":"{}"}]},
    {"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"say \"x\""}]}],
    "tools":[{"name":"read","description":"","input_schema":{}}]}"#;

#[tokio::test]
async fn a_step_is_said_in_order() {
    let step = r#"{"steps":[{"text":"abcdefgh","reasoning":"r","tool_calls":[
        {"name":"read","arguments":{"b":1,"a":[]}},{"id":"x","name":"f","arguments":"{broken"}]}]}"#;
    check(step, START, r#"(r)[ab][cd][ef][gh] call_0_0=read{"a":[],"b":1} x=f{broken Tools"#).await;
    check(r#"{"steps":[{"text":"ü"}]}"#, START, "[ü] End").await;
    check(r#"{"steps":[{}]}"#, START, "End").await;
}

#[tokio::test]
async fn the_step_is_the_number_of_earlier_answers() {
    let steps = r#"{"steps":[{"text":"no"},{"text":"{{last.content}}","tool_calls":[
        {"name":"f","arguments":{"p":"<{{results.0.content}}>"}}]}]}"#;
    let said = r#"[sa][y ]["x]["] call_1_0=f{"p":"<say \"x\">"} Tools"#;
    check(steps, AFTER_A_CALL, said).await;
    check(steps, AFTER_A_CALL, said).await;
}

#[tokio::test]
async fn a_script_that_is_exhausted_says_so() {
    let message =
        "Exhausted: script FILE has 1 steps, and the conversation asks for one more; add a step";
    check(r#"{"steps":[{"text":"a"}]}"#, AFTER_A_CALL, message).await;
}

#[tokio::test]
async fn a_reference_that_means_nothing_fails_with_its_step() {
    let message = "Invalid: script FILE, step 0: {{last.content}}: the request has 0 tool results";
    check(r#"{"steps":[{"text":"{{last.content}}"}]}"#, START, message).await;
}

#[tokio::test]
async fn raw_text_goes_the_way_of_a_stream() {
    let raw = |raw: &str| serde_json::json!({"steps": [{"raw": raw}]}).to_string();
    let piece = r#"data: {"choices":[{"delta":{"content":"a","tool_calls":[{"function":{"name":"f","arguments":"{\"x\":"}}]},"finish_reason":"length"}]}"#;
    check(&raw(piece), START, r#"[a] call_0_0=f{"x": Length"#).await;
    check(&raw("data: {"), START, "Protocol: script sent what is not of the Chat Completions format (EOF while parsing an object at line 1 column 1): {").await;
    check(
        &raw(": nothing\n\n"),
        START,
        "Network (may pass): the stream of script ended before its answer did",
    )
    .await;
}

#[tokio::test]
async fn an_error_ends_its_step() {
    let error = |class: &str| {
        format!(r#"{{"steps":[{{"text":"a","error":{{"class":"{class}","message":"m"}}}}]}}"#)
    };
    check(&error("rate"), START, "[a] Rate (may pass): m").await;
    check(&error("unknown_model"), START, "[a] UnknownModel: m").await;
    check(r#"{"steps":[{"error":{"class":"auth"}}]}"#, START, "Auth: the script says so").await;
}

/// The delay is the model's time, on the server's clock.
#[tokio::test(start_paused = true)]
async fn a_delay_is_waited_for() {
    let before = tokio::time::Instant::now();
    check(r#"{"steps":[{"delay_ms":5000,"text":"a"}]}"#, START, "[a] End").await;
    assert_eq!(before.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn a_strict_script_stops_at_what_a_good_run_has_not() {
    let failed =
        AFTER_A_CALL.replace(r#""tool_call_id":"a","#, r#""tool_call_id":"a","is_error":true,"#);
    let steps = |strict: bool, tool: &str| {
        format!(
            r#"{{"strict":{strict},"steps":[{{}},{{"tool_calls":[{{"id":"i","name":"{tool}","arguments":{{}}}}]}}]}}"#
        )
    };
    check(&steps(true, "read"), AFTER_A_CALL, "i=read{} Tools").await;
    check(
        &steps(true, "read"),
        &failed,
        r#"Invalid: script FILE, step 1: the script is strict, and call a failed: say "x""#,
    )
    .await;
    check(&steps(true, "write"), AFTER_A_CALL, "Invalid: script FILE, step 1: the script is strict, and `write` is not on offer; offered: read").await;
    check(&steps(false, "write"), &failed, "i=write{} Tools").await;
}

/// A file's fault, and words that tell it.
#[track_caller]
fn check_unusable(json: &str, words: &str) {
    let (_folder, path) = script(json);
    let failure = Script::load(&path).unwrap_err();
    assert_eq!(failure.class, Class::UnknownModel);
    let message = failure.message.replace(&path.display().to_string(), "FILE");
    assert!(message.contains(words), "{message}");
}

#[test]
fn a_mistake_is_told_with_its_place_and_what_was_meant() {
    check_unusable(
        "{\"steps\":[\n  {\"txt\":\"a\"}]}",
        "script FILE: line 2, column 8: unknown field `txt`, expected one of `text`, `reasoning`, `tool_calls`, `raw`, `delay_ms`, `error`; did you mean `text`?",
    );
    check_unusable(r#"{"step":[]}"#, "did you mean `steps`?");
    check_unusable(r#"{"steps":[{"error":{"class":"rates"}}]}"#, "did you mean `rate`?");
    check_unusable(r#"{"steps":[{"tool_calls":[{"name":"f"}]}]}"#, "missing field `arguments`");
    check_unusable("{\"steps\":[{\"text\":\"a\",}]}", "line 1, column 23: trailing comma");
    check_unusable("", "line 1, column 0: EOF");
    check_unusable(r#"{"steps":[{"text":5}]}"#, "invalid type: integer `5`, expected a string");
}

#[test]
fn a_step_that_makes_no_sense_is_told_with_its_number() {
    check_unusable(r#"{"steps":[{},{"raw":"","text":""}]}"#, "step 1: `raw` stands alone");
    check_unusable(r#"{"steps":[{"delay_ms":600001}]}"#, "step 0: `delay_ms` is at most 600000");
    let calls = |calls: &str| format!(r#"{{"steps":[{{"tool_calls":[{calls}]}}]}}"#);
    check_unusable(&calls(r#"{"name":"","arguments":{}}"#), "a call needs a name");
    check_unusable(&calls(r#"{"name":"f","arguments":[]}"#), "neither an object nor a string");
    check_unusable(
        &calls(r#"{"id":"a","name":"f","arguments":{}},{"id":"a","name":"f","arguments":{}}"#),
        "nor the same",
    );
}

#[test]
fn a_file_that_cannot_be_read_is_told() {
    let absent = Script::load(Path::new("/no/such/script.json")).unwrap_err();
    assert!(absent.message.contains("/no/such/script.json: cannot be read"), "{}", absent.message);
    let relative = Script::load(Path::new("s.json")).unwrap_err();
    assert!(relative.message.contains("must be absolute"), "{}", relative.message);
    let folder = Script::load(Path::new("/tmp")).unwrap_err();
    assert!(folder.message.contains("no regular file"), "{}", folder.message);
}

/// [GATE-32] A call is judged by the first entry that fits, as often as it comes.
#[tokio::test]
async fn a_call_is_judged_by_the_first_entry_that_fits() {
    let ask = |call: &str| {
        let text = serde_json::json!(format!(r#"{{"call":{call},"why":["cargo"]}}"#));
        format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"text","text":{text}}}]}}],"purpose":"guardian"}}"#
        )
    };
    let script = r#"{"steps":[{"text":"no"}],"guardian":[
        {"match":"cargo","risk":"high","reason":"r"},{"match":"x","raw":"R"},{"match":"y","error":{"class":"rate"}},
        {"match":"z"}]}"#;
    let rows = [
        (r#"{"a":"cargo"}"#, r#"[{"decision":"allow","reason":"r","risk":"high"}] End"#),
        (r#"{"a":"x"}"#, "[R] End"),
        (r#"{"a":"y"}"#, "Rate (may pass): the script says so"),
        (
            r#"{"a":"z"}"#,
            r#"[{"decision":"allow","reason":"the script says so","risk":"low"}] End"#,
        ),
        (r#"{"a":"w"}"#, "Exhausted: script FILE has no `guardian` entry for this call; add one"),
    ];
    let (_folder, path) = self::script(script);
    for (call, expected) in rows {
        let request = Request::parse(ask(call).as_bytes()).unwrap();
        let model = format!("script:{}", path.display());
        let events: Vec<_> = models("{}", &[]).answer(&model, request).collect().await;
        let printed = print(&events).replace(&path.display().to_string(), "FILE");
        assert_eq!(printed.replace("][", ""), expected, "{call}");
    }
}

#[tokio::test]
async fn a_faulty_judgement_is_told_with_its_place() {
    let message = "UnknownModel: script FILE: guardian 0: `raw` stands alone, without risk, decision and reason";
    check(r#"{"steps":[],"guardian":[{"raw":"a","risk":"low"}]}"#, START, message).await;
}
