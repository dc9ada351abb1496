//! `tollgate.model.v1`.

use generate_response::Event;

use crate::model::v1::{
    DescribeRequest, DescribeResponse, Failed, Finished, GenerateRequest, GenerateResponse,
    ModelSpec, Retrying, ToolCall, Usage, failed::Class, finished::Stop, generate_response,
};

use super::{Sample, b, s, sample, tool::grant};

pub(super) fn all() -> Vec<Sample> {
    let model = ModelSpec {
        name: s("openai:gpt-5"),
        context_tokens: 400_000,
        available: true,
        reason: s("OPENAI_API_KEY is not set"),
    };
    let request = GenerateRequest {
        session: s("session-1"),
        call_id: s("call-1"),
        model: s("openai:gpt-5"),
        request: b(r#"{"system":"","tools":[],"messages":[]}"#),
        grant: Some(grant()),
    };
    let mut all = events();
    all.extend([
        sample("tollgate.model.v1.DescribeRequest", "", DescribeRequest {}),
        sample("tollgate.model.v1.DescribeResponse", "", DescribeResponse { models: vec![model] }),
        sample("tollgate.model.v1.GenerateRequest", "", request),
    ]);
    all
}

fn events() -> Vec<Sample> {
    let event = |arm: &str, event| {
        let response = GenerateResponse { event: Some(event) };
        sample("tollgate.model.v1.GenerateResponse", arm, response)
    };
    let call = ToolCall { id: s("call_0"), name: s("read"), arguments: b("{\"path\":") };
    let retrying = Retrying { attempt: 2, after_ms: 500, reason: s("status 503") };
    let finished = Finished {
        stop: Stop::Tools.into(),
        usage: Some(Usage { input: 12_000, output: 340, cached_input: 11_000 }),
        reasoning: b(r#"[{"id":"rs_1"}]"#),
        model: s("gpt-5-2025-08-07"),
    };
    let failed = Failed { class: Class::Rate.into(), message: s("status 429"), retryable: true };
    vec![
        event("text-delta", Event::TextDelta(s("Hello"))),
        event("reasoning-delta", Event::ReasoningDelta(s("First"))),
        event("tool-call", Event::ToolCall(call)),
        event("retrying", Event::Retrying(retrying)),
        event("finished", Event::Finished(finished)),
        event("failed", Event::Failed(failed)),
    ]
}
