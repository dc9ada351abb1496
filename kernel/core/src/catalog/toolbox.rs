//! Deferred tools that a conversation activated (`[CAT-20]`): remembered by name, few, and only as long as
//! they are still what was activated.
//!
//! Kept in order of activation, so that a new one is appended to the request; the least recently *used*
//! leave when there are too many.

use std::sync::Arc;

use super::{Entry, Exposure, View};
use crate::{
    limits::{TOOLBOX_BYTES_MAX, TOOLBOX_TOOLS_MAX},
    name::ToolName,
};

/// The activated tools of one conversation.
#[derive(Clone, Debug, Default)]
pub struct Toolbox {
    held: Vec<Held>,
    /// Grows with every use.
    clock: u64,
}

#[derive(Clone, Debug)]
struct Held {
    name: ToolName,
    bytes: usize,
    used: u64,
}

/// What became of an activation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Activated {
    /// It is in the next request; these left for it.
    Added {
        /// Least recently used first.
        evicted: Vec<ToolName>,
    },
    /// It is there already.
    Already,
    /// It is in every request anyway.
    Eager,
    /// Its schema alone is larger than the toolbox: it can be called, and is not shown.
    TooLarge {
        /// Of its schema.
        bytes: usize,
    },
}

impl Toolbox {
    /// Remembers a tool, as one that was used just now.
    pub fn activate(&mut self, entry: &Entry) -> Activated {
        if entry.exposure != Exposure::Deferred {
            return Activated::Eager;
        }
        if self.used(entry.name.as_str()) {
            return Activated::Already;
        }
        let bytes = entry.input_schema.len();
        if bytes > TOOLBOX_BYTES_MAX {
            return Activated::TooLarge { bytes };
        }
        let mut evicted = Vec::new();
        while self.held.len() >= TOOLBOX_TOOLS_MAX || self.bytes() + bytes > TOOLBOX_BYTES_MAX {
            match self.evict() {
                Some(name) => evicted.push(name),
                None => break,
            }
        }
        self.held.push(Held { name: entry.name.clone(), bytes, used: self.clock });
        Activated::Added { evicted }
    }

    /// Notes that a tool was used; `false`: it is not here.
    pub fn used(&mut self, name: &str) -> bool {
        self.clock += 1;
        let clock = self.clock;
        let held = self.held.iter_mut().find(|it| it.name.as_str() == name);
        held.map(|it| it.used = clock).is_some()
    }

    /// Drops what is not there any more, may not be called, has become eager, or has outgrown the toolbox;
    /// gives the names of those.
    pub fn revalidate(&mut self, view: &View) -> Vec<ToolName> {
        let mut dropped = Vec::new();
        self.held.retain_mut(|held| {
            let entry = view.get(held.name.as_str());
            let stays = entry.is_some_and(|entry| entry.exposure == Exposure::Deferred);
            match entry {
                Some(entry) if stays => held.bytes = entry.input_schema.len(),
                Some(_) | None => dropped.push(held.name.clone()),
            }
            stays
        });
        while self.bytes() > TOOLBOX_BYTES_MAX {
            match self.evict() {
                Some(name) => dropped.push(name),
                None => break,
            }
        }
        dropped
    }

    /// Its tools, in order of activation.
    pub fn tools<'a>(&'a self, view: &'a View) -> impl Iterator<Item = &'a Arc<Entry>> {
        self.held.iter().filter_map(|held| view.get(held.name.as_str()))
    }

    /// Its names, in order of activation.
    pub fn names(&self) -> impl Iterator<Item = &ToolName> {
        self.held.iter().map(|held| &held.name)
    }

    /// Bytes of its schemas.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.held.iter().map(|held| held.bytes).sum()
    }

    fn evict(&mut self) -> Option<ToolName> {
        let (place, _) = self.held.iter().enumerate().min_by_key(|(_, held)| held.used)?;
        Some(self.held.remove(place).name)
    }
}

#[cfg(test)]
mod tests;
