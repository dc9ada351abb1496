//! Tests of `nesting`.

use super::{BRACKETS_OPEN_MAX, too_many_open};

#[track_caller]
fn check(text: &str, expected: Option<usize>) {
    assert_eq!(too_many_open(text), expected);
}

#[test]
fn brackets_that_close_do_not_count() {
    check(&"([{}])".repeat(5000), None);
    check(&"(".repeat(BRACKETS_OPEN_MAX), None);
    check(&"(".repeat(BRACKETS_OPEN_MAX + 1), Some(BRACKETS_OPEN_MAX));
    check(
        &format!("{}{}", ")".repeat(9000), "[".repeat(BRACKETS_OPEN_MAX + 5)),
        Some(9000 + BRACKETS_OPEN_MAX),
    );
}

#[test]
fn brackets_in_strings_do_not_count() {
    let many = "\u{1b}[31m".repeat(5000);
    check(&format!("'{many}' \"{many}\" '\\'{many}'"), None);
    check(&format!("// it's {many}\n{many}"), Some(9 + 25_000 + 5 * BRACKETS_OPEN_MAX + 1));
    check(&format!("'{}", "\\'(".repeat(80_000)), None);
}
