//! Goal: a status tells a client what to do, whatever text went into it.

use tollgate_core::{name::SessionId, stance::Posture};

use super::*;

#[track_caller]
fn check(error: &KernelError, code: Code, reason: &str) {
    let status = of_kernel(error);
    assert_eq!(status.code(), code, "{error}");
    let info = status.get_details_error_info().unwrap();
    assert_eq!((info.reason.as_str(), info.domain.as_str()), (reason, "tollgate"));
}

fn model(retryable: bool) -> KernelError {
    KernelError::Model { class: "rate".into(), message: "slow down".into(), retryable }
}

#[test]
fn errors_have_the_code_that_helps() {
    let session = SessionId::try_from("s").unwrap();
    let held = SessionError::Lock(LockError::Held { session, pid: Some(1) });
    let unknown = SessionError::Unknown { asked: "x".into(), nearest: Vec::new() };
    check(&StoreError::from(held).into(), Code::FailedPrecondition, "IN_USE");
    check(&StoreError::from(unknown).into(), Code::NotFound, "UNKNOWN_SESSION");
    check(&KernelError::NoModel("none".into()), Code::FailedPrecondition, "NO_MODEL");
    check(&KernelError::Posture(Posture::Ask), Code::FailedPrecondition, "POSTURE");
    check(&model(true), Code::Unavailable, "MODEL");
    check(&model(false), Code::FailedPrecondition, "MODEL");
}

/// A status of 3 KiB and more is lost in HTTP/2 trailers.
#[test]
fn a_sentence_is_cut_at_a_character() {
    let long = invalid("€".repeat(1000));
    assert!(long.message().len() <= STATUS_TEXT_BYTES_MAX && long.message().ends_with('€'));
    let hostile = not_open(&"\u{1b}[2J\n".repeat(100));
    assert!(!hostile.message().contains(['\u{1b}', '\n']), "{}", hostile.message());
}
