//! `tollgate.tool.v1`: the messages of its RPCs, the claims of a grant, the kernel's frames.

use crate::tool::v1 as tool;

use super::{Sample, b, s, sample, server_frames::completed, sha};

pub(super) fn all() -> Vec<Sample> {
    let mut all = kernel_frames();
    all.extend([
        sample("tollgate.tool.v1.HelloRequest", "", hello_request()),
        sample("tollgate.tool.v1.HelloResponse", "", hello_response()),
        sample(
            "tollgate.tool.v1.DescribeRequest",
            "",
            tool::DescribeRequest { page_token: s("17") },
        ),
        sample(
            "tollgate.tool.v1.DiscoverRequest",
            "",
            tool::DiscoverRequest { sources: vec![s("github"), s("jira")], within_ms: 2_000 },
        ),
        sample("tollgate.tool.v1.DescribeResponse", "", describe_response()),
        sample(
            "tollgate.tool.v1.GetExecutionRequest",
            "",
            tool::GetExecutionRequest { session: s("session-1"), call_id: s("call-1") },
        ),
        sample(
            "tollgate.tool.v1.GetExecutionResponse",
            "",
            tool::GetExecutionResponse {
                state: tool::get_execution_response::State::Done.into(),
                completed: Some(completed()),
            },
        ),
        sample("tollgate.tool.v1.GrantClaims", "", claims()),
    ]);
    all
}

fn hello_request() -> tool::HelloRequest {
    tool::HelloRequest {
        protocols: vec![2, 1],
        features: vec![s("discover"), s("call.detached")],
        kernel: s("tollgate 0.1.0"),
        session: s("session-1"),
        frame_bytes_max: 327_680,
    }
}

fn hello_response() -> tool::HelloResponse {
    tool::HelloResponse {
        protocol: 1,
        features: vec![s("discover")],
        name: s("file"),
        version: s("0.1.0"),
        build_sha256: sha(1),
        instance: s("instance-1"),
        manifest_sha256: sha(2),
        calls_max: 256,
        frame_bytes_max: 327_680,
        confinement: s("landlock:7 seccomp"),
        now_unix_ms: 1_790_000_000_000,
    }
}

fn describe_response() -> tool::DescribeResponse {
    tool::DescribeResponse {
        manifest: Some(manifest()),
        tools: vec![tool_spec()],
        next_page_token: s("1"),
    }
}

/// A manifest, also for the test of its digest.
pub(crate) fn manifest() -> tool::Manifest {
    tool::Manifest {
        name: s("file"),
        version: s("0.1.0"),
        build_sha256: sha(1),
        protocol_min: 1,
        protocol_max: 1,
        digest: sha(2),
        notes: vec![s("source 'jira' did not answer")],
        sources: vec![tool::Source {
            name: s("jira"),
            hint: s("tickets sprints boards"),
            state: tool::SourceState::Failed.into(),
            detail: s("it did not answer within 5 s"),
        }],
    }
}

