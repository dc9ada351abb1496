//! Reads a schema into types.
//!
//! A reference becomes [`Type::Named`], and what it leads to is read once, later, from a queue: the work
//! grows with the schema, not with what its references would unfold to, and cycles need no care here.
//! Where a reference stands beside other conditions, or among several of `allOf`, it is merged instead
//! (`parts`).
//!
//! Everything that is done is paid for in steps; when they are used up, or where schemas nest too deep,
//! the rest is `unknown` and the result says that it is not whole.
//!
//! Not here: validation. What makes no sense in a schema is passed over.

mod array;
mod keywords;
mod object;
mod parts;
mod reference;
mod value;

use std::collections::BTreeMap;

use crate::{
    json::{Json, Object},
    limits::{DEFINITIONS_MAX, DEPTH_MAX, SCHEMAS_MAX},
    types::{Basic, Type, both, union},
};
use keywords::Kind;
pub(crate) use keywords::{Alias, alias};
pub(crate) use reference::resolve;

/// A schema as types; the first definition is the schema itself.
#[derive(Debug)]
pub(crate) struct Definitions {
    /// Name and type of each, in the order in which references first lead there.
    pub(crate) list: Vec<(String, Type)>,
    /// Whether all of the schema was read.
    pub(crate) is_whole: bool,
}

/// Whether what the schema says in prose is read, too.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Docs {
    /// Yes, for a declaration.
    Read,
    /// No: a signature has no room for it.
    Skip,
}

/// Reads a schema. `name` is that of the schema itself, should it refer to itself.
pub(crate) fn read(root: &Json, name: &str, docs: Docs) -> Definitions {
    let mut reader = Reader {
        root,
        docs,
        steps_left: SCHEMAS_MAX,
        is_whole: true,
        queue: Vec::new(),
        numbers: BTreeMap::new(),
    };
    let (name, root) = reference::start(root, name);
    reader.enqueue(name, root);
    let mut list = Vec::new();
    while let Some((name, schema)) = reader.queue.get(list.len()).cloned() {
        list.push((name, reader.schema(schema, 0)));
    }
    Definitions { list, is_whole: reader.is_whole }
}

struct Reader<'a> {
    root: &'a Json,
    docs: Docs,
    steps_left: usize,
    is_whole: bool,
    /// Definitions: those that are read, then those that wait.
    queue: Vec<(String, &'a Json)>,
    /// Numbers of definitions, by where they stand in the tree.
    numbers: BTreeMap<*const Json, usize>,
}

impl<'a> Reader<'a> {
    /// The type of a schema, `depth` levels below its definition.
    fn schema(&mut self, schema: &'a Json, depth: usize) -> Type {
        if self.steps_left == 0 || depth > DEPTH_MAX {
            self.is_whole = false;
            return Type::Unknown;
        }
        self.pay(1);
        let object = match schema {
            Json::Object(object) => object,
            Json::Bool(false) => return Type::Never,
            Json::Bool(true) | Json::Null | Json::Number(_) | Json::Text(_) | Json::List(_) => {
                return Type::Unknown;
            }
        };
        let ty = match alias(object) {
            Some(Alias::Reference(reference)) => self.reference(reference),
            Some(Alias::Schema(inner)) => self.schema(inner, depth + 1),
            None => self.merged(schema, depth),
        };
        if keywords::is_nullable(object) { union([ty, Type::Basic(Basic::Null)]) } else { ty }
    }

    /// The definition that a reference leads to; `unknown` for one that leads out of the schema.
    fn reference(&mut self, reference: &str) -> Type {
        match resolve(self.root, reference) {
            Some(target @ Json::Object(_)) => self.enqueue(reference::name(reference), target),
            Some(Json::Bool(false)) => Type::Never,
            Some(
                Json::Bool(true) | Json::Null | Json::Number(_) | Json::Text(_) | Json::List(_),
            )
            | None => Type::Unknown,
        }
    }

    fn enqueue(&mut self, name: String, schema: &'a Json) -> Type {
        let at = std::ptr::from_ref(schema);
        if let Some(number) = self.numbers.get(&at) {
            return Type::Named(*number);
        }
        let number = self.queue.len();
        if number >= DEFINITIONS_MAX {
            self.is_whole = false;
            return Type::Unknown;
        }
        self.numbers.insert(at, number);
        self.queue.push((name, schema));
        Type::Named(number)
    }

    /// The type of a schema together with all that it says at once: by reference and by `allOf`.
    fn merged(&mut self, schema: &'a Json, depth: usize) -> Type {
        let parts = self.parts(schema);
        if parts.is_never {
            return Type::Never;
        }
        let mut ty = match self.values(&parts.objects, depth) {
            Some(values) => values,
            None => self.kinds(&parts.objects, depth),
        };
        for part in &parts.objects {
            for keyword in ["anyOf", "oneOf"] {
                let Some(choices) = part.get(keyword).and_then(Json::list) else { continue };
                self.pay(choices.len() / 8);
                // Choices that only say what is required narrow no type.
                if choices.iter().any(keywords::says_a_type) {
                    let choices = choices.iter().map(|it| self.schema(it, depth + 1));
                    let choices = union(choices.collect::<Vec<_>>());
                    ty = both(ty, choices);
                }
            }
        }
        ty
    }

    /// The types of the kinds of values that all parts allow.
    fn kinds(&mut self, parts: &[&'a Object], depth: usize) -> Type {
        let kinds = keywords::kinds(parts).or_else(|| keywords::meant(parts));
        let Some(kinds) = kinds else { return Type::Unknown };
        let types = kinds.into_iter().map(|kind| match kind {
            Kind::Basic(basic) => Type::Basic(basic),
            Kind::Array => self.array(parts, depth),
            Kind::Object => self.object(parts, depth),
        });
        union(types.collect::<Vec<_>>())
    }

    /// Pays for work.
    fn pay(&mut self, steps: usize) {
        self.steps_left = self.steps_left.saturating_sub(steps);
    }
}
