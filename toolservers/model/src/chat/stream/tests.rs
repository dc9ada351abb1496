//! Goal: streams as servers really send them give the same answer, whatever their habits [MODEL-02].
//!
//! The fixtures beside (`../../fixtures/*.sse`) are written by hand after the shapes of the
//! documentation and of public reports.

use std::fmt::Write;

use serde_json::json;

use super::*;
use crate::chat::sse::Decoder;

/// An answer as one line: shown text, reasoning, calls, stop, usage, model; or the failure. The
/// stream comes in pieces of `piece` bytes.
fn print(stream: &[u8], piece: usize) -> String {
    let mut decoder = Decoder::default();
    let mut assembler = Assembler::new("local", 0);
    let mut line = String::new();
    let pieces = stream.chunks(piece);
    let mut events: Vec<_> = pieces.flat_map(|piece| decoder.push(piece).unwrap()).collect();
    events.extend(decoder.finish());
    for event in events {
        match assembler.take(&event) {
            Ok(shown) => {
                for delta in shown {
                    match delta {
                        Delta::Text(text) => write!(line, "[{text}]").unwrap(),
                        Delta::Reasoning(text) => write!(line, "({text})").unwrap(),
                    }
                }
            }
            Err(failure) => return format!("{line} {:?}: {}", failure.class, failure.message),
        }
    }
    match assembler.finish() {
        Ok(Answer { calls, finished }) => {
            for call in calls {
                let arguments = String::from_utf8_lossy(&call.arguments);
                write!(line, " {}={}{arguments}", call.id, call.name).unwrap();
            }
            let usage = finished.usage.unwrap();
            let Usage { input, output, cached_input } = usage;
            let stop = finished.stop();
            write!(line, " {stop:?} {input}/{output}/{cached_input} {}", finished.model).unwrap();
            line.trim().to_owned()
        }
        Err(failure) => format!("{line} {:?}: {}", failure.class, failure.message),
    }
}

/// The single toucher: an answer is `expected`, a failure begins with it.
#[track_caller]
fn check(stream: impl AsRef<[u8]>, expected: &str) {
    let printed = print(stream.as_ref(), usize::MAX);
    assert_eq!(print(stream.as_ref(), 1), printed, "byte by byte");
    assert!(
        printed == expected
            || (expected.ends_with('…') && printed.starts_with(expected.trim_end_matches('…'))),
        "\n got {printed}\nwant {expected}"
    );
}

#[test]
fn recorded_shapes_are_assembled() {
    check(include_bytes!("../../fixtures/openai-text.sse"), "[Hel][lo.] End 9/2/4 gpt-x-2026");
    check(
        include_bytes!("../../fixtures/openai-parallel-tools.sse"),
        r#"call_a=read{"path":"a b"} call_b=list{} Tools 20/7/0 gpt-x-2026"#,
    );
    check(
        include_bytes!("../../fixtures/deepseek-reasoning.sse"),
        r#"(I must )(look.) call_0_a=read{"path":"x"} Tools 5/3/2 deepseek-x"#,
    );
    check(
        include_bytes!("../../fixtures/ollama-whole-calls.sse"),
        r#"call_q=read{"path": "x"} call_0_0=list{} Tools 0/0/0 qwen"#,
    );
    check(include_bytes!("../../fixtures/crlf-comments-no-done.sse"), "[a][b] End 1/1/0 m");
    check(
        include_bytes!("../../fixtures/truncated-arguments.sse"),
        r#"call_a=write{"path":"x","text":"half of Length 1/9/0 m"#,
    );
    check(
        include_bytes!("../../fixtures/error-midway.sse"),
        "[Hal] Network: local reported an error in its answer: upstream broke (server_error)",
    );
}

#[test]
fn either_end_is_enough() {
    check(
        r#"data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
        "[a] End 0/0/0",
    );
    check(
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n",
        "[a] End 0/0/0",
    );
    check("data: [DONE]\n\ndata: garbage\n\n", "End 0/0/0");
    check(
        r#"data: {"choices":[{"delta":{"content":"a"}}]}"#,
        "[a] Network: the stream of local ended before…",
    );
    check("", " Network: the stream of local ended before…");
}

