//! Goal: standard output gets the answer alone; each end of a call reads well; nothing gets through
//! that a terminal obeys.

use serde_json::json;
use tollgate_core::{
    call::{Block, Truncated},
    name::SessionId,
    receipt::{Decision, Receipt},
    safety::Safety,
};

use super::*;
use crate::view::tests::receipt;

const ALL: Shows = Shows { session: true, prompts: false, outputs: true, reasoning: false };

fn event(ts: u64, body: Body) -> Event {
    Event {
        seq: 1,
        ts,
        session: SessionId::try_from("0193aaaa-bbbb-cccc-dddd").unwrap(),
        turn: Some(1),
        step: Some(1),
        call_id: Some(CallId::try_from("c1").unwrap()),
        body,
    }
}

/// What events look like: standard output and standard error.
fn show(output: Output, shows: Shows, events: Vec<(u64, Body)>) -> (String, String) {
    let mut view = TextView::new(output, shows);
    let (mut out, mut err) = (String::new(), String::new());
    for (ts, body) in events {
        for piece in view.event(&event(ts, body)) {
            match piece {
                Piece::Out(text) => out += &text,
                Piece::Err(text) => err += &text,
            }
        }
    }
    (out, err)
}

fn called(command: &str) -> (u64, Body) {
    let arguments = json!({ "command": command });
    let caller = Caller::Model;
    (1000, Body::ToolCall { name: "bash".into(), arguments, caller, parent: None })
}

fn started(title: &str) -> (u64, Body) {
    (1000, Body::ToolStarted { name: "bash".into(), title: title.into() })
}

fn ended(receipt: Receipt, text: &str, rendering: &str) -> (u64, Body) {
    let status = receipt.end.as_ref().unwrap().status;
    let body = Body::ToolResult {
        name: "bash".into(),
        status,
        decision: receipt.decision,
        content: vec![Block::Text { text: text.into() }],
        metadata: Value::Null,
        truncated: None,
        rendering: rendering.into(),
        receipt: Box::new(receipt),
    };
    (1300, body)
}

fn completed(text: &str) -> (u64, Body) {
    let usage = Usage { input: 10, output: 3, cached_input: 0 };
    let body = Body::TurnCompleted {
        text: text.into(),
        stop_reason: "end".into(),
        steps: 2,
        usage,
        refused: 0,
    };
    (3000, body)
}

fn said(text: &str, tool_calls: usize) -> Vec<(u64, Body)> {
    vec![
        (1, Body::AssistantDelta { text: text.into(), reasoning: "hm".into() }),
        (2, Body::AssistantMessage { text: text.into(), tool_calls, stop: "end".into() }),
    ]
}

/// The lines on standard error for one call that ends so.
#[track_caller]
fn check(mut receipt: Receipt, error: &str, text: &str, rendering: &str, expected: &str) {
    receipt.end.as_mut().unwrap().error = error.into();
    let events = vec![called("ls"), started("bash"), ended(receipt, text, rendering)];
    assert_eq!(show(Output::plain(40), ALL, events).1, expected);
}

/// [CLI-01]
#[test]
fn standard_output_gets_the_answer_and_nothing_else() {
    let mut events = said("Let me look.", 1);
    events.extend([
        called("ls"),
        started("bash"),
        ended(receipt(Decision::Auto, Status::Ok), "a", ""),
    ]);
    events.extend(said("It is a.", 0));
    events.push(completed("It is a."));
    let (out, err) = show(Output::plain(80), ALL, events);
    assert_eq!(out, "It is a.\n");
    assert_eq!(
        err,
        "Let me look.\n● bash ls\n  ✓ a · 0.3 s\n2 steps · 1 call · 3.0 s · 10 tokens in, 3 out\n"
    );
}

#[test]
fn at_a_terminal_the_answer_streams_and_lines_do_not_mix() {
    let output = Output { stdout_is_terminal: true, ..Output::plain(80) };
    let mut events =
        vec![(1, Body::AssistantDelta { text: "Let me".into(), reasoning: String::new() })];
    events.push((2, Body::ModelRetrying { attempt: 2, after_ms: 1200, reason: "busy".into() }));
    events.extend(said("\u{1b}[31mred", 0));
    events.push(completed("\u{1b}[31mred"));
    let (out, err) = show(output, ALL, events);
    assert_eq!(out, "Let me\n<U+001B>[31mred\n");
    assert!(err.starts_with("the model is asked again in 1.2 s (retry 2): busy\n"), "{err}");
}

#[test]
fn each_end_of_a_call_reads_well() {
    let is = receipt;
    check(is(Decision::Auto, Status::Ok), "", "one", "", "● bash ls\n  ✓ one · 0.3 s\n");
    check(
        is(Decision::Auto, Status::Failed),
        "no such file",
        "no such file",
        "",
        "● bash ls\n  ✗ failed: no such file · 0.3 s\n",
    );
    check(
        is(Decision::Auto, Status::Failed),
        "(no output)\n[exit code 3]",
        "",
        "",
        "● bash ls\n  ✗ failed: exit code 3 · 0.3 s\n",
    );
    check(
        is(Decision::Refused, Status::Refused),
        "posture never runs only what is read-only",
        "",
        "",
        "● bash ls\n  ✗ refused: posture never runs only\n  what is read-only\n",
    );
    check(
        is(Decision::Denied, Status::Refused),
        "the user said no",
        "",
        "",
        "● bash ls\n  ✗ denied: the user said no\n",
    );
    check(
        is(Decision::Auto, Status::InFlight),
        "",
        "",
        "",
        "● bash ls\n  ✗ interrupted: it may have run in part\n  · 0.3 s\n",
    );
}

