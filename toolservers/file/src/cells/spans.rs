//! Where the members of a JSON object and the items of a list stand in a text.

use std::{fmt, ops::Range};

use serde_json::{Value, value::RawValue};
use tollgate_sdk::serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};

/// An object.
pub(super) struct Object<'a> {
    text: &'a str,
    members: Vec<Member<'a>>,
}

/// One member of an object.
pub(super) struct Member<'a> {
    pub(super) key: String,
    pub(super) raw: &'a RawValue,
    /// From the brace or the value before it to its value.
    pub(super) lead: Range<usize>,
    pub(super) value: Range<usize>,
}

impl<'a> Object<'a> {
    /// The object that a piece of the text is; `None` if it is none.
    pub(super) fn of(text: &'a str, raw: &'a RawValue) -> Option<Self> {
        let pairs: Pairs<'a> = serde_json::from_str(raw.get()).ok()?;
        let mut before = span(text, raw).start + 1;
        let mut members = Vec::new();
        for (key, raw) in pairs.0 {
            let value = span(text, raw);
            let lead = before..value.start;
            before = value.end;
            members.push(Member { key, raw, lead, value });
        }
        Some(Self { text, members })
    }

    /// The member of a name; of several the last, as readers of JSON have it.
    pub(super) fn member(&self, key: &str) -> Option<&Member<'a>> {
        self.members.iter().rev().find(|member| member.key == key)
    }

    /// Its value.
    pub(super) fn value(&self, key: &str) -> Option<Value> {
        serde_json::from_str(self.member(key)?.raw.get()).ok()
    }

    pub(super) fn members(&self) -> &[Member<'a>] {
        &self.members
    }

    /// What is to be cut so that the members of these names are gone; some member must stay.
    pub(super) fn without(&self, keys: &[&str]) -> Vec<Range<usize>> {
        let goes = |member: &&Member<'a>| keys.contains(&member.key.as_str());
        let first = self.members.iter().take_while(goes).count();
        let mut cuts = Vec::new();
        if let (Some(gone), Some(stays)) = (self.members.first(), self.members.get(first))
            && first > 0
        {
            cuts.extend(self.key_start(gone).zip(self.key_start(stays)).map(|(a, b)| a..b));
        }
        let others = self.members.iter().skip(first).filter(goes);
        cuts.extend(others.map(|member| member.lead.start..member.value.end));
        cuts
    }

    fn key_start(&self, member: &Member<'a>) -> Option<usize> {
        let lead = self.text.get(member.lead.clone())?;
        Some(member.lead.start + lead.find('"')?)
    }
}

/// A list.
pub(super) struct Array<'a> {
    pub(super) items: Vec<&'a RawValue>,
    /// Of the items.
    pub(super) spans: Vec<Range<usize>>,
    /// Of the whole, with its brackets.
    pub(super) span: Range<usize>,
}

impl<'a> Array<'a> {
    /// The list that a piece of the text is; `None` if it is none.
    pub(super) fn of(text: &str, raw: &'a RawValue) -> Option<Self> {
        let items: Vec<&'a RawValue> = serde_json::from_str(raw.get()).ok()?;
        let spans = items.iter().map(|item| span(text, item)).collect();
        Some(Self { items, spans, span: span(text, raw) })
    }

    /// What is to be cut so that an item is gone.
    pub(super) fn without(&self, index: usize) -> Option<Range<usize>> {
        let item = self.spans.get(index)?;
        let before = index.checked_sub(1).and_then(|before| self.spans.get(before));
        Some(match (before, self.spans.get(index + 1)) {
            (Some(before), _) => before.end..item.end,
            (None, Some(next)) => item.start..next.start,
            (None, None) => self.span.start + 1..self.span.end - 1,
        })
    }
}

/// Where a piece of a text, borrowed from it, stands.
fn span(text: &str, raw: &RawValue) -> Range<usize> {
    let start = raw.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + raw.get().len()
}

/// The members of an object in their order.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(Members).map(Pairs)
    }
}
