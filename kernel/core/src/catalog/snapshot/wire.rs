//! What stands in a request's tools field. The bytes may be anything: what cannot be read is told, and
//! what can be is shown.

mod tool;

use std::fmt;

use serde::{
    Serialize, Serializer,
    de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

pub use tool::{Cut, OmittedKeys, WireTool};

use super::{Field, Prepared, reason};
use crate::{
    digest::Digest,
    limits::{SNAPSHOT_MEASURED_BYTES_MAX, SNAPSHOT_TOOLS_BYTES_MAX, SNAPSHOT_TOOLS_MAX},
};

/// The wire facts of a request's tools.
#[derive(Clone, Debug, Serialize)]
pub struct Wire {
    /// Whether the request has the field.
    pub tools_field: Presence,
    /// Why it is unavailable, or what of it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// Secrets were taken out of what is shown; size and digest are those of what was prepared.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// Its size.
    pub bytes: Measured<u64>,
    /// SHA-256 of exactly its bytes.
    pub active_tool_catalog_sha256: Measured<Digest>,
    /// Why size and digest are not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmeasured: Option<String>,
    /// How many tools stand in it; `None`: they cannot be counted.
    pub count: Option<u64>,
    /// The first of them, in their order.
    pub tools: Vec<WireTool>,
    /// The others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<OmittedTools>,
}

/// Whether something is there: three answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// It is not there.
    Absent,
    /// It is there, maybe empty.
    Present,
    /// Nobody can tell.
    Unavailable,
}

/// A measurement, or the word "unavailable".
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Measured<T> {
    /// What was measured.
    Is(T),
    /// [`Wire::unmeasured`] says why.
    Unavailable,
}

impl<T: Serialize> Serialize for Measured<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Is(value) => value.serialize(serializer),
            Self::Unavailable => serializer.serialize_str("unavailable"),
        }
    }
}

/// How many tools are not shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct OmittedTools {
    /// Exactly.
    pub tools: u64,
}

impl Wire {
    pub(super) fn of(prepared: &Prepared, field: Field<'_>) -> Self {
        let wire = Self {
            tools_field: Presence::Absent,
            damage: None,
            redacted: false,
            bytes: Measured::Unavailable,
            active_tool_catalog_sha256: Measured::Unavailable,
            unmeasured: Some("the request has no tools field".to_owned()),
            count: None,
            tools: Vec::new(),
            omitted: None,
        };
        match field {
            Field::Absent => wire,
            Field::Unavailable(why) => Self {
                tools_field: Presence::Unavailable,
                damage: Some(reason(&why)),
                ..wire.measured(prepared, None)
            },
            Field::Present { bytes, is_redacted } => {
                let kept = (!is_redacted).then_some(bytes.len() as u64);
                let wire = Self { redacted: is_redacted, ..wire.measured(prepared, kept) };
                wire.read(bytes)
            }
        }
    }

    /// Size and digest as prepared, if they are told at all.
    fn measured(self, prepared: &Prepared, kept: Option<u64>) -> Self {
        match prepared.tools_bytes.or(kept) {
            Some(bytes) if bytes <= SNAPSHOT_MEASURED_BYTES_MAX => Self {
                bytes: Measured::Is(bytes),
                active_tool_catalog_sha256: Measured::Is(prepared.tools_sha256),
                unmeasured: None,
                ..self
            },
            Some(_) => Self {
                unmeasured: Some(format!(
                    "the tools field has more than {SNAPSHOT_MEASURED_BYTES_MAX} bytes"
                )),
                ..self
            },
            None => Self { unmeasured: Some("its size was not kept".to_owned()), ..self },
        }
    }

    fn read(self, bytes: &[u8]) -> Self {
        let (listed, damage) = list(bytes);
        let (mut tools, mut left) = (Vec::new(), SNAPSHOT_TOOLS_BYTES_MAX);
        for raw in &listed.first {
            let Some((tool, size)) = WireTool::within(raw, left) else { break };
            left -= size;
            tools.push(tool);
        }
        let omitted = listed.count - tools.len() as u64;
        Self {
            tools_field: Presence::Present,
            count: damage.is_none().then_some(listed.count),
            damage,
            tools,
            omitted: (omitted > 0).then_some(OmittedTools { tools: omitted }),
            ..self
        }
    }
}

/// The items of an array.
#[derive(Default)]
struct Listed<'a> {
    first: Vec<&'a RawValue>,
    /// All that could be read.
    count: u64,
}

/// Reads an array as far as it goes, and says what ended it too early.
fn list(bytes: &[u8]) -> (Listed<'_>, Option<String>) {
    let mut listed = Listed::default();
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read = Items(&mut listed).deserialize(&mut deserializer);
    let damage = match read {
        Ok(true) => deserializer.end().is_err().then(|| "something stands after it".to_owned()),
        Ok(false) => Some("it is no array".to_owned()),
        Err(error) => Some(format!(
            "it is no JSON from line {}, column {} on; {} tools stand before",
            error.line(),
            error.column(),
            listed.count
        )),
    };
    (listed, damage)
}

struct Items<'l, 'a>(&'l mut Listed<'a>);

impl<'de> DeserializeSeed<'de> for Items<'_, 'de> {
    type Value = bool;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// `false`: it is no array.
impl<'de> Visitor<'de> for Items<'_, 'de> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        while self.0.first.len() < SNAPSHOT_TOOLS_MAX {
            let Some(item) = items.next_element()? else { return Ok(true) };
            self.0.first.push(item);
            self.0.count += 1;
        }
        while items.next_element::<IgnoredAny>()?.is_some() {
            self.0.count += 1;
        }
        Ok(true)
    }
    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(false)
    }
}