#[test]
fn output_is_folded_to_its_end() {
    let lines: String = (1..=9).map(|line| format!("line {line}\n")).collect();
    let shown = "● bash ls\n  │ … 4 more lines\n  │ line 5\n  │ line 6\n  │ line 7\n  │ line 8\n  │ line 9\n  ✓ 9 lines · 0.3 s\n";
    check(receipt(Decision::Auto, Status::Ok), "", &lines, "", shown);
    let mut looked = receipt(Decision::Auto, Status::Ok);
    looked.safety = Some(Safety { read_only: true, ..Safety::WORST });
    check(looked, "", &lines, "", "● bash ls\n  ✓ 9 lines · 0.3 s\n");
}

#[test]
fn a_diff_is_shown_from_its_beginning_and_in_colour_where_there_is_colour() {
    let diff = "@@ -1 +1 @@\n-old\n+new\n";
    let plain = "● bash ls\n  │ @@ -1 +1 @@\n  │ -old\n  │ +new\n  ✓ done · 0.3 s\n";
    check(receipt(Decision::Auto, Status::Ok), "", "done", diff, plain);
    let output = Output { stderr_paint: crate::output::Paint { is_on: true }, ..Output::plain(40) };
    let events = vec![
        called("ls"),
        started("bash"),
        ended(receipt(Decision::Auto, Status::Ok), "done", diff),
    ];
    let (_, err) = show(output, ALL, events);
    assert!(
        err.contains("\u{1b}[31m-old\u{1b}[0m") && err.contains("\u{1b}[32m+new\u{1b}[0m"),
        "{err:?}"
    );
}

#[test]
fn a_call_that_ends_behind_another_line_says_which_it_was() {
    let note = (1100, Body::ModelRetrying { attempt: 1, after_ms: 0, reason: "x".into() });
    let events = vec![
        called("ls"),
        started("List"),
        note,
        ended(receipt(Decision::Auto, Status::Ok), "a", ""),
    ];
    let (_, err) = show(Output::plain(80), ALL, events);
    assert!(err.ends_with("✓ bash: List: a · 0.3 s\n"), "{err}");
}

#[test]
fn a_spilled_result_says_how_to_get_it() {
    let (ts, body) = ended(receipt(Decision::Auto, Status::Ok), "a", "");
    let Body::ToolResult { name, status, decision, content, metadata, rendering, receipt, .. } =
        body
    else {
        panic!("a result")
    };
    let truncated = Some(Truncated { bytes: 9, lines: None, spill: Some("artifact:12ab".into()) });
    let body = Body::ToolResult {
        name,
        status,
        decision,
        content,
        metadata,
        truncated,
        rendering,
        receipt,
    };
    let (_, err) = show(Output::plain(80), ALL, vec![called("ls"), started("bash"), (ts, body)]);
    assert!(err.ends_with("  whole result: tollgate artifacts show 12ab\n"), "{err}");
}

/// [TOOL-04]
#[test]
fn nothing_that_a_terminal_obeys_reaches_standard_error() {
    let evil = "\u{1b}]0;x\u{7}\u{202e}";
    let mut bad = receipt(Decision::Auto, Status::Failed);
    bad.end.as_mut().unwrap().error = evil.into();
    let mut events = said(evil, 1);
    events.extend([called(evil), started(evil)]);
    events.push((1200, Body::ToolProgress { text: evil.into(), fraction: None }));
    events.push(ended(bad, &format!("{evil}\n{evil}"), ""));
    events.push((1400, Body::Error { class: evil.into(), message: evil.into(), retryable: false }));
    let (out, err) = show(Output::plain(80), ALL, events);
    assert!(!err.contains(['\u{1b}', '\u{7}', '\u{202e}']) && out.is_empty(), "{err:?}");
}

/// [CAT-40]
#[test]
fn a_catalog_that_changed_is_one_line() {
    let names = |count: usize| vec!["tool".to_owned(); count];
    let changed = |added, removed, changed, more| Body::CatalogChanged {
        server: tollgate_core::name::ServerName::try_from("notes").unwrap(),
        added: names(added),
        removed: names(removed),
        changed: names(changed),
        more,
    };
    let events = vec![(1, changed(2, 1, 1, 0)), (2, changed(100, 0, 0, 400))];
    let (out, err) = show(Output::plain(80), ALL, events);
    let expected = "the tools of 'notes' changed: 2 new, 1 gone, 1 changed\n\
        the tools of 'notes' changed: 100 new, 400 more\n";
    assert_eq!((out.as_str(), err.as_str()), ("", expected));
}
