//! A schema's text as a tree that keeps the order of members.
//!
//! `serde_json::Value` sorts an object's members (the kernel does not build it with `preserve_order`,
//! and whether another crate of the same build does must not show here), so the tree is our own. As for
//! arguments, a key twice in one object is an error: readers disagree on which one counts.
//!
//! Nesting is bounded by `serde_json` (128 levels).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::limits::{INDEXED_MEMBERS_MIN, SCHEMA_BYTES_MAX};

/// One JSON value.
#[derive(Debug)]
pub(crate) enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it is written.
    Number(Number),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Self>),
    /// An object.
    Object(Object),
}

/// An object: its members in order.
#[derive(Debug, Default)]
pub(crate) struct Object {
    members: Vec<(String, Json)>,
    /// Positions of `members`, sorted by key.
    by_key: Vec<usize>,
}

impl Json {
    /// The tree of a text, if it is strict JSON of at most [`SCHEMA_BYTES_MAX`] bytes.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        if text.len() > SCHEMA_BYTES_MAX {
            return None;
        }
        serde_json::from_slice(text).ok()
    }

    /// The object, if it is one.
    pub(crate) fn object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The elements, if it is an array.
    pub(crate) fn list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// The text, if it is a string.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The truth, if it is a boolean.
    pub(crate) fn bool(&self) -> Option<bool> {
        if let Self::Bool(it) = self { Some(*it) } else { None }
    }

    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }
}

impl Object {
    fn new(members: Vec<(String, Json)>) -> Result<Self, String> {
        let key = |at: usize| members.get(at).map(|(key, _)| key.as_str());
        let mut by_key: Vec<usize> = (0..members.len()).collect();
        by_key.sort_unstable_by(|one, two| key(*one).cmp(&key(*two)));
        let mut pairs = by_key.iter().zip(by_key.iter().skip(1));
        if let Some((twice, _)) = pairs.find(|(one, two)| key(**one) == key(**two)) {
            return Err(format!("the key '{}' is there twice", key(*twice).unwrap_or_default()));
        }
        Ok(Self { members, by_key })
    }

    /// The member of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        if self.members.len() < INDEXED_MEMBERS_MIN {
            return self.members.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        }
        let of = |at: &usize| self.members.get(*at).map_or("", |(name, _)| name.as_str());
        let found = self.by_key.binary_search_by(|at| of(at).cmp(key)).ok()?;
        self.members.get(*self.by_key.get(found)?).map(|(_, value)| value)
    }

    /// The members, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.members.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// How many members there are.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("no finite number"))
    }
    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }
    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Json::List(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            members.push(entry);
        }
        Object::new(members).map(Json::Object).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests;
