//! Goal: a near miss is applied only if nothing can be meant but it; else it is told. [FILE-22]

use super::*;

/// `Ok` is the new text, `Err` a part of what is told.
#[track_caller]
fn check(text: &str, old: &str, new: &str, expected: Result<&str, &str>) {
    match (near(text.as_bytes(), old, new), expected) {
        (Near::Apply { start, end, new, note }, Ok(expected)) => {
            let (before, after) = (text.get(..start).unwrap(), text.get(end..).unwrap());
            assert_eq!(format!("{before}{new}{after}"), expected);
            assert!(note.contains("was applied there"), "{note}");
        }
        (Near::Tell(message), Err(part)) => assert!(message.contains(part), "{message}"),
        (found, expected) => panic!("{found:?} is not {expected:?}"),
    }
}

#[test]
fn unicode_form_alone_is_applied() {
    check("x cafe\u{301}!\n", "caf\u{e9}", "tea", Ok("x tea!\n"));
    check("cafe\u{301} cafe\u{301}", "caf\u{e9}", "tea", Err("at lines 1, 1 if Unicode form"));
}

#[test]
fn trailing_blanks_alone_are_applied() {
    check("a  \nb\t\nc\n", "a\nb\n", "x\ny\n", Ok("x\ny\nc\n"));
    check("a  \nb  \nc\n", "a\nb", "x", Ok("x  \nc\n"));
    check("a\nb\n", "a \nb ", "x", Ok("x\n"));
    check("a\nb", "a\nb\n", "x\n", Ok("x"));
}

#[test]
fn indentation_alone_is_applied_and_carried_over() {
    let text = "fn f() {\n    if x {\n        y();\n    }\n}\n";
    check(
        text,
        "if x {\n    y();\n}\n",
        "if z {\n    w();\n}\n",
        Ok("fn f() {\n    if z {\n        w();\n    }\n}\n"),
    );
    check(
        "\tif x\n\t\ty\n",
        "    if x\n        y\n",
        "    if x\n        z\n",
        Ok("\tif x\n\t\tz\n"),
    );
    check("a\n  b\n", "  a\n    b\n", "  a\n    c\n\n", Ok("a\n  c\n\n"));
    // No rule says what three levels would be in a file of tabs.
    check(
        "\tif x\n\t\ty\n",
        "    if x\n        y\n",
        "    if x\n            z\n",
        Err("cannot be carried over"),
    );
    check("  a\n  b\n  a\n  b\n", "a\nb", "x", Err("at lines 1, 3 if indentation"));
}

#[test]
fn quotes_and_inner_blanks_are_told_with_the_exact_text() {
    check("say \u{201C}hi\u{201D}\n", "say \"hi\"", "x", Err("```\nsay \u{201C}hi\u{201D}\n```"));
    check(
        "a  =  1\n",
        "a = 1",
        "a = 2",
        Err("Line 1 differs from it only in quotes, dashes or blanks"),
    );
    check("it\u{2019}s it\u{2019}s", "it's", "x", Err("at lines 1, 1 if quotes"));
}

#[test]
fn what_is_nearest_is_shown() {
    let text = "fn a() {\n    one();\n    two();\n}\n";
    check(text, "fn a() {\n    one();\n    too();\n}", "x", Err("lines 1-4:\n```\nfn a() {"));
    check(text, "    twoo();", "x", Err("lines 3-3"));
    check(text, "nothing like it", "x", Err("does not occur in the file"));
    check("", "a\nb", "x", Err("does not occur"));
    check("\n\n", " \n", "x", Err("does not occur"));
}

/// Bytes that are not UTF-8 neither match nor stop a match elsewhere.
#[test]
fn bytes_that_are_not_utf8_are_left_aside() {
    let near = near(b"\xFF\xFE\n  a\xFF\n  b \nc\n", "b\nc\n", "x\n");
    assert!(matches!(near, Near::Tell(_)), "{near:?}");
    let found = super::near(b"\xFF\n  b \nc\n", "  b\nc\n", "x\n");
    assert!(matches!(found, Near::Apply { start: 2, end: 9, .. }), "{found:?}");
}

#[test]
fn a_long_quote_is_cut() {
    let line = "x ".repeat(2_000);
    let Near::Tell(told) = near(format!("{line}=\u{2019}\n").as_bytes(), &format!("{line}='"), "y")
    else {
        panic!("applied");
    };
    assert!(told.len() < QUOTE_BYTES_MAX + 300 && told.contains("more is not shown"), "{told}");
}
