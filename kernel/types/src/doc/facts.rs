//! Facts of a schema that a type does not hold, as short words.

use serde_json::Number;

use crate::{
    json::{Json, Object},
    limits::{DOC_BYTES_MAX, FACT_BYTES_MAX, VALUES_MAX},
    text::{plain, quoted, within},
};

/// The bound of a number that JavaScript holds exactly: generators write it for "any integer".
const EXACT_MAX: f64 = 9_007_199_254_740_991.0;

/// Values whose descriptions are looked for.
const DESCRIBED_MAX: usize = 32;

/// All facts of schemas that speak of the same values: of each keyword the first. At most
/// [`DOC_BYTES_MAX`] bytes; what does not fit is left out whole.
pub(super) fn all(views: &[&Object]) -> String {
    let get = |key: &str| views.iter().find_map(|view| view.get(key));
    let short = |key: &str| get(key).and_then(Json::text).map(said).filter(|it| !it.is_empty());
    let is_tuple =
        ["prefixItems", "items"].iter().any(|key| get(key).and_then(Json::list).is_some());
    let facts = [
        many_values(views),
        values(views),
        numbers(views),
        count("length", get("minLength"), get("maxLength")),
        // Of a tuple, the type shows the places.
        count("items", get("minItems"), get("maxItems")).filter(|_| !is_tuple),
        get("multipleOf").and_then(Json::number).map(|it| format!("multiple of {it}")),
        (get("uniqueItems").and_then(Json::bool) == Some(true)).then(|| "unique".to_owned()),
        short("format").filter(|it| !is_width(it)).map(|it| format!("@format {it}")),
        short("pattern").map(|it| format!("@pattern {it}")),
        (get("deprecated").and_then(Json::bool) == Some(true)).then(|| "@deprecated".to_owned()),
        default(get("default"), get("examples")),
    ];
    let mut line = String::new();
    for fact in facts.into_iter().flatten() {
        if line.len() + 1 + fact.len() <= DOC_BYTES_MAX {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(&fact);
        }
    }
    line
}

/// A short text of the schema; nothing if it is long.
fn said(text: &str) -> String {
    if text.len() > FACT_BYTES_MAX { String::new() } else { plain(text, FACT_BYTES_MAX) }
}

/// Formats that are the widths of numbers of other languages.
fn is_width(format: &str) -> bool {
    ["int", "uint", "float", "double"].iter().any(|width| format.starts_with(width))
}

fn default(default: Option<&Json>, examples: Option<&Json>) -> Option<String> {
    match default {
        // "Nothing, unless you say so" is what the question mark means.
        Some(Json::Null) | None => {
            let first = examples.and_then(Json::list)?.first()?;
            brief(first).map(|it| format!("e.g. {it}"))
        }
        Some(value) => brief(value).map(|it| format!("@default {it}")),
    }
}

/// A value as TypeScript writes it, if it is short.
fn brief(value: &Json) -> Option<String> {
    let mut out = String::new();
    write(value, &mut out).then_some(out).map(|it| plain(&it, FACT_BYTES_MAX))
}

/// Writes a value; false as soon as it is too long.
fn write(value: &Json, out: &mut String) -> bool {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(is) => out.push_str(if *is { "true" } else { "false" }),
        Json::Number(number) => out.push_str(&number.to_string()),
        Json::Text(text) if text.len() > FACT_BYTES_MAX => return false,
        Json::Text(text) => out.push_str(&quoted(text)),
        Json::List(list) => {
            out.push('[');
            for (at, element) in list.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                if !write(element, out) {
                    return false;
                }
            }
            out.push(']');
        }
        Json::Object(object) => {
            out.push('{');
            for (at, (name, member)) in object.iter().enumerate() {
                if name.len() > FACT_BYTES_MAX {
                    return false;
                }
                out.push_str(if at == 0 { "" } else { ", " });
                out.push_str(&crate::text::key(name));
                out.push_str(": ");
                if !write(member, out) {
                    return false;
                }
            }
            out.push('}');
        }
    }
    out.len() <= FACT_BYTES_MAX
}

/// Bounds of a number.
fn numbers(views: &[&Object]) -> Option<String> {
    let get = |key: &str| views.iter().find_map(|view| view.get(key));
    let bound = |inclusive: &str, exclusive: &str| -> Option<(Number, bool)> {
        // Before draft 6, `exclusiveMinimum` was a boolean beside `minimum`.
        let number = get(inclusive)
            .and_then(Json::number)
            .map(|number| (number.clone(), get(exclusive).and_then(Json::bool) != Some(true)));
        let number = get(exclusive).and_then(Json::number).map(|it| (it.clone(), false)).or(number);
        number.filter(|(it, _)| it.as_f64().is_some_and(|it| it.abs() < EXACT_MAX))
    };
    match (bound("minimum", "exclusiveMinimum"), bound("maximum", "exclusiveMaximum")) {
        (Some((low, true)), Some((high, true))) => Some(format!("{low}..{high}")),
        (None, None) => None,
        (low, high) => {
            let low = low.map(|(it, is)| format!("{} {it}", if is { ">=" } else { ">" }));
            let high = high.map(|(it, is)| format!("{} {it}", if is { "<=" } else { "<" }));
            Some(low.into_iter().chain(high).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Bounds of a count. "At least none" says nothing.
fn count(what: &str, low: Option<&Json>, high: Option<&Json>) -> Option<String> {
    let low = low.and_then(Json::number).and_then(Number::as_u64).filter(|it| *it > 0);
    let high = high.and_then(Json::number).and_then(Number::as_u64);
    match (low, high) {
        (Some(low), Some(high)) if low == high => Some(format!("{what} {low}")),
        (Some(low), Some(high)) => Some(format!("{what} {low}..{high}")),
        (Some(low), None) => Some(format!("{what} >= {low}")),
        (None, Some(high)) => Some(format!("{what} <= {high}")),
        (None, None) => None,
    }
}

/// The first values of an enumeration that the type does not spell out.
fn many_values(views: &[&Object]) -> Option<String> {
    let values = views.iter().find_map(|view| view.get("enum")?.list())?;
    if values.len() <= VALUES_MAX {
        return None;
    }
    let shown: Vec<String> = values.iter().take(5).filter_map(brief).collect();
    Some(format!("one of {}: {}, …", values.len(), shown.join(", ")))
}

/// Values that are described one by one: `"a": first, "b": second`.
fn values(views: &[&Object]) -> Option<String> {
    let choices = views
        .iter()
        .find_map(|view| ["oneOf", "anyOf"].iter().find_map(|key| view.get(key)?.list()))?;
    let described = choices.iter().take(DESCRIBED_MAX).filter_map(|choice| {
        let choice = choice.object()?;
        let value = choice.get("const").or_else(|| match choice.get("enum")?.list()? {
            [one] => Some(one),
            _ => None,
        })?;
        let said = choice.get("description")?.text()?;
        let said = plain(within(said, 4 * FACT_BYTES_MAX), FACT_BYTES_MAX);
        Some((brief(value)?, said.trim_end_matches('.').to_owned()))
    });
    let mut line = String::new();
    for (value, said) in described {
        let more = format!("{}{value}: {said}", if line.is_empty() { "" } else { "; " });
        if line.len() + more.len() > DOC_BYTES_MAX {
            break;
        }
        line.push_str(&more);
    }
    (!line.is_empty()).then_some(line)
}
