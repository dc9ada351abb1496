//! What the keywords of one schema say about its kind, and which schemas merely stand for another one.

use crate::{
    json::{Json, Object},
    types::Basic,
};

/// Keywords that a schema's type depends on, `nullable` apart.
const TYPED: [&str; 20] = [
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "dependencies",
    "dependentSchemas",
    "else",
    "enum",
    "items",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "properties",
    "then",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords of objects and of arrays: what a schema without `type` means by them.
const OBJECT: [&str; 4] =
    ["additionalProperties", "patternProperties", "properties", "unevaluatedProperties"];
const ARRAY: [&str; 3] = ["items", "prefixItems", "unevaluatedItems"];
/// Keywords that refer to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A kind of values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// Neither object nor array.
    Basic(Basic),
    /// An array.
    Array,
    /// An object.
    Object,
}

/// What a schema stands for, if it says nothing about its type itself.
#[derive(Debug)]
pub(crate) enum Alias<'a> {
    /// `{"$ref": …}`
    Reference(&'a str),
    /// `{"allOf": [one]}`, and the same with `anyOf` and `oneOf`.
    Schema(&'a Json),
}

/// The one schema that `object` stands for.
pub(crate) fn alias(object: &Object) -> Option<Alias<'_>> {
    let mut typed = TYPED.iter().filter_map(|key| object.get(key).map(|value| (*key, value)));
    let (key, value) = typed.next()?;
    if typed.next().is_some() {
        return None;
    }
    if REFERENCES.contains(&key) {
        return value.text().map(Alias::Reference);
    }
    match (key, value.list()) {
        ("allOf" | "anyOf" | "oneOf", Some([one])) => Some(Alias::Schema(one)),
        (_, _) => None,
    }
}

/// The reference of a schema, whatever else it says.
pub(super) fn reference(object: &Object) -> Option<&str> {
    REFERENCES.iter().find_map(|key| object.get(key).and_then(Json::text))
}

/// Whether it says anything about a type.
pub(super) fn says_a_type(schema: &Json) -> bool {
    schema.object().is_none_or(|object| TYPED.iter().any(|key| object.get(key).is_some()))
}

/// `nullable`, as `OpenAPI` 3.0 has it.
pub(super) fn is_nullable(object: &Object) -> bool {
    object.get("nullable").and_then(Json::bool) == Some(true)
}

/// The kinds that every `type` of the parts names, in order; nothing if no part has a usable `type`.
pub(super) fn kinds(parts: &[&Object]) -> Option<Vec<Kind>> {
    let mut allowed: Option<Vec<Kind>> = None;
    for kinds in parts.iter().filter_map(|part| part.get("type")).filter_map(kinds_of) {
        allowed = Some(match allowed {
            Some(before) => before.into_iter().filter(|kind| kinds.contains(kind)).collect(),
            None => kinds,
        });
    }
    allowed
}

fn kinds_of(value: &Json) -> Option<Vec<Kind>> {
    let names = value.list().unwrap_or(std::slice::from_ref(value));
    // No schema names more kinds than there are.
    let kinds: Option<Vec<Kind>> = names.iter().take(8).map(|name| kind(name.text()?)).collect();
    kinds.filter(|kinds| !kinds.is_empty())
}

fn kind(name: &str) -> Option<Kind> {
    match name {
        "null" => Some(Kind::Basic(Basic::Null)),
        "boolean" => Some(Kind::Basic(Basic::Boolean)),
        "integer" | "number" => Some(Kind::Basic(Basic::Number)),
        "string" => Some(Kind::Basic(Basic::String)),
        "array" => Some(Kind::Array),
        "object" => Some(Kind::Object),
        _ => None,
    }
}

/// The kinds that a schema without `type` means: by its keywords of objects and arrays.
pub(super) fn meant(parts: &[&Object]) -> Option<Vec<Kind>> {
    let has =
        |keys: &[&str]| parts.iter().any(|part| keys.iter().any(|key| part.get(key).is_some()));
    let object = has(&OBJECT).then_some(Kind::Object);
    let array = has(&ARRAY).then_some(Kind::Array);
    let kinds: Vec<Kind> = object.into_iter().chain(array).collect();
    (!kinds.is_empty()).then_some(kinds)
}
