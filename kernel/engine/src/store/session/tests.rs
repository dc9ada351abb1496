//! Goal: what was appended is there after a kill, damage costs only itself, and sessions are found
//! ([STORE-01], [STORE-04], RL-01, RL-04).

use std::{
    fs::{self, File},
    os::unix::process::ExitStatusExt as _,
    path::PathBuf,
    time::{Duration, UNIX_EPOCH},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::getpid,
};
use serde_json::{Value, json};
use tollgate_core::{
    authority::Taint,
    call::{Block, Truncated},
    digest::Digest,
    receipt::{Decision, Status},
    stance::Stance,
};

use super::*;
use crate::store::{
    limits::PROMPT_SEARCH_BYTES_MAX,
    tests::{
        become_nobody, call_id, child_directory, give_to_nobody, limit_file_size, passes_again,
        run_again, session_id, set_mode, state,
    },
};

fn head(id: &str) -> Head {
    Head {
        id: session_id(id),
        kind: SessionKind::Exec,
        created_unix_ms: 1_700_000_000_000,
        workspace: PathBuf::from("/w"),
        roots: vec![PathBuf::from("/w")],
        stance: Stance::default(),
        model: "p/m".to_owned(),
        version: "0.1.0".to_owned(),
    }
}

fn user(turn: u32, text: &str) -> SessionRecord {
    SessionRecord::User { turn, text: text.to_owned() }
}

fn note(text: &str) -> SessionRecord {
    SessionRecord::Note { text: text.to_owned() }
}

fn request(step: u32, kept: RequestKept) -> SessionRecord {
    let digest = Digest::of(b"x");
    SessionRecord::Request { turn: 1, step, bytes: 9, sha256: digest, tools_sha256: digest, kept }
}

fn tool_result() -> SessionRecord {
    SessionRecord::ToolResult(ToolResult {
        turn: 1,
        step: 1,
        call_id: call_id("c-1"),
        tool_call_id: "toolu_1".to_owned(),
        name: "read".to_owned(),
        status: Status::Ok,
        decision: Decision::Auto,
        content: vec![
            Block::Text { text: "a\n{\"len\":1}\u{2028}\u{0}".to_owned() },
            Block::Json { value: json!({ "n": 9_007_199_254_740_993_u64, "f": 1.0 }) },
        ],
        metadata: json!({ "type": "user", "record": { "type": "user" } }),
        truncated: Some(Truncated { bytes: 5, lines: None, spill: None }),
        receipt_head: Digest::of(b"head"),
    })
}

/// One record of every type.
fn records(id: &str) -> Vec<SessionRecord> {
    let digest = Digest::of(b"x");
    let assistant = Assistant {
        turn: 1,
        step: 1,
        text: "t".to_owned(),
        reasoning: String::new(),
        carried: "[]".to_owned(),
        tool_calls: vec![ToolCall {
            id: "toolu_1".to_owned(),
            name: "read".to_owned(),
            arguments: "{\"broken".to_owned(),
        }],
        stop: "tool_calls".to_owned(),
        usage: Usage { input: 1, output: 2, cached_input: 0 },
        model: "p/m".to_owned(),
    };
    let observed = Observed {
        path: "/w/a".to_owned(),
        sha256: digest,
        seen_unix_ms: 1,
        modified_unix_ns: 1_700_000_000_000_000_001,
    };
    vec![
        SessionRecord::Session(head(id)),
        user(1, "hello"),
        request(1, RequestKept { tools_bytes: Some(7), ..RequestKept::default() }),
        SessionRecord::Assistant(assistant),
        tool_result(),
        SessionRecord::Inject { messages: vec![vec![Block::Text { text: "i".to_owned() }]] },
        SessionRecord::Cwd { path: PathBuf::from("/w/sub") },
        SessionRecord::Observed { files: vec![observed] },
        SessionRecord::Stance(Stance::default()),
        SessionRecord::Tainted(Taint { tool: "t".to_owned(), source: "s".to_owned() }),
        SessionRecord::TurnEnd {
            turn: 1,
            stop_reason: "done".to_owned(),
            text: "t".to_owned(),
            steps: 1,
            usage: Usage::default(),
        },
        note("n"),
        SessionRecord::End,
    ]
}

fn write(state: &StateDir, id: &str, records: &[SessionRecord]) {
    let mut log = SessionLog::create(state, head(id)).unwrap();
    for record in records {
        log.append(record).unwrap();
    }
}

