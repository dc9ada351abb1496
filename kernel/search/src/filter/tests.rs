//! Tests of `filter`.

use super::*;
use crate::{Document, Kind};

#[test]
fn every_required_word_must_occur() {
    let of = |name, server| Document { name, server, ..Document::default() };
    let index = Index::new(&[of("one_two", "a"), of("two_three", "a"), of("one_two_three", "b")]);
    let check = |text: &str, expected: [bool; 3]| {
        let query = Query::parse(text, None, Kind::Auto, None).unwrap();
        let filter = Filter::new(&index, &query);
        assert_eq!([0, 1, 2].map(|it| filter.allows(it)), expected, "{text}");
    };
    check("x", [true, true, true]);
    check("+two", [true, true, true]);
    check("+one +two", [true, false, true]);
    check("+one-three", [false, false, true]);
    check("server:A +two", [true, true, false]);
    check("+absent", [false, false, false]);
}