/// A tool, also for the test of the manifest's digest.
pub(crate) fn tool_spec() -> tool::ToolSpec {
    tool::ToolSpec {
        name: s("read"),
        title: s("Read a file"),
        description: s("Read a file, or a part of it."),
        search_hint: s("open show content lines"),
        input_schema: b(r#"{"type":"object","additionalProperties":false}"#),
        output_schema: b(r#"{"type":"object"}"#),
        exposure: tool::Exposure::Eager.into(),
        hidden_names: vec![tool::HiddenName {
            name: s("cat"),
            input_schema: b(r#"{"type":"object"}"#),
            when: Some(tool::ArgumentIs { argument: s("action"), value: s("read") }),
        }],
        safety: Some(safety()),
        prepare: tool::PrepareNeed::Always.into(),
        interrupt: tool::Interrupt::Cancel.into(),
        result_bytes_max: 102_400,
        callers: vec![tool::Caller::Program.into(), tool::Caller::Client.into()],
        host_services: vec![
            tool::HostService::CallTool.into(),
            tool::HostService::ReadArtifact.into(),
        ],
        requirements: vec![tool::Requirement {
            name: s("python3"),
            met: true,
            found: s("Python 3.11.7"),
        }],
        argument_aliases: vec![tool::ArgumentAlias { alias: s("file"), canonical: s("path") }],
        source: s("jira"),
    }
}

/// Every flag set.
pub(super) fn safety() -> tool::Safety {
    tool::Safety {
        read_only: true,
        destructive: true,
        idempotent: true,
        open_world: true,
        concurrency_safe: true,
    }
}

fn claims() -> tool::GrantClaims {
    tool::GrantClaims {
        key_id: s("key-1"),
        server: s("file"),
        instance: s("instance-1"),
        session: s("session-1"),
        call_id: s("call-1"),
        attempt: 2,
        tool: s("read"),
        schema_sha256: sha(3),
        arguments_sha256: sha(4),
        scope: Some(tool::Scope {
            read_roots: vec![s("/srv/repo")],
            write_roots: vec![s("/srv/repo/out")],
            hosts: vec![s("example.org:443")],
            exec: true,
            network: true,
            host_services: vec![tool::HostService::CallTool.into()],
            withheld: Some(tool::Withheld {
                globs: vec![s("/srv/repo/secrets/**")],
                names: vec![s(".ssh/id_*")],
            }),
            sandbox: tool::Sandbox::WorkspaceWrite.into(),
            held: Some(tool::Withheld {
                globs: vec![s("/srv/repo/law/**")],
                names: vec![s(".git/hooks/**")],
            }),
            opened: vec![s("/srv/repo/.git/config")],
        }),
        expires_unix_ms: 1_790_000_060_000,
        nonce: vec![5; 16].into(),
    }
}

/// A grant, as requests carry it.
pub(super) fn grant() -> tool::SignedGrant {
    tool::SignedGrant {
        key_id: s("key-1"),
        algorithm: tool::GrantAlgorithm::HmacSha256.into(),
        claims: b("claims"),
        signature: sha(6),
    }
}

/// A blob, as requests name it.
pub(super) fn blob() -> tool::BlobRef {
    tool::BlobRef { sha256: sha(7), size: 1_048_576, media_type: s("text/plain; charset=utf-8") }
}

fn context() -> tool::CallContext {
    tool::CallContext {
        session: s("session-1"),
        turn: 3,
        step: 2,
        agent: s("main"),
        role: s("reviewer"),
        caller: tool::Caller::Program.into(),
        roots: vec![s("/srv/repo"), s("/srv/shared")],
        cwd: s("/srv/repo/src"),
        mode: s("work"),
        posture: s("auto-review"),
        can_ask: true,
        observations: vec![observation()],
    }
}

/// A file as a session saw it.
pub(super) fn observation() -> tool::FileObservation {
    tool::FileObservation {
        path: s("/srv/repo/src/lib.rs"),
        sha256: sha(8),
        seen_unix_ms: 1_790_000_000_000,
        modified_unix_ns: 1_789_999_999_123_456_789,
    }
}

fn kernel_frames() -> Vec<Sample> {
    use tool::kernel_frame::Frame;
    let frame = |arm: &str, frame| {
        let frame = tool::KernelFrame { frame: Some(frame) };
        sample("tollgate.tool.v1.KernelFrame", arm, frame)
    };
    let reply = |reply| {
        Frame::Reply(tool::Reply { call_id: s("call-1"), request_id: 9, reply: Some(reply) })
    };
    let attach = tool::Attach { session: s("session-1"), lease_ms: 30_000, heartbeat_ms: 5_000 };
    let prepare = tool::Prepare {
        call_id: s("call-1"),
        tool: s("read"),
        arguments: b(r#"{"path":"src/lib.rs"}"#),
        context: Some(context()),
        arguments_blob: Some(blob()),
    };
    let start = tool::Start {
        call_id: s("call-1"),
        attempt: 2,
        tool: s("read"),
        arguments: b(r#"{"path":"src/lib.rs","n":9007199254740993}"#),
        arguments_blob: Some(blob()),
        context: Some(context()),
        grant: Some(grant()),
        budget: Some(tool::Budget { content_bytes_max: 102_400, output_bytes_max: 67_108_864 }),
        remaining_ms: 120_000,
    };
    let called = tool::Called {
        ending: tool::called::Ending::Denied.into(),
        result: b(r#"{"content":"","metadata":null,"truncated":null}"#),
        result_blob: Some(blob()),
        message: s("a person said no"),
        error_class: s("denied"),
    };
    let cancel = tool::Cancel {
        call_id: s("call-1"),
        reason: tool::cancel::Reason::Narrowed.into(),
        grace_ms: 2_000,
    };
    vec![
        frame("attach", Frame::Attach(attach)),
        frame("prepare", Frame::Prepare(prepare)),
        frame("start", Frame::Start(Box::new(start))),
        frame("reply-refused", reply(tool::reply::Reply::Refused(s("plan mode")))),
        frame("reply-value", reply(tool::reply::Reply::Value(b(r#"{"content":[]}"#)))),
        frame("reply-data", reply(tool::reply::Reply::Data(b("\0any bytes")))),
        frame("reply-called", reply(tool::reply::Reply::Called(called))),
        frame("cancel", Frame::Cancel(cancel)),
        frame("credit", Frame::Credit(tool::Credit { call_id: s("call-1"), bytes: 65_536 })),
    ]
}
