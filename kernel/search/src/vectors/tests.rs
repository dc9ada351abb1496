//! Tests of `vectors`.

use super::*;
use crate::words::tests::table_of;

#[test]
fn cosines_are_of_directions() {
    let rows: &[(&str, &[i8])] =
        &[("east", &[100, 0]), ("far", &[127, 0]), ("north", &[0, 50]), ("south", &[0, -50])];
    let table = Arc::new(WordTable::parse(&table_of(rows)).unwrap());
    let of = |word: &str| {
        let mut meaning = Meaning::new(2);
        if let Some(row) = table.row_of(word) {
            meaning.add(&table, row, 1.0);
        }
        meaning
    };
    let mut vectors = Vectors::new(Arc::clone(&table));
    for word in ["east", "north", "south", "nowhere"] {
        vectors.push(&of(word));
    }
    assert_eq!(vectors.cosines(&of("far")), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(vectors.cosines(&of("north")), [0.0, 1.0, -1.0, 0.0]);
}

fn meaning_of(table: &WordTable, text: &str) -> Meaning {
    let mut meaning = Meaning::new(table.dimensions());
    crate::text::words(text, |word| {
        if let Some(row) = table.row_of(word) {
            meaning.add(table, row, 1.0);
        }
    });
    meaning
}

/// How near two texts are in the table that comes with the program.
fn nearness(one: &str, other: &str) -> f32 {
    let table = WordTable::built_in();
    let mut vectors = Vectors::new(Arc::clone(&table));
    vectors.push(&meaning_of(&table, one));
    vectors.cosines(&meaning_of(&table, other))[0]
}

/// [CAT-11b] What means the same is nearer than what is only about computers, or about nothing of it.
#[test]
fn the_built_in_table_knows_what_means_the_same() {
    #[track_caller]
    fn check(text: &str, near: &str, far: &str) {
        let (near, far) = (nearness(text, near), nearness(text, far));
        assert!(near > far + 0.2, "{text}: {near} {far}");
    }
    check("folder", "directory", "weather");
    check("picture", "image", "invoice");
    check("erase", "delete", "create");
    check("email", "mail", "container");
    check("meeting", "appointment", "database");
    check("movie", "film", "server");
    check("what is it like outside", "weather forecast", "list branches");
    check("write a memo", "create a note", "compile a program");
    check("show what changed since yesterday", "compare file revisions", "play a song");
}

/// [CAT-11b] The same bytes every time; nothing, and words that nobody knows, are near nothing.
#[test]
fn meaning_is_the_same_every_time_and_nothing_means_nothing() {
    let bits = || nearness("create an issue", "report a bug").to_bits();
    assert_eq!(bits(), bits());
    for nothing in ["", "  ", "qzxwv blorptang", "文件 目录", "\u{0}\u{1f4a5}"] {
        assert_eq!(nearness(nothing, "read a file").to_bits(), 0.0_f32.to_bits(), "{nothing}");
        assert_eq!(nearness("read a file", nothing).to_bits(), 0.0_f32.to_bits(), "{nothing}");
    }
}
