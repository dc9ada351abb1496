//! A turn whose steps have one call each and are timed one by one, as a provider sees them: from the moment
//! when the answer that wants the call was written to the moment when the next request is whole.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::{
    exec::{Home, Running},
    mock::{Mock, Request, ToolCall, calls, text},
};

/// How long a step may take: ten gigabytes of output on a slow machine.
const STEP_WITHIN: Duration = Duration::from_secs(600);

/// A turn that waits for its next answer.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    mock: &'a mut Mock,
    /// Its `tollgate exec`.
    pub(super) run: Running,
    request: Request,
    steps: usize,
}

/// What a step was.
#[derive(Debug)]
pub(super) struct Step {
    /// How long it took.
    pub(super) took: Duration,
    /// The call's result as the model has it.
    pub(super) result: String,
}

impl<'a> Turn<'a> {
    /// Begins a turn.
    ///
    /// # Errors
    /// `tollgate` failed.
    pub(super) async fn begin(home: &Home, mock: &'a mut Mock) -> anyhow::Result<Self> {
        let run = home.exec(mock)?;
        let request = mock.next().await.map_err(|error| run.explain(error))?;
        Ok(Self { mock, run, request, steps: 0 })
    }

    /// One call.
    ///
    /// # Errors
    /// `tollgate` failed, or the result never came.
    pub(super) async fn step(self, call: &ToolCall) -> anyhow::Result<(Self, Step)> {
        let Self { mock, run, request, steps } = self;
        let written = request.answer(calls(steps, std::slice::from_ref(call))).await?;
        let next = mock.next_within(STEP_WITHIN).await;
        let request = next.map_err(|error| run.explain(error))?;
        let took = request.at.duration_since(written);
        let step = Step { took, result: last_message(&request.body)? };
        Ok((Self { mock, run, request, steps: steps + 1 }, step))
    }

    /// Ends it; all its calls succeeded.
    ///
    /// # Errors
    /// They did not.
    pub(super) async fn end(self, home: &Home) -> anyhow::Result<()> {
        self.request.answer(text("done")).await?;
        self.run.finish()?;
        home.succeeded(self.steps)
    }
}

fn last_message(body: &[u8]) -> anyhow::Result<String> {
    let body: Value = serde_json::from_slice(body)?;
    let messages = body.get("messages").and_then(Value::as_array);
    let last = messages.and_then(|all| all.last()).context("a request without messages")?;
    let text = |name: &str| last.get(name).and_then(Value::as_str);
    ensure!(text("role") == Some("tool"), "the last message is no result: {last}");
    Ok(text("content").context("a result without text")?.to_owned())
}