#[test]
fn every_type_of_record_comes_back_as_it_was() {
    let (_temp, state) = state();
    let all = records("one");
    write(&state, "one", &all[1..]);
    let (log, loaded, repairs) = SessionLog::resume(&state, &session_id("one")).unwrap();
    assert_eq!(loaded, all);
    assert!(repairs.is_empty());
    assert_eq!(log.id().as_str(), "one");

    let mut seen = Vec::new();
    let told = read(&state, &session_id("one"), |line, record| seen.push((line, record))).unwrap();
    assert!(told.is_empty());
    assert_eq!(seen, (1..).zip(all).collect::<Vec<_>>(), "also while a kernel has it");
}

#[test]
fn records_have_the_fields_that_are_written_down() {
    let text = |record: &SessionRecord| serde_json::to_value(record).unwrap();
    let all = records("one");
    let first = json!({
        "type": "session", "id": "one", "kind": "exec", "created_unix_ms": 1_700_000_000_000_u64,
        "workspace": "/w", "roots": ["/w"], "mode": "work", "posture": "ask", "model": "p/m",
        "version": "0.1.0",
    });
    assert_eq!(text(&all[0]), first);
    assert_eq!(text(&SessionRecord::End), json!({ "type": "end" }));
    let stance = json!({ "type": "stance", "mode": "work", "posture": "ask" });
    assert_eq!(text(&SessionRecord::Stance(Stance::default())), stance);
    let types: Vec<Value> = all.iter().map(|record| text(record)["type"].clone()).collect();
    let expected = json!([
        "session",
        "user",
        "request",
        "assistant",
        "tool_result",
        "inject",
        "cwd",
        "observed",
        "stance",
        "tainted",
        "turn_end",
        "note",
        "end"
    ]);
    assert_eq!(Value::from(types), expected);
    assert_eq!(text(&all[4])["receipt_head"], json!(Digest::of(b"head").to_string()));
}

/// [STORE-01] RL-01
#[test]
fn what_was_appended_is_there_after_a_kill() {
    let id = session_id("one");
    if let Some(directory) = child_directory() {
        let state = StateDir::open(&directory).unwrap();
        let mut log = SessionLog::create(&state, head("one")).unwrap();
        for turn in 1..=100 {
            log.append(&user(turn, "x")).unwrap();
        }
        kill(getpid(), Signal::SIGKILL).unwrap();
    }
    let (_temp, state) = state();
    let name = "store::session::tests::what_was_appended_is_there_after_a_kill";
    let output = run_again(name, state.root());
    assert_eq!(output.status.signal(), Some(9));
    let (mut log, loaded, repairs) = SessionLog::resume(&state, &id).unwrap();
    assert!(repairs.is_empty());
    assert_eq!(loaded.len(), 101);
    log.append(&note("resumed")).unwrap();
}

/// RL-04
#[test]
fn a_damaged_middle_is_told_and_the_rest_loads() {
    let (_temp, state) = state();
    write(&state, "one", &records("one")[1..]);
    let path = path(&state, &session_id("one"));
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(5).position(|window| window == b"hello").unwrap();
    bytes[at] = b'j';
    // A record of a newer version is whole, and not known here.
    let mut newer = FramedLog::create(&state.root().join("newer")).unwrap();
    newer.append(b"{\"type\":\"of_tomorrow\"}").unwrap();
    bytes.extend(fs::read(newer.path()).unwrap());
    fs::write(&path, bytes).unwrap();

    let (_log, loaded, repairs) = SessionLog::resume(&state, &session_id("one")).unwrap();
    let mut expected = records("one");
    expected.remove(1);
    assert_eq!(loaded, expected);
    let told = repairs.to_string();
    assert!(told.contains("line 2") && told.contains("checksum"), "{told}");
    assert!(told.contains("line 14") && told.contains("of_tomorrow"), "{told}");
}

#[test]
fn a_session_that_exists_or_is_open_is_not_made_again() {
    let (_temp, state) = state();
    let open = SessionLog::create(&state, head("one")).unwrap();
    let error = SessionLog::create(&state, head("one")).unwrap_err();
    assert!(matches!(error, SessionError::Lock(LockError::Held { .. })), "{error}");
    let error = SessionLog::resume(&state, &session_id("one")).unwrap_err();
    assert!(error.to_string().contains("is open in another kernel"), "{error}");
    drop(open);
    let error = SessionLog::create(&state, head("one")).unwrap_err().to_string();
    assert!(error.starts_with("cannot create ") && error.contains("exists"), "{error}");
    assert_eq!(SessionLog::resume(&state, &session_id("one")).unwrap().1.len(), 1);
}

