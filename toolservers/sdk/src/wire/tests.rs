//! Goal: what an author says arrives as it was meant, and what is not said is the careful value.

use std::{
    path::PathBuf,
    time::{Duration, UNIX_EPOCH},
};

use prost::Message;
use serde_json::json;
use tollgate_proto::tool::v1 as proto;

use super::{bounded, cancel_reason, completed, context, prepared, rejected, scope, tool_spec};
use crate::{
    Call, Caller, CancelReason, Effects, Exposure, Failure, HostService, Invalid, Observation,
    PathAccess, PathReach, Preparation, Rendering, Reply, Requirement, Safety, Sandbox, Spec,
    Subject, Tool, Truncated, erased::Registered,
};

struct Says(Spec);

impl Tool for Says {
    type Input = std::collections::BTreeMap<String, String>;
    const NAME: &'static str = "says";
    const DESCRIPTION: &'static str = "What it does.";
    fn spec(&self) -> Spec {
        self.0.clone()
    }
    async fn call(&self, _: Self::Input, _: Call) -> Result<Reply, Failure> {
        Ok(Reply::text(""))
    }
}

struct Silent;

impl Tool for Silent {
    type Input = std::collections::BTreeMap<String, String>;
    const NAME: &'static str = "silent";
    const DESCRIPTION: &'static str = "Says nothing of itself.";
    async fn call(&self, _: Self::Input, _: Call) -> Result<Reply, Failure> {
        Ok(Reply::text(""))
    }
}

/// [PROTO-02]: all that is not stated is the careful value.
#[test]
fn a_tool_that_says_nothing_is_taken_for_the_worst() {
    let spec = tool_spec(&Registered::new(Silent), std::iter::empty());
    let safety = spec.safety.unwrap();
    assert!(!safety.read_only && !safety.idempotent && !safety.concurrency_safe);
    assert!(safety.destructive && safety.open_world);
    assert_eq!(spec.interrupt(), proto::Interrupt::Block);
    assert_eq!(spec.exposure(), proto::Exposure::Deferred);
    assert!(spec.callers.is_empty() && spec.host_services.is_empty());
    assert!(spec.result_bytes_max > 0);
}

#[test]
fn a_tool_is_described_as_its_author_said() {
    let said = Spec {
        exposure: Exposure::Hidden,
        requirements: vec![Requirement { name: "git".into(), met: true, found: "2.47".into() }],
        ..Spec::new(Safety::READ)
    };
    let said = said
        .title("Title")
        .search_hint("some words")
        .prepared()
        .cancellable()
        .result_bytes_max(0)
        .callers(&[Caller::Program, Caller::Client])
        .host_services(&[HostService::CallTool, HostService::WriteArtifact]);
    let spec = tool_spec(&Registered::new(Says(said)), std::iter::empty());
    assert_eq!((spec.name.as_str(), spec.description.as_str()), ("says", "What it does."));
    assert_eq!((spec.title.as_str(), spec.search_hint.as_str()), ("Title", "some words"));
    assert_eq!(spec.exposure(), proto::Exposure::Hidden);
    assert_eq!(spec.prepare(), proto::PrepareNeed::Always);
    assert_eq!(spec.interrupt(), proto::Interrupt::Cancel);
    assert_eq!(spec.result_bytes_max, 0);
    let callers: Vec<_> = spec.callers().collect();
    assert_eq!(callers, [proto::Caller::Program, proto::Caller::Client]);
    let services: Vec<_> = spec.host_services().collect();
    assert_eq!(services, [proto::HostService::CallTool, proto::HostService::WriteArtifact]);
    assert_eq!(spec.requirements[0].found, "2.47");
    assert!(spec.safety.unwrap().read_only);
}

