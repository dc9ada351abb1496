//! Goal: one receipt a call, calls that a kill left are known, and what was removed, changed, moved
//! or cut off shows with its line ([GATE-80], [STORE-03], RX-01, RX-02).

use std::{fs, path::PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use tollgate_core::{receipt::Status, stance::Stance};

use super::*;
use crate::store::{
    framed::FramedLog,
    session::{Head, SessionKind, SessionLog, SessionRecord, ToolResult},
    tests::{call_id, decided, ended, session_id, state},
};

const ID: &str = "s-1";

/// A session and its receipts.
fn session(state: &StateDir) -> (SessionLog, ReceiptLog) {
    let head = Head {
        id: session_id(ID),
        kind: SessionKind::Exec,
        created_unix_ms: 1,
        workspace: PathBuf::from("/w"),
        roots: Vec::new(),
        stance: Stance::default(),
        model: String::new(),
        version: String::new(),
    };
    let log = SessionLog::create(state, head).unwrap();
    let (receipts, repairs) = ReceiptLog::open(state, log.lock()).unwrap();
    assert!(repairs.is_empty());
    (log, receipts)
}

fn result(call: &str, head: Digest) -> SessionRecord {
    SessionRecord::ToolResult(ToolResult {
        turn: 1,
        step: 1,
        call_id: call_id(call),
        tool_call_id: String::new(),
        name: "read".to_owned(),
        status: Status::Ok,
        decision: tollgate_core::receipt::Decision::Auto,
        content: Vec::new(),
        metadata: Value::Null,
        truncated: None,
        receipt_head: head,
    })
}

/// Runs calls to their end, each with its result.
fn run(log: &mut SessionLog, receipts: &mut ReceiptLog, calls: &[&str]) {
    for call in calls {
        receipts.decided(decided(ID, call)).unwrap();
        let head = receipts.receipt(ended(ID, call)).unwrap();
        log.append(&result(call, head)).unwrap();
    }
}

/// A finished session of three calls: six records and three results.
fn three_calls() -> (TempDir, StateDir, Vec<String>) {
    let (temp, state) = state();
    let (mut log, mut receipts) = session(&state);
    run(&mut log, &mut receipts, &["c-1", "c-2", "c-3"]);
    let text = fs::read_to_string(path(&state, &session_id(ID))).unwrap();
    (temp, state, text.split_inclusive('\n').map(str::to_owned).collect())
}

/// The faults that a check tells when the receipts are these lines.
#[track_caller]
fn check(lines: &[String], expected: &[&str]) {
    let (_temp, state, _) = three_calls();
    fs::write(path(&state, &session_id(ID)), lines.concat()).unwrap();
    let report = verify(&state, &session_id(ID)).unwrap();
    let told: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert_eq!(told, expected);
    assert_eq!(report.is_sound(), expected.is_empty());
}

/// A line with a change in its record and a checksum that fits.
fn forged(line: &str, from: &str, to: &str) -> String {
    let frame: Box<serde_json::value::RawValue> = serde_json::from_str(line).unwrap();
    let record = frame.get().split_once(",\"record\":").unwrap().1.strip_suffix('}').unwrap();
    assert!(record.contains(from));
    let temp = tempfile::tempdir().unwrap();
    let mut log = FramedLog::create(&temp.path().join("x")).unwrap();
    log.append(record.replace(from, to).as_bytes()).unwrap();
    fs::read_to_string(log.path()).unwrap()
}

#[test]
fn whole_receipts_are_sound() {
    let (_temp, state, lines) = three_calls();
    assert_eq!(lines.len(), 6);
    let report = verify(&state, &session_id(ID)).unwrap();
    assert_eq!((report.records, report.calls, report.anchors), (6, 3, Some(3)));
    assert!(report.is_sound() && report.in_flight.is_empty());
    let (log, _, _) = SessionLog::resume(&state, &session_id(ID)).unwrap();
    let (receipts, repairs) = ReceiptLog::open(&state, log.lock()).unwrap();
    assert_eq!((receipts.head(), repairs.is_empty()), (report.head, true));
    assert_eq!(receipts.in_flight().count(), 0);
}

#[test]
fn a_line_is_a_link_of_the_chain_with_the_receipt_in_it() {
    let (_temp, _, lines) = three_calls();
    let second: Value = serde_json::from_str(&lines[1]).unwrap();
    let record = &second["record"];
    assert_eq!((&record["seq"], &record["type"]), (&1.into(), &"receipt".into()));
    assert_eq!((&record["id"], &record["session"]), (&"c-1".into(), &ID.into()));
    assert_eq!(record["end"]["status"], "ok");
    let first: Box<serde_json::value::RawValue> = serde_json::from_str(&lines[0]).unwrap();
    let text = first.get().split_once(",\"record\":").unwrap().1.strip_suffix('}').unwrap();
    assert_eq!(record["prev"], Digest::of(text.as_bytes()).to_string());
}

/// [STORE-03] RX-01
#[test]
fn a_removed_record_shows() {
    let (_temp, _, lines) = three_calls();
    let without = |gone: usize| {
        let mut lines = lines.clone();
        lines.remove(gone);
        lines
    };
    let gap = "record 0 is missing: the log goes on with record 1";
    check(&without(0), &[&format!("receipts, line 1: {gap}")]);
    let gap = "receipts, line 4: record 3 is missing: the log goes on with record 4";
    let cut = "session log, line 3: the receipts that were there when call c-2 ended are cut off or changed";
    check(&without(3), &[gap, cut]);
}

#[test]
fn records_that_changed_places_show() {
    let (_temp, _, mut lines) = three_calls();
    lines.swap(2, 4);
    check(
        &lines,
        &[
            "receipts, line 3: record 2 is missing: the log goes on with record 4",
            "receipts, line 4: record 5 is missing: the log goes on with record 3",
            "receipts, line 5: record 4 is missing: the log goes on with record 2",
            "receipts, line 5: call c-2 is decided a second time, or after its end",
            "receipts, line 6: record 3 is missing: the log goes on with record 5",
        ],
    );
}

#[test]
fn a_changed_record_shows_also_with_a_checksum_that_fits() {
    let (_temp, _, lines) = three_calls();
    let changed = "record 3 does not follow from the record before it: one of the two was changed";
    let mut forged_middle = lines.clone();
    forged_middle[2] = forged(&lines[2], "\"auto\"", "\"approved\"");
    check(&forged_middle, &[&format!("receipts, line 4: {changed}")]);

    let mut forged_last = lines.clone();
    forged_last[5] = forged(&lines[5], "\"ok\"", "\"failed\"");
    let told = "session log, line 4: the receipts that were there when call c-3 ended are cut off or changed";
    check(&forged_last, &[told]);
}

#[test]
fn any_changed_byte_shows_and_the_first_fault_names_its_line() {
    let (_temp, state, lines) = three_calls();
    let whole = lines.concat().into_bytes();
    let file = path(&state, &session_id(ID));
    for at in (0..whole.len()).step_by(5) {
        let mut changed = whole.clone();
        changed[at] = changed[at].wrapping_add(1);
        fs::write(&file, &changed).unwrap();
        let report = verify(&state, &session_id(ID)).unwrap();
        let line = whole[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        assert_eq!(report.faults.first().map(|fault| fault.line), Some(line), "byte {at}");
    }
}

/// RX-01: the session log anchors the chain's end.
#[test]
fn a_cut_end_shows_wherever_it_is_cut() {
    let (_temp, state, lines) = three_calls();
    let whole = lines.concat();
    let file = path(&state, &session_id(ID));
    for cut in (0..whole.len()).step_by(3).chain([whole.len() - 1]) {
        fs::write(&file, &whole.as_bytes()[..cut]).unwrap();
        let report = verify(&state, &session_id(ID)).unwrap();
        // Without its newline alone the last record is still whole.
        assert_eq!(report.is_sound(), cut == whole.len() - 1, "cut at {cut}");
    }
    fs::remove_file(&file).unwrap();
    assert_eq!(verify(&state, &session_id(ID)).unwrap().faults.len(), 3);
    fs::write(&file, &whole).unwrap();
    fs::remove_file(state.sessions().join(format!("{ID}.jsonl"))).unwrap();
    let report = verify(&state, &session_id(ID)).unwrap();
    assert!(report.is_sound());
    assert_eq!(report.anchors, None, "and that the end is not anchored is told");
    fs::remove_file(&file).unwrap();
    assert!(matches!(verify(&state, &session_id(ID)), Err(ReceiptsError::Session(_))));
}

#[test]
fn a_log_cut_anywhere_opens_and_its_chain_goes_on() {
    let (_temp, state, lines) = three_calls();
    let whole = lines.concat();
    let file = path(&state, &session_id(ID));
    let (log, _, _) = SessionLog::resume(&state, &session_id(ID)).unwrap();
    for cut in (0..=whole.len()).step_by(7) {
        fs::write(&file, &whole.as_bytes()[..cut]).unwrap();
        let (mut receipts, repairs) = ReceiptLog::open(&state, log.lock()).unwrap();
        assert!(repairs.damage.is_empty(), "cut at {cut}: {repairs}");
        let left: Vec<_> = receipts.in_flight().map(|receipt| receipt.id.clone()).collect();
        for call in left {
            receipts.receipt(ended(ID, call.as_str())).unwrap();
        }
        receipts.decided(decided(ID, "c-9")).unwrap();
        let report = verify(&state, &session_id(ID)).unwrap();
        let by_receipts = |fault: &&Fault| fault.log == LogKind::Receipts;
        assert_eq!(report.faults.iter().find(by_receipts), None, "cut at {cut}");
        assert_eq!(report.in_flight, [call_id("c-9")]);
        for copy in fs::read_dir(state.receipts()).unwrap() {
            fs::remove_file(copy.unwrap().path()).unwrap();
        }
    }
}

#[test]
fn a_second_receipt_is_refused() {
    let (_temp, state) = state();
    let (_log, mut receipts) = session(&state);
    receipts.decided(decided(ID, "c-1")).unwrap();
    let error = receipts.decided(decided(ID, "c-1")).unwrap_err().to_string();
    assert!(error.contains("call c-1 has its decision already"), "{error}");
    receipts.receipt(ended(ID, "c-1")).unwrap();
    let error = receipts.receipt(ended(ID, "c-1")).unwrap_err().to_string();
    assert!(error.contains("call c-1 has its receipt already"), "{error}");
    assert!(matches!(receipts.decided(decided(ID, "c-1")), Err(ReceiptsError::Twice { .. })));
    // A call that never starts has a receipt alone.
    receipts.receipt(ended(ID, "c-2")).unwrap();
    let report = verify(&state, &session_id(ID)).unwrap();
    assert!(report.is_sound());
    assert_eq!((report.records, report.calls), (3, 2));
}

#[test]
fn records_of_one_call_that_stand_twice_show() {
    let (_temp, state) = state();
    let (mut log, _receipts) = session(&state);
    let mut chain = Chain::new(ID);
    let mut raw = FramedLog::open(&path(&state, &session_id(ID)), |_, _| Ok(())).unwrap().0;
    for record in [
        Record::Decided(decided(ID, "c-1")),
        Record::Decided(decided(ID, "c-1")),
        Record::Receipt(ended(ID, "c-1")),
        Record::Receipt(ended(ID, "c-1")),
        Record::Decided(decided(ID, "c-1")),
    ] {
        let link = chain.link(record);
        let text = encode(&link).unwrap();
        raw.append(&text).unwrap();
        chain.rejoin(&link, &text);
    }
    log.append(&result("c-2", chain.head())).unwrap();
    let report = verify(&state, &session_id(ID)).unwrap();
    let told: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "receipts, line 2: call c-1 is decided a second time, or after its end",
            "receipts, line 4: call c-1 has a second receipt",
            "receipts, line 5: call c-1 is decided a second time, or after its end",
            "session log, line 2: call c-2 has a result and no receipt before it",
        ]
    );
}

