//! The wire's types and the kernel's, in both directions. What a server says is taken as a claim:
//! unknown values become the careful one, texts are bounded, JSON is parsed once, here.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use base64::Engine as _;
use serde_json::Value;
use tollgate_core::{
    authority::withheld::Withheld,
    call::{Block, Caller, Effects, Outcome, Preparation, Truncated},
    catalog::{Entry, Exposure, HostService, Provenance, Requirement, ServerFacts},
    digest::Digest,
    limits::{RESULT_BYTES_MAX, SUBJECTS_MAX},
    name::{ServerName, ToolName},
    safety::{Access, Escalation, Interrupt, Reach, Safety, Sandbox, Subject, Trust},
};
use tollgate_proto::tool::v1 as proto;

#[cfg(test)]
mod tests;

/// Bytes of a status text that an error quotes.
const STATUS_TEXT_MAX: usize = 1024;
/// Content blocks of one result.
const BLOCKS_MAX: usize = 64;
/// Messages that a result may inject.
const MESSAGES_MAX: usize = 8;
/// Bytes of the words for a call's confinement; longer ones are none.
const CONFINEMENT_BYTES_MAX: usize = 256;
/// Files that a call may say it saw.
const OBSERVATIONS_MAX: usize = 64;

/// What a model is told of a call that its server does not know as it was made.
const CHANGED: &str = "The call did not run: its server has changed since the catalog was made. The \
    change is taken up at the next turn.";

/// Why a server would not say what a call would do.
#[derive(Clone, Debug)]
pub struct NotPrepared {
    /// For the model.
    pub message: String,
    /// JSON pointer of the argument at fault, or empty.
    pub pointer: String,
    /// A stable word.
    pub class: String,
}

impl NotPrepared {
    pub(super) fn silent(within: Duration) -> Self {
        Self {
            message: format!(
                "the server did not say within {} s what the call would do",
                within.as_secs()
            ),
            pointer: String::new(),
            class: "prepare_timeout".to_owned(),
        }
    }
}

