//! The closed list of coercions: only where the schema forbids a string or null, only whole and exact.

use serde_json::{Map, Value};

use crate::{call::Coercion, json};

/// References followed from one place; a chain longer than this is a loop.
const REFERENCES_MAX: usize = 16;

/// One record.
pub(super) fn record(pointer: &str, from: &str, to: &str) -> Coercion {
    Coercion { pointer: pointer.to_owned(), from: from.to_owned(), to: to.to_owned() }
}

/// One pass over the arguments.
pub(super) struct Coercing<'a> {
    /// The whole schema, for references.
    pub(super) root: &'a Value,
    /// Other names of arguments and the canonical ones.
    pub(super) aliases: &'a [(String, String)],
    /// What was changed so far.
    pub(super) coercions: &'a mut Vec<Coercion>,
}

impl Coercing<'_> {
    /// Changes `value` in place where it is certainly meant otherwise, and records each change.
    pub(super) fn value(&mut self, schema: &Value, value: &mut Value, pointer: &str) {
        let schema = follow(self.root, schema);
        if let Value::String(text) = value
            && let Some(meant) = meant(schema, text)
        {
            self.coercions.push(record(pointer, "string", json::type_name(&meant)));
            *value = meant;
        }
        match value {
            Value::Object(object) => {
                self.rename(schema, object, pointer);
                self.leave_out(schema, object, pointer);
                for (key, inner) in object {
                    if let Some(schema) = schema.get("properties").and_then(|all| all.get(key)) {
                        self.value(schema, inner, &json::pointer(pointer, key));
                    }
                }
            }
            Value::Array(items) => {
                let Some(schema) = schema.get("items") else { return };
                for (index, inner) in items.iter_mut().enumerate() {
                    self.value(schema, inner, &format!("{pointer}/{index}"));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Leaves out what is null where it may be absent and not null.
    fn leave_out(&mut self, schema: &Value, object: &mut Map<String, Value>, pointer: &str) {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required =
            |name: &str| required.is_some_and(|all| all.iter().any(|it| it.as_str() == Some(name)));
        let nulls = object.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name);
        let nulls: Vec<String> = nulls.filter(|name| !is_required(name)).cloned().collect();
        for name in nulls {
            let meant = schema.get("properties").and_then(|all| all.get(&name));
            if meant.is_some_and(|meant| forbids_null(follow(self.root, meant))) {
                object.remove(&name);
                self.coercions.push(record(&json::pointer(pointer, &name), "null", "nothing"));
            }
        }
    }

    /// Gives arguments their canonical names, where those are known here and absent.
    fn rename(&mut self, schema: &Value, object: &mut Map<String, Value>, pointer: &str) {
        let known =
            |name: &str| schema.get("properties").is_some_and(|all| all.get(name).is_some());
        for (alias, canonical) in self.aliases {
            let applies = known(canonical) && !known(alias) && !object.contains_key(canonical);
            if applies && let Some(value) = object.remove(alias) {
                object.insert(canonical.clone(), value);
                self.coercions.push(record(&json::pointer(pointer, alias), alias, canonical));
            }
        }
    }
}

fn forbids_null(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one != "null",
        Some(Value::Array(many)) => many.iter().all(|it| it.as_str() != Some("null")),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => false,
    }
}

/// What the text means where `schema` wants no string: exactly one value of a wanted type.
fn meant(schema: &Value, text: &str) -> Option<Value> {
    let wanted: Vec<&str> = match schema.get("type")? {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    if wanted.contains(&"string") || text.trim() != text {
        return None;
    }
    let value = json::parse(text.as_bytes()).ok()?;
    let fits = match &value {
        Value::Bool(_) => wanted.contains(&"boolean"),
        Value::Number(number) => {
            wanted.contains(&"number") || wanted.contains(&"integer") && !number.is_f64()
        }
        Value::Array(_) => wanted.contains(&"array"),
        Value::Object(_) => wanted.contains(&"object"),
        Value::Null | Value::String(_) => false,
    };
    fits.then_some(value)
}

/// Follows `$ref` inside the schema.
fn follow<'a>(root: &'a Value, mut schema: &'a Value) -> &'a Value {
    for _ in 0..REFERENCES_MAX {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return schema };
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer))
        else {
            return schema;
        };
        schema = target;
    }
    schema
}
