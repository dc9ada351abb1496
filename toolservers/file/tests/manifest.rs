//! Goal: what the server says of itself is the contract of the file tools.

use std::{error::Error, process::Command};

use prost::Message;
use tollgate_proto::tool::v1::{Caller, DescribeResponse, Exposure, PrepareNeed, ToolSpec};

fn described() -> Result<Vec<ToolSpec>, Box<dyn Error>> {
    let output = Command::new(env!("CARGO_BIN_EXE_tollgate-file")).arg("--manifest").output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(DescribeResponse::decode(output.stdout.as_slice())?.tools)
}

/// [CAT-01], [CAT-05]: three tools come with the first request, the others are found by search.
#[test]
fn the_tools_and_their_exposure() {
    let exposures: Vec<(String, Exposure)> =
        described().unwrap().into_iter().map(|tool| (tool.name.clone(), tool.exposure())).collect();
    let expected = [
        ("apply_patch", Exposure::Deferred),
        ("delete", Exposure::Deferred),
        ("edit", Exposure::Eager),
        ("find", Exposure::Deferred),
        ("grep", Exposure::Deferred),
        ("list", Exposure::Deferred),
        ("move", Exposure::Deferred),
        ("notebook_edit", Exposure::Deferred),
        ("read", Exposure::Eager),
        ("restore", Exposure::Deferred),
        ("write", Exposure::Eager),
    ];
    assert_eq!(exposures, expected.map(|(name, exposure)| (name.to_owned(), exposure)));
}

/// [CAT-07]: every old name with what it means, and when.
#[test]
fn the_old_names_and_what_they_mean() {
    let mut names: Vec<(String, String, String)> = Vec::new();
    for tool in described().unwrap() {
        for old in &tool.hidden_names {
            let when = old.when.as_ref().map_or("", |when| &when.value);
            names.push((old.name.clone(), when.to_owned(), tool.name.clone()));
            let schema: serde_json::Value = serde_json::from_slice(&old.input_schema).unwrap();
            assert_eq!(schema["additionalProperties"], false, "{}", old.name);
        }
    }
    names.sort();
    let expected = [
        ("File", "edit", "edit"),
        ("File", "list", "list"),
        ("File", "patch", "apply_patch"),
        ("File", "read", "read"),
        ("File", "search_content", "grep"),
        ("File", "search_name", "find"),
        ("File", "write", "write"),
        ("edit_file", "", "edit"),
        ("grep_files", "", "grep"),
        ("list_dir", "", "list"),
        ("read_file", "", "read"),
        ("search_files", "", "find"),
        ("write_file", "", "write"),
    ];
    assert_eq!(names, expected.map(|(name, when, tool)| (name.into(), when.into(), tool.into())));
}

/// Every tool is judged per call, found by words that are not its name, and free to programs.
#[test]
fn every_tool_says_what_search_and_gate_need() {
    for tool in described().unwrap() {
        let words: Vec<&str> = tool.search_hint.split_whitespace().collect();
        assert!((3..=10).contains(&words.len()), "{}: {words:?}", tool.name);
        assert!(!words.contains(&tool.name.as_str()), "{}: {words:?}", tool.name);
        assert_eq!(tool.prepare(), PrepareNeed::Always, "{}", tool.name);
        assert!(!tool.title.is_empty() && tool.description.len() <= 1_024, "{}", tool.name);
        let callers: Vec<Caller> = tool.callers().collect();
        assert_eq!(callers, [Caller::Program, Caller::Server, Caller::Client], "{}", tool.name);
        let read_only = ["read", "list", "find", "grep"].contains(&tool.name.as_str());
        assert_eq!(tool.safety.unwrap_or_default().read_only, read_only, "{}", tool.name);
    }
}
