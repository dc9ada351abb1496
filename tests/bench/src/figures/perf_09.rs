//! PERF-09: bytes of a first request as the provider gets it: its tools array and the whole body, with a
//! task of five lines. With a hundred thousand tools of another server it must be the same.

use anyhow::{Context as _, ensure};
use serde_json::{Value, value::RawValue};

use crate::{
    exec::Home,
    mock::{Mock, text},
    row::{Goal, Row, Unit},
};

const TASK: &str = "The tests of the parser fail since yesterday.\n\
    Find out which commit broke them and why.\n\
    Fix the cause, not the tests.\n\
    Run the whole suite afterwards.\n\
    Tell me in two sentences what was wrong.\n";

/// What the best of the peers sends in its tools array and in the whole body, as measured once with
/// another mock.
const PEER: (f64, f64) = (11_946.0, 16_385.0);

/// # Errors
/// `tollgate` failed, or other servers' tools change a byte.
pub(super) async fn measure() -> anyhow::Result<Vec<Row>> {
    let mut mock = Mock::start().await?;
    let alone = Home::warm(&mut mock, "").await?;
    let (tools, body) = first(&alone, &mut mock).await?;
    let many = std::env::current_exe()?.with_file_name("tollgate-hostile");
    ensure!(many.is_file(), "{} is not there; build everything first", many.display());
    let server = format!("[servers.many]\ncommand = [{many:?}, \"full\"]\n");
    let crowded = Home::warm(&mut mock, &server).await?;
    let (with_many, _) = first(&crowded, &mut mock).await?;
    ensure!(tools == with_many, "100,000 tools of another server change the tools array");
    let row = |name: &str, bytes: usize, most: f64, peer: f64| {
        #[expect(clippy::cast_precision_loss, reason = "a request is no exabyte")]
        let ours = bytes as f64;
        let row = Row::new(name, Unit::Bytes, ours).beside("best of the peers, as published", peer);
        row.goal(Goal::AtMost(most))
    };
    Ok(vec![
        row("tools array of the first request", tools.len(), 6_000.0, PEER.0),
        row("whole body of the first request", body, 10_000.0, PEER.1),
    ])
}

/// The tools array of a first request, and the bytes of its body.
async fn first(home: &Home, mock: &mut Mock) -> anyhow::Result<(String, usize)> {
    #[derive(serde::Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        tools: &'a RawValue,
        messages: Value,
    }
    let run = home.exec_with(mock, TASK)?;
    let request = mock.next().await.map_err(|error| run.explain(error))?;
    let bytes = request.body.clone();
    request.answer(text("done")).await?;
    run.finish()?;
    let body: Body<'_> = serde_json::from_slice(&bytes).context("the request is no JSON")?;
    ensure!(body.messages.to_string().contains("which commit broke them"), "another request");
    Ok((body.tools.get().to_owned(), bytes.len()))
}
