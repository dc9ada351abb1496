//! What a schema comes down to: types, with unions and intersections made simple.

use std::collections::BTreeSet;

use serde_json::Number;

use crate::{limits::VALUES_MAX, text::quoted};

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    /// Anything.
    Unknown,
    /// Nothing.
    Never,
    /// All values of a kind.
    Basic(Basic),
    /// One value, as TypeScript writes it.
    Literal(Basic, String),
    /// `T[]`.
    Array(Box<Self>),
    /// `[A, B?, ...C[]]`.
    Tuple(Tuple),
    /// An object.
    Shape(Shape),
    /// One of several; never one or none, never a union within.
    Union(Vec<Self>),
    /// All of several; never one or none, never an intersection within.
    Intersection(Vec<Self>),
    /// A definition, by its number.
    Named(usize),
}

/// Kinds of values that are no objects and no arrays.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Basic {
    /// `null`.
    Null,
    /// `boolean`.
    Boolean,
    /// `number`; TypeScript has no other for integers.
    Number,
    /// `string`.
    String,
}

/// An array with places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tuple {
    /// The places.
    pub(crate) places: Vec<Type>,
    /// How many of them must be there.
    pub(crate) required: usize,
    /// What may follow.
    pub(crate) rest: Option<Box<Type>>,
}

/// An object's properties, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    /// The properties, each name once.
    pub(crate) properties: Vec<Property>,
    /// What else there may be.
    pub(crate) rest: Rest,
}

/// One property.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Property {
    /// Its name, as in the schema.
    pub(crate) name: String,
    /// Whether it may be left out.
    pub(crate) optional: bool,
    /// Its type.
    pub(crate) ty: Type,
    /// What is said of it: harmless, one line; may be empty.
    pub(crate) doc: String,
}

/// Properties without a name of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Rest {
    /// None that the schema speaks of.
    #[default]
    Unsaid,
    /// The schema says "an object" and no more.
    Any,
    /// Properties of a type; and what is said of their names, which may be nothing.
    Of(Box<Type>, String),
}

impl Type {
    /// An object of which nothing is known.
    pub(crate) fn object() -> Self {
        Self::Shape(Shape { properties: Vec::new(), rest: Rest::Any })
    }

    /// A string's literal type.
    pub(crate) fn text(text: &str) -> Self {
        Self::Literal(Basic::String, quoted(text))
    }

    /// A number's literal type.
    pub(crate) fn number(number: &Number) -> Self {
        Self::Literal(Basic::Number, number.to_string())
    }

    /// The literal type `true` or `false`.
    pub(crate) fn truth(is: bool) -> Self {
        Self::Literal(Basic::Boolean, is.to_string())
    }

    /// The kind of a value that is no object and no array; nothing for other types.
    pub(crate) fn basic(&self) -> Option<Basic> {
        if let Self::Basic(basic) | Self::Literal(basic, _) = self { Some(*basic) } else { None }
    }

    /// Kind and text of a value; a kind as such has no text.
    fn key(&self) -> Option<(Basic, &str)> {
        let text = if let Self::Literal(_, text) = self { text.as_str() } else { "" };
        self.basic().map(|basic| (basic, text))
    }

    /// A type without its literals: their kinds stand for them.
    pub(crate) fn widened(self) -> Self {
        self.basic().map_or(self, Self::Basic)
    }
}

/// The union of types: flat, each member once, `null` at the end.
///
/// Of more than [`VALUES_MAX`] literals, their kinds are left.
pub(crate) fn union(members: impl IntoIterator<Item = Type>) -> Type {
    let mut flat = Vec::new();
    for member in members {
        match member {
            Type::Never => {}
            Type::Union(inner) => flat.extend(inner),
            Type::Unknown => return Type::Unknown,
            other @ (Type::Basic(_)
            | Type::Literal(..)
            | Type::Array(_)
            | Type::Tuple(_)
            | Type::Shape(_)
            | Type::Intersection(_)
            | Type::Named(_)) => flat.push(other),
        }
    }
    if flat.iter().filter(|it| matches!(it, Type::Literal(..))).count() > VALUES_MAX {
        flat = flat.into_iter().map(Type::widened).collect();
    }
    one_of(without_repeats(flat))
}

fn one_of(mut members: Vec<Type>) -> Type {
    let null = Type::Basic(Basic::Null);
    if let Some(at) = members.iter().position(|it| *it == null) {
        members.remove(at);
        members.push(null);
    }
    match members.len() {
        0 => Type::Never,
        1 => members.pop().unwrap_or(Type::Never),
        _ => Type::Union(members),
    }
}

