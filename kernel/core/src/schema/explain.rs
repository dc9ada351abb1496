//! A validator's errors as one message that a model can act on.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::{Fault, Schema};
use crate::{json, name::nearest};

/// Faults told at once.
const FAULTS_MAX: usize = 5;
/// Characters of one fault; a value in it may be long.
const FAULT_CHARS_MAX: usize = 300;

/// All faults together (at most five), the first one's pointer.
pub(super) fn explain<'a>(
    schema: &Schema,
    errors: impl Iterator<Item = ValidationError<'a>>,
) -> Fault {
    let mut first = None;
    let mut lines = Vec::new();
    for error in errors.take(FAULTS_MAX) {
        let (pointer, sentence) = one(schema, &error);
        let place = if pointer.is_empty() { "the arguments" } else { pointer.as_str() };
        let sentence: String = sentence.chars().take(FAULT_CHARS_MAX).collect();
        lines.push(format!("{place}: {sentence}"));
        first.get_or_insert(pointer);
    }
    let message = format!("the arguments do not fit the schema: {}", lines.join("; "));
    Fault { message, pointer: first.unwrap_or_default() }
}

fn one(schema: &Schema, error: &ValidationError<'_>) -> (String, String) {
    let base = error.instance_path().to_string();
    // The library quotes the value at fault.
    let told = if schema.has_secrets { error.masked().to_string() } else { error.to_string() };
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the library's own text serves for the rest"
    )]
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known = properties(&schema.value, &base);
            let key = unexpected.first().map_or("", String::as_str);
            let near = nearest(key, known.iter().map(String::as_str));
            let hint = match near.first() {
                Some(name) => format!("did you mean \"{name}\"?"),
                None if known.is_empty() => "it takes no properties".into(),
                None => format!("it takes {}", known.join(", ")),
            };
            (json::pointer(&base, key), format!("unknown property {key:?}; {hint}"))
        }
        ValidationErrorKind::Required { property } => {
            let property = property.as_str().unwrap_or_default();
            (json::pointer(&base, property), "this property is required and missing".into())
        }
        ValidationErrorKind::Type { .. } => {
            let got = json::type_name(error.instance());
            (base, format!("{told} (got {got})"))
        }
        _ => (base, told),
    }
}

/// The properties that the schema knows at a place of the instance; only through `properties` and
/// `items`, which is all that a hint needs.
fn properties(schema: &Value, pointer: &str) -> Vec<String> {
    let mut place = schema;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let next = place.get("properties").and_then(|all| all.get(&step)).or(place.get("items"));
        let Some(next) = next else { return Vec::new() };
        place = match next.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#')) {
            Some(reference) => schema.pointer(reference).unwrap_or(next),
            None => next,
        };
    }
    let known = place.get("properties").and_then(Value::as_object);
    known.map(|all| all.keys().cloned().collect()).unwrap_or_default()
}
