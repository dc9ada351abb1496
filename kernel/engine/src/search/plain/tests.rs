//! Goal: whatever a server writes stays on its line, hides nothing, and as JSON keeps its value.

use serde_json::Value;

use super::{first_sentence, json, line};

#[track_caller]
fn check(text: &str, chars_max: usize, expected: &str) {
    let shown = line(text, chars_max);
    assert_eq!(shown, expected);
    assert!(shown.chars().count() <= chars_max, "{shown}");
}

#[test]
fn prose_is_one_line_of_what_can_be_seen() {
    check("  Finds\n\n issues.\tFast ", 40, "Finds issues. Fast");
    check("a\u{1b}[31mred\u{202e}left\u{200b}\u{0} b", 40, "a[31mredleft b");
    check("\u{202e} \u{200b}", 40, "");
    check("one two three", 9, "one two…");
    check("unbreakable", 5, "unbr…");
    check("搜索网页内容", 4, "搜索网…");
    check("exactly ten", 11, "exactly ten");
    check("one two thr four", 11, "one two…");
}

#[test]
fn the_first_sentence_is_enough_if_it_says_something() {
    let first = |text: &str| first_sentence(text, 60);
    assert_eq!(
        first("Finds notes by their words. Shows ten. At most."),
        "Finds notes by their words."
    );
    assert_eq!(first("Search. Finds notes by words."), "Search. Finds notes by words.");
    assert_eq!(
        first("Reads files, e.g. sources of v1.5 programs"),
        "Reads files, e.g. sources of v1.5 programs"
    );
    assert_eq!(first("搜索网页内容并返回结果列表。第二句。"), "搜索网页内容并返回结果列表。");
    assert_eq!(first(&"word ".repeat(40)).chars().count(), 60);
}

#[test]
fn json_keeps_its_value_and_shows_what_it_holds() {
    let text = "{\n  \"a b\" : [ 1 ,\t\"x \\\" y\\\\\" ], \"e\u{202e}\u{e0041}\": \" : \" }";
    let shown = json(text.as_bytes());
    assert_eq!(shown, "{\"a b\":[1,\"x \\\" y\\\\\"],\"e\\u202e\\udb40\\udc41\":\" : \"}");
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(value(&shown), value(text));
}
