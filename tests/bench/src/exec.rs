//! `tollgate exec` as a process: in a temporary home and workspace, with the mock as its provider.

mod running;

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use running::Running;

use crate::mock::{Mock, text};

/// A home and a workspace, with a file `note.txt` to read.
#[derive(Debug)]
pub(crate) struct Home {
    folder: TempDir,
    tollgate: PathBuf,
}

impl Home {
    /// A home whose kernel knows its servers' manifests, because one run was before. `servers`: more of
    /// its `config.toml`.
    ///
    /// # Errors
    /// `tollgate` is not beside this program, or its run failed.
    pub(crate) async fn warm(mock: &mut Mock, servers: &str) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("tgb-").tempdir()?;
        let own = std::env::current_exe()?;
        let tollgate = own.with_file_name("tollgate");
        ensure!(
            tollgate.is_file(),
            "{} is not there; build everything first: cargo build --release",
            tollgate.display()
        );
        let home = Self { folder, tollgate };
        fs::create_dir_all(home.path("home/config"))?;
        fs::create_dir_all(home.path("work"))?;
        fs::write(home.path("work/note.txt"), "a line\n".repeat(20))?;
        fs::write(home.path("home/config/config.toml"), servers)?;
        let run = home.exec(mock)?;
        mock.next().await.map_err(|error| run.explain(error))?.answer(text("ready")).await?;
        run.finish()?;
        Ok(home)
    }

    /// Starts a run.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn exec(&self, mock: &Mock) -> anyhow::Result<Running> {
        self.exec_with(mock, "go")
    }

    /// Starts a run with a message of one's own.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn exec_with(&self, mock: &Mock, prompt: &str) -> anyhow::Result<Running> {
        let errors = self.path("errors.txt");
        let mut command = self.command();
        command
            .args(["exec", "--model", "openai:mock", "--posture", "full-access"])
            .args(["--output-format", "json", prompt])
            .env("OPENAI_BASE_URL", &mock.url)
            .env("OPENAI_API_KEY", "none")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&errors)?);
        let started = Instant::now();
        let child = command.spawn().context("cannot start tollgate")?;
        Ok(Running::new(child, errors, started))
    }

    /// The last run made so many calls, and all of them succeeded, as their receipts say.
    ///
    /// # Errors
    /// It did not.
    pub(crate) fn succeeded(&self, calls: usize) -> anyhow::Result<()> {
        let listed =
            self.command().args(["receipts", "list", "--limit", "0", "--json"]).output()?;
        let records: Vec<Value> = serde_json::from_slice(&listed.stdout)
            .context("`tollgate receipts list --json` printed no list")?;
        let is_ok = |record: &&Value| {
            let text = |pointer| record.pointer(pointer).and_then(Value::as_str);
            text("/type") == Some("receipt") && text("/end/status") == Some("ok")
        };
        let ok = records.iter().filter(is_ok).count();
        let all = records.len();
        ensure!(
            ok == calls && all == calls,
            "{calls} calls were asked for; {ok} of {all} succeeded"
        );
        Ok(())
    }

    /// `tollgate --version`, from its start to its end: the floor of a start.
    ///
    /// # Errors
    /// It cannot be started, or fails.
    pub(crate) fn version(&self) -> anyhow::Result<()> {
        let status = self.command().arg("--version").stdout(Stdio::null()).status()?;
        ensure!(status.success(), "tollgate --version: {status}");
        Ok(())
    }

    /// A path in the folder that holds `home` and `work`.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.tollgate);
        command.env_clear().current_dir(self.path("work"));
        command.env("TOLLGATE_HOME", self.path("home")).env("HOME", self.path("home"));
        for name in ["PATH", "TMPDIR"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command
    }
}
