//! The lines of `--output-format stream-json` (`[CLI-02]`): parsed, and checked to be well-formed.

use std::collections::HashMap;

use serde_json::Value;

/// Events in the order in which they were told.
#[derive(Clone, Debug)]
pub struct Events(pub Vec<Value>);

impl Events {
    /// One JSON object a line.
    #[track_caller]
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let event = |line: &str| {
            let value: Value = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("a line is no JSON ({error}): {line}"));
            assert!(value.is_object(), "a line is no object: {line}");
            value
        };
        Self(text.lines().map(event).collect())
    }

    /// Asserts what holds for every run: numbers without a gap, one session, calls that begin once
    /// and end once, nothing of a call after its end; gives the events.
    #[track_caller]
    #[must_use]
    pub fn well_formed(self) -> Self {
        let mut open: HashMap<String, bool> = HashMap::new();
        let session = self.0.first().map(|event| event["session"].clone()).unwrap_or_default();
        for (index, event) in self.0.iter().enumerate() {
            assert_eq!(event["seq"], Value::from(index + 1), "a number is missing: {event}");
            assert!(
                event["ts"].as_u64().is_some_and(|ts| ts > 1_600_000_000_000),
                "no time: {event}"
            );
            assert!(session.is_string() && event["session"] == session, "another session: {event}");
            let kind = event["type"].as_str().unwrap_or_else(|| panic!("no type: {event}"));
            let Some(call) = event["call_id"].as_str() else {
                assert!(!kind.starts_with("tool."), "a call without its id: {event}");
                continue;
            };
            match kind {
                "tool.call" => assert!(open.insert(call.into(), true).is_none(), "twice: {event}"),
                "tool.result" => {
                    assert_eq!(open.insert(call.into(), false), Some(true), "not open: {event}");
                    assert_eq!(
                        event["receipt"]["id"], call,
                        "the receipt of another call: {event}"
                    );
                }
                _ => assert_eq!(open.get(call), Some(&true), "not open: {event}"),
            }
        }
        let left: Vec<_> = open.iter().filter(|(_, is_open)| **is_open).collect();
        assert!(left.is_empty(), "calls without a result: {left:?}");
        self
    }

    /// Types in order, without deltas and progress, of which there may be any number.
    #[must_use]
    pub fn types(&self) -> Vec<&str> {
        let types = self.0.iter().filter_map(|event| event["type"].as_str());
        types.filter(|kind| !matches!(*kind, "assistant.delta" | "tool.progress")).collect()
    }

    /// Events of a type.
    #[must_use]
    pub fn of(&self, kind: &str) -> Vec<&Value> {
        self.0.iter().filter(|event| event["type"] == kind).collect()
    }

    /// The one event of a type.
    #[track_caller]
    #[must_use]
    pub fn one(&self, kind: &str) -> &Value {
        match self.of(kind).as_slice() {
            [one] => one,
            several => panic!("{} events of type {kind}: {several:#?}", several.len()),
        }
    }

    /// The results of the calls, in the order in which the calls were asked for.
    #[must_use]
    pub fn results(&self) -> Vec<&Value> {
        let results = self.of("tool.result");
        let of = |call: &Value| results.iter().find(|it| it["call_id"] == call["call_id"]).copied();
        self.of("tool.call").into_iter().filter_map(of).collect()
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &str {
        self.0.first().and_then(|event| event["session"].as_str()).unwrap_or_default()
    }
}

/// All text of a result's content.
#[must_use]
pub fn content_text(result: &Value) -> String {
    let blocks = result["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}
