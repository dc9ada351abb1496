//! Arguments against the tool's JSON Schema (`[KERN-04]`).
//!
//! Nothing is repaired silently. What is certainly meant is accepted and *recorded*: a string where
//! the schema forbids a string and the text is exactly a value of the type that it asks for; an
//! argument under another name that the tool's manifest lists, where the canonical one is absent; null
//! for an argument that may be absent and not null. All
//! else is refused with the JSON pointer of the fault, so that the model can correct itself.

mod coerce;
mod explain;
mod secret;

use bytes::Bytes;
use serde_json::Value;

pub use secret::Veiled;
pub(crate) use secret::mark;

use crate::{
    authority::{Layer, Refusal},
    call::{Checked, Coercion, Eligible},
    catalog, json,
    limits::ARGUMENTS_BYTES_MAX,
};

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    value: Value,
    validator: jsonschema::Validator,
    has_secrets: bool,
}

/// A schema that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the input schema cannot be used: {0}")]
pub struct SchemaError(String);

impl Schema {
    /// Compiles a schema. References go nowhere but into the schema itself, and patterns run in
    /// linear time.
    ///
    /// # Errors
    /// Text that is no JSON, no schema, or no schema of an object.
    pub fn compile(text: &[u8]) -> Result<Self, SchemaError> {
        let value = json::parse(text).map_err(|error| SchemaError(error.to_string()))?;
        if !value.is_object() {
            return Err(SchemaError("it is no JSON object".into()));
        }
        let validator = jsonschema::options()
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .build(&value)
            .map_err(|error| SchemaError(error.to_string()))?;
        let has_secrets = secret::has_marks(&value);
        Ok(Self { value, validator, has_secrets })
    }

    /// Whether it marks any argument as secret.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        self.has_secrets
    }

    /// The arguments without what it marks as secret; `aliases` as for [`Self::check`].
    #[must_use]
    pub fn veil(&self, arguments: &Value, aliases: &[(String, String)]) -> Veiled {
        secret::veil(&self.value, aliases, arguments)
    }

    /// Checks arguments: gives them parsed, with what was coerced. `aliases`: pairs of another name of
    /// an argument and the canonical one.
    ///
    /// # Errors
    /// A sentence for the model and the JSON pointer of the first fault.
    pub fn check(
        &self,
        text: &[u8],
        aliases: &[(String, String)],
    ) -> Result<(Value, Vec<Coercion>), Fault> {
        let mut coercions = Vec::new();
        let mut value = parse(text, &mut coercions)?;
        if !self.validator.is_valid(&value) {
            let mut coercing =
                coerce::Coercing { root: &self.value, aliases, coercions: &mut coercions };
            coercing.value(&self.value, &mut value, "");
        }
        if self.validator.is_valid(&value) {
            return Ok((value, coercions));
        }
        Err(explain::explain(self, self.validator.iter_errors(&value)))
    }
}

/// Why arguments do not fit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    /// For the model: what is wrong, and what would be right.
    pub message: String,
    /// JSON pointer of the first fault; empty for the whole.
    pub pointer: String,
}

/// The arguments as an object, as [`check`] will take them; null where they are none.
pub(crate) fn object(text: &[u8]) -> Value {
    parse(text, &mut Vec::new()).unwrap_or_default()
}

fn parse(text: &[u8], coercions: &mut Vec<Coercion>) -> Result<Value, Fault> {
    let whole = |message: String| Fault { message, pointer: String::new() };
    if text.len() > ARGUMENTS_BYTES_MAX {
        let size = text.len();
        return Err(whole(format!(
            "the arguments are {size} bytes; at most {ARGUMENTS_BYTES_MAX} are taken"
        )));
    }
    if text.iter().all(u8::is_ascii_whitespace) {
        coercions.push(coerce::record("", "nothing", "object"));
        return Ok(Value::Object(serde_json::Map::new()));
    }
    let value = json::parse(text)
        .map_err(|error| whole(format!("the arguments are not valid JSON: {error}")))?;
    // A JSON string that holds the object: some models encode twice.
    if let Value::String(inner) = &value
        && let Ok(object @ Value::Object(_)) = json::parse(inner.as_bytes())
    {
        coercions.push(coerce::record("", "string", "object"));
        return Ok(object);
    }
    Ok(value)
}

/// Layer 3: the call's arguments against the tool's schema.
///
/// # Errors
/// A refusal with the fault's pointer.
pub fn check(eligible: Eligible) -> Result<Checked, Refusal> {
    let resolved = eligible.0;
    let refuse = |fault: Fault| {
        Refusal::new(Layer::Arguments, "invalid_arguments", fault.message).at(fault.pointer)
    };
    let schema = resolved.entry.schema().map_err(|error| {
        Refusal::new(Layer::Arguments, "bad_schema", format!("{}: {error}", resolved.entry.name))
    })?;
    let (value, coercions) =
        schema.check(&resolved.raw.arguments, &resolved.entry.argument_aliases).map_err(refuse)?;
    // What an old name means was read from the arguments as they came.
    if !catalog::still_fits(&resolved.entry, &value) {
        let message = "what the name means is not clear from the arguments".to_owned();
        return Err(refuse(Fault { message, pointer: String::new() }));
    }
    let arguments = if coercions.is_empty() {
        resolved.raw.arguments.clone()
    } else {
        Bytes::from(value.to_string())
    };
    Ok(Checked { resolved, arguments, value, coercions })
}

#[cfg(test)]
mod tests;
