//! Tools, sessions and searches for unit tests of this folder.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tollgate_core::{
    authority::policy::Policy,
    call::{Caller, Position, RawCall},
    catalog::{Catalog, Entry, Provenance, Source, SourceState, Surface, View},
    digest::Digest,
    name::{CallId, ServerName, SessionId, ToolName},
    safety::{Safety, Trust},
    stance::{Mode, Posture, Stance},
};
use tollgate_policy::Standing;

use super::{
    answer::{Answer, Asker},
    ask::Ask,
    discover,
    shelf::Shelf,
    show,
};
use crate::{
    settings::ToolSettings,
    tools::{Seen, Tools},
};

pub(super) const SCHEMA: &str =
    r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;

/// A tool of a server that is not trusted and claims to change nothing.
pub(super) fn foreign(server: &str, name: &str, description: &str) -> Entry {
    let read_only = Safety { read_only: true, ..Safety::default() };
    Entry {
        server: ServerName::try_from(server).unwrap(),
        trust: Trust::Untrusted,
        provenance: Provenance::Plugin,
        name: ToolName::try_from(name).unwrap(),
        served_as: ToolName::try_from(name).unwrap(),
        title: String::new(),
        description: description.to_owned(),
        safety: read_only,
        compiled: Arc::new(OnceLock::new()),
        ..with_schema(super::entry(), SCHEMA)
    }
}

/// A tool of Tollgate's own.
pub(super) fn native(name: &str, description: &str) -> Entry {
    Entry {
        provenance: Provenance::Builtin,
        trust: Trust::Trusted,
        ..foreign("file", name, description)
    }
}

pub(super) fn with_schema(entry: Entry, schema: &str) -> Entry {
    let input_schema = bytes::Bytes::from(schema.to_owned());
    Entry { schema_sha256: Digest::of(&input_schema), input_schema, ..entry }
}

/// A schema of about so many bytes.
pub(super) fn large(bytes: usize) -> String {
    let description = "x".repeat(bytes.saturating_sub(40));
    format!(r#"{{"type":"object","description":"{description}"}}"#)
}

pub(super) fn source(name: &str, hint: &str, state: SourceState) -> Source {
    Source {
        server: ServerName::try_from("bridge").unwrap(),
        name: name.to_owned(),
        hint: hint.to_owned(),
        state,
        detail: String::new(),
    }
}

/// A session that is searched.
pub(super) struct Scene {
    pub(super) catalog: Catalog,
    pub(super) policy: Policy,
    pub(super) stance: Stance,
    pub(super) surface: Surface,
    pub(super) caller: Caller,
    /// Another call asks.
    pub(super) is_nested: bool,
    pub(super) tools: Tools,
}

impl Scene {
    pub(super) fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        let all = entries.into_iter().chain([super::entry()]).collect();
        Self {
            catalog: Catalog::new(all, &[]),
            policy: Policy::default(),
            stance: Stance { mode: Mode::Work, posture: Posture::Ask },
            surface: Surface::Full,
            caller: Caller::Model,
            is_nested: false,
            tools: Tools::new(Arc::default(), 0, &ToolSettings::default()),
        }
    }

    pub(super) fn seen(&self) -> Seen {
        let Stance { mode, posture } = self.stance;
        let standing = Arc::new(Standing { policy: self.policy.clone(), ..Standing::default() });
        let catalog = Arc::new(self.catalog.clone());
        let view = View::of(catalog, &standing.policy, mode, self.surface, 0);
        Seen { view, mode, posture, standing, shelf: OnceLock::new() }
    }

    /// As [`super::run`] does it, without a call.
    #[track_caller]
    pub(super) fn search(&self, arguments: Value) -> Answer {
        let (ask, query) = Ask::read(&arguments).unwrap();
        let seen = self.seen();
        let outright = tollgate_core::authority::admission::Outright::of(&self.policy, 0);
        let about = discover::about(&ask, seen.view.catalog(), &outright);
        let shelf = Shelf::of(&seen.view, self.stance, false);
        let asker = Asker::of(&self.raw(), self.surface);
        let found = shelf.search(&query);
        let mut answer = Answer::of(ask, asker, &seen, &shelf, found);
        answer.act(&self.tools);
        answer.tell_of_servers(&seen, &about, 0);
        answer
    }

    /// The search as a call.
    pub(super) fn raw(&self) -> RawCall {
        let id = CallId::try_from("call-1").unwrap();
        let session = SessionId::try_from("session-1").unwrap();
        RawCall {
            id: id.clone(),
            parent: self.is_nested.then_some(id),
            depth: u32::from(self.is_nested),
            caller: self.caller,
            position: Position { session, turn: 1, step: 1, agent: Position::MAIN.to_owned() },
            name: super::TOOL_SEARCH.to_owned(),
            arguments: bytes::Bytes::new(),
        }
    }

    #[track_caller]
    pub(super) fn text(&self, arguments: Value) -> String {
        show::text(&self.search(arguments))
    }
}

/// Names of the matches.
pub(super) fn names(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.entry.name.as_str()).collect()
}
