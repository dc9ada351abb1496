//! Goal: a call id runs once ([PROTO-08]), and what it came to is told as long as there is room.

use tollgate_proto::tool::v1::{Completed, get_execution_response::State};

use super::{Begin, Executions};
use crate::limits::{EXECUTIONS_BYTES_MAX, EXECUTIONS_MAX};

const ARGUMENTS: [u8; 32] = [1; 32];

#[track_caller]
fn check(table: &Executions, call_id: &str, session: &str, arguments: [u8; 32], expected: &str) {
    let word = match table.begin(call_id, session, arguments) {
        Begin::Fresh => "fresh",
        Begin::Done(completed) => {
            assert_eq!(completed.call_id, call_id);
            "done"
        }
        Begin::Conflict => "conflict",
    };
    assert_eq!(word, expected);
}

fn end(table: &Executions, call_id: &str, bytes: usize) {
    let metadata = vec![b' '; bytes].into();
    table.end(&Completed { call_id: call_id.into(), metadata, ..Completed::default() });
}

fn state(table: &Executions, call_id: &str, session: &str) -> State {
    table.get(call_id, session).state()
}

#[test]
fn an_id_runs_once_and_is_replayed_after() {
    let table = Executions::default();
    check(&table, "call-1", "session-1", ARGUMENTS, "fresh");
    check(&table, "call-1", "session-1", ARGUMENTS, "conflict");
    end(&table, "call-1", 1);
    check(&table, "call-1", "session-1", ARGUMENTS, "done");
    check(&table, "call-2", "session-1", ARGUMENTS, "fresh");
}

#[test]
fn an_id_is_of_one_session_and_one_text() {
    let table = Executions::default();
    check(&table, "call-1", "session-1", ARGUMENTS, "fresh");
    end(&table, "call-1", 1);
    check(&table, "call-1", "session-2", ARGUMENTS, "conflict");
    check(&table, "call-1", "session-1", [2; 32], "conflict");
}

#[test]
fn what_became_of_a_call_is_told_to_its_session() {
    let table = Executions::default();
    assert_eq!(state(&table, "call-1", "session-1"), State::Unknown);
    check(&table, "call-1", "session-1", ARGUMENTS, "fresh");
    assert_eq!(state(&table, "call-1", "session-1"), State::Running);
    end(&table, "call-1", 3);
    assert_eq!(state(&table, "call-1", "session-1"), State::Done);
    let told = table.get("call-1", "session-1").completed.unwrap();
    assert_eq!(told.metadata.len(), 3);
    assert_eq!(state(&table, "call-1", "session-2"), State::Unknown);
    assert!(table.get("call-1", "session-2").completed.is_none());
}

#[test]
fn the_oldest_ends_are_forgotten_when_they_are_many() {
    let table = Executions::default();
    for n in 0..=EXECUTIONS_MAX {
        let call_id = format!("call-{n}");
        check(&table, &call_id, "session-1", ARGUMENTS, "fresh");
        end(&table, &call_id, 0);
    }
    // The next start makes room.
    check(&table, "next", "session-1", ARGUMENTS, "fresh");
    assert_eq!(state(&table, "call-0", "session-1"), State::Unknown);
    assert_eq!(state(&table, "call-1", "session-1"), State::Done);
    assert_eq!(table.lock().ended.len(), EXECUTIONS_MAX);
}

#[test]
fn the_oldest_ends_are_forgotten_when_they_are_large() {
    let table = Executions::default();
    let bytes = EXECUTIONS_BYTES_MAX / 4;
    for n in 0..5 {
        let call_id = format!("call-{n}");
        check(&table, &call_id, "session-1", ARGUMENTS, "fresh");
        end(&table, &call_id, bytes);
    }
    check(&table, "next", "session-1", ARGUMENTS, "fresh");
    assert_eq!(state(&table, "call-0", "session-1"), State::Unknown);
    assert_eq!(state(&table, "call-4", "session-1"), State::Done);
    assert!(table.lock().ended_bytes <= EXECUTIONS_BYTES_MAX);
}

/// A running call is never forgotten: forgetting it would let it run twice.
#[test]
fn a_running_call_is_remembered_whatever_ends() {
    let table = Executions::default();
    check(&table, "long", "session-1", ARGUMENTS, "fresh");
    for n in 0..2 * EXECUTIONS_MAX {
        let call_id = format!("call-{n}");
        check(&table, &call_id, "session-1", ARGUMENTS, "fresh");
        end(&table, &call_id, 0);
    }
    check(&table, "long", "session-1", ARGUMENTS, "conflict");
}
