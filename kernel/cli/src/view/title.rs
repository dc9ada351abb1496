//! What a call is called, for people.

use serde_json::Value;

use crate::visible;

#[cfg(test)]
mod tests;

/// Arguments that say most of a call, in this order.
const TELLING: [&str; 6] = ["command", "path", "pattern", "query", "url", "name"];

/// The title that the tool gave, else what the arguments are about; safe to show.
pub(crate) fn title(name: &str, told: &str, arguments: &Value) -> String {
    let name = visible::line(name);
    let told = visible::line(told);
    if told.to_lowercase().starts_with(&name.to_lowercase()) {
        return told;
    }
    if !told.is_empty() {
        return format!("{name}: {told}");
    }
    format!("{name} {}", visible::line(&gist(arguments))).trim_end().to_owned()
}

/// What arguments are about: the one that says most, else all of them. As they are: not safe to show.
pub(crate) fn gist(arguments: &Value) -> String {
    let Some(object) = arguments.as_object() else {
        return if arguments.is_null() { String::new() } else { arguments.to_string() };
    };
    let telling = TELLING.iter().find_map(|name| object.get(*name)?.as_str());
    let mut values = object.values();
    match (telling, values.next(), values.next()) {
        (Some(text), _, _) => text.to_owned(),
        (None, Some(Value::String(only)), None) => only.clone(),
        (None, None, _) => String::new(),
        (None, Some(_), _) => arguments.to_string(),
    }
}