#[test]
fn a_path_that_is_not_utf_8_is_refused_before_anything_is_written() {
    use std::os::unix::ffi::OsStringExt as _;
    let (_temp, state) = state();
    let mut log = SessionLog::create(&state, head("one")).unwrap();
    let path = PathBuf::from(std::ffi::OsString::from_vec(b"/w/\xff".to_vec()));
    let error = log.append(&SessionRecord::Cwd { path }).unwrap_err();
    assert!(error.to_string().contains("UTF-8"), "{error}");
    drop(log);
    assert_eq!(SessionLog::resume(&state, &session_id("one")).unwrap().1.len(), 1);
    let path = PathBuf::from(std::ffi::OsString::from_vec(b"/\xff".to_vec()));
    assert!(SessionLog::create(&state, Head { workspace: path, ..head("two") }).is_err());
    assert_eq!(list(&state, 9).unwrap().len(), 1, "a session without its head is none");
}

/// [STORE-04]
#[test]
fn a_full_disk_makes_no_session_and_ends_none() {
    let Some(directory) = child_directory() else {
        let (_temp, state) = state();
        let name = "store::session::tests::a_full_disk_makes_no_session_and_ends_none";
        return passes_again(name, state.root());
    };
    let state = StateDir::open(&directory).unwrap();
    let mut log = SessionLog::create(&state, head("one")).unwrap();
    limit_file_size(Some(100));
    let error = SessionLog::create(&state, head("two")).unwrap_err().to_string();
    assert!(error.starts_with("cannot append to ") && error.contains("two.jsonl"), "{error}");
    assert!(log.append(&user(1, "x")).is_err());
    assert_eq!(list(&state, 9).unwrap().len(), 1);
    limit_file_size(None);
    log.append(&user(1, "x")).unwrap();
    drop(log);
    let (_log, loaded, repairs) = SessionLog::resume(&state, &session_id("one")).unwrap();
    assert_eq!((loaded.len(), repairs.is_empty()), (2, true));
}

fn set_used(state: &StateDir, id: &str, second: u64) {
    let file = File::options().append(true).open(path(state, &session_id(id))).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(second)).unwrap();
}

#[test]
fn sessions_are_listed_with_those_used_last_first() {
    let (_temp, state) = state();
    assert_eq!((list(&state, 9).unwrap(), latest(&state).unwrap()), (vec![], None));
    write(&state, "old", &[user(1, "first"), tool_result(), user(2, "second"), tool_result()]);
    write(&state, "new", &[]);
    write(&state, "damaged", &[user(1, &"ü".repeat(500)), note(&"n".repeat(300_000))]);
    let damaged = path(&state, &session_id("damaged"));
    let mut bytes = fs::read(&damaged).unwrap();
    bytes[3] = b'X';
    fs::write(&damaged, bytes).unwrap();
    for (second, id) in [(30, "old"), (20, "new"), (10, "damaged")] {
        set_used(&state, id, second);
    }
    fs::write(state.sessions().join("no session.jsonl"), "").unwrap();
    fs::write(state.sessions().join("old.jsonl.torn-1"), "").unwrap();

    let all = list(&state, 9).unwrap();
    let rows: Vec<_> = all
        .iter()
        .map(|s| (s.id.as_str(), s.head.is_some(), s.turns, s.last_prompt.as_deref()))
        .collect();
    let prompt = "ü".repeat(200);
    assert_eq!(
        rows,
        [
            ("old", true, Some(2), Some("second")),
            ("new", true, Some(0), None),
            ("damaged", false, Some(1), Some(&*prompt)),
        ]
    );
    assert_eq!(all[0].used_unix_ms, 30_000);
    assert_eq!(all[0].head.as_ref().unwrap().workspace, PathBuf::from("/w"));
    assert_eq!(list(&state, 2).unwrap(), all[..2]);
    assert_eq!(latest(&state).unwrap().unwrap(), all[0]);
}

/// The search goes in steps: a prompt must be found wherever its line stands against their borders.
#[test]
fn the_last_prompt_is_found_at_every_distance_from_the_end() {
    let (_temp, state) = state();
    for distance in (65_200..65_700).step_by(7).chain([0, 1_000_000]) {
        let id = format!("d-{distance}");
        write(&state, &id, &[user(7, "found"), note(&"n".repeat(distance))]);
        let summary = latest_of(&state, &id);
        assert_eq!(
            (summary.turns, summary.last_prompt.as_deref()),
            (Some(7), Some("found")),
            "{id}"
        );
    }
}