/// [STORE-01] Each call that was running is known after a kill.
#[test]
fn calls_in_flight_are_known_when_the_log_is_opened_again() {
    let (_temp, state) = state();
    let (mut log, mut receipts) = session(&state);
    run(&mut log, &mut receipts, &["c-1"]);
    receipts.decided(decided(ID, "c-3")).unwrap();
    receipts.decided(decided(ID, "c-2")).unwrap();
    drop(receipts);
    let report = verify(&state, &session_id(ID)).unwrap();
    assert!(report.is_sound());
    assert_eq!(report.in_flight, [call_id("c-2"), call_id("c-3")]);

    let (mut receipts, _) = ReceiptLog::open(&state, log.lock()).unwrap();
    let left: Vec<Receipt> = receipts.in_flight().cloned().collect();
    assert_eq!(left, [decided(ID, "c-2"), decided(ID, "c-3")]);
    for receipt in left {
        let mut end = ended(ID, "x").end.unwrap();
        (end.status, end.may_have_run) = (Status::InFlight, true);
        receipts.receipt(Receipt { end: Some(end), ..receipt }).unwrap();
    }
    assert_eq!(receipts.in_flight().count(), 0);
    let report = verify(&state, &session_id(ID)).unwrap();
    assert!(report.is_sound() && report.in_flight.is_empty());
}

