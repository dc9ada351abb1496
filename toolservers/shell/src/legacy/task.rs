//! Actions of the old `Bash` on a task that it started in the background: `wait`, `interact`, `cancel`.
//!
//! Their answers hold what came since the last one, as the old answers did.
//!
//! Not here: `run` (`run`).

use std::{sync::Arc, time::Duration};

use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, Preparation, Reply, Safety, Spec,
    Tool, serde_json::json,
};

use crate::{
    limits::{OLD_INTERACT_MS_DEFAULT, OLD_TIMEOUT_MS_MAX, OLD_WAIT_MS_DEFAULT},
    process::{
        Asked, Asker, Office, State, check_owner, check_text, read_told, still_ending, type_in,
        wait_and_tell,
    },
};

/// `Bash` with action `wait`.
#[derive(Debug)]
pub(crate) struct BashWait(pub(crate) Arc<Office>);

/// `Bash` with action `interact`.
#[derive(Debug)]
pub(crate) struct BashInteract(pub(crate) Arc<Office>);

/// `Bash` with action `cancel`.
#[derive(Debug)]
pub(crate) struct BashCancel(pub(crate) Arc<Office>);

/// The schema of action `wait`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct WaitInput {
    #[serde(rename = "action")]
    _action: WaitAction,
    /// The task.
    task_id: Option<String>,
    /// Alias for `task_id`.
    id: Option<String>,
    /// Milliseconds, default 30000, at most 600000.
    timeout_ms: Option<u64>,
    /// Alias for `timeout_ms`.
    timeout: Option<u64>,
    /// The same in seconds.
    timeout_secs: Option<u64>,
    /// false: say how it is now.
    wait: Option<bool>,
    /// Alias for `wait`.
    block: Option<bool>,
}

/// The schema of action `interact`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct InteractInput {
    #[serde(rename = "action")]
    _action: InteractAction,
    /// The task.
    task_id: Option<String>,
    /// Alias for `task_id`.
    id: Option<String>,
    /// Text for standard input.
    stdin: Option<String>,
    /// Alias for `stdin`.
    input: Option<String>,
    /// Alias for `stdin`.
    data: Option<String>,
    /// Close standard input after it.
    close_stdin: Option<bool>,
    /// Milliseconds to wait for output, default 1000, at most 600000.
    timeout_ms: Option<u64>,
}

/// The schema of action `cancel`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct CancelInput {
    #[serde(rename = "action")]
    _action: CancelAction,
    /// The task.
    task_id: Option<String>,
    /// Alias for `task_id`.
    id: Option<String>,
    /// All running tasks.
    all: Option<bool>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
enum WaitAction {
    Wait,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
enum InteractAction {
    Interact,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
enum CancelAction {
    Cancel,
}

/// The task that is meant, by either name.
fn needed<'a>(task_id: Option<&'a String>, id: Option<&'a String>) -> Result<&'a str, Invalid> {
    let needs = || Invalid::new("/task_id", "this action needs 'task_id': which task is meant");
    task_id.or(id).map(String::as_str).ok_or_else(needs)
}

impl WaitInput {
    fn task(&self) -> Result<&str, Invalid> {
        needed(self.task_id.as_ref(), self.id.as_ref())
    }

    fn within(&self) -> Duration {
        let seconds = self.timeout_secs.map(|seconds| seconds.saturating_mul(1000));
        let asked = self.timeout_ms.or(seconds).or(self.timeout).unwrap_or(OLD_WAIT_MS_DEFAULT);
        Duration::from_millis(asked.min(OLD_TIMEOUT_MS_MAX))
    }
}

impl InteractInput {
    fn task(&self) -> Result<&str, Invalid> {
        needed(self.task_id.as_ref(), self.id.as_ref())
    }

    fn text(&self) -> &str {
        let text = self.stdin.as_ref().or(self.input.as_ref()).or(self.data.as_ref());
        text.map_or("", String::as_str)
    }
}

impl CancelInput {
    /// `None`: all.
    pub(super) fn task(&self) -> Result<Option<&str>, Invalid> {
        if self.all == Some(true) {
            return Ok(None);
        }
        needed(self.task_id.as_ref(), self.id.as_ref()).map(Some)
    }
}

impl Tool for BashWait {
    type Input = WaitInput;
    const NAME: &'static str = "Bash";
    const DESCRIPTION: &'static str = "Old name of process, action wait.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ).prepared()
    }

