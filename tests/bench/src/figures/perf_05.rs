//! PERF-05: a step of a 20-step turn without the model: from the moment when an answer that wants one
//! call was written to the moment when the next request is whole. The first step starts the server and
//! counts. CPU is of all processes, against a turn without calls.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde_json::json;

use super::Sizes;
use crate::{
    exec::Home,
    mock::{Mock, ToolCall, calls, text},
    process::children_cpu,
    row::{Goal, Row, Unit},
    stats::{Rounds, Samples, us},
};

/// Steps with a call.
const STEPS: u32 = 20;

/// One kind of step.
#[derive(Debug, Default)]
struct Kind {
    mean: Rounds,
    usual: Rounds,
    cpu: Rounds,
    floor: Rounds,
}

/// # Errors
/// `tollgate` or a floor's program failed.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut mock = Mock::start().await?;
    let home = Home::warm(&mut mock, "").await?;
    let note = home.path("work/note.txt");
    let read = ToolCall::new("read", json!({ "path": "note.txt" }));
    let bash = ToolCall::new("bash", json!({ "command": "true" }));
    let [mut reads, mut bashes] = [Kind::default(), Kind::default()];
    for _ in 0..sizes.rounds * sizes.turns {
        let (_, none) = turn(&home, &mut mock, &read, 0).await?;
        let steps = turn(&home, &mut mock, &read, STEPS).await?;
        reads.take(&steps, none, &floor(|| read_file(&note))?);
        let steps = turn(&home, &mut mock, &bash, STEPS).await?;
        bashes.take(&steps, none, &floor(run_true)?);
    }
    let mut rows = reads.rows("read", "reading the file", 1_000.0);
    rows.extend(bashes.rows("bash true", "sh -c true", 3_000.0));
    Ok(rows)
}

impl Kind {
    fn take(&mut self, (steps, cpu): &(Samples, Duration), cpu_without: Duration, floor: &Samples) {
        self.mean.push(steps.mean_us());
        self.usual.push(steps.p50_us());
        self.cpu.push(us(cpu.saturating_sub(cpu_without)) / f64::from(STEPS));
        self.floor.push(floor.mean_us());
    }

    fn rows(&self, name: &str, floor: &str, goal_us: f64) -> Vec<Row> {
        let beside = self.floor.median();
        vec![
            Row::new(format!("{name}: mean step of {STEPS}"), Unit::Micros, self.mean.median())
                .beside(floor, beside)
                .goal(Goal::AtMost(goal_us)),
            Row::new(
                format!("{name}: median step, its server runs"),
                Unit::Micros,
                self.usual.median(),
            )
            .beside(floor, beside),
            Row::new(
                format!("{name}: CPU per step, all processes"),
                Unit::Micros,
                self.cpu.median(),
            )
            .goal(Goal::AtMost(2_000.0)),
        ]
    }
}

/// A whole run of so many steps with a call: what each took, and the CPU of the run.
async fn turn(
    home: &Home,
    mock: &mut Mock,
    call: &ToolCall,
    steps: u32,
) -> anyhow::Result<(Samples, Duration)> {
    let before = children_cpu()?;
    let run = home.exec(mock)?;
    let mut request = mock.next().await.map_err(|error| run.explain(error))?;
    let mut samples = Samples::default();
    for step in 0..steps {
        let written = request.answer(calls(step as usize, std::slice::from_ref(call))).await?;
        request = mock.next().await.map_err(|error| run.explain(error))?;
        samples.push(request.at.duration_since(written));
    }
    request.answer(text("done")).await?;
    run.finish()?;
    let cpu = children_cpu()?.saturating_sub(before);
    home.succeeded(steps as usize)?;
    Ok((samples, cpu))
}

fn floor(work: impl Fn() -> anyhow::Result<()>) -> anyhow::Result<Samples> {
    let mut samples = Samples::default();
    for _ in 0..STEPS {
        let start = Instant::now();
        work()?;
        samples.since(start);
    }
    Ok(samples)
}

fn read_file(path: &Path) -> anyhow::Result<()> {
    ensure!(!fs::read(path)?.is_empty(), "{} is empty", path.display());
    Ok(())
}

fn run_true() -> anyhow::Result<()> {
    let mut command = Command::new("sh");
    let status = command.args(["-c", "true"]).stdin(Stdio::null()).status()?;
    ensure!(status.success(), "sh -c true: {status}");
    Ok(())
}
