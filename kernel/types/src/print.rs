//! Types as TypeScript text, in one of two styles.

use crate::{
    limits::LINE_COLUMNS_MAX,
    text::{comment, key},
    types::{Basic, Property, Rest, Shape, Tuple, Type},
};

/// How types are written.
#[derive(Debug)]
pub(crate) struct Style {
    or: &'static str,
    and: &'static str,
    between: &'static str,
    open: &'static str,
    close: &'static str,
}

/// For a signature: few bytes.
pub(crate) const SHORT: Style = Style { or: "|", and: "&", between: ", ", open: "{", close: "}" };
/// For a declaration: as people write it.
pub(crate) const LONG: Style =
    Style { or: " | ", and: " & ", between: "; ", open: "{ ", close: " }" };

/// How a definition is shown where it is used.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Shown {
    /// Its type stands there.
    Inline,
    /// By this name.
    Name(String),
}

/// Writes types of one schema.
#[derive(Debug)]
pub(crate) struct Printer<'a> {
    /// How they are written.
    pub(crate) style: &'static Style,
    /// The definitions.
    pub(crate) definitions: &'a [(String, Type)],
    /// How each of them is shown; those without an entry are `object`.
    pub(crate) shown: &'a [Shown],
}

impl<'a> Printer<'a> {
    /// A type on one line, without what is said beside it.
    pub(crate) fn line(&self, ty: &Type) -> String {
        match self.resolved(ty) {
            Resolved::Name(name) => name.to_owned(),
            Resolved::Type(Type::Unknown) => "unknown".to_owned(),
            Resolved::Type(Type::Never) => "never".to_owned(),
            Resolved::Type(Type::Basic(basic)) => basic_name(*basic).to_owned(),
            Resolved::Type(Type::Literal(_, text)) => text.clone(),
            Resolved::Type(Type::Array(element)) => {
                format!("{}[]", self.wrapped(element, self.line(element)))
            }
            Resolved::Type(Type::Tuple(tuple)) => self.tuple(tuple, &|ty| self.line(ty)),
            Resolved::Type(Type::Shape(shape)) => self.shape_line(shape),
            Resolved::Type(Type::Union(members)) => {
                let members: Vec<String> = members.iter().map(|it| self.line(it)).collect();
                members.join(self.style.or)
            }
            Resolved::Type(Type::Intersection(members)) => {
                let members: Vec<String> =
                    members.iter().map(|it| self.wrapped(it, self.line(it))).collect();
                members.join(self.style.and)
            }
            Resolved::Type(Type::Named(_)) => "object".to_owned(),
        }
    }

    /// A property's name and type on one line.
    pub(crate) fn property(&self, property: &Property) -> String {
        let mark = if property.optional { "?" } else { "" };
        format!("{}{mark}: {}", key(&property.name), self.line(&property.ty))
    }

    /// A type on as many lines as it needs, each after the first `indent` columns to the right, with
    /// what is said of properties.
    pub(crate) fn lines(&self, ty: &Type, indent: usize) -> String {
        if !self.is_documented(ty) {
            let line = self.line(ty);
            if line.len() + indent <= LINE_COLUMNS_MAX {
                return line;
            }
        }
        match self.resolved(ty) {
            Resolved::Type(Type::Array(element)) => {
                format!("{}[]", self.wrapped(element, self.lines(element, indent)))
            }
            Resolved::Type(Type::Tuple(tuple)) => self.tuple(tuple, &|ty| self.lines(ty, indent)),
            Resolved::Type(Type::Shape(shape)) => self.shape_lines(shape, indent),
            Resolved::Type(Type::Union(members)) => {
                let members: Vec<String> =
                    members.iter().map(|it| self.lines(it, indent)).collect();
                members.join(self.style.or)
            }
            Resolved::Type(Type::Intersection(members)) => {
                let members: Vec<String> =
                    members.iter().map(|it| self.wrapped(it, self.lines(it, indent))).collect();
                members.join(self.style.and)
            }
            Resolved::Name(_)
            | Resolved::Type(
                Type::Unknown | Type::Never | Type::Basic(_) | Type::Literal(..) | Type::Named(_),
            ) => self.line(ty),
        }
    }

    fn shape_line(&self, shape: &Shape) -> String {
        let Style { between, open, close, .. } = self.style;
        let mut parts: Vec<String> =
            shape.properties.iter().map(|property| self.property(property)).collect();
        match (&shape.rest, parts.is_empty()) {
            (Rest::Any, true) => return any_object(self.style).to_owned(),
            (Rest::Unsaid, true) => return "{}".to_owned(),
            (Rest::Of(ty, _), true) if !refers(ty) => {
                return format!("Record<string, {}>", self.line(ty));
            }
            (Rest::Of(ty, _), is_alone) if is_alone || **ty == Type::Unknown => {
                parts.push(format!("[key: string]: {}", self.line(ty)));
            }
            (Rest::Of(ty, _), _) => {
                let (named, and) = (parts.join(between), self.style.and);
                let rest = self.line(ty);
                return format!("{open}{named}{close}{and}{open}[key: string]: {rest}{close}");
            }
            (Rest::Any | Rest::Unsaid, false) => {}
        }
        format!("{open}{}{close}", parts.join(between))
    }

