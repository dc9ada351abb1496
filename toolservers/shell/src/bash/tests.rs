//! Goal: what the tool says before and after, short of running anything.

use std::path::Path;

use tollgate_sdk::{Sandbox, serde_json};

use super::*;
use crate::{limits::COMMAND_BYTES_MAX, line::tests::context, testing::unconfined};

fn input(command: &str) -> Input {
    Input {
        command: command.into(),
        timeout: None,
        description: None,
        sandbox: None,
        justification: None,
    }
}

fn tool() -> BashTool {
    BashTool(Shell::new(&unconfined(), None).unwrap())
}

async fn prepared(command: &str) -> Preparation {
    let folder = tempfile::tempdir().unwrap();
    tool().prepare(&input(command), &context(folder.path())).await.unwrap()
}

#[tokio::test]
async fn a_reading_line_is_safe_and_any_other_is_not() {
    assert_eq!(prepared("ls | wc -l").await.safety, Safety::READ);
    assert_eq!(
        prepared("cd . && ls").await.safety,
        Safety { concurrency_safe: false, ..Safety::READ }
    );
    for command in [
        "touch CANARY",
        "ls\ntouch CANARY",
        "ls\rtouch CANARY",
        "cat <(touch CANARY)",
        "X=1 ls",
        "echo 'open",
    ] {
        assert_eq!(prepared(command).await.safety, Safety::WORST, "{command:?}");
    }
}

#[tokio::test]
async fn a_preparation_names_every_command() {
    let preparation = prepared("ls && sudo touch C > out").await;
    assert_eq!(preparation.title, "ls && sudo touch C > out");
    assert_eq!(preparation.subjects.len(), 4, "{:?}", preparation.subjects);
    assert!(preparation.preview.contains("touch C"));
}

/// A rule that allows every subject must not allow a line of none.
#[tokio::test]
async fn a_line_that_is_not_proven_has_a_subject() {
    for command in ["case $x in a) ;; esac", "f() { :; } <<E\nE", "((x))", "\\"] {
        let preparation = prepared(command).await;
        assert!(!preparation.subjects.is_empty(), "{command:?}");
    }
    let nothing = prepared("# nothing").await;
    assert_eq!((nothing.safety, nothing.subjects.len()), (Safety::READ, 0));
}

#[tokio::test]
async fn what_no_shell_could_run_is_invalid_at_once() {
    let tool = tool();
    for command in [String::new(), " \n".into(), "a\0b".into(), "x".repeat(COMMAND_BYTES_MAX + 1)] {
        let invalid = tool.prepare(&input(&command), &context(Path::new("/"))).await.unwrap_err();
        assert_eq!(invalid.pointer, "/command");
    }
}

fn wishing(sandbox: Option<Wider>, justification: Option<&str>) -> Input {
    Input { sandbox, justification: justification.map(Into::into), ..input("curl http://h") }
}

/// [GATE-72]
#[tokio::test]
async fn a_wish_for_a_wider_sandbox_is_told_with_its_reason() {
    let tool = tool();
    let context = context(Path::new("/"));
    let prepared = async |input: &Input| tool.prepare(input, &context).await;
    let rows = [
        (Wider::WorkspaceWrite, Sandbox::WorkspaceWrite),
        (Wider::Network, Sandbox::Network),
        (Wider::Off, Sandbox::Off),
    ];
    for (wider, to) in rows {
        let preparation = prepared(&wishing(Some(wider), Some(" to fetch a fixture\n"))).await;
        let wish = preparation.unwrap().escalation.unwrap();
        assert_eq!((wish.to, wish.justification.as_str()), (to, "to fetch a fixture"));
    }
    for unasked in [wishing(None, None), wishing(None, Some("why not"))] {
        assert_eq!(prepared(&unasked).await.unwrap().escalation, None);
    }
    let long = "é".repeat(513);
    for (sandbox, why) in [
        (Some(Wider::Off), None),
        (Some(Wider::Off), Some(" \n")),
        (Some(Wider::Off), Some(long.as_str())),
        (None, Some(long.as_str())),
    ] {
        let invalid = prepared(&wishing(sandbox, why)).await.unwrap_err();
        assert_eq!(invalid.pointer, "/justification", "{why:?}");
    }
}

/// A wish takes nothing from what is known of the line: the gate asks for the wish alone.
#[tokio::test]
async fn a_wish_changes_no_claim() {
    let tool = tool();
    let wish = Input { sandbox: Some(Wider::Off), justification: Some("x".into()), ..input("ls") };
    let folder = tempfile::tempdir().unwrap();
    let preparation = tool.prepare(&wish, &context(folder.path())).await.unwrap();
    assert_eq!(preparation.safety, Safety::READ);
}

/// [TOOL-02], B056.
#[test]
fn the_schema_is_closed_and_bounds_the_timeout() {
    let schema = tollgate_sdk::schemars::schema_for!(Input).to_value();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["timeout"]["maximum"], TIMEOUT_SECONDS_MAX);
    assert_eq!(schema["properties"]["timeout"]["minimum"], 1);
    assert_eq!(schema["required"], serde_json::json!(["command"]));
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["command", "description", "justification", "sandbox", "timeout"]);
    let wider = &schema["properties"]["sandbox"]["enum"];
    assert_eq!(*wider, serde_json::json!(["workspace-write", "network", "off", null]));
    // Every request to a model holds most of it (PERF-09).
    assert!(schema.to_string().len() < 850, "{} bytes: {schema}", schema.to_string().len());
}
