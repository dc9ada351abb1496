//! A tool's call on one line: `read(path: string, offset?: number, limit?: number)`.
//!
//! Required arguments come first, each group in the order of the schema. What does not fit is left out
//! by whole arguments, and counted: `… 7 more`.

use crate::{
    compact::{Compact, outline},
    json::Json,
    limits::{NAME_BYTES_MAX, SIGNATURE_ARGUMENT_BYTES_MAX, SIGNATURE_BYTES_MAX},
    parameters::parameters,
    print::{Printer, SHORT},
    read::{Definitions, Docs, read},
    text::{quoted, within},
    types::{Property, Rest, Shape, Type},
};

/// The signature of a tool, from the text of its JSON Schema: one line of at most
/// [`SIGNATURE_BYTES_MAX`] bytes.
///
/// Nested objects are spelled out one level deep if all arguments fit then, else they are `object`. A
/// text that is no JSON, or too large, describes `args?: unknown`. It is a hint for a reader who chooses
/// a tool, not all that the schema says.
#[must_use]
pub fn signature(name: &str, schema: &[u8]) -> String {
    let name = shown(name);
    let unknown = format!("{name}(args?: unknown)");
    let Some(schema) = Json::parse(schema) else { return unknown };
    let Definitions { list: definitions, is_whole } = read(&schema, "Args", Docs::Skip);
    let Some((_, root)) = definitions.first() else { return unknown };
    let arguments = match parameters(&definitions, root) {
        Some(shape) => arguments(shape),
        None => (vec![property("args", *root == Type::Unknown, root.clone())], None),
    };
    // "Takes none" is said only of what was read to the end.
    if arguments.0.is_empty() && !is_whole {
        return unknown;
    }
    let whole = texts(&definitions, &arguments, 1).join(", ");
    if name.len() + whole.len() + 2 <= SIGNATURE_BYTES_MAX {
        return format!("{name}({whole})");
    }
    cut(&name, &texts(&definitions, &arguments, 0))
}

/// Arguments by name, and the type of any others.
type Arguments = (Vec<Property>, Option<Type>);

/// The arguments, required ones first.
fn arguments(shape: Shape) -> Arguments {
    let rest = match shape.rest {
        Rest::Of(ty, _) => Some(*ty),
        Rest::Any | Rest::Unsaid => None,
    };
    if shape.properties.is_empty() {
        let all = rest.map(|ty| {
            let rest = Rest::Of(Box::new(ty), String::new());
            property("args", true, Type::Shape(Shape { properties: Vec::new(), rest }))
        });
        return (all.into_iter().collect(), None);
    }
    let (optional, mut named): (Vec<Property>, Vec<Property>) =
        shape.properties.into_iter().partition(|it| it.optional);
    named.extend(optional);
    // "Anything else" is not worth its bytes beside names.
    (named, rest.filter(|ty| *ty != Type::Unknown))
}

fn property(name: &str, optional: bool, ty: Type) -> Property {
    Property { name: name.to_owned(), optional, ty, doc: String::new() }
}

/// Each argument with `levels` levels of objects spelled out. With none, it is for a line that is full:
/// what is still long shows its kind only.
fn texts(definitions: &[(String, Type)], arguments: &Arguments, levels: usize) -> Vec<String> {
    let mut types = Compact::new(definitions);
    let printer = Printer { style: &SHORT, definitions: &[], shown: &[] };
    let (named, rest) = arguments;
    let named = named.iter().map(|it| {
        let small = types.property(it, levels);
        let text = printer.property(&small);
        if levels > 0 || text.len() <= SIGNATURE_ARGUMENT_BYTES_MAX {
            return text;
        }
        printer.property(&property(&it.name, it.optional, outline(&small.ty)))
    });
    let mut texts: Vec<String> = named.collect();
    let rest = rest.as_ref().map(|ty| types.small(ty, levels));
    texts.extend(rest.map(|ty| format!("[key: string]: {}", printer.line(&ty))));
    texts
}

/// As many arguments as fit, and how many are left out.
fn cut(name: &str, arguments: &[String]) -> String {
    let mut text = format!("{name}(");
    for (at, argument) in arguments.iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        let left = arguments.len() - at;
        let end = if left == 1 { String::new() } else { format!(", … {} more", left - 1) };
        if text.len() + comma.len() + argument.len() + end.len() + 1 > SIGNATURE_BYTES_MAX {
            return format!("{text}{comma}… {left} more)");
        }
        text.push_str(comma);
        text.push_str(argument);
    }
    text.push(')');
    text
}

/// A tool's name as it is; in quotes if a reader could take it for something else.
fn shown(name: &str) -> String {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "_-.:/$".contains(c);
    let is_usual = !name.is_empty() && name.chars().all(is_usual);
    let text = if is_usual { name.to_owned() } else { quoted(within(name, NAME_BYTES_MAX)) };
    if text.len() <= NAME_BYTES_MAX {
        return text;
    }
    format!("{}…", within(&text, NAME_BYTES_MAX - '…'.len_utf8()))
}

#[cfg(test)]
mod tests;
