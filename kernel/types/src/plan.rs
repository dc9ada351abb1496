//! Which definitions of a schema get a name in a declaration, and which name.
//!
//! A definition stands where it is used if it is short, or used once and made of no others with a name;
//! so text grows with the schema, and nesting stays that of one definition.

use std::collections::BTreeSet;

use crate::{
    limits::REPEATED_BYTES_MAX,
    print::{LONG, Printer, Shown, parts},
    text::identifier,
    types::{Shape, Type},
};

/// Names that a declaration gives to types: `tool_Definition`, each once.
#[derive(Debug)]
pub(crate) struct Names {
    tool: String,
    taken: BTreeSet<String>,
}

impl Names {
    /// For a tool.
    pub(crate) fn new(tool: &str) -> Self {
        Self { tool: identifier(tool), taken: BTreeSet::new() }
    }

    fn take(&mut self, name: &str) -> String {
        let base = format!("{}_{}", self.tool, identifier(name));
        let mut name = base.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

/// Decides how each definition is shown.
pub(crate) fn plan(definitions: &[(String, Type)], names: &mut Names) -> Vec<Shown> {
    let edges: Vec<Vec<usize>> = definitions.iter().map(|(_, ty)| named(ty)).collect();
    let uses = |number| edges.iter().flatten().filter(|it| **it == number).count();
    let short: Vec<bool> = definitions.iter().map(|(_, ty)| is_short(ty)).collect();
    let is_short = |number: &usize| short.get(*number) == Some(&true);
    let shown = definitions.iter().enumerate().map(|(number, (name, _))| {
        let needs = edges.get(number).map(Vec::as_slice).unwrap_or_default();
        let is_leaf = needs.iter().all(is_short);
        // The schema itself stands in its place, unless something in it refers to it.
        let uses = uses(number);
        let is_inline = is_short(&number) || uses == 0 || (uses == 1 && number > 0 && is_leaf);
        if is_inline { Shown::Inline } else { Shown::Name(names.take(name)) }
    });
    shown.collect()
}

/// Replaces definitions that are nothing but themselves (`type A = A | string`) by `unknown`: TypeScript
/// takes a type that reaches itself through an object or an array only.
pub(crate) fn break_loops(definitions: &mut [(String, Type)]) {
    for number in 0..definitions.len() {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![number];
        let mut is_loop = false;
        while let Some(at) = waiting.pop() {
            let Some((_, ty)) = definitions.get(at) else { continue };
            for next in direct(ty) {
                is_loop |= next == number;
                if seen.insert(next) {
                    waiting.push(next);
                }
            }
        }
        if let Some((_, ty)) = definitions.get_mut(number).filter(|_| is_loop) {
            *ty = Type::Unknown;
        }
    }
}

/// Definitions that a type is made of, each as often as it is used.
fn named(ty: &Type) -> Vec<usize> {
    if let Type::Named(number) = ty {
        return vec![*number];
    }
    parts(ty).into_iter().flat_map(named).collect()
}

/// Definitions that a type may be itself.
fn direct(ty: &Type) -> Vec<usize> {
    match ty {
        Type::Named(number) => vec![*number],
        Type::Union(members) | Type::Intersection(members) => {
            members.iter().flat_map(direct).collect()
        }
        Type::Unknown
        | Type::Never
        | Type::Basic(_)
        | Type::Literal(..)
        | Type::Array(_)
        | Type::Tuple(_)
        | Type::Shape(_) => Vec::new(),
    }
}

/// Whether a type is shorter than a name for it would be worth.
fn is_short(ty: &Type) -> bool {
    let has_properties =
        matches!(ty, Type::Shape(Shape { properties, .. }) if !properties.is_empty());
    if has_properties || !named(ty).is_empty() {
        return false;
    }
    Printer { style: &LONG, definitions: &[], shown: &[] }.line(ty).len() <= REPEATED_BYTES_MAX
}
