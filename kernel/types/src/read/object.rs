//! Objects: properties, which of them are required, and what else there may be.

use std::collections::{BTreeMap, BTreeSet};

use super::{Docs, Reader};
use crate::{
    doc,
    json::{Json, Object},
    types::{Property, Rest, Shape, Type, both, union},
};

/// Properties with all that is said of each, in the order in which they are first named.
#[derive(Default)]
struct Named<'a> {
    list: Vec<(&'a str, Vec<&'a Json>)>,
    places: BTreeMap<&'a str, usize>,
    required: BTreeSet<&'a str>,
}

impl<'a> Named<'a> {
    fn add(&mut self, name: &'a str, schema: Option<&'a Json>) {
        let place = *self.places.entry(name).or_insert(self.list.len());
        if place == self.list.len() {
            self.list.push((name, Vec::new()));
        }
        if let (Some((_, schemas)), Some(schema)) = (self.list.get_mut(place), schema) {
            schemas.push(schema);
        }
    }
}

impl<'a> Reader<'a> {
    /// The type of an object of which all parts speak.
    pub(super) fn object(&mut self, parts: &[&'a Object], depth: usize) -> Type {
        let named = self.named(parts);
        let mut properties = Vec::new();
        for (name, schemas) in &named.list {
            self.pay(name.len() / 64);
            let ty = schemas.iter().fold(Type::Unknown, |ty, schema| {
                let more = self.schema(schema, depth + 1);
                both(ty, more)
            });
            // Draft 3 says it at the property.
            let says = |it: &&Json| it.object().and_then(|it| it.get("required")?.bool());
            let required =
                named.required.contains(name) || schemas.iter().any(|it| says(it) == Some(true));
            let doc = match self.docs {
                Docs::Read => doc::of(self.root, schemas),
                Docs::Skip => String::new(),
            };
            properties.push(Property { name: (*name).to_owned(), optional: !required, ty, doc });
        }
        self.pay(named.required.len() / 8);
        let rest = self.rest(parts, depth);
        Type::Shape(Shape { properties, rest })
    }

    /// All properties that the parts name.
    fn named(&mut self, parts: &[&'a Object]) -> Named<'a> {
        let mut named = Named::default();
        for part in parts {
            for (name, schema) in properties(part) {
                named.add(name, Some(schema));
            }
            named.required.extend(required(part));
        }
        for condition in parts.iter().flat_map(|part| conditional(part)) {
            for part in self.parts(condition).objects {
                // What a condition says of a property that is named anyway does not hold always.
                let new = properties(part).filter(|(name, _)| !named.places.contains_key(name));
                for (name, schema) in new.collect::<Vec<_>>() {
                    named.add(name, Some(schema));
                }
            }
        }
        // What is required is there, even if nothing else is said of it.
        if !named.list.is_empty() {
            for name in parts.iter().flat_map(|part| required(part)) {
                named.add(name, None);
            }
        }
        named
    }

    /// What else there may be.
    fn rest(&mut self, parts: &[&'a Object], depth: usize) -> Rest {
        let (mut types, mut patterns) = (Vec::new(), Vec::new());
        let mut is_said = false;
        for part in parts {
            is_said |= part.get("properties").is_some();
            for (pattern, schema) in part
                .get("patternProperties")
                .and_then(Json::object)
                .into_iter()
                .flat_map(Object::iter)
            {
                patterns.push(pattern);
                types.push(self.schema(schema, depth + 1));
            }
            for schema in ["additionalProperties", "unevaluatedProperties"]
                .iter()
                .filter_map(|key| part.get(key))
            {
                is_said = true;
                types.push(self.schema(schema, depth + 1));
            }
        }
        types.retain(|ty| *ty != Type::Never);
        if types.is_empty() {
            return if is_said { Rest::Unsaid } else { Rest::Any };
        }
        let doc = match self.docs {
            Docs::Read => doc::patterns(&patterns),
            Docs::Skip => String::new(),
        };
        Rest::Of(Box::new(union(types)), doc)
    }
}

fn properties(part: &Object) -> impl Iterator<Item = (&str, &Json)> {
    part.get("properties").and_then(Json::object).into_iter().flat_map(Object::iter)
}

fn required(part: &Object) -> impl Iterator<Item = &str> {
    part.get("required").and_then(Json::list).unwrap_or_default().iter().filter_map(Json::text)
}

/// Schemas that hold under a condition.
fn conditional(part: &Object) -> impl Iterator<Item = &Json> {
    let branches = ["then", "else"].into_iter().filter_map(|key| part.get(key));
    let dependent = ["dependentSchemas", "dependencies"].into_iter();
    let dependent = dependent.filter_map(|key| part.get(key)?.object()).flat_map(Object::iter);
    branches.chain(dependent.map(|(_, schema)| schema))
}
