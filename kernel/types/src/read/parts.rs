//! All that a schema says at once: itself, what it refers to, and the members of `allOf`, down to the
//! last. Each stands there once, so that neither cycles nor repetition make it longer than the schema.

use std::collections::BTreeSet;

use super::{Reader, keywords, reference};
use crate::json::{Json, Object};

/// The parts of a schema.
#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    /// The parts, in order: a schema before what it refers to, that before its `allOf`.
    pub(super) objects: Vec<&'a Object>,
    /// Whether one part is `false`: no value fits all of them.
    pub(super) is_never: bool,
}

impl<'a> Reader<'a> {
    /// The parts of a schema.
    pub(super) fn parts(&mut self, schema: &'a Json) -> Parts<'a> {
        let mut parts = Parts::default();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![schema];
        while let Some(schema) = waiting.pop() {
            let object = match schema {
                Json::Object(object) => object,
                Json::Bool(false) => {
                    parts.is_never = true;
                    continue;
                }
                Json::Bool(true) | Json::Null | Json::Number(_) | Json::Text(_) | Json::List(_) => {
                    continue;
                }
            };
            if !seen.insert(std::ptr::from_ref(object)) {
                continue;
            }
            if self.steps_left == 0 {
                self.is_whole = false;
                return parts;
            }
            self.pay(1);
            parts.objects.push(object);
            let all = object.get("allOf").and_then(Json::list).unwrap_or_default();
            waiting.extend(all.iter().rev());
            let target = keywords::reference(object);
            waiting.extend(target.and_then(|target| reference::resolve(self.root, target)));
        }
        parts
    }
}