#[test]
fn a_whole_answer_is_taken_for_a_stream() {
    check(
        r#"data: {"choices":[{"index":0,"message":{"role":"assistant","content":"a","tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2},"model":"m"}"#,
        "[a] x=f{} Tools 1/2/0 m",
    );
}

#[test]
fn the_stop_is_told_by_calls_and_the_reason() {
    let end = |delta: &str, reason: &str| {
        format!(r#"data: {{"choices":[{{"delta":{delta},"finish_reason":"{reason}"}}]}}"#)
    };
    let call = r#"{"tool_calls":[{"id":"x","function":{"name":"f","arguments":"{}"}}]}"#;
    check(end(call, "stop"), "x=f{} Tools 0/0/0");
    check(
        end(r#"{"function_call":{"name":"f","arguments":"{}"}}"#, "function_call"),
        "call_0_0=f{} Tools 0/0/0",
    );
    check(end(call, "length"), "x=f{} Length 0/0/0");
    check(end(call, "content_filter"), "x=f{} Refusal 0/0/0");
    check(end(r#"{"refusal":"No."}"#, "stop"), "[No.] Refusal 0/0/0");
    check(end(r#"{"content":"a"}"#, "tool_calls"), "[a] End 0/0/0");
    check(end(r#"{"content":null}"#, "eos"), "End 0/0/0");
    check(end("{}", "model_length"), "Length 0/0/0");
    check(end("{}", "error"), " Network: local gave up…");
    check(end("{}", "insufficient_system_resource"), " Rate: local gave up…");
}

#[test]
fn odd_content_is_read() {
    check(
        r#"data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},{"type":"text","text":"a"}]},"finish_reason":"stop"}]}"#,
        "(t)[a] End 0/0/0",
    );
    check(
        r#"data: {"choices":[{"index":1,"delta":{"content":"other"}},{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":null}"#,
        "[a] End 0/0/0",
    );
    check(
        b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xff\"},\"finish_reason\":\"stop\"}]}\n\n",
        "[a\u{fffd}] End 0/0/0",
    );
}

#[test]
fn what_is_not_of_the_format_is_refused() {
    check(
        "data: <html>\n\n",
        " Protocol: local sent what is not of the Chat Completions format (expected value at line 1 column 1): <html>",
    );
    check(r#"data: {"choices":"none"}"#, " Protocol: local sent what is not of…");
    check(
        r#"data: {"choices":[{"delta":{"content":"\ud800"}}]}"#,
        " Protocol: local sent what is not of…",
    );
    check(
        r#"data: {"choices":[{"delta":{"tool_calls":[{"id":"x","function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#,
        " Protocol: the model's call has no tool name",
    );
}

#[test]
fn an_error_is_told_in_each_of_its_places() {
    check(
        "event: error\ndata: {\"message\":\"late\"}\n\n",
        " Network: local reported an error in its answer: late",
    );
    check(
        "event: error\ndata: plain\n\n",
        " Network: local reported an error in its answer: plain",
    );
    check(
        "error: {\"code\":400,\"message\":\"bad\"}\n\n",
        " Invalid: local reported an error in its answer: bad",
    );
    check(
        r#"data: {"error":{"message":"m","code":"insufficient_quota"}}"#,
        " Quota: local reported…",
    );
    check(
        r#"data: {"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"up"}}]}"#,
        " Network: local reported an error in its answer: up",
    );
}

#[test]
fn an_answer_without_end_is_refused() {
    let mut assembler = Assembler::new("local", 0);
    let text = "x".repeat(1024 * 1024);
    let mut taken = 0;
    let failure = loop {
        let details = json!([{ "text": text }]);
        let delta = json!({"content": text, "reasoning_details": details});
        let data = json!({"choices": [{"delta": delta}]}).to_string();
        match assembler.take(&SseEvent { data, ..SseEvent::default() }) {
            Ok(_) => taken += 2,
            Err(failure) => break failure,
        }
    };
    assert_eq!(failure.class, Class::Protocol);
    assert!(taken <= ANSWER_BYTES_MAX / text.len(), "{taken} MiB");
}
