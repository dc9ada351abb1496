//! Where references lead: `#`, JSON pointers, anchors, and the schema's own `$id` before any of them.
//! Nothing is ever fetched: what is outside of the schema is not there.

use super::keywords::{Alias, alias};
use crate::{json::Json, limits::REFERENCE_BYTES_MAX, text};

/// Names of places in a schema that say nothing about what is there.
const PLACES: [&str; 6] =
    ["items", "properties", "additionalProperties", "anyOf", "oneOf", "allOf"];
/// Hops from a schema that is only a reference to what it means.
const HOPS_MAX: usize = 4;

/// The schema to start with, and its name: `{"$ref": "#/definitions/Args"}` means what is there.
pub(super) fn start<'a>(root: &'a Json, name: &str) -> (String, &'a Json) {
    let (mut name, mut schema) = (name.to_owned(), root);
    for _ in 0..HOPS_MAX {
        let Some(Alias::Reference(target)) = schema.object().and_then(alias) else { break };
        let Some(next @ Json::Object(_)) = resolve(root, target) else { break };
        (name, schema) = (self::name(target), next);
    }
    (name, schema)
}

/// What a reference leads to.
pub(crate) fn resolve<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    if reference.len() > REFERENCE_BYTES_MAX {
        return None;
    }
    let own = ["$id", "id"].iter().find_map(|key| root.object()?.get(key)?.text());
    let own = own.map(|own| own.trim_end_matches('#')).filter(|own| !own.is_empty());
    let local = own.and_then(|own| reference.strip_prefix(own)).unwrap_or(reference);
    let fragment = if local.is_empty() { local } else { local.strip_prefix('#')? };
    let fragment = decoded(fragment)?;
    if fragment.is_empty() {
        return Some(root);
    }
    let Some(pointer) = fragment.strip_prefix('/') else { return anchor(root, &fragment) };
    pointer.split('/').try_fold(root, |at, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        match at {
            Json::Object(object) => object.get(&step),
            Json::List(list) => list.get(step.parse::<usize>().ok()?),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => None,
        }
    })
}

/// A definition with that anchor.
fn anchor<'a>(root: &'a Json, name: &str) -> Option<&'a Json> {
    let root = root.object()?;
    let all = ["$defs", "definitions"].into_iter().filter_map(|key| root.get(key)?.object());
    let is_it = |schema: &&Json| {
        let text = |key| schema.object().and_then(|it| it.get(key)).and_then(Json::text);
        text("$anchor") == Some(name)
            || text("$dynamicAnchor") == Some(name)
            || text("$id").and_then(|id| id.strip_prefix('#')) == Some(name)
    };
    all.flat_map(|definitions| definitions.iter().map(|(_, schema)| schema)).find(is_it)
}

/// A fragment without percent signs; nothing if it is no UTF-8 then.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = |digit: &u8| char::from(*digit).to_digit(16).and_then(|it| u8::try_from(it).ok());
        let byte = after.first().and_then(hex).zip(after.get(1).and_then(hex));
        match (first, byte) {
            (b'%', Some((high, low))) => {
                bytes.push(high * 16 + low);
                rest = after.get(2..).unwrap_or_default();
            }
            (_, _) => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// A name for what a reference leads to: its last step that says something.
pub(super) fn name(reference: &str) -> String {
    let fragment = reference.rsplit_once('#').map_or(reference, |(_, fragment)| fragment);
    let steps = fragment.rsplit('/').filter(|step| {
        !step.is_empty() && !PLACES.contains(step) && step.parse::<usize>().is_err()
    });
    let step = decoded(steps.take(1).next().unwrap_or("Self")).unwrap_or_default();
    text::within(&step, NAME_BYTES_MAX).to_owned()
}

/// Bytes of a definition's name; what comes after them is cut, which a number makes good (`plan`).
const NAME_BYTES_MAX: usize = 64;

#[cfg(test)]
mod tests;
