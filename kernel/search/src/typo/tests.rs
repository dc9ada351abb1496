//! Tests of `typo`.

use super::*;

#[track_caller]
fn check(one: &str, two: &str, most: usize, expected: Option<usize>) {
    assert_eq!(edits(one, two, most), expected, "{one} {two}");
    assert_eq!(edits(two, one, most), expected, "{two} {one}");
    if expected.is_some() {
        assert!(Shape::of(one).is_near(Shape::of(two), most), "{one} {two}: the shapes say no");
    }
}

#[test]
fn edits_are_counted() {
    check("search", "search", 2, Some(0));
    check("serch", "search", 1, Some(1));
    check("saerch", "search", 1, Some(1));
    check("databse", "database", 1, Some(1));
    check("configurtaoin", "configuration", 2, Some(2));
    check("cat", "dog", 2, None);
    check("repository", "repo", 2, None);
    check("", "ab", 2, Some(2));
}

#[test]
fn short_words_are_forgiven_nothing_and_long_ones_two() {
    for (word, expected) in
        [("cat", 0), ("file", 1), ("calendar", 1), ("attachment", 2), ("文件文件", 0)]
    {
        assert_eq!(Shape::of(word).edits_max(), expected, "{word}");
    }
}

#[test]
fn words_beyond_the_bound_are_near_nothing() {
    let long = "a".repeat(WORD_BYTES_MAX + 1);
    assert_eq!(edits(&long, &long, 2), None);
}
