//! A server's tools by every name that a call may use: the canonical one, and old names, each with a
//! schema and a handler of its own ([CAT-07]).
//!
//! An old name that meant several tools has variants: one argument's text says which. Invariants, held
//! by [`Tools::check`] before the server listens: every old name means a tool that is here and is no
//! tool's name itself; all variants of a name look at one argument, each at another text of it, so at
//! most one fits; at most one fits all other calls. The kernel picks in the same way, and its grant
//! names the schema of the variant that it picked.
//!
//! Not here: whether a call may run, and under which rules. The kernel judges it as a call of the tool
//! that the name means.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    sync::Arc,
};

use serde::{
    Deserializer,
    de::{Error, IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;
use tollgate_proto::tool::v1::ToolSpec;

use crate::{Invalid, Tool, erased::Registered, limits::HIDDEN_NAMES_MAX, wire};

/// All tools of a server.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    canonical: BTreeMap<&'static str, Arc<Registered>>,
    legacy: BTreeMap<&'static str, Vec<Legacy>>,
}

/// One handler of an old name.
#[derive(Debug)]
pub(crate) struct Legacy {
    /// The canonical tool whose rules hold for its calls.
    means: &'static str,
    /// Only for calls whose argument has this text. `None`: for those that no other variant takes.
    pub(crate) when: Option<(&'static str, &'static str)>,
    pub(crate) tool: Arc<Registered>,
}

impl Tools {
    pub(crate) fn add<T: Tool>(&mut self, tool: T) {
        self.canonical.insert(T::NAME, Arc::new(Registered::new(tool)));
    }

    pub(crate) fn add_legacy<T: Tool>(
        &mut self,
        means: &'static str,
        when: Option<(&'static str, &'static str)>,
        tool: T,
    ) {
        let variant = Legacy { means, when, tool: Arc::new(Registered::new(tool)) };
        self.legacy.entry(T::NAME).or_default().push(variant);
    }

    /// Looks whether the names make sense together.
    ///
    /// # Errors
    /// The first fault, as a sentence for the server's author.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (name, variants) in &self.legacy {
            if self.canonical.contains_key(name) {
                return Err(format!(
                    "'{name}' is a tool of this server; it cannot be an old name too"
                ));
            }
            let mut taken = HashSet::new();
            for variant in variants {
                if !self.canonical.contains_key(variant.means) {
                    let means = variant.means;
                    return Err(format!(
                        "the old name '{name}' means '{means}', and this server has no such tool"
                    ));
                }
                if !taken.insert(variant.when) {
                    return Err(match variant.when {
                        None => format!("the old name '{name}' has two handlers for every call"),
                        Some((argument, value)) => {
                            format!(
                                "the old name '{name}' has two handlers for {argument} '{value}'"
                            )
                        }
                    });
                }
            }
            let arguments: HashSet<_> =
                taken.iter().flatten().map(|(argument, _)| argument).collect();
            if arguments.len() > 1 {
                return Err(format!(
                    "the variants of the old name '{name}' look at different arguments; one must decide"
                ));
            }
        }
        for name in self.canonical.keys() {
            let old = self.meaning(name).count();
            if old > HIDDEN_NAMES_MAX {
                return Err(format!(
                    "the tool '{name}' has {old} old names and variants; at most {HIDDEN_NAMES_MAX} fit"
                ));
            }
        }
        Ok(())
    }

    /// What the manifest says, by name.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.canonical.values().map(|tool| wire::tool_spec(tool, self.meaning(tool.name))).collect()
    }

    /// The old names of a tool: by name, then in the order of the source text.
    fn meaning<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Legacy> {
        self.legacy.values().flatten().filter(move |variant| variant.means == name)
    }

    /// The tool or the variant of an old name that takes a call with these arguments.
    ///
    /// # Errors
    /// No such name (class "`unknown_tool`"), or no variant of it for these arguments.
    pub(crate) fn pick(&self, name: &str, arguments: &[u8]) -> Result<&Arc<Registered>, Invalid> {
        if let Some(tool) = self.canonical.get(name) {
            return Ok(tool);
        }
        let variants = self.legacy.get(name).ok_or_else(|| {
            Invalid::new("", format!("this server has no tool '{name}'")).class("unknown_tool")
        })?;
        let text = match variants.iter().find_map(|variant| variant.when) {
            None => None,
            Some((argument, _)) => text_of(arguments, argument).map_err(|error| {
                Invalid::new("", format!("the arguments cannot be read: {error}"))
            })?,
        };
        let fits = |variant: &&Legacy| {
            variant.when.is_some_and(|(_, value)| text.as_deref() == Some(value))
        };
        let rest = || variants.iter().find(|variant| variant.when.is_none());
        match variants.iter().find(fits).or_else(rest) {
            Some(variant) => Ok(&variant.tool),
            None => Err(no_variant(variants)),
        }
    }
}

fn no_variant(variants: &[Legacy]) -> Invalid {
    let conditions: Vec<_> = variants.iter().filter_map(|variant| variant.when).collect();
    let argument = conditions.first().map_or("", |(argument, _)| argument);
    let values: Vec<_> = conditions.iter().map(|(_, value)| *value).collect();
    let why = format!("{argument} must be one of: {}", values.join(", "));
    Invalid::new(format!("/{argument}"), why)
}

/// The text of one member of a JSON object; `None` if it is not there or no text. An error: no object,
/// or the member is there twice, and parsers disagree which one counts.
fn text_of(arguments: &[u8], argument: &str) -> Result<Option<String>, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_slice(arguments);
    let text = json.deserialize_map(TextOf(argument))?;
    json.end()?;
    Ok(text)
}

struct TextOf<'a>(&'a str);

impl<'de> Visitor<'de> for TextOf<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<String>, A::Error> {
        let mut found: Option<Value> = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != self.0 {
                map.next_value::<IgnoredAny>()?;
            } else if found.replace(map.next_value()?).is_some() {
                return Err(A::Error::custom(format_args!("'{}' is there twice", self.0)));
            }
        }
        Ok(match found {
            Some(Value::String(text)) => Some(text),
            Some(_) | None => None,
        })
    }
}

#[cfg(test)]
mod tests;
