//! Goal: nobody below the kernel is taken for a client of it.

use super::*;

/// Process 100 is the kernel, below the editor 50; 200 a server, 210 its shell, 211 a tool; 300 a client
/// beside it.
fn parent_of(pid: i32) -> Option<i32> {
    [(1, 0), (50, 1), (100, 50), (200, 100), (210, 200), (211, 210), (300, 50)]
        .into_iter()
        .find_map(|(child, parent)| (child == pid).then_some(parent))
}

#[track_caller]
fn check(pid: i32, expected: bool) {
    assert_eq!(is_descendant(pid, 100, parent_of), expected, "{pid}");
}

/// [AP-11] [I12] A tool is no client, however deep it is; the kernel's own parents and neighbours are.
#[test]
fn descendants_are_told_from_clients() {
    for below in [200, 210, 211] {
        check(below, true);
    }
    for beside in [1, 50, 300] {
        check(beside, false);
    }
    check(0, false);
    // Gone, or not to be seen.
    check(999, true);
    assert!(is_descendant(7, 100, Some), "a line that never ends");
}

#[test]
fn the_parent_of_a_process_is_read() {
    let own = i32::try_from(std::process::id()).unwrap();
    assert_eq!(parent(own), Some(i32::try_from(std::os::unix::process::parent_id()).unwrap()));
    assert_eq!(parent(i32::MAX), None);
}
