//! Entries and calls for unit tests of this crate.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::{
    authority::policy::Policy,
    call::{Caller, Classified, Position, Preparation, RawCall},
    catalog::{Catalog, Entry, Exposure, Provenance, Surface, View},
    digest::Digest,
    name::{CallId, ServerName, SessionId, ToolName},
    safety::{Escalation, Interrupt, Safety, Subject, Trust},
    schema,
    stance::{Mode, Posture, Stance},
};

pub(crate) const READ: Safety = Safety {
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
    concurrency_safe: true,
};

pub(crate) fn entry(name: &str, safety: Safety) -> Entry {
    let schema =
        Bytes::from_static(br#"{"type":"object","properties":{"path":{"type":"string"}}}"#);
    Entry {
        server: ServerName::try_from("file").unwrap(),
        facts: Arc::default(),
        trust: Trust::Trusted,
        provenance: Provenance::Builtin,
        source: None,
        name: ToolName::try_from(name).unwrap(),
        served_as: ToolName::try_from(name).unwrap(),
        means: None,
        when: None,
        title: String::new(),
        description: format!("The tool {name}."),
        search_hint: String::new(),
        schema_sha256: Digest::of(&schema),
        input_schema: schema,
        exposure: Exposure::Eager,
        safety,
        prepares: true,
        interrupt: Interrupt::Block,
        result_bytes_max: 0,
        callers: Vec::new(),
        host_services: Vec::new(),
        requirements: Vec::new(),
        argument_aliases: Vec::new(),
        compiled: Arc::new(OnceLock::new()),
    }
}

pub(crate) fn raw(name: &str) -> RawCall {
    RawCall {
        id: CallId::try_from("call-1").unwrap(),
        parent: None,
        depth: 0,
        caller: Caller::Model,
        position: Position {
            session: SessionId::try_from("session-1").unwrap(),
            turn: 1,
            step: 1,
            agent: "main".to_owned(),
        },
        name: name.to_owned(),
        arguments: Bytes::from_static(b"{}"),
    }
}

/// The workspace of these tests.
pub(crate) const WORKSPACE: &str = "/w";

/// A call of a tool that may do anything, as its server describes it.
pub(crate) fn prepared(
    trust: Trust,
    safety: Safety,
    subjects: Vec<Subject>,
    escalation: Option<Escalation>,
) -> Classified {
    let entry = Entry { trust, ..entry("tool", Safety::WORST) };
    let resolved = View::whole(Catalog::from_iter([entry])).resolve(raw("tool")).unwrap();
    let work = Stance { mode: Mode::Work, posture: Posture::Ask };
    let eligible =
        crate::authority::admission::admit(resolved, work, Surface::Full, &Policy::default())
            .unwrap();
    let said = Preparation { safety, subjects, escalation, ..Preparation::default() };
    schema::check(eligible).unwrap().classify(said)
}