/// `[CAT-31]`: the newest prepared request, however long the log after it, without the session's lock.
#[test]
fn the_last_request_is_found_while_the_session_runs() {
    let (_temp, state) = state();
    let id = session_id("open");
    assert!(matches!(last_request(&state, &id), Err(SessionError::Unknown { .. })));
    let mut log = SessionLog::create(&state, head("open")).unwrap();
    assert_eq!(last_request(&state, &id).unwrap(), None);
    let kept = RequestKept { model: Some("script:x".to_owned()), ..RequestKept::default() };
    for step in [1, 2] {
        log.append(&request(step, kept.clone())).unwrap();
    }
    let says_so = r#","record":{"type":"request","turn":9,"step":9}"#;
    log.append(&user(1, says_so)).unwrap();
    let far = usize::try_from(PROMPT_SEARCH_BYTES_MAX).unwrap();
    log.append(&note(&"n".repeat(far))).unwrap();
    assert_eq!(last_request(&state, &id).unwrap(), Some(request(2, kept)));
    drop(log);
}

/// A log of a kernel that kept nothing beside.
#[test]
fn a_request_of_an_older_log_is_read() {
    let digest = Digest::of(b"x").to_string();
    let old = json!({
        "type": "request", "turn": 1, "step": 2, "bytes": 9, "sha256": digest, "tools_sha256": digest,
    });
    let read: SessionRecord = serde_json::from_value(old.clone()).unwrap();
    assert_eq!(read, request(2, RequestKept::default()));
    assert_eq!(serde_json::to_value(read).unwrap(), old);
}

#[test]
fn a_prompt_too_far_from_the_end_is_not_known_and_not_none() {
    let (_temp, state) = state();
    let far = usize::try_from(PROMPT_SEARCH_BYTES_MAX).unwrap();
    write(&state, "far", &[user(1, "x"), note(&"n".repeat(far))]);
    let summary = latest_of(&state, "far");
    assert_eq!((summary.turns, summary.last_prompt), (None, None));
}

fn latest_of(state: &StateDir, id: &str) -> Summary {
    list(state, usize::MAX).unwrap().into_iter().find(|summary| summary.id.as_str() == id).unwrap()
}

#[test]
fn a_session_is_found_by_its_id_or_a_beginning() {
    let (_temp, state) = state();
    for id in ["0199a-1", "0199a-22", "0199a-2", "0188"] {
        write(&state, id, &[]);
    }
    let found = |asked: &str| find(&state, asked).map(String::from).map_err(|e| e.to_string());
    assert_eq!(found("018"), Ok("0188".to_owned()));
    assert_eq!(found("0199a-2"), Ok("0199a-2".to_owned()), "an id is not a beginning");
    assert_eq!(found("0199a-22"), Ok("0199a-22".to_owned()));
    let error = found("0199").unwrap_err();
    assert!(error.contains("0199a-22, 0199a-2, 0199a-1"), "{error}");
    let error = found("0199a-3").unwrap_err();
    assert!(error.contains("did you mean") && error.contains("0199a-1"), "{error}");
    for nothing in ["", "\u{1b}[2J", "zzzzzzzzzzzzzzzz"] {
        let error = found(nothing).unwrap_err();
        assert!(error.contains("tollgate sessions list") && !error.contains('\u{1b}'), "{error}");
    }
    let error = SessionLog::resume(&state, &session_id("0189")).unwrap_err().to_string();
    assert!(error.contains("did you mean 0188?"), "{error}");
}

/// [STORE-04]
#[test]
fn a_read_only_state_directory_is_told_and_can_be_read() {
    let name = "store::session::tests::a_read_only_state_directory_is_told_and_can_be_read";
    let id = session_id("one");
    if let Some(directory) = child_directory() {
        become_nobody();
        let state = StateDir::open(&directory).unwrap();
        for file in fs::read_dir(state.sessions()).unwrap() {
            set_mode(&file.unwrap().path(), 0o400);
        }
        set_mode(state.sessions(), 0o500);
        let error = SessionLog::create(&state, head("two")).unwrap_err().to_string();
        assert!(error.starts_with("cannot open the lock /"), "{error}");
        assert!(error.contains("Permission denied") && error.contains("TOLLGATE_HOME"), "{error}");
        let error = SessionLog::resume(&state, &id).unwrap_err().to_string();
        assert!(error.contains("Permission denied"), "{error}");
        let mut count = 0;
        assert!(read(&state, &id, |_, _| count += 1).unwrap().is_empty());
        assert_eq!((count, list(&state, 9).unwrap().len()), (2, 1));
        return;
    }
    let (_temp, state) = state();
    write(&state, "one", &[user(1, "x")]);
    let inside = fs::read_dir(state.sessions()).unwrap().map(|entry| entry.unwrap().path());
    for path in inside.chain([state.root(), state.sessions(), state.artifacts()].map(Into::into)) {
        give_to_nobody(&path);
    }
    give_to_nobody(state.receipts());
    give_to_nobody(state.logs());
    give_to_nobody(state.servers());
    set_mode(state.root().parent().unwrap(), 0o711);
    passes_again(name, state.root());
    // So that it can be removed.
    set_mode(state.sessions(), 0o700);
}
