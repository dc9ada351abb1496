//! Old names that run a command: `Bash` (action `run`, which is also meant when none is given) and
//! `exec_shell`.
//!
//! Not here: the other actions of `Bash` (`task`).

use std::{sync::Arc, time::Duration};

use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety, Spec,
    Subject, Tool, serde_json::json,
};

use crate::{
    limits::{OLD_TIMEOUT_MS_DEFAULT, OLD_TIMEOUT_MS_MAX},
    line::{Line, Wider},
    process::{Asker, Office, ProcessTool, type_in},
};

/// The old `Bash`, but for the actions that need a task.
#[derive(Debug)]
pub(crate) struct BashRun(pub(crate) Arc<Office>);

/// The still older `exec_shell`.
#[derive(Debug)]
pub(crate) struct ExecShell(pub(crate) Arc<Office>);

/// The schema of `Bash` with action `run`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct BashRunInput {
    /// Action to perform (default: run).
    #[serde(rename = "action")]
    _action: Option<RunAction>,
    /// The shell command to execute.
    command: String,
    /// Timeout in milliseconds: default 120000, at most 600000.
    timeout_ms: Option<u64>,
    /// Alias for `timeout_ms`.
    timeout: Option<u64>,
    /// Run in the background and return a task id.
    background: Option<bool>,
    /// Alias for `background`.
    run_in_background: Option<bool>,
    /// Run with terminal input and output; not supported.
    interactive: Option<bool>,
    /// Text for standard input.
    stdin: Option<String>,
    /// Alias for `stdin`.
    input: Option<String>,
    /// Alias for `stdin`.
    data: Option<String>,
    /// Working directory.
    cwd: Option<String>,
    /// Alias for `cwd`.
    working_dir: Option<String>,
    /// Allocate a pseudo-terminal; not supported.
    tty: Option<bool>,
    /// Both outputs as one stream, which is always so.
    #[serde(rename = "combined_output")]
    _combined_output: Option<bool>,
    /// Keep running after the session; not supported.
    persist: Option<bool>,
    /// What the command does.
    description: Option<String>,
    /// A wider sandbox.
    sandbox_permissions: Option<OldWider>,
    /// Why the wider sandbox.
    justification: Option<String>,
}

/// The schema of `exec_shell`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct ExecShellInput {
    /// The shell command to execute.
    command: String,
    /// Timeout in milliseconds: default 120000, at most 600000.
    timeout_ms: Option<u64>,
    /// Alias for `timeout_ms`.
    timeout: Option<u64>,
    /// Run in the background and return a task id.
    background: Option<bool>,
    /// Run with terminal input and output; not supported.
    interactive: Option<bool>,
    /// Text for standard input.
    stdin: Option<String>,
    /// Alias for `stdin`.
    input: Option<String>,
    /// Alias for `stdin`.
    data: Option<String>,
    /// Working directory.
    cwd: Option<String>,
    /// Alias for `cwd`.
    working_dir: Option<String>,
    /// Allocate a pseudo-terminal; not supported.
    tty: Option<bool>,
    /// Both outputs as one stream, which is always so.
    #[serde(rename = "combined_output")]
    _combined_output: Option<bool>,
    /// What the command does.
    description: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
