//! One run of one hook: found, started, told, heard within its time, and gone.
//!
//! A hook runs below a warden, in a session of its own, in the workspace, with the scrubbed
//! environment and `TOLLGATE_EVENT`, `TOLLGATE_SESSION`, `TOLLGATE_WORKSPACE`.
//!
//! Not here: what its answer means for a call, or its fault for anybody.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::PathBuf,
};

use tokio_util::sync::CancellationToken;
use tollgate_policy::hooks::Hook;

use super::{
    answer::{self, About, Answer},
    limits::{ANSWER_BYTES_MAX, DEPTH_MAX, STDERR_BYTES_MAX},
    payload::{Payload, alias},
    program,
};
use crate::{
    context::SessionContext,
    process::{CaptureBounds, ProcessLimits, ProcessSpec, Spawner, scrubbed},
    servers::chain,
};

/// How many hooks stand above this process; each `tollgate` below a hook counts itself.
const DEPTH: &str = "TOLLGATE_HOOK_DEPTH";

/// A hook that is to run, with all it needs: it may outlive the call that it is about.
#[derive(Clone, Debug)]
pub(super) struct Job {
    spawner: Spawner,
    session: String,
    roots: Vec<PathBuf>,
    pub(super) hook: Hook,
    pub(super) payload: Payload,
    /// The tool, when it is about a call.
    tool: Option<String>,
}

impl Job {
    pub(super) fn new(
        cx: &SessionContext,
        hook: &Hook,
        payload: Payload,
        tool: Option<&str>,
    ) -> Self {
        Self {
            spawner: cx.hooks.spawner.clone(),
            session: cx.id.as_str().to_owned(),
            roots: cx.roots.clone(),
            hook: hook.clone(),
            payload,
            tool: tool.map(str::to_owned),
        }
    }

    /// Runs it to its answer.
    ///
    /// # Errors
    /// Why it gave none, as a clause after "it".
    ///
    /// # Cancel safety
    /// If this is dropped the hook is ended. `cancel` ends it too, and waits until it has ended.
    pub(super) async fn run(&self, cancel: &CancellationToken) -> Result<Answer, String> {
        let depth = depth();
        if depth >= DEPTH_MAX {
            return Err(format!(
                "was not started: {DEPTH_MAX} hooks stand above it, each in a tollgate that \
                 another hook started"
            ));
        }
        let workspace = self.roots.first().cloned().unwrap_or_default();
        let mut env = scrubbed(&[]);
        let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        let search = program::search_path(&path.unwrap_or_default(), &self.roots);
        let program = program::find(&self.hook.command, &workspace, &search)?;
        env.retain(|(name, _)| name != "PATH");
        // Each folder came out of such a list, so none holds what separates them.
        let path = env::join_paths(search).unwrap_or_default();
        let depth = (depth + 1).to_string();
        let ours: [(&str, &OsStr); 5] = [
            ("PATH", &path),
            ("TOLLGATE_EVENT", self.hook.event.as_str().as_ref()),
            ("TOLLGATE_SESSION", self.session.as_ref()),
            ("TOLLGATE_WORKSPACE", workspace.as_os_str()),
            (DEPTH, depth.as_ref()),
        ];
        env.extend(ours.map(|(name, value)| (OsString::from(name), value.to_owned())));
        let spec = ProcessSpec {
            name: self.hook.origin.clone(),
            program: program.path,
            args: program.args,
            env,
            cwd: Some(workspace.clone()),
            warden: true,
            limits: ProcessLimits::default(),
            listener: None,
            log_file: None,
        };
        let bounds = CaptureBounds {
            stdout_bytes_max: ANSWER_BYTES_MAX,
            stderr_bytes_max: STDERR_BYTES_MAX,
            within: self.hook.timeout,
        };
        let input = self.payload.bytes.clone();
        let captured = self.spawner.capture(spec, input, bounds, cancel).await;
        let captured = captured.map_err(|error| format!("failed to start: {}", chain(&error)))?;
        let about = About {
            event: alias(self.hook.event),
            tool: self.tool.as_deref(),
            words: &program.words,
        };
        answer::read(&captured, about)
    }

    /// A fault of this hook, for people: which, what, and what helps.
    pub(super) fn fault(&self, why: &str) -> String {
        let Hook { event, origin, .. } = &self.hook;
        format!("the {} hook of {origin} {}", event.as_str(), self.helped(why))
    }

    /// A fault's clause with the setting to mend.
    pub(super) fn helped(&self, why: &str) -> String {
        let origin = &self.hook.origin;
        let mend =
            if why.starts_with("did not end") { "`timeout_s` or `command`" } else { "`command`" };
        format!("{why} (mend {mend} at {origin})")
    }
}

/// How many hooks stand above this process.
fn depth() -> u32 {
    let set = env::var_os(DEPTH);
    let number = |text: OsString| text.to_str().and_then(|text| text.parse().ok());
    // What cannot be read was not written by a kernel: no deeper hook is started.
    set.map_or(0, |text| number(text).unwrap_or(DEPTH_MAX))
}