/// Cuts a text to at most `max` bytes at a character boundary.
#[must_use]
pub fn bounded(mut text: String, max: usize) -> String {
    if text.len() > max {
        let end = (0..=max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

/// A gRPC status in words: its code and the peer's text, bounded, without control characters.
#[must_use]
pub fn status(status: &tonic::Status) -> String {
    if std::error::Error::source(status).is_some() {
        // The transport's own words ("h2 protocol error: …") help nobody who did not write it.
        return "the connection broke".to_owned();
    }
    let text: String = status.message().chars().filter(|c| !c.is_control()).collect();
    let text = bounded(text, STATUS_TEXT_MAX);
    format!("{:?}: {text}", status.code())
}

pub(super) fn facts(manifest: &proto::Manifest) -> ServerFacts {
    ServerFacts {
        name: bounded(manifest.name.clone(), 64),
        version: bounded(manifest.version.clone(), 64),
        build_sha256: digest(&manifest.build_sha256),
    }
}

pub(super) fn hello_facts(hello: &proto::HelloResponse) -> ServerFacts {
    ServerFacts {
        name: bounded(hello.name.clone(), 64),
        version: bounded(hello.version.clone(), 64),
        build_sha256: digest(&hello.build_sha256),
    }
}

fn digest(bytes: &[u8]) -> Option<Digest> {
    bytes.try_into().ok().map(Digest)
}

/// One line of at most so many bytes, without control characters.
pub(super) fn line(text: &str, max: usize) -> String {
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    bounded(line, max)
}

pub(super) fn exposure(exposure: proto::Exposure) -> Exposure {
    match exposure {
        proto::Exposure::Eager => Exposure::Eager,
        proto::Exposure::Hidden => Exposure::Hidden,
        proto::Exposure::Deferred | proto::Exposure::Unspecified => Exposure::Deferred,
    }
}

/// The parts of an entry that need no checking; name, schema and server are the caller's to set.
#[expect(clippy::expect_used, reason = "constant names that are replaced by the caller")]
pub(super) fn entry(spec: &proto::ToolSpec) -> Entry {
    Entry {
        server: ServerName::try_from("unset").expect("a constant name"),
        facts: Arc::default(),
        trust: Trust::Untrusted,
        provenance: Provenance::Plugin,
        source: None,
        name: ToolName::try_from("unset").expect("a constant name"),
        served_as: ToolName::try_from("unset").expect("a constant name"),
        means: None,
        when: None,
        title: bounded(spec.title.clone(), 80),
        description: bounded(spec.description.clone(), 4096),
        search_hint: bounded(spec.search_hint.clone(), 200),
        input_schema: bytes::Bytes::new(),
        schema_sha256: Digest([0; 32]),
        exposure: Exposure::Deferred,
        safety: spec.safety.map_or(Safety::WORST, safety),
        prepares: spec.prepare() != proto::PrepareNeed::Never,
        interrupt: match spec.interrupt() {
            proto::Interrupt::Cancel => Interrupt::Cancel,
            proto::Interrupt::Block | proto::Interrupt::Unspecified => Interrupt::Block,
        },
        result_bytes_max: spec.result_bytes_max.min(RESULT_BYTES_MAX),
        callers: spec.callers().map(caller_from).collect(),
        host_services: spec.host_services().filter_map(service_from).collect(),
        requirements: spec
            .requirements
            .iter()
            .take(16)
            .map(|it| Requirement {
                name: bounded(it.name.clone(), 64),
                met: it.met,
                found: bounded(it.found.clone(), 256),
            })
            .collect(),
        argument_aliases: spec
            .argument_aliases
            .iter()
            .take(16)
            .map(|it| (bounded(it.alias.clone(), 64), bounded(it.canonical.clone(), 64)))
            .collect(),
        compiled: Arc::new(OnceLock::new()),
    }
}

fn safety(safety: proto::Safety) -> Safety {
    Safety {
        read_only: safety.read_only,
        destructive: safety.destructive,
        idempotent: safety.idempotent,
        open_world: safety.open_world,
        concurrency_safe: safety.concurrency_safe,
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

/// The caller as a tool is told.
#[must_use]
pub fn caller(caller: Caller) -> proto::Caller {
    match caller {
        Caller::Model => proto::Caller::Model,
        Caller::Program => proto::Caller::Program,
        Caller::Server => proto::Caller::Server,
        Caller::User => proto::Caller::User,
        Caller::Client => proto::Caller::Client,
    }
}

fn service_from(service: proto::HostService) -> Option<HostService> {
    Some(match service {
        proto::HostService::Unspecified => return None,
        proto::HostService::CallTool => HostService::CallTool,
        proto::HostService::SearchTools => HostService::SearchTools,
        proto::HostService::Generate => HostService::Generate,
        proto::HostService::RunAgent => HostService::RunAgent,
        proto::HostService::AskUser => HostService::AskUser,
        proto::HostService::ReadArtifact => HostService::ReadArtifact,
        proto::HostService::WriteArtifact => HostService::WriteArtifact,
    })
}

pub(super) fn prepared(prepared: proto::Prepared) -> Result<Preparation, NotPrepared> {
    let contract = |message: &str| NotPrepared {
        message: message.to_owned(),
        pointer: String::new(),
        class: "contract".to_owned(),
    };
    match prepared.result {
        Some(proto::prepared::Result::Invalid(invalid)) => Err(NotPrepared {
            message: bounded(invalid.message, 4096),
            pointer: bounded(invalid.pointer, 1024),
            class: match invalid.error_class.as_str() {
                "" => "invalid_arguments".to_owned(),
                class => bounded(class.to_owned(), 64),
            },
        }),
        Some(proto::prepared::Result::Preparation(said)) => {
            if said.subjects.len() > SUBJECTS_MAX {
                return Err(contract("the server names more subjects than a call may have"));
            }
            Ok(Preparation {
                safety: said.safety.map_or(Safety::WORST, safety),
                subjects: said.subjects.into_iter().map(subject).collect(),
                title: bounded(said.title, 200),
                preview: bounded(said.preview, 64 * 1024),
                escalation: said.escalation.map(escalation),
            })
        }
        None => Err(contract("the server did not say what the call would do")),
    }
}

/// A call's words for its confinement; too many of them are none.
fn confinement(words: &str) -> String {
    if words.len() > CONFINEMENT_BYTES_MAX {
        return String::new();
    }
    line(words, CONFINEMENT_BYTES_MAX)
}

/// How far a call's processes may reach, as a grant says it.
#[must_use]
pub fn sandbox(sandbox: Sandbox) -> proto::Sandbox {
    match sandbox {
        Sandbox::ReadOnly => proto::Sandbox::ReadOnly,
        Sandbox::WorkspaceWrite => proto::Sandbox::WorkspaceWrite,
        Sandbox::Network => proto::Sandbox::Network,
        Sandbox::Off => proto::Sandbox::Off,
    }
}

/// Places, as a grant says them; none at all are not said.
#[must_use]
pub fn withheld(Withheld { globs, names }: Withheld) -> Option<proto::Withheld> {
    let is_any = !globs.is_empty() || !names.is_empty();
    is_any.then_some(proto::Withheld { globs, names })
}

fn escalation(wish: proto::Escalation) -> Escalation {
    Escalation {
        to: match wish.to() {
            proto::Sandbox::ReadOnly => Sandbox::ReadOnly,
            proto::Sandbox::WorkspaceWrite => Sandbox::WorkspaceWrite,
            proto::Sandbox::Network => Sandbox::Network,
            proto::Sandbox::Off | proto::Sandbox::Unspecified => Sandbox::Off,
        },
        justification: bounded(wish.justification, 1024),
    }
}

fn subject(subject: proto::Subject) -> Subject {
    use proto::subject::Subject as Wire;
    match subject.subject {
        Some(Wire::Path(path)) => Subject::Path {
            access: match path.access() {
                proto::PathAccess::Read => Access::Read,
                proto::PathAccess::Write => Access::Write,
                proto::PathAccess::Create => Access::Create,
                proto::PathAccess::Delete | proto::PathAccess::Unspecified => Access::Delete,
            },
            reach: match proto::PathReach::try_from(path.reach) {
                Ok(proto::PathReach::Unspecified) => Reach::Itself,
                Ok(proto::PathReach::GrantedTree) => Reach::GrantedTree,
                Ok(proto::PathReach::Tree) | Err(_) => Reach::Tree,
            },
            absolute: PathBuf::from(path.absolute),
            relative: (!path.relative.is_empty()).then(|| PathBuf::from(path.relative)),
        },
        Some(Wire::Command(command)) => Subject::Command {
            argv: command.argv,
            operator: command.operator,
            opaque: command.opaque,
            read_only: command.read_only,
        },
        Some(Wire::Host(host)) => Subject::Host { host },
        Some(Wire::Repo(path)) => Subject::Repo { path: PathBuf::from(path) },
        Some(Wire::Mcp(mcp)) => Subject::Mcp { server: mcp.server, tool: mcp.tool },
        Some(Wire::Tool(name)) => Subject::Tool { name },
        None => Subject::Unknown,
    }
}

/// A file as a session last saw it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Observation {
    /// Absolute path on the server's host.
    pub path: String,
    /// Of the whole content.
    pub sha256: Digest,
    /// ms since the epoch.
    pub seen_unix_ms: u64,
    /// ns since the epoch.
    pub modified_unix_ns: u64,
}

impl Observation {
    /// As a tool is told.
    #[must_use]
    pub fn to_wire(&self) -> proto::FileObservation {
        proto::FileObservation {
            path: self.path.clone(),
            sha256: self.sha256.0.to_vec().into(),
            seen_unix_ms: self.seen_unix_ms,
            modified_unix_ns: self.modified_unix_ns,
        }
    }
}

/// How a call ended, with what it says of the session beside its outcome.
#[derive(Clone, Debug)]
pub struct Ended {
    /// For the model and the receipt.
    pub outcome: Outcome,
    /// The tool stopped because it was told to.
    pub cancelled: bool,
    /// No tool code ran: why.
    pub rejected: Option<proto::completed::Rejection>,
    /// The session's new working directory, if the call may change it.
    pub cwd: Option<String>,
    /// Files that were seen or made.
    pub observations: Vec<Observation>,
    /// All output together is the whole of what `outcome.truncated` cuts.
    pub whole_in_output: bool,
    /// What its processes were confined by, in words of at most [`CONFINEMENT_BYTES_MAX`] bytes; empty: not
    /// told.
    pub confinement: String,
}

/// Whether a call was rejected because the manifest that its catalog was made of holds no more.
pub(super) fn shows_change(completed: &proto::Completed) -> bool {
    use proto::completed::Rejection;
    completed.outcome() == proto::completed::Outcome::Rejected
        && matches!(completed.rejection(), Rejection::SchemaChanged | Rejection::UnknownTool)
}

/// Reads the last frame of a call.
#[must_use]
pub fn ended(completed: proto::Completed) -> Ended {
    use proto::completed::Outcome as Wire;
    let outcome = completed.outcome();
    let succeeded = outcome == Wire::Succeeded;
    let change = shows_change(&completed).then(|| Block::Text { text: CHANGED.to_owned() });
    let effects = match completed.effects() {
        proto::completed::Effects::None => Effects::None,
        proto::completed::Effects::Partial => Effects::Partial,
        proto::completed::Effects::Complete => Effects::Complete,
        proto::completed::Effects::Unknown | proto::completed::Effects::Unspecified => {
            Effects::Unknown
        }
    };
    let rejected = (outcome == Wire::Rejected).then(|| completed.rejection());
    let error_class = match (outcome, rejected) {
        (Wire::Succeeded, _) => String::new(),
        (_, Some(rejection)) => {
            rejection.as_str_name().trim_start_matches("REJECTION_").to_lowercase()
        }
        _ if completed.error_class.is_empty() => "failed".to_owned(),
        _ => bounded(completed.error_class.clone(), 64),
    };
    let cut = completed.truncated;
    Ended {
        cwd: completed.context_changes.iter().find_map(|change| {
            let proto::context_change::Change::Cwd(cwd) = change.change.as_ref()?;
            Some(bounded(cwd.clone(), 4096))
        }),
        observations: completed
            .observations
            .iter()
            .take(OBSERVATIONS_MAX)
            .filter_map(|seen| {
                Some(Observation {
                    path: bounded(seen.path.clone(), 4096),
                    sha256: digest(&seen.sha256)?,
                    seen_unix_ms: seen.seen_unix_ms,
                    modified_unix_ns: seen.modified_unix_ns,
                })
            })
            .collect(),
        confinement: confinement(&completed.confinement),
        whole_in_output: cut.as_ref().is_some_and(|cut| cut.in_output),
        cancelled: outcome == Wire::Cancelled,
        rejected,
        outcome: Outcome {
            succeeded,
            effects,
            content: change.into_iter().chain(blocks(completed.content)).collect(),
            structured: json(&completed.structured),
            metadata: json(&completed.metadata),
            messages: completed
                .messages
                .into_iter()
                .take(MESSAGES_MAX)
                .map(|message| blocks(message.content))
                .collect(),
            truncated: cut.map(|cut| Truncated {
                bytes: cut.bytes,
                lines: (cut.lines > 0).then_some(cut.lines),
                spill: None,
            }),
            rendering: completed.rendering.map(rendering).unwrap_or_default(),
            error_class,
        },
    }
}

fn rendering(rendering: proto::Rendering) -> String {
    use proto::rendering::Rendering as Wire;
    match rendering.rendering {
        Some(Wire::Text(text) | Wire::Diff(text)) => bounded(text, 64 * 1024),
        Some(Wire::Table(_)) | None => String::new(),
    }
}

fn json(bytes: &[u8]) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    // Metadata that is no JSON is a fault of the server, not of the call: it is told as text.
    serde_json::from_slice(bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(bytes).into_owned()))
}

fn blocks(blocks: Vec<proto::ContentBlock>) -> Vec<Block> {
    blocks.into_iter().take(BLOCKS_MAX).filter_map(|block| block.block.map(one_block)).collect()
}

fn one_block(block: proto::content_block::Block) -> Block {
    use proto::{content_block::Block as Wire, media, resource};
    let encode = |data: &[u8]| base64::engine::general_purpose::STANDARD.encode(data);
    let media = |media: proto::Media| match media.content {
        Some(media::Content::Data(data)) => (media.media_type, encode(&data)),
        Some(media::Content::Blob(_)) | None => (media.media_type, String::new()),
    };
    match block {
        Wire::Text(text) => Block::Text { text },
        Wire::Json(json) => Block::Json { value: self::json(&json) },
        Wire::Image(image) => {
            let (media_type, data) = media(image);
            Block::Image { media_type, data }
        }
        Wire::Audio(audio) => {
            let (media_type, data) = media(audio);
            Block::Audio { media_type, data }
        }
        Wire::Resource(it) => Block::Resource {
            uri: it.uri,
            media_type: it.media_type,
            text: match it.content {
                Some(resource::Content::Text(text)) => text,
                Some(resource::Content::Blob(_)) | None => String::new(),
            },
        },
        Wire::Blob(blob) => Block::Text {
            text: format!(
                "[{} bytes of {} were left out]",
                blob.size,
                bounded(blob.media_type, 128)
            ),
        },
    }
}
