//! Goal: real background processes from start to end, well-behaved and not. [SHELL-03], B040, B187.

use std::{
    path::PathBuf,
    sync::{
        MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::time::Instant;
use tollgate_sdk::serde_json;

use super::*;
use crate::{
    limits::{ENDED_MAX, KEPT_BYTES_MAX, PROCESSES_MAX},
    line::tests::context,
    process::{background::Unwritten, life::By},
    reap::{self, Ending, Reaper},
    testing::{alone, running, unconfined},
    tree::{self, tests::alive},
};

mod gate;
mod hostile;
mod life;

static CALLS: AtomicU64 = AtomicU64::new(0);

/// A folder, a shell, the reaper of this process, and one session.
pub(crate) struct World {
    pub(crate) office: Arc<Office>,
    pub(crate) context: Context,
    pub(crate) cancelled: CancellationToken,
    pub(crate) over: CancellationToken,
    pub(crate) scope: Scope,
    folder: tempfile::TempDir,
    _reaper: Reaper,
    _alone: MutexGuard<'static, ()>,
}

impl World {
    pub(crate) fn new() -> Self {
        let alone = alone();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        Self {
            office: Office::new(Shell::new(&unconfined(), None).unwrap()),
            context: context(&root),
            cancelled: CancellationToken::new(),
            over: CancellationToken::new(),
            scope: Scope { exec: true, write_roots: vec![root], ..Scope::default() },
            folder,
            _reaper: reap::start().unwrap(),
            _alone: alone,
        }
    }

    pub(crate) fn asker(&self) -> Asker<'_> {
        Asker {
            context: &self.context,
            scope: &self.scope,
            cancelled: &self.cancelled,
            session_over: &self.over,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn act(&self, arguments: serde_json::Value) -> Result<Reply, Failure> {
        let input: Input = serde_json::from_value(arguments).unwrap();
        self.office.act(input.asked().unwrap(), self.asker()).await
    }

    /// The answer as text, also of a failure.
    async fn said(&self, arguments: serde_json::Value) -> String {
        match self.act(arguments).await {
            Ok(reply) => format!("{reply:?}"),
            Err(failure) => format!("FAILED {failure:?}"),
        }
    }

    pub(crate) fn try_start(
        &self,
        command: &str,
        interactive: bool,
    ) -> Result<Arc<Background>, Failure> {
        let call_id = format!("c-{}", CALLS.fetch_add(1, Ordering::Relaxed));
        let context = Context { call_id, ..self.context.clone() };
        let line = Line { command: command.into(), ..Line::default() };
        self.office.start(&line, interactive, Asker { context: &context, ..self.asker() })
    }

    pub(crate) fn start(&self, command: &str) -> Arc<Background> {
        self.try_start(command, false).unwrap()
    }

    /// Starts it and waits for its end.
    async fn ended(&self, command: &str) -> Arc<Background> {
        let process = self.start(command);
        assert_eq!(wait_for(&process, |_| false).await, Waited::Ended, "{command}");
        process
    }

    fn prepare(&self, arguments: serde_json::Value) -> Result<Preparation, Invalid> {
        let input: Input = serde_json::from_value(arguments).unwrap();
        self.office.prepare(&input.asked()?, &self.context)
    }
}

pub(crate) async fn wait_for(process: &Background, enough: impl Fn(&State) -> bool) -> Waited {
    let deadline = Instant::now() + Duration::from_secs(20);
    process.wait(enough, deadline, &CancellationToken::new()).await
}

/// Waits until its output holds a text.
async fn says(process: &Background, text: &str) {
    let waited = wait_for(process, |state| state.kept.has(text, 0)).await;
    assert_eq!(waited, Waited::Enough, "{text}: {:?}", process.state());
}

fn ending(process: &Background) -> Option<Ending> {
    match process.life() {
        Life::Ended { shell, .. } | Life::Left { shell, .. } => shell.ending,
        Life::Running => None,
    }
}

fn output(process: &Background) -> String {
    process.state().kept.newest().text
}
