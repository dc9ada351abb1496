//! Tests of `words`.

use super::*;

/// A table of words with a vector each, all factors 1.
pub(crate) fn table_of(rows: &[(&str, &[i8])]) -> Vec<u8> {
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(u32::try_from(rows.len()).unwrap().to_le_bytes());
    let dimensions = rows.first().map_or(1, |it| it.1.len());
    bytes.extend(u16::try_from(dimensions).unwrap().to_le_bytes());
    bytes.extend([0, 0]);
    for _ in &rows {
        bytes.extend(1.0_f32.to_le_bytes());
    }
    bytes.extend(rows.iter().map(|it| u8::try_from(it.0.len()).unwrap()));
    rows.iter().for_each(|it| bytes.extend(it.0.as_bytes()));
    rows.iter().for_each(|it| bytes.extend(it.1.iter().map(|it| it.cast_unsigned())));
    bytes
}

#[test]
fn a_table_is_read() {
    let table = WordTable::parse(&table_of(&[("b", &[1, -2]), ("a", &[3, 4])])).unwrap();
    assert_eq!((table.len(), table.dimensions()), (2, 2));
    let vector = table.row("b").and_then(|row| table.vector(row));
    assert_eq!(vector, Some((1.0, [1_i8, -2].as_slice())));
    assert_eq!(table.row("c"), None);
    assert_eq!(table.vector(2), None);
}

#[test]
fn what_breaks_a_rule_is_an_error() {
    let good = table_of(&[("a", &[3, 4]), ("b", &[1, 2])]);
    let with = |at: usize, bytes: &[u8]| {
        let mut table = good.clone();
        table[at..at + bytes.len()].copy_from_slice(bytes);
        WordTable::parse(&table).map(|_| ()).unwrap_err()
    };
    assert_eq!(with(0, b"X"), WordTableError::Magic);
    assert_eq!(with(8, &[0; 4]), WordTableError::Bounds { words: 0, dimensions: 2 });
    assert!(matches!(with(8, &[0xff; 4]), WordTableError::Bounds { .. }));
    assert!(matches!(with(12, &[0xff; 2]), WordTableError::Bounds { .. }));
    assert!(matches!(with(14, &[1]), WordTableError::Bounds { .. }));
    assert_eq!(with(16, &f32::NAN.to_le_bytes()), WordTableError::Number(0));
    assert_eq!(with(20, &(-1.0_f32).to_le_bytes()), WordTableError::Number(1));
    assert_eq!(with(26, b"b"), WordTableError::Word(1));
    assert_eq!(with(26, &[0xff]), WordTableError::Word(0));
    let longer = [good.as_slice(), &[0]].concat();
    assert_eq!(WordTable::parse(&longer).map(|_| ()), Err(WordTableError::Length));
}

/// Every cut is an error; every changed byte is an error or another table, never a panic.
#[test]
fn any_cut_or_flipped_table_is_an_error_or_harmless() {
    let good = table_of(&[("a", &[3, 4]), ("bcd", &[1, 2]), ("文件", &[5, 6])]);
    for end in 0..good.len() {
        assert!(WordTable::parse(&good[..end]).is_err(), "cut at {end}");
    }
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut flipped = good.clone();
            flipped[at] ^= 1 << bit;
            if let Ok(table) = WordTable::parse(&flipped) {
                for row in 0..4 {
                    assert!(table.vector(row).is_none_or(|it| it.1.len() == table.dimensions()));
                }
            }
        }
    }
}

/// [CAT-11b] The table that comes with the program is read, whole, and within 4 MB.
#[test]
fn the_built_in_table_is_read() {
    assert!(include_bytes!("../../data/words.bin").len() <= 4_000_000);
    let table = WordTable::built_in();
    assert!(table.len() >= 10_000 && !table.is_empty(), "{}", table.len());
    assert!((64..=128).contains(&table.dimensions()), "{}", table.dimensions());
    for word in ["file", "folder", "calendar", "weather", "yesterday"] {
        assert!(table.row(word).is_some(), "{word}");
    }
    for word in ["", "File", "文件", "\u{301}", "qzxwv"] {
        assert_eq!(table.row(word), None, "{word}");
    }
    assert_eq!(table.row("chatting"), None);
    assert_eq!(table.row_of("chatting"), table.row("chat"));
    assert!(Arc::ptr_eq(&table, &WordTable::built_in()), "it is read once");
}

/// [CAT-11b] Cut anywhere, it is an error; so is one that says more of itself than there is, before anything
/// is set aside for it.
#[test]
fn a_damaged_built_in_table_is_refused() {
    let good = include_bytes!("../../data/words.bin");
    for part in 0..100 {
        let end = good.len() * part / 100;
        assert!(WordTable::parse(&good[..end]).is_err(), "cut at {end}");
    }
    assert!(WordTable::parse(&good[..good.len() - 1]).is_err());
    let counted = |words: usize, dimensions: usize| {
        let mut table = good.to_vec();
        table[8..12].copy_from_slice(&u32::try_from(words).unwrap().to_le_bytes());
        table[12..14].copy_from_slice(&u16::try_from(dimensions).unwrap().to_le_bytes());
        WordTable::parse(&table).map(|_| ()).unwrap_err()
    };
    let (words, dimensions) = (WordTable::built_in().len(), WordTable::built_in().dimensions());
    assert_eq!(counted(words, dimensions + 1), WordTableError::Length);
    assert_eq!(counted(words, dimensions - 1), WordTableError::Length);
    assert!(matches!(
        counted(words + 1, dimensions),
        WordTableError::Length | WordTableError::Word(_)
    ));
    assert!(matches!(counted(u32::MAX as usize, 1), WordTableError::Bounds { .. }));
    assert!(matches!(counted(words, 65_535), WordTableError::Bounds { .. }));
    // As much as may be said, of nothing.
    let mut short = good[..16].to_vec();
    short[8..12].copy_from_slice(&u32::try_from(TABLE_WORDS_MAX).unwrap().to_le_bytes());
    assert_eq!(WordTable::parse(&short).map(|_| ()), Err(WordTableError::Length));
}
