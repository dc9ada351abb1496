//! Tests of `synonyms`.

use std::collections::BTreeSet;

use super::*;

#[test]
fn groups_hold_in_both_directions_and_no_word_is_its_own_synonym() {
    for (word, others) in GROUPS.iter() {
        assert!(!others.contains(word), "{word}");
        for other in others {
            assert!(of(other).any(|it| it == word), "{other} -> {word}");
        }
    }
    let folder = stemmed("folder");
    assert!(of(&folder).any(|it| it == stemmed("directory")));
    assert!(of("文件").any(|it| it == stemmed("file")));
    assert_eq!(of("ukulele").count(), 0);
}

#[test]
fn the_table_is_written_once_and_in_small_letters() {
    let mut lines = BTreeSet::new();
    for line in include_str!("../../data/synonyms.txt").lines().filter(|it| !it.starts_with('#')) {
        assert!(line.is_empty() || lines.insert(line), "twice: {line}");
        assert_eq!(line, line.to_lowercase());
        let words = line.split_whitespace().count();
        assert!(words == 0 || (2..=20).contains(&words), "{line}");
    }
    let stop: Vec<&str> = include_str!("../../data/stop.txt").split_whitespace().collect();
    assert_eq!(stop.len(), STOP.len(), "a stop word is written twice");
}

#[test]
fn no_word_of_a_group_says_nothing() {
    for line in include_str!("../../data/synonyms.txt").lines().filter(|it| !it.starts_with('#')) {
        for word in line.split_whitespace() {
            assert!(!is_stop(word), "{word}");
        }
    }
}