    async fn prepare(&self, input: &WaitInput, context: &Context) -> Result<Preparation, Invalid> {
        let id = input.task()?.to_owned();
        self.0.prepare(&Asked::Wait { id, after: None, until: None, seconds: 0 }, context)
    }

    async fn call(&self, input: WaitInput, call: Call) -> Result<Reply, Failure> {
        wait(&self.0, &input, Asker::of(&call)).await
    }
}

impl Tool for BashInteract {
    type Input = InteractInput;
    const NAME: &'static str = "Bash";
    const DESCRIPTION: &'static str = "Old name of process, action write.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST).prepared()
    }

    async fn prepare(
        &self,
        input: &InteractInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        let text = input.text().to_owned();
        check_text(&text)?;
        let (id, close) = (input.task()?.to_owned(), input.close_stdin.unwrap_or(false));
        self.0.prepare(&Asked::Write { id, text, close }, context)
    }

    async fn call(&self, input: InteractInput, call: Call) -> Result<Reply, Failure> {
        interact(&self.0, &input, Asker::of(&call)).await
    }
}

impl Tool for BashCancel {
    type Input = CancelInput;
    const NAME: &'static str = "Bash";
    const DESCRIPTION: &'static str = "Old name of process, action stop.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WORST).prepared()
    }

    async fn prepare(
        &self,
        input: &CancelInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        match input.task()? {
            Some(id) => self.0.prepare(&Asked::Stop { id: id.to_owned() }, context),
            None => Ok(Office::prepare_stop("all background tasks")),
        }
    }

    async fn call(&self, input: CancelInput, call: Call) -> Result<Reply, Failure> {
        let task = input.task().map_err(invalid)?;
        cancel(&self.0, task, Asker::of(&call)).await
    }
}

fn invalid(invalid: Invalid) -> Failure {
    Failure::new("invalid", invalid.message)
}

pub(super) async fn wait(
    office: &Office,
    input: &WaitInput,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    let process = office.find(input.task().map_err(invalid)?, asker.context)?;
    if input.wait.or(input.block) == Some(false) {
        return Ok(read_told(&process));
    }
    wait_and_tell(&process, |_| false, input.within(), asker).await
}

pub(super) async fn interact(
    office: &Office,
    input: &InteractInput,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    let process = office.find(input.task().map_err(invalid)?, asker.context)?;
    let text = input.text();
    check_text(text).map_err(invalid)?;
    let before = process.state().bytes;
    type_in(&process, text, input.close_stdin.unwrap_or(false), asker).await?;
    let within = input.timeout_ms.unwrap_or(OLD_INTERACT_MS_DEFAULT).min(OLD_TIMEOUT_MS_MAX);
    let said = |state: &State| state.bytes > before;
    wait_and_tell(&process, said, Duration::from_millis(within), asker).await
}

pub(super) async fn cancel(
    office: &Office,
    task: Option<&str>,
    asker: Asker<'_>,
) -> Result<Reply, Failure> {
    let processes = match task {
        Some(id) => {
            let process = office.find(id, asker.context)?;
            check_owner(&process, asker.context)
                .map_err(|message| Failure::new("not_yours", message))?;
            vec![process]
        }
        None => office.running(asker.context),
    };
    // All at once: each may take its half second.
    for process in &processes {
        process.begin_to_stop();
    }
    for process in &processes {
        if !process.stop(asker.cancelled).await {
            return Err(still_ending(&process.id()));
        }
    }
    let ids: Vec<String> = processes.iter().map(|process| process.id()).collect();
    let text = match ids.as_slice() {
        [] => "No running background tasks.".to_owned(),
        ids => format!("Cancelled: {}", ids.join(", ")),
    };
    Ok(Reply::text(text).metadata(json!({ "task_ids": ids, "status": "Killed" })))
}
