//! Tests of `terms`.

use super::*;
use crate::Document;

#[track_caller]
fn check(known: &str, query: &str, expected: &[&[&str]]) {
    let index = Index::new(&[Document { name: known, ..Document::default() }]);
    let found: Vec<Vec<&str>> = wanted(&index, query)
        .iter()
        .map(|it| it.stands_for.iter().map(|it| &*index.terms[it.0 as usize].stem).collect())
        .collect();
    assert_eq!(found, expected, "{query} in {known}");
}

#[test]
fn a_known_word_stands_for_itself_and_its_synonyms() {
    check("folder file", "files", &[&["fil"]]);
    check("folder file", "directory", &[&["folder"]]);
    check("delete remove", "delete", &[&["delet", "remov"]]);
}

#[test]
fn only_an_unknown_word_is_taken_for_a_misspelt_one() {
    check("search starch", "search", &[&["search"]]);
    check("search", "serch", &[&["search"]]);
    check("search", "sx search", &[&[], &["search"]]);
}

#[test]
fn a_text_of_which_nothing_is_known_is_not_guessed_from_one_word() {
    check("summary", "bioluminescent submary recipe", &[]);
}

#[test]
fn words_that_say_nothing_and_repeated_ones_are_left_out() {
    check("file", "the file of the files in a file", &[&["fil"]]);
}
