//! Goal: what is missing is said or refused, as the settings want. What holds is tried by real escapes
//! in `tests/confine.rs`, in a process that the tests start.

use super::{ConfineError, Plan, confine, missing};
use crate::settings::Sandbox;

fn without(sandbox: Sandbox) -> Result<String, ConfineError> {
    missing(sandbox, "landlock", "this kernel has none".into(), "Linux 5.13")
}

#[test]
fn a_missing_tier_is_named_as_missing() {
    assert_eq!(without(Sandbox::BestEffort).unwrap(), "landlock:none");
}

#[test]
fn a_missing_tier_that_is_required_says_what_it_needs() {
    let error = without(Sandbox::Required).unwrap_err().to_string();
    for words in ["landlock cannot be had here: this kernel has none", "Linux 5.13", "best-effort"]
    {
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn off_says_so_and_does_nothing() {
    let off = Plan { sandbox: Sandbox::Off, address_bytes: 0 };
    let before = nix::sys::prctl::get_no_new_privs();
    assert_eq!(confine(off).unwrap(), "off");
    assert_eq!(nix::sys::prctl::get_no_new_privs(), before);
    assert!(std::fs::read("/proc/self/status").is_ok());
}