#[test]
fn a_context_arrives_whole() {
    let sent = proto::CallContext {
        session: "session-1".into(),
        turn: 3,
        step: 2,
        agent: "main".into(),
        role: "reviewer".into(),
        caller: proto::Caller::Program.into(),
        roots: vec!["/srv/repo".into(), "/srv/b".into()],
        cwd: "/srv/repo/src".into(),
        mode: "work".into(),
        posture: "ask".into(),
        can_ask: true,
        observations: vec![
            proto::FileObservation {
                path: "/srv/repo/a".into(),
                sha256: vec![1; 32].into(),
                seen_unix_ms: 5,
                modified_unix_ns: 7,
            },
            // A digest of another size says nothing of a file.
            proto::FileObservation { sha256: vec![1; 31].into(), ..Default::default() },
        ],
    };
    let read = context("call-1", sent);
    assert_eq!((read.call_id.as_str(), read.session.as_str()), ("call-1", "session-1"));
    assert_eq!((read.turn, read.step, read.can_ask, read.caller), (3, 2, true, Caller::Program));
    assert_eq!((read.agent.as_str(), read.role.as_str()), ("main", "reviewer"));
    assert_eq!((read.mode.as_str(), read.posture.as_str()), ("work", "ask"));
    assert_eq!(read.roots, [PathBuf::from("/srv/repo"), PathBuf::from("/srv/b")]);
    assert_eq!(read.cwd, PathBuf::from("/srv/repo/src"));
    let seen = Observation {
        path: "/srv/repo/a".into(),
        sha256: [1; 32],
        seen: UNIX_EPOCH + Duration::from_millis(5),
        modified: UNIX_EPOCH + Duration::from_nanos(7),
    };
    assert_eq!(read.observations, [seen]);
}

/// A caller of a later version is taken for the model, which may do least.
#[test]
fn what_is_not_known_is_the_careful_value() {
    let unknown = proto::CallContext { caller: 99, ..Default::default() };
    assert_eq!(context("", unknown).caller, Caller::Model);
    assert_eq!(cancel_reason(proto::cancel::Reason::Unspecified), CancelReason::User);
    let nothing = scope(proto::Scope::default());
    assert!(!nothing.exec && !nothing.network && nothing.write_roots.is_empty());
}

