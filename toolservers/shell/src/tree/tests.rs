//! Goal: the processes of a call are found and ended, however they left it. [SHELL-03]

use super::*;

/// The processes below this one that are alive and have this word among their arguments.
pub(crate) fn alive(word: &str) -> usize {
    let below = below_this_process();
    let named = below.iter().filter(|process| {
        let arguments = fs::read(format!("/proc/{}/cmdline", process.id.pid)).unwrap_or_default();
        arguments.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes())
    });
    named.count()
}

#[test]
fn a_process_is_read_from_its_line() {
    let this = process(i32::try_from(std::process::id()).unwrap()).unwrap();
    assert_eq!(this.parent, i32::try_from(std::os::unix::process::parent_id()).unwrap());
    assert!(this.id.start > 0);
    assert!(process(i32::MAX).is_none());
}

#[test]
fn a_signal_reaches_no_other_process_of_the_same_number() {
    let mut other = process(i32::try_from(std::process::id()).unwrap()).unwrap().id;
    other.start += 1;
    send(other, Signal::KILL);
}
