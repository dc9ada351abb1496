//! `tollgate.tool.v1.ServerFrame`, each kind.

use tool::server_frame::Frame;

use crate::tool::v1 as tool;

use super::{
    Sample, b, s, sample, sha,
    tool::{blob, observation, safety},
};

pub(super) fn all() -> Vec<Sample> {
    let rendered = |rendering| {
        let rendering = Some(tool::Rendering { rendering: Some(rendering) });
        Frame::Completed(Box::new(tool::Completed { rendering, ..completed() }))
    };
    let log = tool::Log {
        level: tool::log::Level::Warn.into(),
        text: s("slow disk"),
        call_id: s("call-1"),
    };
    let mut all = vec![
        frame("heartbeat", Frame::Heartbeat(tool::Heartbeat { calls: 3 })),
        frame("draining", Frame::Draining(tool::Draining { within_ms: 10_000 })),
        frame(
            "manifest-changed",
            Frame::ManifestChanged(tool::ManifestChanged { manifest_sha256: sha(2) }),
        ),
        frame("log", Frame::Log(log)),
        frame("prepared-invalid", prepared(tool::prepared::Result::Invalid(invalid()))),
        frame("prepared", prepared(tool::prepared::Result::Preparation(preparation()))),
        frame(
            "accepted",
            Frame::Accepted(tool::Accepted {
                call_id: s("call-1"),
                disposition: tool::accepted::Disposition::Replayed.into(),
            }),
        ),
        frame(
            "progress",
            Frame::Progress(tool::Progress {
                call_id: s("call-1"),
                text: s("half way"),
                fraction: Some(0.5),
            }),
        ),
        frame(
            "output",
            Frame::Output(tool::Output {
                call_id: s("call-1"),
                channel: tool::output::Channel::Terminal.into(),
                data: b("one\r\ntwo\n"),
            }),
        ),
        frame("completed", rendered(tool::rendering::Rendering::Diff(s("--- a\n+++ b\n")))),
        frame("completed-text", rendered(tool::rendering::Rendering::Text(s("text")))),
        frame("completed-table", rendered(tool::rendering::Rendering::Table(b(r#"[["name"]]"#)))),
    ];
    all.extend(hosts());
    all
}

fn frame(arm: &str, frame: Frame) -> Sample {
    sample("tollgate.tool.v1.ServerFrame", arm, tool::ServerFrame { frame: Some(frame) })
}

fn prepared(result: tool::prepared::Result) -> Frame {
    Frame::Prepared(tool::Prepared { call_id: s("call-1"), result: Some(result) })
}

fn invalid() -> tool::Invalid {
    tool::Invalid {
        message: s("no file 'a'; there is 'b'"),
        pointer: s("/path"),
        error_class: s("not_found"),
    }
}

fn preparation() -> tool::Preparation {
    use tool::subject::Subject;
    let subjects = [
        Subject::Path(tool::PathSubject {
            absolute: s("/srv/repo/a"),
            relative: s("a"),
            access: tool::PathAccess::Delete.into(),
            reach: tool::PathReach::Tree.into(),
        }),
        Subject::Command(tool::CommandSubject {
            argv: vec![s("git"), s("status")],
            operator: s("&&"),
            opaque: true,
            read_only: true,
        }),
        Subject::Host(s("example.org:443")),
        Subject::Repo(s("/srv/repo")),
        Subject::Mcp(tool::McpSubject { server: s("github"), tool: s("create_issue") }),
        Subject::Tool(s("bash")),
    ];
    tool::Preparation {
        safety: Some(safety()),
        subjects: subjects
            .into_iter()
            .map(|subject| tool::Subject { subject: Some(subject) })
            .collect(),
        title: s("Delete a file"),
        preview: s("rm a"),
        escalation: Some(tool::Escalation {
            to: tool::Sandbox::Network.into(),
            justification: s("the tests fetch a fixture"),
        }),
    }
}

fn hosts() -> Vec<Sample> {
    use tool::host::Request;
    let host = |arm, request| {
        let host = tool::Host { call_id: s("call-1"), request_id: 9, request: Some(request) };
        frame(arm, Frame::Host(host))
    };
    let arguments = b(r#"{"path":"a"}"#);
    vec![
        host(
            "host-call-tool",
            Request::CallTool(tool::CallToolRequest {
                name: s("read"),
                arguments,
                arguments_blob: Some(blob()),
            }),
        ),
        host(
            "host-search-tools",
            Request::SearchTools(tool::SearchToolsRequest { arguments: b(r#"{"query":"git"}"#) }),
        ),
        host(
            "host-generate",
            Request::Generate(tool::GenerateRequest { prompt: s("sum up"), tokens_max: 512 }),
        ),
        host(
            "host-run-agent",
            Request::RunAgent(tool::RunAgentRequest { prompt: s("review"), role: s("reviewer") }),
        ),
        host(
            "host-ask-user",
            Request::AskUser(tool::AskUserRequest {
                question: s("Which?"),
                choices: vec![s("a"), s("b")],
            }),
        ),
        host(
            "host-read-artifact",
            Request::ReadArtifact(tool::ReadArtifactRequest {
                id: "ab".repeat(32),
                offset: 65_536,
                limit: 4_096,
            }),
        ),
        host(
            "host-write-artifact",
            Request::WriteArtifact(tool::WriteArtifactRequest {
                data: b("any bytes"),
                media_type: s("text/plain"),
            }),
        ),
    ]
}

/// A result with all that a result can have.
pub(super) fn completed() -> tool::Completed {
    let cwd = tool::context_change::Change::Cwd(s("/srv/repo/src"));
    tool::Completed {
        call_id: s("call-1"),
        outcome: tool::completed::Outcome::Failed.into(),
        effects: tool::completed::Effects::Partial.into(),
        rejection: tool::completed::Rejection::StateLost.into(),
        content: content(),
        structured: b(r#"{"lines":3}"#),
        metadata: b(r#"{"exit_code":1}"#),
        messages: vec![tool::InjectedMessage { content: content() }],
        context_changes: vec![tool::ContextChange { change: Some(cwd) }],
        observations: vec![observation()],
        truncated: Some(tool::Truncated { bytes: 1_000_000, lines: 20_000, in_output: true }),
        rendering: Some(tool::Rendering {
            rendering: Some(tool::rendering::Rendering::Text(s("text"))),
        }),
        error_class: s("not_found"),
        confinement: s("namespaces landlock:7 seccomp"),
    }
}

fn content() -> Vec<tool::ContentBlock> {
    use tool::content_block::Block;
    let media = |content| tool::Media { media_type: s("image/png"), content: Some(content) };
    let resource = |content| tool::Resource {
        uri: s("https://example.org/a"),
        media_type: s("text/html"),
        content: Some(content),
    };
    let blocks = [
        Block::Text(s("text")),
        Block::Image(media(tool::media::Content::Data(b("png")))),
        Block::Audio(media(tool::media::Content::Blob(blob()))),
        Block::Resource(resource(tool::resource::Content::Text(s("<p>")))),
        Block::Resource(resource(tool::resource::Content::Blob(blob()))),
        Block::Json(b(r#"{"n":9007199254740993}"#)),
        Block::Blob(blob()),
    ];
    blocks.into_iter().map(|block| tool::ContentBlock { block: Some(block) }).collect()
}
