//! Goal: a name leads to its model, and the list says what can be used.

use std::fmt::Write;

use futures::StreamExt;

use super::*;
use crate::event::{Event, Usage};
use crate::settings::{Settings, tests::environment};

/// Models of these settings and variables.
pub(crate) fn models(settings: &str, variables: &[(&str, &str)]) -> Arc<Models> {
    let settings: Settings = serde_json::from_str(settings).unwrap();
    Arc::new(Models::new(settings.resolve(&environment(variables)).unwrap()))
}

/// Events as one line: `[text](reasoning) id=name arguments Stop`, or the failure at its end.
pub(crate) fn print(events: &[Event]) -> String {
    let mut line = String::new();
    for event in events {
        match event {
            Event::TextDelta(text) => write!(line, "[{text}]").unwrap(),
            Event::ReasoningDelta(text) => write!(line, "({text})").unwrap(),
            Event::ToolCall(call) => {
                let arguments = String::from_utf8_lossy(&call.arguments);
                write!(line, " {}={}{arguments}", call.id, call.name).unwrap();
            }
            Event::Retrying(retrying) => write!(line, " Retrying({})", retrying.attempt).unwrap(),
            Event::Finished(finished) => {
                write!(line, " {:?}", finished.stop()).unwrap();
                let Usage { input, output, cached_input } = finished.usage.unwrap();
                if input > 0 {
                    write!(line, " {input}/{output}/{cached_input}").unwrap();
                }
                if !finished.reasoning.is_empty() {
                    let back = String::from_utf8_lossy(&finished.reasoning);
                    write!(line, " back:{back}").unwrap();
                }
            }
            Event::Failed(failed) => {
                let may_pass = if failed.retryable { " (may pass)" } else { "" };
                write!(line, " {:?}{may_pass}: {}", failed.class(), failed.message).unwrap();
            }
        }
    }
    line.trim().to_owned()
}

#[test]
fn the_list_has_schemes_and_providers() {
    let settings = r#"{"default_provider":"local","providers":{"local":{"base_url":"http://localhost:1/v1"}}}"#;
    let list = models(settings, &[]).list();
    let list: Vec<_> =
        list.iter().map(|m| (m.name.as_str(), m.available, m.reason.as_str())).collect();
    let expected = [
        ("script:FILE", true, ""),
        ("replay:SESSION", true, ""),
        ("local:NAME", true, ""),
        ("openai:NAME", false, "OPENAI_API_KEY is not set"),
    ];
    assert_eq!(list, expected);
}

#[tokio::test]
async fn a_name_that_leads_nowhere_fails() {
    let rows = [
        ("gpt", "Auth: OPENAI_API_KEY is not set"),
        ("script:", "UnknownModel: script : the path must be absolute"),
        ("replay:x", "UnknownModel: session x: the path must be absolute"),
        (
            "none:x",
            "UnknownModel: no provider is called `none`; configured are openai. For a model of openai whose name has a colon, write `openai:none:x`",
        ),
    ];
    for (model, expected) in rows {
        let request = Request::parse(br#"{"messages":[]}"#).unwrap();
        let events: Vec<_> = models("{}", &[]).answer(model, request).collect().await;
        assert_eq!(print(&events), expected);
    }
}
