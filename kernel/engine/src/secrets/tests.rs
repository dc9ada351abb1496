//! Goal: a known value is in no text, whole or cut in pieces, and nothing else is touched [GATE-81] [RX-03].

use serde_json::{Value, json};
use tollgate_core::call::{Block, Effects, Outcome};

use super::*;

fn redactor() -> Redactor {
    let known = [("KEY", "sk-12345678"), ("LONG", "sk-12345678-longer"), ("ODD", "a\"b\\c\nd-é-e")];
    Redactor::new(known.map(|(name, value)| (name.into(), value.into())).to_vec())
}

/// The single toucher: a text, whole and in every pair of pieces.
#[track_caller]
fn check(text: &str, told: &str) {
    assert_eq!(redactor().text(text.to_owned()), told, "{text}");
    for cut in 0..=text.len() {
        let mut pieces = redactor().pieces();
        let (first, second) = text.as_bytes().split_at(cut);
        let mut all = pieces.push(first).into_owned();
        all.extend_from_slice(&pieces.push(second));
        all.extend_from_slice(&pieces.finish());
        assert_eq!(String::from_utf8_lossy(&all), told, "{text} cut at {cut}");
    }
    let mut pieces = redactor().pieces();
    let mut all: Vec<u8> =
        text.as_bytes().chunks(1).flat_map(|one| pieces.push(one).into_owned()).collect();
    all.extend_from_slice(&pieces.finish());
    assert_eq!(String::from_utf8_lossy(&all), told, "{text} byte by byte");
}

#[test]
fn a_known_value_is_replaced_by_its_name() {
    check("key=sk-12345678;", "key=[secret KEY];");
    check("sk-12345678sk-12345678", "[secret KEY][secret KEY]");
    check("sk-sk-12345678", "sk-[secret KEY]");
    check("sk-12345678-longer", "[secret LONG]");
    check("sk-12345678-long.", "[secret KEY]-long.");
    check("sk-1234567.", "sk-1234567.");
    check("", "");
}

#[test]
fn a_value_inside_json_text_is_found_too() {
    check("a\"b\\c\nd-é-e", "[secret ODD]");
    check(r#"{"x":"a\"b\\c\nd-é-e"}"#, r#"{"x":"[secret ODD]"}"#);
}

/// Bounds cut texts anywhere.
#[test]
fn a_value_that_was_cut_at_the_end_is_hidden_too() {
    check("the key is sk-12345", "the key is [secret KEY]");
    check("the key is sk-12345678-lon", "the key is [secret LONG]");
    check("the key is sk-12", "the key is sk-12");
}

/// A stream is not kept waiting for what cannot be a value.
#[test]
fn only_the_beginning_of_a_value_is_held_back() {
    let mut pieces = redactor().pieces();
    assert_eq!(pieces.push_text("hello ".into()), "hello ");
    assert_eq!(pieces.push_text("world sk-".into()), "world ");
    assert_eq!(pieces.push_text("x".into()), "sk-x");
    assert_eq!(pieces.finish_text(), "");
}

#[test]
fn short_values_are_ordinary_words() {
    let short = Redactor::new(vec![("A_TOKEN".into(), b" dev-key\n".to_vec())]);
    assert!(short.is_empty());
    assert_eq!(short.text("a dev-key".into()), "a dev-key");
}

#[test]
fn json_values_are_searched_whole() {
    let known = Redactor::new(vec![("PIN".into(), b"12345678".to_vec())]);
    let mut value = json!({ "12345678": [12_345_678, 1, { "a": "x12345678y" }], "b": true });
    known.value(&mut value);
    let told = json!({ "[secret PIN]": ["[secret PIN]", 1, { "a": "x[secret PIN]y" }], "b": true });
    assert_eq!(value, told);
}

#[test]
fn every_text_of_an_outcome_is_searched() {
    let text = || "sk-12345678".to_owned();
    let mut outcome = Outcome {
        content: vec![
            Block::Text { text: text() },
            Block::Json { value: json!([text()]) },
            Block::Resource { uri: text(), media_type: String::new(), text: text() },
        ],
        structured: json!({ "a": text() }),
        metadata: json!({ text(): 1 }),
        messages: vec![vec![Block::Text { text: text() }]],
        rendering: text(),
        ..Outcome::failure(&text(), Effects::None, String::new())
    };
    redactor().outcome(&mut outcome);
    let told = format!("{outcome:?}");
    assert!(!told.contains("12345678"), "{told}");
    assert_eq!(told.matches("[secret KEY]").count(), 9, "{told}");
}

#[test]
fn arguments_of_a_call_are_known_beside_the_rest() {
    let known = redactor().with_arguments(vec!["hunter2hunter2".to_owned()]);
    let told = known.text("hunter2hunter2 sk-12345678".to_owned());
    assert_eq!(told, "[secret argument] [secret KEY]");
    assert_eq!(redactor().text("hunter2hunter2".into()), "hunter2hunter2");
}

/// However many and large the arguments of calls are, what is looked for stays bounded, and a key stays in it.
#[test]
fn arguments_cannot_push_a_key_out() {
    let large = |number: usize| format!("{number:08}{}", "x".repeat(100 * 1024));
    let mut known = redactor();
    for number in 0..400 {
        known = known.with_arguments(vec![format!("argument-{number:08}")]);
    }
    let known = known.with_arguments((0..8).map(large).collect());
    let told = known.text("sk-12345678 argument-00000399 argument-00000000.".to_owned());
    assert_eq!(told, "[secret KEY] [secret argument] argument-00000000.");
    let patterns = known.0.as_ref().map_or(0, |known| known.patterns.iter().map(Vec::len).sum());
    assert!(patterns <= PATTERNS_BYTES_MAX, "{patterns}");
}

#[test]
fn its_own_words_do_not_tell_values() {
    assert_eq!(format!("{:?}", redactor()), r#"{"KEY", "LONG", "ODD"}"#);
    let mut nothing = Value::Null;
    redactor().value(&mut nothing);
    assert_eq!(nothing, Value::Null);
}
