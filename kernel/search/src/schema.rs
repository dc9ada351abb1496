//! The arguments of a JSON Schema, as text to search in.
//!
//! Not here: checking arguments against a schema (`tollgate-core`).

use serde_json::{Map, Value};

use crate::limits::{ARGUMENTS_MAX, SCHEMA_DEPTH_MAX};

/// Names and descriptions of all arguments that `schema` speaks of, nested ones too, in the schema's
/// order; at most [`ARGUMENTS_MAX`], at most [`SCHEMA_DEPTH_MAX`] levels deep.
#[must_use]
pub fn arguments(schema: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let Value::Object(schema) = schema {
        walk(schema, SCHEMA_DEPTH_MAX, &mut found);
    }
    found
}

fn walk(schema: &Map<String, Value>, depth: usize, found: &mut Vec<(String, String)>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for (key, value) in schema {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    if found.len() >= ARGUMENTS_MAX {
                        return;
                    }
                    found.push((name.clone(), description(property)));
                    nested(property, depth, found);
                }
            }
            ("items" | "additionalProperties" | "anyOf" | "oneOf" | "allOf", inner) => {
                nested(inner, depth, found);
            }
            _ => {}
        }
    }
}

fn nested(value: &Value, depth: usize, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(schema) => walk(schema, depth, found),
        Value::Array(several) => {
            several.iter().filter_map(Value::as_object).for_each(|it| walk(it, depth, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The description, and the words of an enumeration.
fn description(property: &Value) -> String {
    let said = property.get("description").and_then(Value::as_str).unwrap_or_default();
    let choices = property.get("enum").and_then(Value::as_array).into_iter().flatten();
    let mut text = said.to_owned();
    for choice in choices.filter_map(Value::as_str).take(ARGUMENTS_MAX) {
        text.push(' ');
        text.push_str(choice);
    }
    text
}

#[cfg(test)]
mod tests;
