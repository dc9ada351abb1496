//! Goal: each kind of failure has its exit code, and its chain is one line without repetition.

use super::*;

#[track_caller]
fn check(error: KernelError, exit: u8, class: &str) {
    let failure = Failure::from(error);
    assert_eq!((failure.exit.code(), failure.class()), (exit, class), "{failure:?}");
}

fn model(class: &str, retryable: bool) -> KernelError {
    KernelError::Model { class: class.into(), message: "m".into(), retryable }
}

/// [CLI-05]
#[test]
fn a_failing_model_ends_as_its_class_says() {
    check(model("rate", true), 75, "rate");
    check(model("network", true), 75, "network");
    check(model("auth", false), 4, "auth");
    check(model("quota", false), 4, "quota");
    check(model("unknown_model", false), 4, "unknown_model");
    check(model("context", false), 1, "context");
    check(KernelError::NoModel("none".into()), 2, "no_model");
    let source = std::io::Error::other("disk");
    check(KernelError::Io { what: "cannot write x".into(), source }, 1, "io");
}

#[test]
fn a_chain_is_one_line_and_says_nothing_twice() {
    let source = std::io::Error::other("no space left");
    let error = anyhow::Error::new(source).context("cannot write x").context("the store failed");
    assert_eq!(
        Failure::new(Exit::Failed, error).chain(),
        "the store failed: cannot write x: no space left"
    );
    let twice = anyhow::Error::msg("gone").context("it is gone");
    assert_eq!(Failure::new(Exit::Failed, twice).chain(), "it is gone");
}