#[test]
fn a_fault_is_told_and_stays_visible() {
    let (_temp, state, mut lines) = three_calls();
    lines.remove(1);
    fs::write(path(&state, &session_id(ID)), lines.concat()).unwrap();
    let (mut log, _, _) = SessionLog::resume(&state, &session_id(ID)).unwrap();
    let (mut receipts, repairs) = ReceiptLog::open(&state, log.lock()).unwrap();
    assert!(repairs.to_string().contains("record 1 is missing"), "{repairs}");
    run(&mut log, &mut receipts, &["c-4"]);
    let report = verify(&state, &session_id(ID)).unwrap();
    assert_eq!(
        report.faults.len(),
        2,
        "the gap and the anchor in it, and nothing after: {report:?}"
    );
    assert_eq!((report.head, report.records), (receipts.head(), 7));
}

#[test]
fn a_call_is_listed_once_and_shown_by_a_beginning() {
    let (_temp, state) = state();
    let (mut log, mut receipts) = session(&state);
    run(&mut log, &mut receipts, &["c-1", "c-12"]);
    receipts.decided(decided(ID, "d-1")).unwrap();
    receipts.receipt(ended(ID, "e-1")).unwrap();
    let (records, repairs) = list(&state, &session_id(ID)).unwrap();
    assert!(repairs.is_empty());
    assert_eq!(
        records,
        [
            Record::Receipt(ended(ID, "c-1")),
            Record::Receipt(ended(ID, "c-12")),
            Record::Decided(decided(ID, "d-1")),
            Record::Receipt(ended(ID, "e-1")),
        ]
    );
    let shown = |asked: &str| show(&state, asked).map_err(|error| error.to_string());
    let whole = |call: &str| Shown {
        session: session_id(ID),
        decided: Some(decided(ID, call)),
        receipt: Some(ended(ID, call)),
        questions: Vec::new(),
    };
    assert_eq!(shown("c-1"), Ok(whole("c-1")), "an id is not a beginning");
    assert_eq!(shown("c-12"), Ok(whole("c-12")));
    assert_eq!(shown("d"), Ok(Shown { receipt: None, ..whole("d-1") }));
    assert_eq!(shown("e"), Ok(Shown { decided: None, ..whole("e-1") }));
    assert!(shown("c").unwrap_err().contains("c-1, c-12; give more"));
    assert!(shown("").unwrap_err().contains("receipts list"));
    assert!(shown("x").unwrap_err().contains("no receipt of a call 'x'"));
    assert_eq!(list(&state, &session_id("other")).unwrap().0, []);
}

#[tokio::test]
async fn receipts_are_flushed() {
    let (_temp, state) = state();
    let (_log, mut receipts) = session(&state);
    receipts.decided(decided(ID, "c-1")).unwrap();
    let flushing = receipts.flush();
    receipts.receipt(ended(ID, "c-1")).unwrap();
    flushing.await.unwrap();
    receipts.flush().await.unwrap();
}
