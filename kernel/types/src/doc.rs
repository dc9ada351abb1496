//! What a schema says in words of one property: its description, and the facts that a type does not hold
//! (`1..2000 @format uri @default 50`). One line, bounded, harmless.

mod facts;

use crate::{
    json::{Json, Object},
    limits::{DOC_BYTES_MAX, FACT_BYTES_MAX},
    read::{Alias, alias, resolve},
    text::{plain, within},
};

/// Schemas that speak of one property.
const VIEWS_MAX: usize = 6;

/// What is said of a property; empty if nothing is.
///
/// Heard are its schema, what that stands for, and the one choice beside `null`:
/// `{"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}` has a minimum.
pub(crate) fn of(root: &Json, schemas: &[&Json]) -> String {
    let views = views(root, schemas);
    let said = views.iter().filter_map(|view| view.get("description")?.text());
    let mut doc = said.map(description).find(|text| !text.is_empty()).unwrap_or_default();
    let facts = facts::all(&views);
    if !facts.is_empty() {
        if !doc.is_empty() {
            let is_ended = doc.ends_with(['.', '!', '?', ':', ';', ')', '…', '。']);
            doc.push_str(if is_ended { " " } else { ". " });
        }
        doc.push_str(&facts);
    }
    doc
}

/// Prose of a schema on one line.
fn description(text: &str) -> String {
    // White space alone must not be looked at without end.
    plain(within(text, 4 * DOC_BYTES_MAX), DOC_BYTES_MAX)
}

/// What is said of names by patterns.
pub(crate) fn patterns(patterns: &[&str]) -> String {
    let shown: Vec<String> = patterns
        .iter()
        .take(4)
        .map(|it| plain(within(it, FACT_BYTES_MAX), FACT_BYTES_MAX))
        .collect();
    if shown.is_empty() { String::new() } else { format!("names: {}", shown.join(", ")) }
}

fn views<'a>(root: &'a Json, schemas: &[&'a Json]) -> Vec<&'a Object> {
    let mut views: Vec<&Object> = Vec::new();
    let mut waiting: Vec<&Json> = schemas.iter().rev().copied().collect();
    while let Some(schema) = waiting.pop() {
        let Some(object) = schema.object() else { continue };
        if views.len() >= VIEWS_MAX || views.iter().any(|view| std::ptr::eq(*view, object)) {
            continue;
        }
        views.push(object);
        match alias(object) {
            Some(Alias::Reference(target)) => waiting.extend(resolve(root, target)),
            Some(Alias::Schema(inner)) => waiting.push(inner),
            None => waiting.extend(beside_null(object)),
        }
    }
    views
}

/// The one choice that is not `null`.
fn beside_null(object: &Object) -> Option<&Json> {
    let choices = ["anyOf", "oneOf"].iter().find_map(|key| object.get(key)?.list())?;
    let is_null =
        |choice: &&Json| choice.object().and_then(|it| it.get("type")?.text()) == Some("null");
    match choices {
        [one, null] if is_null(&null) => Some(one),
        [null, one] if is_null(&null) => Some(one),
        _ => None,
    }
}