enum RunAction {
    Run,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
enum OldWider {
    WorkspaceWrite,
    DangerFullAccess,
}

/// What both ask for.
#[derive(Debug)]
pub(super) struct OldRun {
    pub(super) line: Line,
    pub(super) timeout: Duration,
    pub(super) background: bool,
    /// What it asks for and nothing here can do.
    unsupported: Option<&'static str>,
}

impl BashRunInput {
    pub(super) fn run(self) -> OldRun {
        let sandbox = self.sandbox_permissions.map(|wider| match wider {
            OldWider::WorkspaceWrite => Wider::WorkspaceWrite,
            OldWider::DangerFullAccess => Wider::Off,
        });
        let line = Line {
            command: self.command,
            description: self.description,
            sandbox,
            justification: self.justification,
            folder: self.cwd.or(self.working_dir),
            input: self.stdin.or(self.input).or(self.data),
        };
        OldRun {
            line,
            timeout: timeout(self.timeout_ms.or(self.timeout)),
            background: self.background.or(self.run_in_background).unwrap_or(false),
            unsupported: unsupported([
                ("interactive", self.interactive),
                ("tty", self.tty),
                ("persist", self.persist),
            ]),
        }
    }
}

impl ExecShellInput {
    pub(super) fn run(self) -> OldRun {
        let line = Line {
            command: self.command,
            description: self.description,
            folder: self.cwd.or(self.working_dir),
            input: self.stdin.or(self.input).or(self.data),
            ..Line::default()
        };
        OldRun {
            line,
            timeout: timeout(self.timeout_ms.or(self.timeout)),
            background: self.background.unwrap_or(false),
            unsupported: unsupported([("interactive", self.interactive), ("tty", self.tty)]),
        }
    }
}

/// As the old tools took it: 0 is no time at all, and too much is the most.
fn timeout(asked_ms: Option<u64>) -> Duration {
    let asked = asked_ms.unwrap_or(OLD_TIMEOUT_MS_DEFAULT);
    Duration::from_millis(asked.clamp(1, OLD_TIMEOUT_MS_MAX))
}

fn unsupported<const N: usize>(
    switches: [(&'static str, Option<bool>); N],
) -> Option<&'static str> {
    switches.into_iter().find(|(_, on)| *on == Some(true)).map(|(name, _)| name)
}

impl OldRun {
    fn check(&self) -> Result<(), Invalid> {
        let Some(name) = self.unsupported else { return Ok(()) };
        let message = format!(
            "'{name}' is not supported any more: there is no terminal, and nothing outlives the session. Leave \
             it out; a command in the background can be typed into by its id"
        );
        Err(Invalid::new(format!("/{name}"), message))
    }

    pub(super) fn prepare(
        &self,
        office: &Office,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        self.check()?;
        let preparation = self.line.prepare(&office.shell.environment, context)?;
        if self.background && !preparation.safety.read_only {
            return Ok(preparation.subject(Subject::Tool(ProcessTool::NAME.to_owned())));
        }
        Ok(preparation)
    }

    async fn call(self, office: &Office, call: &Call) -> Result<Reply, Failure> {
        self.check().map_err(|invalid| Failure::new("invalid", invalid.message))?;
        if self.background {
            self.start(office, Asker::of(call)).await
        } else {
            office.shell.run(&self.line, self.timeout, call).await
        }
    }

    /// In the background, with an open input: the old tasks could all be typed into.
    pub(super) async fn start(self, office: &Office, asker: Asker<'_>) -> Result<Reply, Failure> {
        let process = office.start(&self.line, true, asker)?;
        if let Some(text) = &self.line.input {
            type_in(&process, text, false, asker).await?;
        }
        let id = process.id();
        let text = format!("Background task started: {id}");
        Ok(Reply::text(text).metadata(json!({ "task_id": id, "status": "Running" })))
    }
}

impl Tool for BashRun {
    type Input = BashRunInput;
    const NAME: &'static str = "Bash";
    const DESCRIPTION: &'static str = "Old name of bash, action run.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST).prepared()
    }

    async fn prepare(
        &self,
        input: &BashRunInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        input.clone().run().prepare(&self.0, context)
    }

    async fn call(&self, input: BashRunInput, call: Call) -> Result<Reply, Failure> {
        input.run().call(&self.0, &call).await
    }
}

impl Tool for ExecShell {
    type Input = ExecShellInput;
    const NAME: &'static str = "exec_shell";
    const DESCRIPTION: &'static str = "Old name of bash.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST).prepared()
    }

    async fn prepare(
        &self,
        input: &ExecShellInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        input.clone().run().prepare(&self.0, context)
    }

    async fn call(&self, input: ExecShellInput, call: Call) -> Result<Reply, Failure> {
        input.run().call(&self.0, &call).await
    }
}
