//! Goal: the exit code of a call says what became of it ([CLI-05]).

use tollgate_core::digest::Digest;
use tollgate_engine::gate::CallResult;

use super::*;
use crate::view::tests::receipt;

#[track_caller]
fn check(decision: Decision, status: Status, class: &str, refused: bool, code: u8) {
    let mut receipt = receipt(decision, status);
    receipt.end.as_mut().unwrap().error_class = class.into();
    let result = CallResult {
        content: Vec::new(),
        structured: serde_json::Value::Null,
        metadata: serde_json::Value::Null,
        truncated: None,
        is_error: status != Status::Ok,
        messages: Vec::new(),
        rendering: String::new(),
    };
    let end = CallEnd { result, receipt, receipt_head: Digest::of(b""), refused, stop_turn: false };
    assert_eq!(exit_of(&end).code(), code, "{decision:?} {status:?} {class}");
}

#[test]
fn the_exit_code_says_what_became_of_a_call() {
    use {
        Decision::{Approved, Auto, Denied, Refused},
        Status::{Failed, InFlight, Ok},
    };
    check(Auto, Ok, "", false, 0);
    check(Approved, Failed, "not_found", false, 1);
    check(Refused, Status::Refused, "plan_mode", true, 3);
    check(Denied, Status::Refused, "denied", true, 3);
    check(Refused, Status::Refused, "unknown_tool", false, 2);
    check(Refused, Status::Refused, "invalid_arguments", false, 2);
    check(Refused, Status::Refused, "server_unavailable", false, 4);
    check(Refused, Status::Refused, "outside", false, 1);
    check(Auto, InFlight, "cancelled", false, 130);
    check(Auto, Failed, "server_lost", false, 1);
}
