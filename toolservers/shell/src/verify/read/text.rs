//! Small pieces of text that every format needs: numbers, places, counted words.

use std::path::PathBuf;

use crate::verify::report::Place;

/// The number that a text begins with, and what follows.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, rest))
}

/// The place that a text begins with (`src/a.rs:3:5`, `a.go:7`), and what follows its numbers.
pub(super) fn place(text: &str) -> Option<(Place, &str)> {
    text.match_indices(':').find_map(|(at, _)| {
        let (file, rest) = text.split_at_checked(at)?;
        let (line, rest) = number(rest.strip_prefix(':')?)?;
        let column = rest.strip_prefix(':').and_then(number);
        let (column, rest) = match column {
            Some((column, rest)) => (Some(column), rest),
            None => (None, rest),
        };
        is_file(file).then(|| (Place { file: PathBuf::from(file), line, column }, rest))
    })
}

/// The first place in the words of a text, such as `at f (/x/a.js:5:17)`.
pub(super) fn place_within(text: &str) -> Option<Place> {
    let words = text.split([' ', '\t', '(', ')', '\'', '"']);
    words
        .map(|word| word.strip_prefix("file://").unwrap_or(word))
        .find_map(|word| Some(place(word)?.0))
}

/// Whether a text can be the name of a source file.
pub(super) fn is_file(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && !ending.is_empty() && ending.chars().all(char::is_alphanumeric)
    });
    has_ending
        && text.len() < 4096
        && !text.contains([' ', '\t', '"', '<', '>', '|'])
        && !text.contains("://")
}

/// The number before a word, as in "3 passed, 1 failed": 0 if the word is not there.
pub(super) fn counted(text: &str, word: &str) -> u64 {
    let words: Vec<&str> =
        text.split([' ', ',', ';', '|', '(', ')']).filter(|word| !word.is_empty()).collect();
    let pairs = words.iter().zip(words.iter().skip(1));
    let mut numbers = pairs.filter(|(_, named)| **named == word);
    numbers.find_map(|(number, _)| number.parse().ok()).unwrap_or(0)
}
