//! `{{…}}` in a script's text and arguments: the text of earlier tool results of the conversation.
//!
//! | written                 | means                                              |
//! |-------------------------|----------------------------------------------------|
//! | `{{last.content}}`      | the text of the last tool result in the request    |
//! | `{{results.N.content}}` | the text of the N-th one, counted from 0           |
//!
//! Braces around anything that does not begin with `last.` or `results.` stay as they are, since
//! text and code are full of them. A reference that begins so and means nothing is a fault.

use serde_json::Value;

use crate::limits::FILLED_BYTES_MAX;
use crate::request::{Message, Request};

#[cfg(test)]
mod tests;

/// The texts that references may name.
#[derive(Debug)]
pub(super) struct Results {
    texts: Vec<String>,
}

impl Results {
    /// The tool results of a request.
    pub(super) fn of(request: &Request) -> Self {
        Self { texts: request.results().map(Message::text).collect() }
    }

    /// A text with its references filled in.
    ///
    /// # Errors
    ///
    /// A sentence: a reference means nothing here, or the text grows beyond its bound.
    pub(super) fn fill(&self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            filled.push_str(before);
            let is_reference = ["last.", "results."].iter().any(|word| after.starts_with(word));
            match after.split_once("}}").filter(|_| is_reference) {
                Some((path, after)) => {
                    filled.push_str(self.find(path)?);
                    rest = after;
                }
                None => {
                    filled.push_str("{{");
                    rest = after;
                }
            }
            if filled.len() > FILLED_BYTES_MAX {
                return Err(format!(
                    "a text is longer than {FILLED_BYTES_MAX} bytes once filled in"
                ));
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// The text of a call's arguments: a string as it stands, another value compactly, with
    /// references filled in inside its strings.
    ///
    /// # Errors
    ///
    /// As [`Self::fill`].
    pub(super) fn fill_arguments(&self, arguments: &Value) -> Result<String, String> {
        match arguments.as_str() {
            Some(text) => self.fill(text),
            None => Ok(self.fill_value(arguments)?.to_string()),
        }
    }

    fn fill_value(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => Value::String(self.fill(text)?),
            Value::Array(items) => {
                items.iter().map(|item| self.fill_value(item)).collect::<Result<_, _>>()?
            }
            Value::Object(fields) => {
                let fill =
                    |(key, item): (&String, &Value)| Ok((key.clone(), self.fill_value(item)?));
                Value::Object(fields.iter().map(fill).collect::<Result<_, String>>()?)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        })
    }

    fn find(&self, path: &str) -> Result<&str, String> {
        let count = self.texts.len();
        let found = match path.split('.').collect::<Vec<_>>().as_slice() {
            ["last", "content"] => self.texts.last(),
            ["results", number, "content"] => match number.parse::<usize>() {
                Ok(number) => self.texts.get(number),
                Err(_) => return Err(format!("{{{{{path}}}}}: `{number}` is no number from 0")),
            },
            _ => {
                return Err(format!(
                    "{{{{{path}}}}} means nothing; there are {{{{last.content}}}} and \
                     {{{{results.N.content}}}}, for a request carries no other part of a result"
                ));
            }
        };
        found
            .map(String::as_str)
            .ok_or_else(|| format!("{{{{{path}}}}}: the request has {count} tool results"))
    }
}
