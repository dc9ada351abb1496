//! PERF-13: a command with much output beside the same command into a file, how much kernel and shell server grow
//! by ten times as much, and a large result of a tool on its way to a program beside its SHA-256.
//!
//! The commands are steps of a turn (`steps`): text in lines, and one line without an end. The large result is
//! what a call of it costs more than one of a tiny result, in a program that makes several.

use std::{
    fs,
    path::Path,
    pin::pin,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{
    Sizes,
    steps::{Step, Turn},
};
use crate::{
    exec::Home,
    kernel::{Bench, text},
    mock::{Mock, ToolCall},
    process::{below, pss_mib},
    row::{Goal, Row, Unit},
    stats::{Rounds, us},
};

/// Bytes of the large result.
const RESULT_BYTES: usize = 1024 * 1024;
/// Calls of one program.
const CALLS: usize = 16;
/// Between two looks at the memory of both processes.
const LOOK_PAUSE: Duration = Duration::from_millis(50);

/// # Errors
/// `tollgate`, its servers or a shell failed.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut rows = streams(sizes).await?;
    rows.push(Box::pin(large_result(sizes)).await?);
    Ok(rows)
}

fn lines(bytes: u64) -> String {
    format!(
        "yes 'a line of output as programs print it, of some sixty-four bytes.' | head -c {bytes}"
    )
}

fn one_line(bytes: u64) -> String {
    format!("head -c {bytes} /dev/zero | tr '\\0' x")
}

async fn streams(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut mock = Mock::start().await?;
    let home = Home::warm(&mut mock, "").await?;
    let size = sizes.stream_bytes;
    let kinds = [("in lines", lines(size)), ("in one line", one_line(size))];
    let mut figures =
        kinds.map(|(name, command)| (name, command, Rounds::default(), Rounds::default()));
    let [mut kernel, mut server] = [Rounds::default(), Rounds::default()];
    for round in 0..sizes.rounds {
        let (mut turn, _) = Turn::begin(&home, &mut mock).await?.step(&bash("true")).await?;
        for (_, command, ours, beside) in &mut figures {
            let step;
            (turn, step) = turn.step(&bash(command)).await?;
            counted(&step, size)?;
            ours.push(us(step.took));
            beside.push(us(into_file(command, &home.path("work"))?));
        }
        // Once is enough: it takes its time, and memory does not vary.
        if round == 0 {
            let size = sizes.long_stream_bytes;
            let grown;
            (turn, grown) = growth(turn, &bash(&lines(size)), size).await?;
            kernel.push(grown.kernel);
            server.push(grown.server);
        }
        turn.end(&home).await?;
    }
    let mb = size / 1_000_000;
    let mut rows: Vec<Row> = figures
        .iter()
        .map(|(name, _, ours, beside)| {
            Row::new(format!("bash, {mb} MB {name}"), Unit::Micros, ours.median())
                .beside("into a file", beside.median())
                .goal(Goal::RatioAtMost(1.3))
        })
        .collect();
    let mb = sizes.long_stream_bytes / 1_000_000;
    rows.extend([("kernel", kernel), ("shell server", server)].map(|(name, grown)| {
        Row::new(format!("growth of the {name} by {mb} MB"), Unit::MiB, grown.median())
            .goal(Goal::AtMost(64.0))
    }));
    Ok(rows)
}

fn bash(command: &str) -> ToolCall {
    ToolCall::new("bash", json!({ "command": command, "timeout": 600 }))
}

fn counted(step: &Step, bytes: u64) -> anyhow::Result<()> {
    let told = format!(" {bytes} bytes, and ");
    ensure!(step.result.contains(&told), "not {bytes} bytes: {:.500}", step.result);
    Ok(())
}

/// The floor: the same command, its output into a file beside the workspace's.
fn into_file(command: &str, folder: &Path) -> anyhow::Result<Duration> {
    let file = folder.join("output");
    let start = Instant::now();
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("({command}) > output")]).current_dir(folder).stdin(Stdio::null());
    let status = shell.status().context("cannot start bash")?;
    let took = start.elapsed();
    ensure!(status.success(), "bash: {status}");
    fs::remove_file(file)?;
    Ok(took)
}

/// In MiB.
#[derive(Debug)]
struct Growth {
    kernel: f64,
    server: f64,
}

/// What both processes hold at most during a step, less what they held before.
async fn growth<'a>(
    turn: Turn<'a>,
    call: &ToolCall,
    bytes: u64,
) -> anyhow::Result<(Turn<'a>, Growth)> {
    let kernel = turn.run.pid();
    let is_server = |words: &[String]| {
        words.first().is_some_and(|word| word.ends_with("tollgate-shell"))
            && !words.iter().any(|word| word == "__confine")
    };
    let all = below(kernel)?;
    let server = all.iter().find(|it| is_server(&it.words));
    let server = server.context("the shell server does not run")?.pid;
    let before = [pss_mib(kernel)?, pss_mib(server)?];
    let mut most = before;
    let mut step = pin!(turn.step(call));
    let (turn, step) = loop {
        tokio::select! {
            biased;
            done = &mut step => break done?,
            () = tokio::time::sleep(LOOK_PAUSE) => {
                for (most, pid) in most.iter_mut().zip([kernel, server]) {
                    *most = most.max(pss_mib(pid)?);
                }
            }
        }
    };
    counted(&step, bytes)?;
    let [kernel, server] = most;
    let [kernel_before, server_before] = before;
    Ok((turn, Growth { kernel: kernel - kernel_before, server: server - server_before }))
}

/// A call's large result, beside its digest.
async fn large_result(sizes: Sizes) -> anyhow::Result<Row> {
    let bench = Bench::open_for_programs().await?;
    let result = "x".repeat(RESULT_BYTES);
    let [mut ours, mut beside] = [Rounds::default(), Rounds::default()];
    program(&bench, RESULT_BYTES).await?;
    for _ in 0..sizes.rounds * sizes.programs {
        let large = program(&bench, RESULT_BYTES).await?;
        let tiny = program(&bench, 1).await?;
        ours.push(us(large.saturating_sub(tiny)) / CALLS as f64);
        let start = Instant::now();
        for _ in 0..CALLS {
            std::hint::black_box(Sha256::digest(std::hint::black_box(result.as_bytes())));
        }
        beside.push(us(start.elapsed()) / CALLS as f64);
    }
    bench.kernel.stop().await;
    Ok(Row::new("1 MiB result, tool to program", Unit::Micros, ours.median())
        .beside("its SHA-256", beside.median())
        .goal(Goal::RatioAtMost(2.0)))
}

/// A program that asks for so many bytes several times.
async fn program(bench: &Bench, bytes: usize) -> anyhow::Result<Duration> {
    let code = format!(
        "let sum = 0; for (let i = 0; i < {CALLS}; i++) \
         sum += (await tools.echo_a({{ text: 'x', bytes: {bytes} }})).content.length; return sum"
    );
    let arguments = json!({ "code": code }).to_string();
    let start = Instant::now();
    let end = bench.ask("execute_tools", Bytes::from(arguments)).await?;
    let took = start.elapsed();
    let expected = (bytes * CALLS).to_string();
    ensure!(text(&end).contains(&expected), "not {expected} bytes: {}", text(&end));
    Ok(took)
}