#[test]
fn a_reply_is_a_success_with_all_that_it_holds() {
    let seen = Observation {
        path: "/a".into(),
        sha256: [2; 32],
        seen: UNIX_EPOCH + Duration::from_millis(9),
        modified: UNIX_EPOCH + Duration::from_nanos(11),
    };
    let reply = Reply::text("text")
        .image("image/png", vec![1, 2])
        .structured(json!({ "n": 9_007_199_254_740_993_u64 }))
        .metadata(json!({ "lines": 3 }))
        .inject_image("image/png", vec![3])
        .cwd("/srv")
        .observed(seen)
        .truncated(Truncated { bytes: 5, lines: 6, in_output: true })
        .rendering(Rendering::Diff("--- a".into()));
    let sent = completed("call-1".into(), Ok(reply));
    assert_eq!(sent.outcome(), proto::completed::Outcome::Succeeded);
    assert_eq!(sent.effects(), proto::completed::Effects::Complete);
    assert_eq!(sent.structured, r#"{"n":9007199254740993}"#);
    assert_eq!(sent.metadata, r#"{"lines":3}"#);
    assert_eq!((sent.content.len(), sent.messages.len(), sent.context_changes.len()), (2, 1, 1));
    let observed = &sent.observations[0];
    assert_eq!((observed.seen_unix_ms, observed.modified_unix_ns), (9, 11));
    assert!(sent.truncated.unwrap().in_output && sent.rendering.is_some());
    assert!(sent.error_class.is_empty());
}

#[test]
fn a_failure_tells_its_class_and_what_may_have_changed() {
    let failed = completed("c".into(), Err(Failure::new("k".repeat(99), "why")));
    assert_eq!(failed.outcome(), proto::completed::Outcome::Failed);
    assert_eq!(failed.effects(), proto::completed::Effects::None);
    assert_eq!(failed.error_class.len(), 64);
    let stopped = Failure::cancelled("stopped").effects(Effects::Unknown);
    let stopped = completed("c".into(), Err(stopped.reply(Reply::text("half"))));
    assert_eq!(stopped.outcome(), proto::completed::Outcome::Cancelled);
    assert_eq!(stopped.effects(), proto::completed::Effects::Unknown);
    assert_eq!(stopped.error_class, "cancelled");
}

#[test]
fn subjects_of_each_kind_arrive() {
    use proto::subject::Subject as Wire;
    let path = |relative: Option<&str>, access| Subject::Path {
        absolute: "/w/a".into(),
        relative: relative.map(PathBuf::from),
        access,
        reach: PathReach::Itself,
    };
    let command = |opaque, read_only| Subject::Command {
        argv: vec!["ls".into()],
        operator: "|".into(),
        opaque,
        read_only,
    };
    let said = Preparation::new(Safety::WRITE)
        .subject(path(Some("a"), PathAccess::Create))
        .subject(path(None, PathAccess::Delete))
        .subject(command(true, false))
        .subject(command(false, true))
        .subject(Subject::Host("h:1".into()))
        .subject(Subject::Repo("/w".into()))
        .subject(Subject::Mcp { server: "s".into(), tool: "t".into() })
        .subject(Subject::Tool("read".into()))
        .title("ü".repeat(200))
        .preview("p".repeat(100_000));
    let Some(proto::prepared::Result::Preparation(sent)) = prepared("c".into(), Ok(said)).result
    else {
        panic!("invalid")
    };
    let subjects: Vec<_> = sent.subjects.into_iter().map(|one| one.subject.unwrap()).collect();
    let Wire::Path(created) = &subjects[0] else { panic!() };
    assert_eq!((created.relative.as_str(), created.access()), ("a", proto::PathAccess::Create));
    let Wire::Path(deleted) = &subjects[1] else { panic!() };
    assert_eq!((deleted.relative.as_str(), deleted.access()), ("", proto::PathAccess::Delete));
    assert!(matches!(&subjects[2], Wire::Command(said) if said.opaque && said.operator == "|"));
    let flags = [&subjects[2], &subjects[3]].map(|subject| {
        let Wire::Command(said) = subject else { panic!() };
        (said.opaque, said.read_only)
    });
    assert_eq!(flags, [(true, false), (false, true)]);
    assert_eq!(subjects[4], Wire::Host("h:1".into()));
    assert_eq!(subjects[5], Wire::Repo("/w".into()));
    assert!(matches!(&subjects[6], Wire::Mcp(said) if said.server == "s" && said.tool == "t"));
    assert_eq!(subjects[7], Wire::Tool("read".into()));
    assert_eq!((sent.title.len(), sent.preview.len()), (200, 64 * 1024));
    assert_eq!(sent.escalation, None);
}

/// [GATE-72]
#[test]
fn a_wish_for_a_wider_sandbox_arrives_bounded() {
    let rows = [
        (Sandbox::ReadOnly, proto::Sandbox::ReadOnly),
        (Sandbox::WorkspaceWrite, proto::Sandbox::WorkspaceWrite),
        (Sandbox::Network, proto::Sandbox::Network),
        (Sandbox::Off, proto::Sandbox::Off),
    ];
    for (wanted, sent) in rows {
        let said = Preparation::new(Safety::WORST).escalation(wanted, "é".repeat(1000));
        let result = prepared("c".into(), Ok(said)).result;
        let Some(proto::prepared::Result::Preparation(said)) = result else { panic!("invalid") };
        let wish = said.escalation.unwrap();
        assert_eq!((wish.to(), wish.justification.len()), (sent, 1024));
    }
}

/// An answer over a frame's bound would end the session: the call is invalid instead.
#[test]
fn a_preparation_that_is_too_large_is_invalid() {
    let command = Subject::Command {
        argv: vec!["x".repeat(16 * 1024)],
        operator: String::new(),
        opaque: false,
        read_only: false,
    };
    let said = Preparation { subjects: vec![command; 100], ..Preparation::new(Safety::READ) };
    let sent = prepared("c".into(), Ok(said));
    assert!(sent.encoded_len() < 5_000);
    let Some(proto::prepared::Result::Invalid(invalid)) = sent.result else { panic!("taken") };
    assert!(invalid.message.contains("less in one call"), "{}", invalid.message);
}

#[test]
fn what_an_author_says_is_bounded() {
    let long = "x".repeat(100_000);
    let invalid = Invalid::new(long.clone(), long.clone());
    assert!(prepared(long.clone(), Err(invalid)).encoded_len() < 6_000);
    let reason = proto::completed::Rejection::UnknownTool;
    assert!(rejected(long.clone(), reason, long).encoded_len() < 5_000);
}

#[test]
fn a_text_is_cut_at_a_character() {
    for (text, max, expected) in [("abc", 3, "abc"), ("abc", 2, "ab"), ("aü", 2, "a"), ("ü", 0, "")]
    {
        assert_eq!(bounded(text.to_owned(), max), expected, "{text} {max}");
    }
}
