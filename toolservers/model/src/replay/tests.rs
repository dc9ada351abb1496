//! Goal: the model's side of a log comes back, answer by answer [MODEL-05].

use futures::StreamExt;

use crate::models::tests::{models, print};
use crate::request::Request;

const LOG: &str = r#"{"len":1,"sum":"x","record":{"type":"session","version":1}}
{"len":1,"sum":"x","record":{"type":"assistant","text":"abcd","reasoning":"why","tool_calls":[{"id":"i","name":"f","arguments":"{broken"}],"stop":"length","usage":{"input":3,"output":2,"cached_input":1}}}
{"len":1,"sum":"x","record":{"type":"tool","content":[]}}
{"len":1,"sum":"x","record":{"type":"assistant","text":"done","reasoning":{"format":"chat"},"tool_calls":[]}}
"#;

/// The single toucher: the answer of one step of a log, as a line.
async fn check(log: &str, step: usize, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    std::fs::write(&path, log).unwrap();
    let messages = vec![r#"{"role":"assistant","content":[]}"#; step].join(",");
    let request = Request::parse(format!(r#"{{"messages":[{messages}]}}"#).as_bytes()).unwrap();
    let model = format!("replay:{}", path.display());
    let events: Vec<_> = models("{}", &[]).answer(&model, request).collect().await;
    let printed = print(&events).replace(&path.display().to_string(), "FILE");
    assert_eq!(printed, expected);
}

#[tokio::test]
async fn each_recorded_answer_is_given_at_its_step() {
    check(LOG, 0, "(why)[a][b][c][d] i=f{broken Length 3/2/1").await;
    check(LOG, 1, r#"[d][o][n][e] End back:{"format":"chat"}"#).await;
}

#[tokio::test]
async fn the_end_of_a_log_is_told() {
    let exhausted = "Exhausted: session FILE has 2 answers of the model, and the conversation asks for one more";
    check(LOG, 2, exhausted).await;
    check(&format!("{LOG}{{\"len\":99,\"su"), 2, exhausted).await;
}

#[tokio::test]
async fn what_is_no_log_is_told_with_its_line() {
    check("{}\n", 0, "UnknownModel: session FILE: line 1 is no record: missing field `record` at line 1 column 2").await;
}
