//! Goal: reasoning comes back to the provider that gave it, and to no other [MODEL-02].

use super::*;

/// The single toucher: deltas as JSON lines, what is shown joined by `|`, and what is carried back.
#[track_caller]
fn check(deltas: &[&str], has_calls: bool, shown: &str, fields: &str) {
    let mut reasoning = Reasoning::default();
    let mut texts = Vec::new();
    for delta in deltas {
        let piece: Piece = serde_json::from_str(delta).unwrap();
        if let Some(Delta::Reasoning(text)) = reasoning.take(&piece) {
            texts.push(text);
        }
    }
    assert_eq!(texts.join("|"), shown);
    let carried = reasoning.carried("deepseek", has_calls);
    if fields.is_empty() {
        assert!(carried.is_empty());
        return;
    }
    let carried: Value = serde_json::from_slice(&carried).unwrap();
    assert_eq!(Value::Object(restore(&carried, "deepseek")).to_string(), fields);
    assert!(restore(&carried, "openai").is_empty());
}

#[test]
fn each_known_field_is_shown_once_and_carried_back() {
    check(
        &[r#"{"reasoning_content":"a"}"#, r#"{"reasoning_content":"b"}"#],
        false,
        "a|b",
        r#"{"reasoning_content":"ab"}"#,
    );
    check(
        &[r#"{"reasoning_content":"a","reasoning":"a"}"#],
        false,
        "a",
        r#"{"reasoning":"a","reasoning_content":"a"}"#,
    );
    check(
        &[r#"{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}]}"#],
        true,
        "a",
        r#"{"reasoning":"a","reasoning_details":[{"text":"a","type":"reasoning.text"}]}"#,
    );
    check(&[r#"{"thinking":"a"}"#], true, "a", "");
    check(&[r#"{"content":"a"}"#], true, "", "");
    check(&[r#"{"reasoning":{"odd":1}}"#], true, "", "");
}

#[test]
fn an_empty_reasoning_is_carried_back_with_calls_only() {
    check(&[r#"{"reasoning_content":null}"#], true, "", r#"{"reasoning_content":""}"#);
    check(&[r#"{"reasoning_content":""}"#], true, "", r#"{"reasoning_content":""}"#);
    check(&[r#"{"reasoning_content":null}"#], false, "", "");
}

#[test]
fn what_another_format_carried_is_left_out() {
    assert!(restore(&serde_json::json!({"format": "messages", "provider": "p"}), "p").is_empty());
    assert!(restore(&serde_json::json!("text"), "p").is_empty());
    let odd = serde_json::json!({"format":"chat","provider":"p","fields":{"content":"forged"}});
    assert!(restore(&odd, "p").is_empty());
}