    fn shape_lines(&self, shape: &Shape, indent: usize) -> String {
        let (outer, inner) = (" ".repeat(indent), " ".repeat(indent + 2));
        let said = |doc: &str| {
            if doc.is_empty() { String::new() } else { format!("{inner}{}\n", comment(doc)) }
        };
        let rest = |ty: &Type, doc: &str| {
            format!("{}{inner}[key: string]: {};\n", said(doc), self.lines(ty, indent + 2))
        };
        let mut named = String::new();
        for property in &shape.properties {
            let mark = if property.optional { "?" } else { "" };
            let ty = self.lines(&property.ty, indent + 2);
            named.push_str(&said(&property.doc));
            named.extend([&inner, &*key(&property.name), mark, ": ", &ty, ";\n"]);
        }
        match &shape.rest {
            // A type of all properties must be that of the named ones, too: it stands apart.
            Rest::Of(ty, doc) if !named.is_empty() && **ty != Type::Unknown => {
                format!("{{\n{named}{outer}}} & {{\n{}{outer}}}", rest(ty, doc))
            }
            Rest::Of(ty, doc) => format!("{{\n{named}{}{outer}}}", rest(ty, doc)),
            Rest::Any | Rest::Unsaid => format!("{{\n{named}{outer}}}"),
        }
    }

    fn tuple(&self, tuple: &Tuple, write: &dyn Fn(&Type) -> String) -> String {
        let places = tuple.places.iter().enumerate().map(|(at, place)| {
            let text = write(place);
            if at < tuple.required { text } else { format!("{}?", self.wrapped(place, text)) }
        });
        let rest = tuple.rest.iter().map(|it| format!("...{}[]", self.wrapped(it, write(it))));
        let all: Vec<String> = places.chain(rest).collect();
        format!("[{}]", all.join(", "))
    }

    /// `text` of a type, in parentheses if something that binds stronger follows.
    fn wrapped(&self, ty: &Type, text: String) -> String {
        let is_compound = match self.resolved(ty) {
            Resolved::Type(Type::Union(_) | Type::Intersection(_)) => true,
            Resolved::Type(Type::Shape(Shape { properties, rest: Rest::Of(rest, _) })) => {
                !properties.is_empty() && **rest != Type::Unknown
            }
            Resolved::Name(_)
            | Resolved::Type(
                Type::Unknown
                | Type::Never
                | Type::Basic(_)
                | Type::Literal(..)
                | Type::Array(_)
                | Type::Tuple(_)
                | Type::Shape(_)
                | Type::Named(_),
            ) => false,
        };
        if is_compound { format!("({text})") } else { text }
    }

    /// Whether anything is said beside a type, where it is shown.
    fn is_documented(&self, ty: &Type) -> bool {
        match self.resolved(ty) {
            Resolved::Name(_) => false,
            Resolved::Type(Type::Shape(shape)) => {
                let is_said = |it: &Property| !it.doc.is_empty() || self.is_documented(&it.ty);
                shape.properties.iter().any(is_said)
                    || matches!(&shape.rest, Rest::Of(ty, doc)
                        if !doc.is_empty() || self.is_documented(ty))
            }
            Resolved::Type(ty) => parts(ty).iter().any(|part| self.is_documented(part)),
        }
    }

    fn resolved<'t>(&'t self, ty: &'t Type) -> Resolved<'t> {
        let mut ty = ty;
        // Twice: a definition shown in place may be one that is repeated in place.
        for _ in 0..2 {
            let Type::Named(number) = ty else { break };
            match (self.shown.get(*number), self.definitions.get(*number)) {
                (Some(Shown::Name(name)), _) => return Resolved::Name(name),
                (Some(Shown::Inline), Some((_, inline))) => ty = inline,
                (_, _) => break,
            }
        }
        Resolved::Type(ty)
    }
}

/// A type as it is shown where it stands.
enum Resolved<'a> {
    Name(&'a str),
    Type(&'a Type),
}

/// The types within a type; those of an object's properties included.
pub(crate) fn parts(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Unknown | Type::Never | Type::Basic(_) | Type::Literal(..) | Type::Named(_) => {
            Vec::new()
        }
        Type::Array(element) => vec![element],
        Type::Tuple(tuple) => tuple.places.iter().chain(tuple.rest.as_deref()).collect(),
        Type::Shape(shape) => {
            let rest = if let Rest::Of(ty, _) = &shape.rest { Some(&**ty) } else { None };
            shape.properties.iter().map(|it| &it.ty).chain(rest).collect()
        }
        Type::Union(members) | Type::Intersection(members) => members.iter().collect(),
    }
}

/// Whether a definition is used within. TypeScript refuses a type that reaches itself through `Record`.
fn refers(ty: &Type) -> bool {
    matches!(ty, Type::Named(_)) || parts(ty).into_iter().any(refers)
}

fn any_object(style: &Style) -> &'static str {
    if style.or.len() == 1 { "object" } else { "Record<string, unknown>" }
}

fn basic_name(basic: Basic) -> &'static str {
    match basic {
        Basic::Null => "null",
        Basic::Boolean => "boolean",
        Basic::Number => "number",
        Basic::String => "string",
    }
}
