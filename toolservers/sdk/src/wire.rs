//! The author's types and the wire's, in both directions. Beside the session, the only file that
//! names both.

use std::{path::PathBuf, time::Duration};

use prost::Message;
use serde_json::Value;
use tollgate_proto::{limits::INLINE_BYTES_MAX, tool::v1 as proto};

use crate::{
    Caller, CancelReason, Channel, Context, Effects, Escalation, Exposure, Failure, HostService,
    Interrupt, Invalid, Observation, PathAccess, PathReach, Preparation, Rendering, Reply, Safety,
    Sandbox, Scope, Subject, Withheld,
    erased::Registered,
    limits::{CALL_ID_BYTES_MAX, INVALID_BYTES_MAX, JUSTIFICATION_BYTES_MAX, SUBJECTS_MAX},
    reply::Block,
    tools::Legacy,
};

/// Cuts a text to at most `max` bytes at a character boundary.
pub(crate) fn bounded(mut text: String, max: usize) -> String {
    if text.len() > max {
        let end = (0..=max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

/// A tool and its old names, as the manifest has them.
pub(crate) fn tool_spec<'a>(
    tool: &Registered,
    old_names: impl Iterator<Item = &'a Legacy>,
) -> proto::ToolSpec {
    let spec = &tool.spec;
    proto::ToolSpec {
        name: tool.name.to_owned(),
        title: spec.title.clone(),
        description: tool.description.to_owned(),
        search_hint: spec.search_hint.clone(),
        input_schema: tool.schema.clone().into(),
        output_schema: bytes::Bytes::new(),
        exposure: match spec.exposure {
            Exposure::Eager => proto::Exposure::Eager,
            Exposure::Deferred => proto::Exposure::Deferred,
            Exposure::Hidden => proto::Exposure::Hidden,
        }
        .into(),
        hidden_names: old_names.map(hidden_name).collect(),
        safety: Some(safety(spec.safety)),
        prepare: if spec.prepares { proto::PrepareNeed::Always } else { proto::PrepareNeed::Never }
            .into(),
        interrupt: match spec.interrupt {
            Interrupt::Cancel => proto::Interrupt::Cancel,
            Interrupt::Block => proto::Interrupt::Block,
        }
        .into(),
        result_bytes_max: spec.result_bytes_max,
        callers: spec.callers.iter().map(|caller| caller_to(*caller).into()).collect(),
        host_services: spec
            .host_services
            .iter()
            .map(|service| service_to(*service).into())
            .collect(),
        requirements: spec
            .requirements
            .iter()
            .map(|requirement| proto::Requirement {
                name: requirement.name.clone(),
                met: requirement.met,
                found: requirement.found.clone(),
            })
            .collect(),
        argument_aliases: spec
            .argument_aliases
            .iter()
            .map(|(alias, canonical)| proto::ArgumentAlias {
                alias: alias.clone(),
                canonical: canonical.clone(),
            })
            .collect(),
        source: String::new(),
    }
}

fn hidden_name(old: &Legacy) -> proto::HiddenName {
    proto::HiddenName {
        name: old.tool.name.to_owned(),
        input_schema: old.tool.schema.clone().into(),
        when: old.when.map(|(argument, value)| proto::ArgumentIs {
            argument: argument.to_owned(),
            value: value.to_owned(),
        }),
    }
}

fn safety(safety: Safety) -> proto::Safety {
    proto::Safety {
        read_only: safety.read_only,
        destructive: safety.destructive,
        idempotent: safety.idempotent,
        open_world: safety.open_world,
        concurrency_safe: safety.concurrency_safe,
    }
}

fn caller_to(caller: Caller) -> proto::Caller {
    match caller {
        Caller::Model => proto::Caller::Model,
        Caller::Program => proto::Caller::Program,
        Caller::Server => proto::Caller::Server,
        Caller::User => proto::Caller::User,
        Caller::Client => proto::Caller::Client,
    }
}

fn caller_from(caller: proto::Caller) -> Caller {
    match caller {
        proto::Caller::Unspecified | proto::Caller::Model => Caller::Model,
        proto::Caller::Program => Caller::Program,
        proto::Caller::Server => Caller::Server,
        proto::Caller::User => Caller::User,
        proto::Caller::Client => Caller::Client,
    }
}

fn service_to(service: HostService) -> proto::HostService {
    match service {
        HostService::CallTool => proto::HostService::CallTool,
        HostService::SearchTools => proto::HostService::SearchTools,
        HostService::Generate => proto::HostService::Generate,
        HostService::RunAgent => proto::HostService::RunAgent,
        HostService::AskUser => proto::HostService::AskUser,
        HostService::ReadArtifact => proto::HostService::ReadArtifact,
        HostService::WriteArtifact => proto::HostService::WriteArtifact,
    }
}

pub(crate) fn channel(channel: Channel) -> proto::output::Channel {
    match channel {
        Channel::Terminal => proto::output::Channel::Terminal,
        Channel::Result => proto::output::Channel::Result,
    }
}

pub(crate) fn cancel_reason(reason: proto::cancel::Reason) -> CancelReason {
    match reason {
        proto::cancel::Reason::Unspecified | proto::cancel::Reason::User => CancelReason::User,
        proto::cancel::Reason::Deadline => CancelReason::Deadline,
        proto::cancel::Reason::Session => CancelReason::Session,
        proto::cancel::Reason::Narrowed => CancelReason::Narrowed,
        proto::cancel::Reason::Fault => CancelReason::Fault,
    }
}

pub(crate) fn context(call_id: &str, context: proto::CallContext) -> Context {
    Context {
        call_id: call_id.to_owned(),
        caller: caller_from(context.caller()),
        session: context.session,
        turn: context.turn,
        step: context.step,
        agent: context.agent,
        role: context.role,
        roots: context.roots.into_iter().map(PathBuf::from).collect(),
        cwd: PathBuf::from(context.cwd),
        mode: context.mode,
        posture: context.posture,
        can_ask: context.can_ask,
        observations: context.observations.into_iter().filter_map(observation_from).collect(),
    }
}

pub(crate) fn scope(scope: proto::Scope) -> Scope {
    let places = |places: Option<proto::Withheld>| {
        let places = places.unwrap_or_default();
        Withheld::new(&places.globs, &places.names)
    };
    let sandbox = match proto::Sandbox::try_from(scope.sandbox).unwrap_or_default() {
        proto::Sandbox::WorkspaceWrite => Sandbox::WorkspaceWrite,
        proto::Sandbox::Network => Sandbox::Network,
        proto::Sandbox::Off => Sandbox::Off,
        proto::Sandbox::ReadOnly | proto::Sandbox::Unspecified => Sandbox::ReadOnly,
    };
    Scope {
        sandbox,
        withheld: places(scope.withheld),
        held: places(scope.held),
        opened: scope.opened.into_iter().map(PathBuf::from).collect(),
        read_roots: scope.read_roots.into_iter().map(PathBuf::from).collect(),
        write_roots: scope.write_roots.into_iter().map(PathBuf::from).collect(),
        hosts: scope.hosts,
        exec: scope.exec,
        network: scope.network,
    }
}

fn observation_from(seen: proto::FileObservation) -> Option<Observation> {
    Some(Observation {
        path: PathBuf::from(seen.path),
        sha256: seen.sha256.as_ref().try_into().ok()?,
        seen: std::time::UNIX_EPOCH + Duration::from_millis(seen.seen_unix_ms),
        modified: std::time::UNIX_EPOCH + Duration::from_nanos(seen.modified_unix_ns),
    })
}

fn observation_to(seen: Observation) -> proto::FileObservation {
    let since = |time: std::time::SystemTime| {
        time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
    };
    proto::FileObservation {
        path: seen.path.to_string_lossy().into_owned(),
        sha256: seen.sha256.to_vec().into(),
        seen_unix_ms: u64::try_from(since(seen.seen).as_millis()).unwrap_or(u64::MAX),
        modified_unix_ns: u64::try_from(since(seen.modified).as_nanos()).unwrap_or(u64::MAX),
    }
}

/// The answer to `Prepare`. What is too much for a frame is too much for a person to judge.
pub(crate) fn prepared(call_id: String, result: Result<Preparation, Invalid>) -> proto::Prepared {
    let call_id = bounded(call_id, CALL_ID_BYTES_MAX);
    let said = result.and_then(|said| {
        let crowded = said.subjects.len() > SUBJECTS_MAX;
        let said = preparation(said);
        if crowded || said.encoded_len() > INLINE_BYTES_MAX {
            let why = "the call touches too much to be judged; do less in one call";
            return Err(Invalid::new("", why));
        }
        Ok(said)
    });
    let result = match said {
        Ok(said) => proto::prepared::Result::Preparation(said),
        Err(invalid) => proto::prepared::Result::Invalid(proto::Invalid {
            message: bounded(invalid.message, INVALID_BYTES_MAX),
            pointer: bounded(invalid.pointer, 1024),
            error_class: bounded(invalid.class, 64),
        }),
    };
    proto::Prepared { call_id, result: Some(result) }
}

fn preparation(said: Preparation) -> proto::Preparation {
    proto::Preparation {
        safety: Some(safety(said.safety)),
        subjects: said.subjects.into_iter().map(subject).collect(),
        title: bounded(said.title, 200),
        preview: bounded(said.preview, 64 * 1024),
        escalation: said.escalation.map(escalation),
    }
}

fn escalation(wish: Escalation) -> proto::Escalation {
    proto::Escalation {
        to: match wish.to {
            Sandbox::ReadOnly => proto::Sandbox::ReadOnly,
            Sandbox::WorkspaceWrite => proto::Sandbox::WorkspaceWrite,
            Sandbox::Network => proto::Sandbox::Network,
            Sandbox::Off => proto::Sandbox::Off,
        }
        .into(),
        justification: bounded(wish.justification, JUSTIFICATION_BYTES_MAX),
    }
}

fn subject(subject: Subject) -> proto::Subject {
    use proto::subject::Subject as Wire;
    let wire = match subject {
        Subject::Path { absolute, relative, access, reach } => Wire::Path(proto::PathSubject {
            absolute: absolute.to_string_lossy().into_owned(),
            relative: relative.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default(),
            access: match access {
                PathAccess::Read => proto::PathAccess::Read,
                PathAccess::Write => proto::PathAccess::Write,
                PathAccess::Create => proto::PathAccess::Create,
                PathAccess::Delete => proto::PathAccess::Delete,
            }
            .into(),
            reach: match reach {
                PathReach::Itself => proto::PathReach::Unspecified,
                PathReach::Tree => proto::PathReach::Tree,
                PathReach::GrantedTree => proto::PathReach::GrantedTree,
            }
            .into(),
        }),
        Subject::Command { argv, operator, opaque, read_only } => {
            Wire::Command(proto::CommandSubject { argv, operator, opaque, read_only })
        }
        Subject::Host(host) => Wire::Host(host),
        Subject::Repo(path) => Wire::Repo(path.to_string_lossy().into_owned()),
        Subject::Mcp { server, tool } => Wire::Mcp(proto::McpSubject { server, tool }),
        Subject::Tool(name) => Wire::Tool(name),
    };
    proto::Subject { subject: Some(wire) }
}

/// The last frame of a call that ran.
pub(crate) fn completed(call_id: String, result: Result<Reply, Failure>) -> proto::Completed {
    use proto::completed::{Effects as E, Outcome};
    let (outcome, effects, class, reply) = match result {
        Ok(reply) => (Outcome::Succeeded, Effects::Complete, String::new(), reply),
        Err(failure) => {
            let outcome = if failure.cancelled { Outcome::Cancelled } else { Outcome::Failed };
            (outcome, failure.effects, failure.class, *failure.reply)
        }
    };
    let effects = match effects {
        Effects::None => E::None,
        Effects::Partial => E::Partial,
        Effects::Unknown => E::Unknown,
        Effects::Complete => E::Complete,
    };
    proto::Completed {
        call_id,
        outcome: outcome.into(),
        effects: effects.into(),
        rejection: proto::completed::Rejection::Unspecified.into(),
        content: blocks(reply.content),
        structured: json(reply.structured),
        metadata: json(reply.metadata),
        messages: reply
            .messages
            .into_iter()
            .map(|content| proto::InjectedMessage { content: blocks(content) })
            .collect(),
        context_changes: reply.cwd.map(cwd_change).into_iter().collect(),
        observations: reply.observations.into_iter().map(observation_to).collect(),
        truncated: reply.truncated.map(|cut| proto::Truncated {
            bytes: cut.bytes,
            lines: cut.lines,
            in_output: cut.in_output,
        }),
        rendering: reply.rendering.map(rendering),
        error_class: bounded(class, 64),
        confinement: bounded(reply.confinement, 256),
    }
}

fn cwd_change(cwd: PathBuf) -> proto::ContextChange {
    let cwd = cwd.to_string_lossy().into_owned();
    proto::ContextChange { change: Some(proto::context_change::Change::Cwd(cwd)) }
}

fn rendering(rendering: Rendering) -> proto::Rendering {
    use proto::rendering::Rendering as Wire;
    let wire = match rendering {
        Rendering::Text(text) => Wire::Text(bounded(text, 64 * 1024)),
        Rendering::Diff(diff) => Wire::Diff(bounded(diff, 64 * 1024)),
    };
    proto::Rendering { rendering: Some(wire) }
}

fn json(value: Option<Value>) -> bytes::Bytes {
    value.map_or_else(bytes::Bytes::new, |value| value.to_string().into())
}

fn blocks(blocks: Vec<Block>) -> Vec<proto::ContentBlock> {
    use proto::{content_block::Block as Wire, media};
    let one = |block| match block {
        Block::Text(text) => Wire::Text(text),
        Block::Json(value) => Wire::Json(value.to_string().into()),
        Block::Image { media_type, data } => Wire::Image(proto::Media {
            media_type,
            content: Some(media::Content::Data(data.into())),
        }),
    };
    blocks.into_iter().map(|block| proto::ContentBlock { block: Some(one(block)) }).collect()
}

/// The last frame of a call that did not run: the contract was broken.
pub(crate) fn rejected(
    call_id: String,
    rejection: proto::completed::Rejection,
    message: String,
) -> proto::Completed {
    proto::Completed {
        // A call id that is over its bound is not worth an answer that is over its own.
        call_id: bounded(call_id, CALL_ID_BYTES_MAX),
        outcome: proto::completed::Outcome::Rejected.into(),
        effects: proto::completed::Effects::None.into(),
        rejection: rejection.into(),
        content: vec![text(bounded(message, INVALID_BYTES_MAX))],
        ..proto::Completed::default()
    }
}

/// One block of text.
pub(crate) fn text(text: String) -> proto::ContentBlock {
    proto::ContentBlock { block: Some(proto::content_block::Block::Text(text)) }
}

#[cfg(test)]
mod tests;
