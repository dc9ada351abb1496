//! Types made small for a signature: no names, one level of nested objects or none, short enumerations.

use crate::{
    limits::{
        DEPTH_MAX, SIGNATURE_PLACES_MAX, SIGNATURE_PROPERTIES_MAX, SIGNATURE_STEPS_MAX,
        SIGNATURE_VALUE_BYTES_MAX, SIGNATURE_VALUES_MAX,
    },
    types::{Basic, Property, Rest, Shape, Tuple, Type, union},
};

/// Makes types small.
#[derive(Debug)]
pub(crate) struct Compact<'a> {
    definitions: &'a [(String, Type)],
    /// Definitions that are being unfolded.
    open: Vec<usize>,
    steps_left: usize,
}

impl<'a> Compact<'a> {
    /// For types of these definitions.
    pub(crate) fn new(definitions: &'a [(String, Type)]) -> Self {
        Self { definitions, open: Vec::new(), steps_left: SIGNATURE_STEPS_MAX }
    }

    /// The small form of a type with `levels` levels of objects spelled out.
    pub(crate) fn small(&mut self, ty: &Type, levels: usize) -> Type {
        self.at(ty, levels, 0)
    }

    /// The same of a property. `null` is not worth its bytes where leaving the property out is enough.
    pub(crate) fn property(&mut self, property: &Property, levels: usize) -> Property {
        self.property_at(property, levels, 0)
    }

    fn property_at(&mut self, property: &Property, levels: usize, depth: usize) -> Property {
        let mut ty = self.at(&property.ty, levels, depth);
        if let Type::Union(members) = &mut ty
            && property.optional
        {
            let members = std::mem::take(members).into_iter();
            ty = union(members.filter(|it| *it != Type::Basic(Basic::Null)).collect::<Vec<_>>());
        }
        Property {
            name: property.name.clone(),
            optional: property.optional,
            ty,
            doc: String::new(),
        }
    }

    fn at(&mut self, ty: &Type, levels: usize, depth: usize) -> Type {
        if self.steps_left == 0 || depth > DEPTH_MAX {
            return Type::Unknown;
        }
        self.steps_left -= 1;
        match ty {
            Type::Unknown | Type::Never | Type::Basic(_) => ty.clone(),
            Type::Literal(..) => few(union([ty.clone()])),
            Type::Array(element) => Type::Array(Box::new(self.at(element, levels, depth + 1))),
            Type::Tuple(tuple) => self.tuple(tuple, levels, depth),
            Type::Shape(shape) => self.shape(shape, levels, depth),
            Type::Union(members) => {
                let members = members.iter().map(|it| self.at(it, levels, depth + 1));
                few(union(members.collect::<Vec<_>>()))
            }
            Type::Intersection(members) => {
                let mut members = members.iter().map(|it| self.at(it, levels, depth + 1));
                let is_object = members.any(|it| matches!(it, Type::Shape(_)));
                if is_object { Type::object() } else { Type::Unknown }
            }
            Type::Named(number) => self.definition(*number, levels, depth),
        }
    }

    fn definition(&mut self, number: usize, levels: usize, depth: usize) -> Type {
        let Some((_, ty)) = self.definitions.get(number) else { return Type::Unknown };
        if self.open.contains(&number) {
            return outline(ty);
        }
        self.open.push(number);
        let small = self.at(ty, levels, depth + 1);
        self.open.pop();
        small
    }

    fn shape(&mut self, shape: &Shape, levels: usize, depth: usize) -> Type {
        let properties = &shape.properties;
        if properties.is_empty() {
            let rest = match &shape.rest {
                Rest::Of(ty, _) => {
                    Rest::Of(Box::new(self.at(ty, levels, depth + 1)), String::new())
                }
                Rest::Any | Rest::Unsaid => Rest::Any,
            };
            return Type::Shape(Shape { properties: Vec::new(), rest });
        }
        let Some(levels) = levels.checked_sub(1) else { return Type::object() };
        if properties.len() > SIGNATURE_PROPERTIES_MAX {
            return Type::object();
        }
        let properties = properties.iter().map(|it| self.property_at(it, levels, depth + 1));
        // What else there may be is not worth its bytes beside names.
        Type::Shape(Shape { properties: properties.collect(), rest: Rest::Unsaid })
    }

    fn tuple(&mut self, tuple: &Tuple, levels: usize, depth: usize) -> Type {
        let Tuple { places, required, rest } = tuple;
        if places.len() > SIGNATURE_PLACES_MAX {
            let all = places.iter().chain(rest.as_deref());
            let all: Vec<Type> = all.map(|it| self.at(it, levels, depth + 1)).collect();
            return Type::Array(Box::new(few(union(all))));
        }
        let rest = rest.as_ref().map(|it| Box::new(self.at(it, levels, depth + 1)));
        let places = places.iter().map(|it| self.at(it, levels, depth + 1)).collect();
        Type::Tuple(Tuple { places, required: *required, rest })
    }
}

/// The kind of a type, where there is no room for more.
pub(crate) fn outline(ty: &Type) -> Type {
    match ty {
        Type::Shape(_) | Type::Intersection(_) => Type::object(),
        Type::Array(_) | Type::Tuple(_) => Type::Array(Box::new(Type::Unknown)),
        Type::Basic(_) | Type::Literal(..) => ty.clone(),
        Type::Unknown | Type::Never | Type::Union(_) | Type::Named(_) => Type::Unknown,
    }
}

/// A type whose values are few and short, or stand as their kinds.
fn few(ty: Type) -> Type {
    let members = match ty {
        Type::Union(members) => members,
        other @ (Type::Unknown
        | Type::Never
        | Type::Basic(_)
        | Type::Literal(..)
        | Type::Array(_)
        | Type::Tuple(_)
        | Type::Shape(_)
        | Type::Intersection(_)
        | Type::Named(_)) => vec![other],
    };
    let values = members.iter().filter_map(|it| match it {
        Type::Literal(_, text) => Some(text.len()),
        Type::Unknown
        | Type::Never
        | Type::Basic(_)
        | Type::Array(_)
        | Type::Tuple(_)
        | Type::Shape(_)
        | Type::Union(_)
        | Type::Intersection(_)
        | Type::Named(_) => None,
    });
    let lengths: Vec<usize> = values.collect();
    let is_few = lengths.len() <= SIGNATURE_VALUES_MAX
        && lengths.iter().all(|bytes| *bytes <= SIGNATURE_VALUE_BYTES_MAX);
    if is_few { union(members) } else { union(members.into_iter().map(Type::widened)) }
}
