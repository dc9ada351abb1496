//! PERF-08: proportional set sizes of a `tollgate exec` while the mock holds an answer back: the kernel
//! with nothing done, the kernel after 1,000 calls, and the whole tree with five servers.

use anyhow::ensure;
use serde_json::json;

use super::Sizes;
use crate::{
    exec::{Home, Running},
    mock::{Mock, Request, ToolCall, calls, text},
    process::{below, pss_mib},
    row::{Goal, Row, Unit},
    stats::Rounds,
};

/// Calls of the busy kernel, and of each of its steps.
const CALLS: usize = 1000;
const CALLS_PER_STEP: usize = 100;

/// # Errors
/// `tollgate` failed, or not all servers run.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut mock = Mock::start().await?;
    let plain = Home::warm(&mut mock, "").await?;
    let more = Home::warm(&mut mock, &echo_servers()?).await?;
    let read = ToolCall::new("read", json!({ "path": "note.txt" }));
    let reads = vec![read.clone(); CALLS_PER_STEP];
    let each = [
        read,
        ToolCall::new("bash", json!({ "command": "true" })),
        ToolCall::new("echo_a", json!({ "text": "a" })),
        ToolCall::new("echo_b", json!({ "text": "b" })),
    ];
    let [mut idle, mut busy, mut tree, mut echo] = [(); 4].map(|()| Rounds::default());
    for _ in 0..sizes.rounds {
        let run = plain.exec(&mock)?;
        let mut request = mock.next().await.map_err(|error| run.explain(error))?;
        idle.push(pss_mib(run.pid())?);
        for step in 0..CALLS / CALLS_PER_STEP {
            request = answered(&mut mock, &run, request, calls(step, &reads)).await?;
        }
        busy.push(pss_mib(run.pid())?);
        request.answer(text("done")).await?;
        run.finish()?;
        plain.succeeded(CALLS)?;

        let run = more.exec(&mock)?;
        let request = mock.next().await.map_err(|error| run.explain(error))?;
        let request = answered(&mut mock, &run, request, calls(0, &each)).await?;
        let (all, one_echo) = tree_mib(&run)?;
        tree.push(all);
        echo.push(one_echo);
        request.answer(text("done")).await?;
        run.finish()?;
        more.succeeded(each.len())?;
    }
    let row = |name: &str, rounds: &Rounds, most| {
        Row::new(name, Unit::MiB, rounds.median()).goal(Goal::AtMost(most))
    };
    Ok(vec![
        row("PSS of the kernel, idle", &idle, 12.0),
        row("PSS of the kernel after 1,000 calls", &busy, 20.0),
        row("PSS of the whole tree, five servers", &tree, 40.0),
        Row::new("of it, one echo server", Unit::MiB, echo.median()),
    ])
}

/// Answers, and waits for the next request.
async fn answered(
    mock: &mut Mock,
    run: &Running,
    request: Request,
    body: String,
) -> anyhow::Result<Request> {
    request.answer(body).await?;
    mock.next().await.map_err(|error| run.explain(error))
}

/// Of the kernel and all below it, and of one echo server among them.
fn tree_mib(run: &Running) -> anyhow::Result<(f64, f64)> {
    let all = below(run.pid())?;
    let runs = |words: [&str; 2]| {
        all.iter()
            .any(|it| words.iter().all(|word| it.words.iter().any(|said| said.ends_with(word))))
    };
    for server in [
        ["tollgate-model"; 2],
        ["tollgate-file"; 2],
        ["tollgate-shell"; 2],
        ["--name", "echo_a"],
        ["--name", "echo_b"],
    ] {
        ensure!(runs(server), "{server:?} does not run; below tollgate there are {all:?}");
    }
    let (mut sum, mut echo) = (pss_mib(run.pid())?, 0.0);
    for process in &all {
        let pss = pss_mib(process.pid)?;
        sum += pss;
        if process.words.iter().any(|word| word == "echo_a") {
            echo = pss;
        }
    }
    Ok((sum, echo))
}

/// Two echo servers, as `config.toml` has them.
fn echo_servers() -> anyhow::Result<String> {
    let program = std::env::current_exe()?;
    let program = serde_json::to_string(&program)?;
    let server = |name: &str, tool: &str| {
        format!(
            "[servers.{name}]\ncommand = [{program}, \"--name\", \"{tool}\"]\ntrust = \"trusted\"\n\n"
        )
    };
    Ok(server("echo-a", "echo_a") + &server("echo-b", "echo_b"))
}
