//! A number that was given to another process is never signalled (hashicorp/go-plugin#320).

use std::ffi::CString;

use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};

use super::super::reaper::CHILDREN;
use super::*;

#[test]
fn a_child_that_was_reaped_does_not_signal_its_successor() {
    let words = ["sleep", "1000"].map(|word| CString::new(word).unwrap());
    let start = || tollgate_launch::start(Path::new("/bin/sleep"), &words, &[], &[]);
    let reaped = CHILDREN.start(false, start).unwrap();
    // As if the first had ended and the number come round again.
    let successor = CHILDREN.start(false, || Ok(reaped.pid())).unwrap();
    reaped.kill();
    successor.terminate();
    // Had the first signal been sent, it would have been the one to kill.
    let ended = waitpid(successor.pid(), None).unwrap();
    assert_eq!(ended, WaitStatus::Signaled(successor.pid(), Signal::SIGTERM, false));
}
