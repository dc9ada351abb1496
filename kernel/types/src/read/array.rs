//! Arrays: `items`, and tuples by `prefixItems` or, before draft 2020, by a list of `items`.

use super::Reader;
use crate::{
    json::{Json, Object},
    types::{Tuple, Type, both},
};

impl<'a> Reader<'a> {
    /// The type of an array of which all parts speak.
    pub(super) fn array(&mut self, parts: &[&'a Object], depth: usize) -> Type {
        let tuple = parts.iter().find_map(|part| {
            let places = ["prefixItems", "items"].iter().find_map(|key| part.get(key)?.list())?;
            Some((*part, places))
        });
        if let Some((part, places)) = tuple {
            return Type::Tuple(self.tuple(part, places, depth));
        }
        let mut element = Type::Unknown;
        for items in parts.iter().filter_map(|part| part.get("items")) {
            element = both(element, self.schema(items, depth + 1));
        }
        // No element fits: the array is empty.
        if element == Type::Never {
            return Type::Tuple(Tuple { places: Vec::new(), required: 0, rest: None });
        }
        Type::Array(Box::new(element))
    }

    fn tuple(&mut self, part: &'a Object, places: &'a [Json], depth: usize) -> Tuple {
        let count = |key| part.get(key).and_then(Json::number)?.as_u64();
        let at = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        // A schema without `minItems` means all places in practice, though it would allow fewer.
        let required = count("minItems").map_or(places.len(), at).min(places.len());
        let after = if part.get("prefixItems").is_some() { "items" } else { "additionalItems" };
        let is_full = count("maxItems").is_some_and(|it| at(it) <= places.len());
        let rest = part.get(after).filter(|it| !is_full && it.list().is_none());
        let rest = rest.map(|rest| self.schema(rest, depth + 1)).filter(|it| *it != Type::Never);
        let places = places.iter().map(|place| self.schema(place, depth + 1)).collect();
        Tuple { places, required, rest: rest.map(Box::new) }
    }
}
