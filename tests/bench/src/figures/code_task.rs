//! A task over 200 real files, done twice by the same scripted model: as one program of code mode, and by
//! direct calls, ten reads a step. Both must write the same report, to the letter. What is counted is
//! what a model is billed for: its requests, and all of their bytes; and the time without the model.
//!
//! The direct calls are those of a model that makes no mistake and knows all files after one step. Of a
//! real model's time there is nothing here: each request more is seconds.
//!
//! Not here: the files and their report (`files`), what the model says (`script`).

mod files;
mod script;

use std::{fs, time::Duration};

use anyhow::ensure;

use super::Sizes;
use crate::{
    exec::Home,
    mock::{Mock, text},
    row::{Row, Unit},
    stats::{Rounds, us},
};

use files::Files;

/// What the model is asked, in both runs.
const TASK: &str = "Look through all Rust files below src: count them, their lines and their `pub fn`s, \
    name the ten with the most lines, and those that use tokio::sync. Write that into report.md.";
/// Bytes of a request for one token; about right for text and code.
const BYTES_PER_TOKEN: f64 = 4.0;
/// The model's last words.
const DONE: &str = "The report is in report.md.";

/// What one way has cost, round by round.
#[derive(Debug, Default)]
struct Cost {
    requests: Rounds,
    input_tokens: Rounds,
    output_tokens: Rounds,
    time: Rounds,
}

/// What one run has cost.
#[derive(Debug, Default)]
struct Run {
    requests: u32,
    input_bytes: usize,
    output_bytes: usize,
    time: Duration,
}

/// # Errors
/// `tollgate` failed, or a report is not what it should be.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let files = Files::collect()?;
    let mut mock = Mock::start().await?;
    let home = Home::warm(&mut mock, "").await?;
    files.copy_to(&home.path("work"))?;
    let [mut program, mut direct] = [Cost::default(), Cost::default()];
    for _ in 0..sizes.rounds {
        let script = script::as_a_program(&files);
        program.take(&run(&home, &mut mock, &files, &script).await?);
        let script = script::by_direct_calls(&files);
        direct.take(&run(&home, &mut mock, &files, &script).await?);
    }
    let row = |name: &str, unit, of: fn(&Cost) -> &Rounds| {
        Row::new(name, unit, of(&program).median())
            .beside("by direct calls, ten reads a step", of(&direct).median())
    };
    Ok(vec![
        row("200 files, one program: model requests", Unit::Count, |it| &it.requests),
        row("input tokens of them all (bytes / 4)", Unit::Count, |it| &it.input_tokens),
        row("output tokens (bytes / 4)", Unit::Count, |it| &it.output_tokens),
        row("first request to last, without the model", Unit::Micros, |it| &it.time),
    ])
}

/// One `tollgate exec`: the model says what is in the script, then that it is done.
async fn run(
    home: &Home,
    mock: &mut Mock,
    files: &Files,
    script: &script::Script,
) -> anyhow::Result<Run> {
    let report = home.path("work/report.md");
    fs::remove_file(&report).ok();
    let exec = home.exec_with(mock, TASK)?;
    let mut request = mock.next().await.map_err(|error| exec.explain(error))?;
    let started = request.at;
    let mut cost = Run::default();
    for (number, step) in script.steps.iter().enumerate() {
        cost.see(request.body.len(), step.bytes());
        request.answer(step.answer(number)).await?;
        request = mock.next().await.map_err(|error| exec.explain(error))?;
    }
    cost.see(request.body.len(), DONE.len());
    cost.time = request.at.duration_since(started);
    let last = String::from_utf8_lossy(&request.body).into_owned();
    request.answer(text(DONE)).await?;
    exec.finish()?;
    home.succeeded(script.receipts)?;
    let written = fs::read_to_string(&report).unwrap_or_default();
    ensure!(
        written == files.report(),
        "the report is wrong:\n{written}\nIt should be:\n{}\nThe last request was:\n{last}",
        files.report()
    );
    Ok(cost)
}

impl Run {
    fn see(&mut self, input_bytes: usize, output_bytes: usize) {
        self.requests += 1;
        self.input_bytes += input_bytes;
        self.output_bytes += output_bytes;
    }
}

impl Cost {
    fn take(&mut self, run: &Run) {
        self.requests.push(f64::from(run.requests));
        self.input_tokens.push(tokens(run.input_bytes));
        self.output_tokens.push(tokens(run.output_bytes));
        self.time.push(us(run.time));
    }
}

#[expect(clippy::cast_precision_loss, reason = "a conversation is no exabyte")]
fn tokens(bytes: usize) -> f64 {
    bytes as f64 / BYTES_PER_TOKEN
}
