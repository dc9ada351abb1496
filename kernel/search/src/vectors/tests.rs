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
        if let Some(row) = table.row(word) {
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
