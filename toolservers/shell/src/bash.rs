//! The tool `bash`: one cancellable foreground command.
//!
//! `prepare` says what the line touches and whether it is proven to only read; `call` runs it and
//! says how it ended. The session's working directory comes with each call and goes back with it.
//!
//! Not here: what is asked of every line (`line`), running it (`foreground`).

use std::{sync::Arc, time::Duration};

use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety,
    Spec, Tool,
};

use crate::{
    foreground::Shell,
    limits::{TIMEOUT_SECONDS_DEFAULT, TIMEOUT_SECONDS_MAX},
    line::{Line, Wider},
};

#[cfg(test)]
mod tests;

/// Who may start commands, beside the model and the user.
pub(crate) const CALLERS: &[Caller] = &[Caller::Program, Caller::Server, Caller::Client];

/// The tool.
#[derive(Debug)]
pub(crate) struct BashTool(pub(crate) Arc<Shell>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct Input {
    /// Run by `bash -c`.
    #[schemars(length(min = 1))]
    command: String,
    /// Seconds; default 120.
    #[schemars(range(min = 1, max = 600))]
    timeout: Option<u32>,
    /// What it does, in 5 to 10 words.
    description: Option<String>,
    /// A wider sandbox than usual, if a person says yes.
    sandbox: Option<Wider>,
    /// Why.
    justification: Option<String>,
}

impl Input {
    fn line(&self) -> Line {
        Line {
            command: self.command.clone(),
            description: self.description.clone(),
            sandbox: self.sandbox,
            justification: self.justification.clone(),
            ..Line::default()
        }
    }
}

impl Tool for BashTool {
    type Input = Input;
    const NAME: &'static str = "bash";
    const DESCRIPTION: &'static str = "Run a command line with bash and wait for its end. Output and errors come \
        as one text, of which the middle is left out if it is long. There is no terminal and no input. A `cd` at \
        the end holds for later calls. What it leaves in the background ends with the session. It can change the \
        workspace and $TMPDIR only, and has no network unless it was allowed for.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST)
            .title("Run a command")
            .search_hint("shell terminal execute run script build test install process")
            .eager()
            .prepared()
            .cancellable()
            .result_bytes_max(0)
            .callers(CALLERS)
    }

    async fn prepare(&self, input: &Input, context: &Context) -> Result<Preparation, Invalid> {
        input.line().prepare(&self.0.environment, context)
    }

    async fn call(&self, input: Input, call: Call) -> Result<Reply, Failure> {
        let seconds = input.timeout.unwrap_or(TIMEOUT_SECONDS_DEFAULT).min(TIMEOUT_SECONDS_MAX);
        self.0.run(&input.line(), Duration::from_secs(seconds.into()), &call).await
    }
}
