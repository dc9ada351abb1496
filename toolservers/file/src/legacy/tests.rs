//! Goal: arguments that had several names are one, and are never guessed.

use std::fmt::Debug;

use tollgate_sdk::{Deserialize, Preparation, Tool, serde_json::Value};

use super::*;
use crate::testing::World;

/// The old call of a transcript, as its handler reads it.
#[track_caller]
pub(super) fn call<T: Tool>(_: &T, arguments: Value) -> T::Input {
    T::Input::deserialize(arguments).unwrap()
}

/// An argument that the old name never had is refused, with the names that it has.
#[track_caller]
pub(super) fn check_unknown<T: Tool<Input: Debug>>(_: &T, arguments: Value, part: &str) {
    let refused = T::Input::deserialize(arguments).unwrap_err().to_string();
    assert!(refused.contains(part), "{refused}");
}

/// What the handler says of a call before it runs.
pub(super) async fn prepared<T: Tool>(
    world: &World,
    tool: &T,
    arguments: Value,
) -> Result<Preparation, String> {
    let input = T::Input::deserialize(arguments).unwrap();
    let prepared = tool.prepare(&input, &world.context(Vec::new())).await;
    prepared.map_err(|invalid| format!("{} {}", invalid.class, invalid.message))
}

#[test]
fn names_of_one_argument_may_repeat_and_not_differ() {
    let (a, b) = ("a".to_owned(), "b".to_owned());
    assert_eq!(one_of("x, y", [Some(&a), Some(&a)]).unwrap(), Some(&a));
    assert_eq!(one_of("x, y", [None, Some(&b)]).unwrap(), Some(&b));
    assert_eq!(one_of::<String>("x, y", [None, None]).unwrap(), None);
    let failed = one_of("x, y", [Some(&a), Some(&b)]).unwrap_err();
    assert!(failed.message.contains("x, y are one argument"), "{}", failed.message);
    assert!(needed::<String>("x, y", [None, None]).unwrap_err().message.contains("x, y: one"));
}

#[test]
fn a_digest_is_whole_or_refused() {
    let hash = format!("sha256:{}", "0f".repeat(32));
    assert_eq!(expected(Some(&hash)).unwrap(), Some([15; 32]));
    assert_eq!(expected(Some(&"AB".repeat(32))).unwrap(), Some([0xAB; 32]));
    assert_eq!(expected(None).unwrap(), None);
    for hash in ["", "sha256:", "sha256:0f", &"+f".repeat(32), &"\u{e9}".repeat(32)] {
        assert_eq!(expected(Some(&hash.to_owned())).unwrap_err().pointer, "/expected_hash");
    }
}

#[test]
fn a_list_may_be_one_text() {
    let texts = |value| Texts::all(Some(&Texts::deserialize(value).unwrap()));
    assert_eq!(texts(Value::from("*.rs")), ["*.rs"]);
    assert_eq!(texts(Value::from(vec!["a", " ", "b "])), ["a", "b"]);
    assert!(Texts::all(None).is_empty());
}
