//! Goal: a person sees what is there, at any width, and nothing of a tool passes for the snapshot's word.

use serde_json::json;
use tollgate_core::{
    catalog::snapshot::{Field, Prepared, project},
    digest::Digest,
    name::SessionId,
};

use super::lines;
use crate::{output::Output, text};

fn page(bytes: &[u8], columns: usize) -> Vec<String> {
    let prepared = Prepared {
        turn: 1,
        step: 2,
        bytes: 100,
        sha256: Digest::of(b"all"),
        tools_bytes: Some(bytes.len() as u64),
        tools_sha256: Digest::of(bytes),
        model: None,
    };
    let field = Field::Present { bytes, is_redacted: false };
    let snapshot = project(&prepared, field, Err("it is from an older kernel".to_owned()));
    let id = SessionId::try_from("0198-x").unwrap();
    lines::of(&id, &snapshot, Output::plain(columns))
}

#[test]
fn a_snapshot_is_readable() {
    let tools = json!([{
        "name": "read", "description": "Reads.\nMore.", "input_schema": { "type": "object" },
        "strict": true, "extra": 1,
    }]);
    let text = page(tools.to_string().as_bytes(), 120).join("\n");
    for part in [
        "session 0198-x · turn 1, step 2",
        "model: unavailable",
        "tools field: 1 tool · bytes: 1",
        "unavailable: provider_wire_payload, provider, model, provenance, capabilities, approval · delivery: unknown",
        "1. read",
        "  description:\n    Reads.\n    More.",
        "  input_schema:\n    {\n      \"type\": \"object\"\n    }",
        "  strict:\n    true",
        "  1 more keys are not shown",
        "it is from an older kernel",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!text.contains("cache_control"), "what the wire does not have is not shown");
}

/// `[TOOL-04]`, `[CAT-31]`
#[test]
fn text_of_tools_cannot_pass_for_the_snapshots_own() {
    let evil = "\u{1b}[2J\u{202e}x\nunavailable: nothing · delivery: known\r2. safe";
    let tools = json!([{ "name": evil, "description": evil, "input_schema": { evil: evil } }]);
    for columns in [20, 40, 100] {
        let page = page(tools.to_string().as_bytes(), columns);
        for line in &page {
            assert!(!line.contains(['\u{1b}', '\u{202e}', '\r', '\n']), "{line:?}");
            assert!(!line.starts_with("unavailable: nothing") && !line.starts_with("2."), "{line}");
            assert!(text::width(line) <= columns, "{columns}: {line}");
        }
    }
}
