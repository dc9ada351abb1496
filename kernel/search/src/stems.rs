//! The words of a text that say something, as stems: for whoever compares two texts without an index.

use std::collections::BTreeSet;

use crate::{limits::FIELD_WORDS_MAX, stem, synonyms, text};

/// The stems of a text's words, without those that say nothing; at most [`FIELD_WORDS_MAX`].
#[must_use]
pub fn stems(said: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    text::words(said, |word| {
        if found.len() < FIELD_WORDS_MAX && !synonyms::is_stop(word) {
            let mut stem = word.to_owned();
            stem::stem(&mut stem);
            found.insert(stem);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_is_its_stems_without_stop_words() {
        let stems: Vec<String> =
            super::stems("The issues of a createIssue, 网页").into_iter().collect();
        assert_eq!(stems, ["creat", "issu", "网页"]);
    }
}
