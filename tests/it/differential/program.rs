//! The calls of a group as programs of `execute_tools`, and what those programs were told of each call.
//!
//! A program calls one after another with `try` and `catch`, and returns what it saw. It has no call twice:
//! what a person denied is not asked about again within the same call (CM-08), while direct calls ask each
//! time; so a repeated call begins a new program of the same turn.

use serde_json::{Value, json};
use tollgate_tests::{Script, events::content_text};

/// What whoever made a call is told of it: "ok", "failed", "refused" or "denied", and why not.
#[derive(Debug, Eq, PartialEq, serde::Deserialize)]
pub(super) struct Told {
    code: String,
    why: String,
}

impl Told {
    /// What a model is told, by the event of a result.
    pub(super) fn by_result(result: &Value) -> Self {
        let (status, decision) = (result["status"].as_str(), result["decision"].as_str());
        let code = match (status.unwrap_or_default(), decision.unwrap_or_default()) {
            ("refused", "denied") => "denied",
            (status, _) => status,
        };
        let why = if code == "ok" { String::new() } else { content_text(result) };
        Self { code: code.to_owned(), why }
    }
}

/// The calls in their order, parted so that none is twice in a part.
pub(super) fn without_repeats(calls: &[Value]) -> impl Iterator<Item = Vec<&Value>> {
    let mut parts: Vec<Vec<&Value>> = Vec::new();
    for call in calls {
        match parts.last_mut() {
            Some(part) if !part.contains(&call) => part.push(call),
            Some(_) | None => parts.push(vec![call]),
        }
    }
    parts.into_iter()
}

/// The steps of a turn that makes the calls in programs.
pub(super) fn script(calls: &[Value]) -> Script {
    let programs = without_repeats(calls).map(|calls| json!({ "code": code(&calls) }));
    programs.fold(Script::new(), |script, code| script.call("execute_tools", code)).text("done")
}

/// JSON is JavaScript, and gives the same bytes back.
fn code(calls: &[&Value]) -> String {
    let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
    format!(
        "const told = [];
         for (const call of [{}]) {{
           try {{ await tools.call('probe', call); told.push({{ code: 'ok', why: '' }}); }}
           catch (error) {{ told.push({{ code: error.code, why: error.message }}); }}
         }}
         return told;",
        calls.join(",\n")
    )
}

/// What the programs of a turn returned, by the events of their results.
pub(super) fn told(results: &[Value]) -> Vec<Told> {
    let mut told = Vec::new();
    for result in results {
        assert_eq!(result["status"], "ok", "a program did not end well: {result}");
        let text = result["content"][0]["text"].as_str().expect("a program returns a text");
        told.extend(serde_json::from_str::<Vec<Told>>(text).expect("it is what it returned"));
    }
    told
}

/// `[CODE-05]`: in plan no program begins, so none of its calls is made.
pub(super) fn none_began(results: &[Value]) -> bool {
    let is_refused = |result: &Value| {
        let end = &result["receipt"]["end"];
        (&end["status"], &end["error_class"]) == (&json!("refused"), &json!("plan_mode"))
    };
    !results.is_empty() && results.iter().all(is_refused)
}
