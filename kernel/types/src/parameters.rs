//! The arguments of a tool as one list, whatever its schema is made of.
//!
//! Of alternatives (`oneOf` of objects) a signature shows all arguments; required are those that every
//! alternative requires. The declaration tells them apart.

use std::collections::BTreeMap;

use crate::{
    limits::PROPERTIES_MAX,
    types::{Property, Rest, Shape, Type, both, union},
};

/// Definitions within each other that are looked into.
const DEPTH_MAX: usize = 12;

/// The arguments that a type describes; nothing if it is no object's.
pub(crate) fn parameters(definitions: &[(String, Type)], ty: &Type) -> Option<Shape> {
    let mut steps_left = PROPERTIES_MAX;
    within(definitions, ty, 0, &mut steps_left)
}

fn within(
    definitions: &[(String, Type)],
    ty: &Type,
    depth: usize,
    steps_left: &mut usize,
) -> Option<Shape> {
    if depth > DEPTH_MAX {
        return None;
    }
    *steps_left = steps_left.checked_sub(1)?;
    match ty {
        Type::Shape(shape) => {
            *steps_left = steps_left.checked_sub(shape.properties.len())?;
            Some(shape.clone())
        }
        Type::Named(number) => {
            within(definitions, &definitions.get(*number)?.1, depth + 1, steps_left)
        }
        Type::Intersection(members) | Type::Union(members) => {
            let shapes = members.iter();
            let shapes = shapes.filter_map(|it| within(definitions, it, depth + 1, steps_left));
            joined(shapes.collect(), matches!(ty, Type::Intersection(_)))
        }
        Type::Unknown
        | Type::Never
        | Type::Basic(_)
        | Type::Literal(..)
        | Type::Array(_)
        | Type::Tuple(_) => None,
    }
}

/// Several shapes as one: all at once, or one of them.
fn joined(shapes: Vec<Shape>, at_once: bool) -> Option<Shape> {
    let count = shapes.len();
    let mut list: Vec<(String, Vec<Property>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut rest = None;
    for shape in shapes {
        rest = rest.filter(|it| *it != Rest::Unsaid && *it != Rest::Any).or(Some(shape.rest));
        for property in shape.properties {
            let place = *places.entry(property.name.clone()).or_insert(list.len());
            if place == list.len() {
                list.push((property.name.clone(), Vec::new()));
            }
            if let Some((_, several)) = list.get_mut(place) {
                several.push(property);
            }
        }
    }
    let properties = list.into_iter().map(|(name, several)| {
        let is_required = |it: &Property| !it.optional;
        let required = if at_once {
            several.iter().any(is_required)
        } else {
            several.len() == count && several.iter().all(is_required)
        };
        let types = several.into_iter().map(|it| it.ty);
        let ty = if at_once { types.fold(Type::Unknown, both) } else { union(types) };
        Property { name, optional: !required, ty, doc: String::new() }
    });
    Some(Shape { properties: properties.collect(), rest: rest? })
}
