//! Goal: alike texts are found, and the place is between whole characters of the original.

use super::*;

#[track_caller]
fn check(text: &str, wanted: &str, fold: Fold, expected: &[&str]) {
    let places = Folded::new(text.as_bytes(), fold).find(&Folded::new(wanted.as_bytes(), fold), 9);
    let found: Vec<&str> =
        places.iter().map(|(start, end)| text.get(*start..*end).unwrap()).collect();
    assert_eq!(found, expected);
}

#[test]
fn unicode_forms_are_alike() {
    check("x cafe\u{301} y", "caf\u{e9}", Fold::Form, &["cafe\u{301}"]);
    check("x caf\u{e9} y", "cafe\u{301}", Fold::Form, &["caf\u{e9}"]);
    check("\u{ac01}", "\u{1100}\u{1161}\u{11a8}", Fold::Form, &["\u{ac01}"]);
    // Never the letter without its mark.
    check("cafe\u{301}", "cafe", Fold::Form, &[]);
    check("it\u{2019}s", "it's", Fold::Form, &[]);
}

#[test]
fn quotes_dashes_and_blanks_are_loosely_alike() {
    check(
        "say \u{201C}it\u{2019}s\u{201D}",
        "\"it's\"",
        Fold::Loose,
        &["\u{201C}it\u{2019}s\u{201D}"],
    );
    check("a  \t= b", "a = b", Fold::Loose, &["a  \t= b"]);
    check("a \u{2014} b", "a - b", Fold::Loose, &["a \u{2014} b"]);
    check("a\u{200b}b", "ab", Fold::Loose, &["a\u{200b}b"]);
    check("ab", " ", Fold::Loose, &[]);
}

#[test]
fn bytes_that_are_not_utf8_keep_their_place() {
    let folded = Folded::new(b"\xFF\xFEe\xCC\x81!", Fold::Form);
    let wanted = Folded::new("\u{e9}".as_bytes(), Fold::Form);
    assert_eq!(folded.find(&wanted, 9), [(2, 5)]);
}