/// Members without those that another one covers. Values and kinds are compared through a set, the
/// others one by one; there are few of those, or the schema was too large anyway.
fn without_repeats(members: Vec<Type>) -> Vec<Type> {
    let truths = [Type::truth(true), Type::truth(false)];
    let is_boolean = truths.iter().all(|truth| members.contains(truth));
    let kinds: BTreeSet<Basic> = members
        .iter()
        .filter_map(Type::key)
        .filter(|key| key.1.is_empty())
        .map(|key| key.0)
        .collect();
    let mut seen: BTreeSet<(Basic, String)> = BTreeSet::new();
    let mut kept: Vec<Type> = Vec::new();
    for member in members {
        let member = if is_boolean && truths.contains(&member) { member.widened() } else { member };
        let is_new = match member.key() {
            Some((basic, text)) => {
                let is_covered = !text.is_empty() && kinds.contains(&basic);
                !is_covered && seen.insert((basic, text.to_owned()))
            }
            None => !kept.contains(&member),
        };
        if is_new {
            kept.push(member);
        }
    }
    kept
}

/// What is both: the narrower one where one is within the other, nothing where they exclude each other,
/// else both side by side.
pub(crate) fn both(one: Type, two: Type) -> Type {
    if one == two {
        return one;
    }
    match (one, two) {
        (Type::Unknown, it) | (it, Type::Unknown) => it,
        (Type::Never, _) | (_, Type::Never) => Type::Never,
        (one, two) if is_plain(&one) && is_plain(&two) => both_plain(members(&one), members(&two)),
        (Type::Union(several), plain) | (plain, Type::Union(several)) if is_plain(&plain) => {
            let (values, others): (Vec<Type>, _) = several.into_iter().partition(is_plain);
            let values = both_plain(&values, members(&plain));
            let others = others.into_iter().map(|other| both_other(other, plain.clone()));
            union(std::iter::once(values).chain(others))
        }
        (one, two) => both_other(one, two),
    }
}

/// Values and kinds, or a union of them.
fn is_plain(ty: &Type) -> bool {
    if let Type::Union(members) = ty {
        return members.iter().all(|it| it.basic().is_some());
    }
    ty.basic().is_some()
}

fn members(ty: &Type) -> &[Type] {
    if let Type::Union(members) = ty { members } else { std::slice::from_ref(ty) }
}

/// The values and kinds that both lists allow.
fn both_plain(ones: &[Type], twos: &[Type]) -> Type {
    let within = |some: &[Type], others: &[Type]| -> Vec<Type> {
        let keys: BTreeSet<(Basic, &str)> = others.iter().filter_map(Type::key).collect();
        let is_within =
            |(basic, text)| keys.contains(&(basic, text)) || keys.contains(&(basic, ""));
        some.iter().filter(|it| it.key().is_some_and(is_within)).cloned().collect()
    };
    union(within(ones, twos).into_iter().chain(within(twos, ones)))
}

fn both_other(one: Type, two: Type) -> Type {
    let exclude = |one: &Type, two: &Type| is_plain(one) && has_structure(two);
    if exclude(&one, &two) || exclude(&two, &one) {
        return Type::Never;
    }
    if is_any_object(&one) && matches!(two, Type::Shape(_) | Type::Named(_)) {
        return two;
    }
    if is_any_object(&two) && matches!(one, Type::Shape(_) | Type::Named(_)) {
        return one;
    }
    let parts = [one, two].into_iter().flat_map(|part| match part {
        Type::Intersection(inner) => inner,
        Type::Unknown
        | Type::Never
        | Type::Basic(_)
        | Type::Literal(..)
        | Type::Array(_)
        | Type::Tuple(_)
        | Type::Shape(_)
        | Type::Union(_)
        | Type::Named(_) => vec![part],
    });
    let mut kept: Vec<Type> = Vec::new();
    for part in parts {
        if !kept.contains(&part) {
            kept.push(part);
        }
    }
    if kept.len() == 1 { kept.pop().unwrap_or(Type::Never) } else { Type::Intersection(kept) }
}

/// An object or an array for certain.
fn has_structure(ty: &Type) -> bool {
    matches!(ty, Type::Array(_) | Type::Tuple(_) | Type::Shape(_))
}

fn is_any_object(ty: &Type) -> bool {
    *ty == Type::object()
}

#[cfg(test)]
mod tests;
