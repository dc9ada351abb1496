//! One tool as it stands in a request. Text is cut at a character; JSON is whole or not there, because a
//! cut one can be read by nobody (B118).

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::{
    Deserialize, Serialize,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::super::bounded;
use crate::limits::{
    SCHEMA_BYTES_MAX, SNAPSHOT_DEPTH_MAX, SNAPSHOT_FIELD_BYTES_MAX, SNAPSHOT_NAME_BYTES_MAX,
    SNAPSHOT_TEXT_BYTES_MAX,
};

/// One tool. `None`: the wire has no such key, or `damage` or `truncated` says why it is not shown.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WireTool {
    /// As the model is told it.
    pub name: Option<String>,
    /// As the model is told it.
    pub description: Option<String>,
    /// Exact text.
    pub input_schema: Option<Box<RawValue>>,
    /// Exact text.
    pub defer_loading: Option<Box<RawValue>>,
    /// Exact text.
    pub strict: Option<Box<RawValue>>,
    /// Exact text.
    pub allowed_callers: Option<Box<RawValue>>,
    /// Exact text.
    pub cache_control: Option<Box<RawValue>>,
    /// What is not shown whole, by its key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub truncated: BTreeMap<&'static str, Cut>,
    /// Keys that are not shown at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<OmittedKeys>,
    /// What cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damage: Vec<String>,
}

/// How much of something is shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Cut {
    /// Of a text without its quotes and escapes, of JSON as it stands.
    pub bytes_total: u64,
    /// Of them.
    pub bytes_shown: u64,
}

/// How many keys are not shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct OmittedKeys {
    /// Exactly.
    pub keys: u64,
}

impl WireTool {
    /// The tool, and its size as JSON text, if that is at most `bytes_max`: with its schema, else without.
    pub(super) fn within(raw: &RawValue, bytes_max: usize) -> Option<(Self, usize)> {
        let mut tool = Self::read(raw);
        let mut size = tool.size();
        if size > bytes_max
            && let Some(schema) = tool.input_schema.take()
        {
            tool.cut("input_schema", schema.get().len(), 0);
            size = tool.size();
        }
        (size <= bytes_max).then_some((tool, size))
    }

    fn size(&self) -> usize {
        // A comma stands between two.
        serde_json::to_vec(self).map_or(usize::MAX, |text| text.len() + 1)
    }

    fn read(raw: &RawValue) -> Self {
        let mut tool = Self::default();
        let Ok(keys) = serde_json::from_str::<Keys<'_>>(raw.get()) else {
            tool.damage.push("it is no object".to_owned());
            return tool;
        };
        for key in keys.twice {
            tool.damage.push(format!("the key '{key}' stands twice; the first is shown"));
        }
        tool.omitted = (keys.others > 0).then_some(OmittedKeys { keys: keys.others });
        let known = |key: &str| keys.known.get(key).copied();
        if known("name").is_none() {
            tool.damage.push("it has no name".to_owned());
        }
        tool.name = tool.text("name", known("name"), SNAPSHOT_NAME_BYTES_MAX);
        tool.description = tool.text("description", known("description"), SNAPSHOT_TEXT_BYTES_MAX);
        tool.input_schema = tool.json("input_schema", known("input_schema"), SCHEMA_BYTES_MAX);
        let small = SNAPSHOT_FIELD_BYTES_MAX;
        tool.defer_loading = tool.json("defer_loading", known("defer_loading"), small);
        tool.strict = tool.json("strict", known("strict"), small);
        tool.allowed_callers = tool.json("allowed_callers", known("allowed_callers"), small);
        tool.cache_control = tool.json("cache_control", known("cache_control"), small);
        tool
    }

    fn text(&mut self, key: &'static str, raw: Option<&RawValue>, max: usize) -> Option<String> {
        let Ok(text) = serde_json::from_str::<String>(raw?.get()) else {
            self.damage.push(format!("its {key} is no text"));
            return None;
        };
        let kept = bounded(&text, max);
        if kept.len() < text.len() {
            self.cut(key, text.len(), kept.len());
        }
        Some(kept.to_owned())
    }

    fn json(
        &mut self,
        key: &'static str,
        raw: Option<&RawValue>,
        max: usize,
    ) -> Option<Box<RawValue>> {
        let raw = raw?;
        let bytes = raw.get().len();
        let is_deep = depth(raw.get()) > SNAPSHOT_DEPTH_MAX;
        if is_deep {
            self.damage
                .push(format!("its {key} is nested deeper than {SNAPSHOT_DEPTH_MAX} levels"));
        }
        if is_deep || bytes > max {
            self.cut(key, bytes, 0);
            return None;
        }
        Some(raw.to_owned())
    }

    fn cut(&mut self, key: &'static str, total: usize, shown: usize) {
        self.truncated.insert(key, Cut { bytes_total: total as u64, bytes_shown: shown as u64 });
    }
}

/// Levels of valid JSON text.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The keys that a snapshot shows.
const SHOWN: [&str; 7] = [
    "name",
    "description",
    "input_schema",
    "defer_loading",
    "strict",
    "allowed_callers",
    "cache_control",
];

/// An object's values by key, the first of each.
#[derive(Default)]
struct Keys<'a> {
    known: BTreeMap<&'static str, &'a RawValue>,
    twice: Vec<&'static str>,
    others: u64,
}

impl<'de> Deserialize<'de> for Keys<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object)
    }
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Keys<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys<'de>, A::Error> {
        let mut keys = Keys::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let Some(key) = SHOWN.into_iter().find(|shown| *shown == key) else {
                map.next_value::<IgnoredAny>()?;
                keys.others += 1;
                continue;
            };
            let value = map.next_value()?;
            if keys.known.contains_key(key) {
                if !keys.twice.contains(&key) {
                    keys.twice.push(key);
                }
            } else {
                keys.known.insert(key, value);
            }
        }
        Ok(keys)
    }
}
