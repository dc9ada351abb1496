//! Reads encoded messages by the descriptors alone, apart from the generated code.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;
use prost_types::{DescriptorProto, FileDescriptorSet, field_descriptor_proto::Type};

/// A field: message's full name, field number.
pub(super) type Field = (String, u64);

/// The messages of the contract: full name → field number → message type of the field, if it is one.
#[derive(Debug)]
pub(super) struct Messages(BTreeMap<String, BTreeMap<u64, Option<String>>>);

impl Messages {
    pub(super) fn of_the_contract() -> Self {
        let set = FileDescriptorSet::decode(crate::DESCRIPTORS).unwrap();
        let mut messages = BTreeMap::new();
        for file in &set.file {
            for message in &file.message_type {
                add(&mut messages, file.package(), message);
            }
        }
        Self(messages)
    }

    /// Every field that there is.
    pub(super) fn fields(&self) -> BTreeSet<Field> {
        let of = |(name, fields): (&String, &BTreeMap<u64, Option<String>>)| {
            fields.keys().map(|number| (name.clone(), *number)).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }

    /// The fields that an encoded message has, at any depth.
    pub(super) fn seen(&self, message: &str, mut bytes: &[u8]) -> BTreeSet<Field> {
        let mut seen = BTreeSet::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let number = key >> 3;
            let value = match key & 7 {
                0 => {
                    varint(&mut bytes);
                    &[]
                }
                1 => bytes.split_off(..8).unwrap(),
                2 => {
                    let size = usize::try_from(varint(&mut bytes)).unwrap();
                    bytes.split_off(..size).unwrap()
                }
                5 => bytes.split_off(..4).unwrap(),
                other => panic!("{message}: wire type {other}"),
            };
            let known = self.0[message].get(&number);
            let inner = known.unwrap_or_else(|| panic!("{message} has no field {number}"));
            seen.insert((message.to_owned(), number));
            if let Some(inner) = inner {
                seen.extend(self.seen(inner, value));
            }
        }
        seen
    }
}

fn add(
    messages: &mut BTreeMap<String, BTreeMap<u64, Option<String>>>,
    scope: &str,
    message: &DescriptorProto,
) {
    let name = format!("{scope}.{}", message.name());
    for nested in &message.nested_type {
        add(messages, &name, nested);
    }
    let fields = message.field.iter().map(|field| {
        let inner = (field.r#type() == Type::Message)
            .then(|| field.type_name().trim_start_matches('.').to_owned());
        (u64::try_from(field.number()).unwrap(), inner)
    });
    messages.insert(name, fields.collect());
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first().unwrap();
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("a number of more than ten bytes")
}
