//! Goal: edits mean one thing or are refused, all together, with what is wrong. [FILE-20], [FILE-21]

use super::*;

/// Edits `(old, new)`; a leading `*` in `old` stands for `all`.
fn edits(edits: &[(&str, &str)]) -> Vec<Edit> {
    let edit = |(old, new): &(&str, &str)| Edit {
        old: old.trim_start_matches('*').to_owned(),
        new: (*new).to_owned(),
        all: old.starts_with('*'),
    };
    edits.iter().map(edit).collect()
}

/// `expected` is the new text, or the class of the failure.
#[track_caller]
fn check(text: &str, list: &[(&str, &str)], expected: Result<&str, Class>) {
    let planned = plan(text.as_bytes(), &edits(list))
        .and_then(|plan| plan.apply(text.as_bytes(), |at| at, |new| Ok(new.as_bytes().to_vec())));
    let planned = planned.map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(planned.as_deref().map_err(|failed| failed.class), expected);
}

#[track_caller]
fn message(text: &str, list: &[(&str, &str)]) -> String {
    plan(text.as_bytes(), &edits(list)).unwrap_err().message
}

#[test]
fn an_edit_must_mean_one_thing() {
    check("a b", &[("a", "x")], Ok("x b"));
    check("a b", &[("", "x")], Err(Class::InvalidEdit));
    check("a b", &[("a", "a")], Err(Class::InvalidEdit));
    check("a b", &[("zebra", "x")], Err(Class::NoMatch));
    check("a a", &[("a", "x")], Err(Class::Ambiguous));
    check("aaa", &[("aa", "x")], Err(Class::Ambiguous));
    check("a a", &[("*a", "x")], Ok("x x"));
    check("aaa", &[("*aa", "x")], Ok("xa"));
    check("x\n", &[("x\n", "")], Ok(""));
}

/// B016: one snapshot, no order among edits, no overlap, all or nothing.
#[test]
fn edits_are_matched_against_one_snapshot() {
    let text = "foo(bar)\nbaz\n";
    check(text, &[("foo(bar)", "qux"), ("bar", "B")], Err(Class::Overlap));
    check(text, &[("baz", "foo(bar)"), ("foo(bar)", "z")], Ok("z\nfoo(bar)\n"));
    check(text, &[("baz", "ok"), ("nope", "x")], Err(Class::NoMatch));
    check(text, &[("baz", "baz")], Err(Class::InvalidEdit));
    check("ab", &[("a", "1"), ("b", "2")], Ok("12"));
    assert!(
        message(text, &[("foo(bar)", "qux"), ("bar", "B")])
            .contains("Edit 2 of 2: overlaps edit 1 at line 1")
    );
}

/// B014: the count and each line are told.
#[test]
fn several_matches_are_listed() {
    let text: String = (1..=14)
        .map(|line| if [3, 9, 14].contains(&line) { "return None\n" } else { "pass\n" })
        .collect();
    let told = message(&text, &[("return None", "return 0")]);
    assert!(told.contains("3 times, at lines 3, 9, 14;"), "{told}");
    let told = message(&"a\n".repeat(100), &[("a", "b")]);
    assert!(told.contains("11, 12 and 88 more"), "{told}");
}

#[test]
fn all_faults_are_told_together() {
    let told = message("a a b", &[("a", "x"), ("b", "b"), ("zebra", "y"), ("b", "c")]);
    for fault in ["Nothing was written", "Edit 1 of 4", "Edit 2 of 4", "Edit 3 of 4"] {
        assert!(told.contains(fault), "{told}");
    }
    assert!(!told.contains("Edit 4"), "{told}");
}

/// B001, B002, B035: LF in `old` matches CRLF, and what comes takes the file's breaks.
#[test]
fn line_endings_follow_the_file() {
    check(
        "alpha\r\nbeta\r\ngamma\r\n",
        &[("alpha\nbeta", "ALPHA\nBETA")],
        Ok("ALPHA\r\nBETA\r\ngamma\r\n"),
    );
    let text = "a\r\nb\r\nc\r\n";
    check(text, &[("b\n", "B\n"), ("c\r\n", "C\n"), ("a", "a\r\nA")], Ok("a\r\nA\r\nB\r\nC\r\n"));
    check(text, &[("b", "b1\nb2")], Ok("a\r\nb1\r\nb2\r\nc\r\n"));
    check(text, &[("\nb", "")], Ok("a\r\nc\r\n"));
    check(text, &[("b\nc\n", "x\ny\nz\n")], Ok("a\r\nx\r\ny\r\nz\r\n"));
    check("a\nb\n", &[("a\r\nb", "x\r\ny")], Ok("x\ny\n"));
    check("a", &[("a", "x\r\ny")], Ok("x\r\ny"));
    check("a\r\nb", &[("b", "x\ny")], Ok("a\r\nx\r\ny"));
}

