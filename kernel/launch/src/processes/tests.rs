//! Goal: no name that a process gives itself hides its parent or its state.

use super::*;

/// A line of `/proc/PID/stat` with the fields that are read.
fn line(name: &str, state: &str, threads: u32) -> String {
    format!("42 ({name}) {state} 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 {threads} 0 987 1 2\n")
}

#[track_caller]
fn check(name: &str, state: &str, threads: u32, alive: bool) {
    let (pid, parent) = (Pid::from_raw(42), Pid::from_raw(7));
    let expected = Process { pid, parent, alive, start_ticks: 987 };
    assert_eq!(parse(&line(name, state, threads)), Some(expected), "{name} {state}");
}

#[test]
fn a_line_is_read_whatever_the_name() {
    check("sh", "S", 1, true);
    check("a) Z 1 (b", "R", 1, true);
    check("", "D", 1, true);
    check("x y", "T", 1, true);
}

#[test]
fn a_zombie_is_alive_only_while_it_has_other_threads() {
    check("sh", "Z", 1, false);
    check("sh", "X", 1, false);
    check("sh", "Z", 2, true);
}

#[test]
fn a_torn_line_is_no_process() {
    assert_eq!(parse(""), None);
    assert_eq!(parse("42 (sh) S 7"), None);
}

#[test]
fn this_process_is_in_the_table() {
    let me = process(Pid::this()).unwrap();
    assert_eq!((me.pid, me.parent, me.alive), (Pid::this(), Pid::parent(), true));
    assert!(processes().unwrap().contains(&me));
}
