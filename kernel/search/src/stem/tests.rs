//! Tests of `stem`.

use super::*;

#[track_caller]
fn same(words: &[&str]) {
    let stems: Vec<String> = words
        .iter()
        .map(|it| {
            let mut word = (*it).to_owned();
            stem(&mut word);
            word
        })
        .collect();
    assert!(stems.iter().all(|it| *it == stems[0]), "{words:?}: {stems:?}");
}

#[test]
fn forms_of_a_word_have_one_stem() {
    same(&["create", "creates", "created", "creating", "creation"]);
    same(&["file", "files"]);
    same(&["query", "queries", "querying"]);
    same(&["search", "searches", "searching", "searched"]);
    same(&["stage", "staged", "staging", "stages"]);
    same(&["run", "running", "runs"]);
    same(&["box", "boxes"]);
    same(&["calculate", "calculator", "calculation"]);
    same(&["cancel", "cancelled", "canceling"]);
    same(&["directory", "directories"]);
}

#[test]
fn short_words_and_other_words_stay() {
    for word in ["id", "add", "css", "is", "sha256", "größe", "文件", ""] {
        let mut stemmed = word.to_owned();
        stem(&mut stemmed);
        assert_eq!(stemmed, word);
    }
}