/// [FILE-21]: each break of a mixed text stays what it was.
#[test]
fn mixed_line_endings_stay_mixed() {
    check("a\r\nb\nc\r\nd\n", &[("a\nb\nc\nd", "a\nB\nc\nD")], Ok("a\r\nB\nc\r\nD\n"));
    check("a\r\nb\nc\r\n", &[("b", "b\nb")], Ok("a\r\nb\nb\nc\r\n"));
    // Exact bytes come first: of the two, one is what `old` says to the letter.
    check("x\r\ny\r\nx\ny\n", &[("x\ny", "z")], Ok("x\r\ny\r\nz\n"));
    check("x\r\ny\r\nx\ny\n", &[("*x\ny", "z")], Ok("z\r\nz\n"));
}

/// B013: a unique exact match is not made ambiguous by one that only looks like it.
#[test]
fn exact_matches_are_counted_first() {
    check(
        "x = 'a'\nx = \u{2018}a\u{2019}\n",
        &[("x = 'a'", "x = 'b'")],
        Ok("x = 'b'\nx = \u{2018}a\u{2019}\n"),
    );
    check("caf\u{e9} cafe\u{301}", &[("caf\u{e9}", "tea")], Ok("tea cafe\u{301}"));
}

/// B004, B010, B011: final newline, tabs and quotes are as they are given.
#[test]
fn nothing_is_normalised() {
    check("a=1\nb=2\nc=3", &[("a=1", "a=9")], Ok("a=9\nb=2\nc=3"));
    check("a=1\nb=2\nc=3", &[("c=3", "c=4")], Ok("a=1\nb=2\nc=4"));
    check(
        "all:\n\techo hi\n        echo spaces\n",
        &[("\techo hi", "\techo bye")],
        Ok("all:\n\techo bye\n        echo spaces\n"),
    );
    check(
        "say(\"don\u{2019}t\")",
        &[("don\u{2019}t", "won\u{2019}t")],
        Ok("say(\"won\u{2019}t\")"),
    );
}

#[test]
fn a_flood_of_places_is_refused() {
    let text = "a".repeat(PLACES_MAX + 1);
    check(&text, &[("*a", "b")], Err(Class::TooLarge));
    let text = "a".repeat(1_000);
    check(&text, &[("*a", &"b".repeat(40_000))], Err(Class::TooLarge));
}

/// Whatever is asked of whatever text: no panic, spans in order and apart, nothing else changed.
#[test]
fn a_plan_is_sound_for_any_text() {
    let mut numbers = crate::testing::Numbers::new(11);
    let pieces =
        ["a", "b", "\n", "\r\n", " ", "\t", "e\u{301}", "\u{e9}", "\u{2019}", "'", "ab\n", "\r"];
    let mut planned = 0;
    for _ in 0..5_000 {
        let mut random = |most: usize| -> String {
            let length = numbers.below(most);
            (0..length).map(|_| pieces[numbers.below(pieces.len())]).collect()
        };
        let (text, new) = (random(30), random(4));
        let mut olds = vec![random(5), random(5)];
        olds.truncate(1 + numbers.below(2));
        let all = numbers.below(2) == 0;
        let edits: Vec<Edit> =
            olds.iter().map(|old| Edit { old: old.clone(), new: new.clone(), all }).collect();
        let Ok(plan) = plan(text.as_bytes(), &edits) else { continue };
        planned += 1;
        let mut last = 0;
        let mut rest = String::new();
        for span in &plan.spans {
            assert!(last <= span.start && span.start < span.end && span.end <= text.len());
            rest.push_str(text.get(last..span.start).unwrap());
            rest.push_str(&span.new);
            last = span.end;
        }
        rest.push_str(text.get(last..).unwrap());
        let applied = plan.apply(text.as_bytes(), |at| at, |new| Ok(new.as_bytes().to_vec()));
        assert_eq!(String::from_utf8(applied.unwrap()).unwrap(), rest);
    }
    assert!(planned > 100, "{planned}");
}
