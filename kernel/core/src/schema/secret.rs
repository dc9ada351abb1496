//! Arguments that their schema marks as secret (`[GATE-81]`): what is shown and kept in their place.
//!
//! A place is secret when a schema that speaks of it has `"writeOnly": true`, `"format": "password"`
//! or `"x-secret": true`. In doubt it is secret too: under a reference that leads nowhere, under a
//! name that the schema forbids (a slip of the model's), and where no object came at all.
//!
//! Not here: values that are secret wherever they turn up (`engine::secrets`).

use serde_json::{Map, Value};

use crate::json;

/// Schemas that speak of one place; beyond it the place is taken to be secret.
const SCHEMAS_MAX: usize = 64;
/// Keys whose value, or each item of it, speaks of the same place as the schema that has them.
const BESIDE: [&str; 6] = ["allOf", "anyOf", "oneOf", "if", "then", "else"];

/// Arguments without their secrets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Veiled {
    /// What may be shown and kept.
    pub shown: Value,
    /// The texts that were taken out, as they would turn up elsewhere.
    pub secrets: Vec<String>,
}

impl Veiled {
    /// Arguments of which none is secret: parsed, or as text when they are no JSON.
    #[must_use]
    pub fn plain(arguments: &[u8]) -> Self {
        let shown = json::parse(arguments)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(arguments).into_owned()));
        Self { shown, secrets: Vec::new() }
    }
}

/// Whether a schema marks anything as secret, wherever that stands.
pub(super) fn has_marks(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => is_marked(schema) || map.values().any(has_marks),
        Value::Array(items) => items.iter().any(has_marks),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The arguments without what `root` marks as secret. `aliases`: other names and canonical ones.
pub(super) fn veil(root: &Value, aliases: &[(String, String)], arguments: &Value) -> Veiled {
    let mut hiding = Hiding { root, aliases, secrets: Vec::new() };
    let mut shown = arguments.clone();
    if shown.is_object() {
        hiding.value(vec![root], &mut shown);
    } else {
        hiding.hide(&mut shown);
    }
    Veiled { shown, secrets: hiding.secrets }
}

/// What stands for a secret of a size.
pub(crate) fn mark(bytes: usize) -> Value {
    serde_json::json!({ "secret": true, "bytes": bytes })
}

fn is_marked(schema: &Value) -> bool {
    let says = |key: &str| schema.get(key).is_some_and(|said| said == true);
    says("writeOnly") || says("x-secret") || schema.get("format").is_some_and(|it| it == "password")
}

/// One pass over the arguments.
struct Hiding<'a> {
    root: &'a Value,
    aliases: &'a [(String, String)],
    secrets: Vec<String>,
}

impl<'a> Hiding<'a> {
    fn value(&mut self, schemas: Vec<&'a Value>, value: &mut Value) {
        let Some(schemas) = self.all(schemas) else { return self.hide(value) };
        if schemas.iter().any(|schema| is_marked(schema)) {
            return self.hide(value);
        }
        match value {
            Value::Object(object) => {
                for (key, inner) in object {
                    let below: Vec<_> =
                        schemas.iter().flat_map(|schema| self.under(schema, key)).collect();
                    let is_forbidden = schemas.iter().any(|schema| forbids_others(schema));
                    if below.is_empty() && is_forbidden {
                        self.hide(inner);
                    } else {
                        self.value(below, inner);
                    }
                }
            }
            Value::Array(items) => {
                for (index, inner) in items.iter_mut().enumerate() {
                    let below = schemas.iter().flat_map(|schema| at(schema, index)).collect();
                    self.value(below, inner);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Every schema that speaks of the same place as these; `None` when that cannot be known.
    fn all(&self, schemas: Vec<&'a Value>) -> Option<Vec<&'a Value>> {
        let mut all: Vec<&Value> = Vec::new();
        let mut open = schemas;
        while let Some(schema) = open.pop() {
            if all.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            if all.len() == SCHEMAS_MAX {
                return None;
            }
            all.push(schema);
            if let Some(reference) = schema.get("$ref").or(schema.get("$dynamicRef")) {
                open.push(self.root.pointer(reference.as_str()?.strip_prefix('#')?)?);
            }
            for beside in BESIDE.iter().filter_map(|key| schema.get(key)) {
                open.extend(beside.as_array().map_or(std::slice::from_ref(beside), Vec::as_slice));
            }
            let dependent = schema.get("dependentSchemas").and_then(Value::as_object);
            open.extend(dependent.into_iter().flat_map(Map::values));
        }
        Some(all)
    }

    /// The schemas of one property.
    fn under(&self, schema: &'a Value, key: &str) -> Vec<&'a Value> {
        let known = schema.get("properties").and_then(Value::as_object);
        let property = |name: &str| known.and_then(|known| known.get(name));
        if let Some(own) = property(key) {
            return vec![own];
        }
        let meant = self.aliases.iter().filter(|(alias, _)| alias == key);
        let meant = meant.filter_map(|(_, canonical)| property(canonical));
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let patterns = patterns.into_iter().flat_map(Map::values);
        let others = ["additionalProperties", "unevaluatedProperties"].into_iter();
        let others = others.filter_map(|key| schema.get(key)).filter(|other| other.is_object());
        meant.chain(patterns).chain(others).collect()
    }

    fn hide(&mut self, value: &mut Value) {
        let bytes = value.as_str().map_or_else(|| value.to_string().len(), str::len);
        self.keep(std::mem::replace(value, mark(bytes)));
    }

    fn keep(&mut self, value: Value) {
        match value {
            Value::String(text) => self.secrets.push(text),
            Value::Number(number) => self.secrets.push(number.to_string()),
            Value::Array(items) => items.into_iter().for_each(|item| self.keep(item)),
            Value::Object(map) => map.into_iter().for_each(|(_, item)| self.keep(item)),
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// The schemas of one item.
fn at(schema: &Value, index: usize) -> Vec<&Value> {
    let listed = |key: &str| schema.get(key).and_then(|items| items.get(index));
    let own = listed("prefixItems").or_else(|| listed("items"));
    let others = ["items", "additionalItems", "unevaluatedItems", "contains"].into_iter();
    own.into_iter().chain(others.filter_map(|key| schema.get(key))).collect()
}

fn forbids_others(schema: &Value) -> bool {
    let says_no = |key: &str| schema.get(key).is_some_and(|said| said == false);
    says_no("additionalProperties") || says_no("unevaluatedProperties")
}

#[cfg(test)]
mod tests;
