//! A derived schema without what costs bytes of every request and helps no model: the formats of Rust's
//! integers, defaults that say "nothing", what the type of an array's items says of itself, and null beside the type of an argument that may be absent
//! (`Option`). A kernel leaves out such nulls before it sends arguments.

use serde_json::{Map, Value};

/// Nesting; a derived schema is far below.
const DEPTH_MAX: usize = 32;

/// Tidies a schema in place.
pub(super) fn schema(schema: &mut Value) {
    any(schema, DEPTH_MAX);
}

fn any(schema: &mut Value, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match schema {
        Value::Object(object) => {
            let integer = object.get("format").and_then(Value::as_str).is_some_and(is_integer);
            if integer {
                object.remove("format");
            }
            if matches!(object.get("default"), Some(Value::Null | Value::Bool(false))) {
                object.remove("default");
            }
            optional(object);
            if let Some(Value::Object(items)) = object.get_mut("items") {
                // What an array holds is said beside the array.
                items.remove("description");
            }
            for inner in object.values_mut() {
                any(inner, depth);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| any(inner, depth)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_integer(format: &str) -> bool {
    let bits = format.strip_prefix("uint").or_else(|| format.strip_prefix("int"));
    bits.is_some_and(|bits| matches!(bits, "" | "8" | "16" | "32" | "64" | "128"))
}

/// Takes null out of properties that need not be there.
fn optional(object: &mut Map<String, Value>) {
    let required: Vec<String> = match object.get("required") {
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let Some(Value::Object(properties)) = object.get_mut("properties") else { return };
    for (name, property) in properties {
        let Value::Object(property) = property else { continue };
        if required.contains(name) {
            continue;
        }
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|it| it != "null");
            if let [one] = &types[..] {
                let one = one.clone();
                property.insert("type".to_owned(), one);
            }
        }
        if let Some(Value::Array(values)) = property.get_mut("enum") {
            values.retain(|it| !it.is_null());
        }
        without_null_branch(property);
    }
}

/// `anyOf: [X, null]` is X.
fn without_null_branch(property: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = property.get_mut("anyOf") else { return };
    branches.retain(|it| it.get("type").and_then(Value::as_str) != Some("null"));
    if let [Value::Object(one)] = &branches[..] {
        let one = one.clone();
        property.remove("anyOf");
        for (name, value) in one {
            property.entry(name).or_insert(value);
        }
    }
}
