//! A [`Tool`] without its type: JSON bytes in, futures out, one schema for both.

mod tidy;

use std::{pin::Pin, sync::OnceLock};

use schemars::generate::SchemaSettings;
use serde_json::Value;
use serde_path_to_error::Segment;
use tollgate_proto::grant::sha256;

use crate::{
    Call, Context, Failure, Invalid, Preparation, Reply, Spec, Tool, limits::INVALID_BYTES_MAX,
    wire::bounded,
};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What the session runs.
pub(crate) trait ErasedTool: Send + Sync {
    fn prepare<'a>(
        &'a self,
        arguments: &'a [u8],
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Preparation, Invalid>>;
    fn call(&self, arguments: &[u8], call: Call) -> BoxFuture<'_, Result<Reply, Failure>>;
}

/// A tool with what is known of it before any call.
pub(crate) struct Registered {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) spec: Spec,
    pub(crate) schema: Vec<u8>,
    pub(crate) schema_sha256: [u8; 32],
    pub(crate) tool: Box<dyn ErasedTool>,
}

impl std::fmt::Debug for Registered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registered").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Registered {
    pub(crate) fn new<T: Tool>(tool: T) -> Self {
        let schema = schema_of::<T>();
        let text = schema.to_string().into_bytes();
        Self {
            name: T::NAME,
            description: T::DESCRIPTION,
            spec: tool.spec(),
            schema_sha256: sha256(&text),
            schema: text,
            tool: Box::new(Typed { tool, schema, validator: OnceLock::new() }),
        }
    }
}

struct Typed<T> {
    tool: T,
    schema: Value,
    /// Compiled at the first call: most servers start for one tool of many.
    validator: OnceLock<Option<jsonschema::Validator>>,
}

impl<T: Tool> Typed<T> {
    /// The arguments as the tool's own type. The type first: it knows which names there are. Then the
    /// schema, for what a type cannot say, such as a range.
    fn parse(&self, arguments: &[u8]) -> Result<T::Input, Invalid> {
        let value: Value = serde_json::from_slice(arguments)
            .map_err(|error| Invalid::new("", format!("the arguments are not JSON: {error}")))?;
        if !value.is_object() {
            return Err(Invalid::new("", "the arguments are not a JSON object"));
        }
        let input = serde_path_to_error::deserialize(&value)
            .map_err(|error| invalid(pointer(error.path()), error.inner().to_string()))?;
        let validator = self.validator.get_or_init(|| jsonschema::validator_for(&self.schema).ok());
        let Some(validator) = validator else {
            return Err(invalid(String::new(), "the tool's schema is no schema".to_owned()));
        };
        match validator.validate(&value) {
            Ok(()) => Ok(input),
            Err(error) => Err(invalid(error.instance_path().to_string(), error.to_string())),
        }
    }
}

/// A fault of the arguments. What they hold may be quoted in it, so it is cut.
fn invalid(pointer: String, message: String) -> Invalid {
    Invalid::new(pointer, bounded(message, INVALID_BYTES_MAX))
}

/// RFC 6901: "/edits/0/old".
fn pointer(path: &serde_path_to_error::Path) -> String {
    let step = |step: &Segment| match step {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        // A variant is no part of the text; the unknown cannot be pointed at.
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    };
    path.iter().map(step).collect()
}

impl<T: Tool> ErasedTool for Typed<T> {
    fn prepare<'a>(
        &'a self,
        arguments: &'a [u8],
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Preparation, Invalid>> {
        Box::pin(async move {
            let input = self.parse(arguments)?;
            self.tool.prepare(&input, context).await
        })
    }

    fn call(&self, arguments: &[u8], call: Call) -> BoxFuture<'_, Result<Reply, Failure>> {
        let input = self.parse(arguments);
        Box::pin(async move {
            let input = input.map_err(|Invalid { message, pointer, .. }| {
                let place = if pointer.is_empty() { String::new() } else { format!("{pointer}: ") };
                Failure::new("invalid_arguments", format!("{place}{message}"))
            })?;
            self.tool.call(input, call).await
        })
    }
}

/// The schema of a tool's input, closed, without what no model needs ([`tidy`]).
fn schema_of<T: Tool>() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.meta_schema = None)
        .into_generator();
    let mut schema = generator.into_root_schema_for::<T::Input>().to_value();
    if let Some(root) = schema.as_object_mut() {
        root.remove("title");
        root.remove("description");
        root.entry("additionalProperties").or_insert(Value::Bool(false));
        root.entry("properties").or_insert_with(|| serde_json::json!({}));
    }
    tidy::schema(&mut schema);
    schema
}

#[cfg(test)]
mod tests;
