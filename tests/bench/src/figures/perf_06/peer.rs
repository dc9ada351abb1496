//! A peer's process, which stays for all rounds: one line asks for a program, one line tells its µs.
//! Its drivers are in `tests/peers/code-mode`.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, ensure};

use super::kind::Kind;
use crate::{
    process::{below, pss_mib},
    stats::Samples,
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../peers/code-mode");

/// A peer that runs; ended when it is dropped.
#[derive(Debug)]
pub(super) struct Peer {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    driver: &'static str,
}

impl Peer {
    /// Starts a driver with its interpreter of `.venv/bin`.
    ///
    /// # Errors
    /// It is not installed, with what installs it, or cannot be started.
    pub(super) fn start(interpreter: &str, driver: &'static str) -> anyhow::Result<Self> {
        let folder = Path::new(FOLDER);
        let installed = ["node_modules", ".venv"].map(|part| folder.join(part));
        ensure!(
            installed.iter().all(|part| part.join(".installed-from").is_file()),
            "the peers are not installed; once: tests/peers/code-mode/install.sh"
        );
        let mut child = Command::new(folder.join(".venv/bin").join(interpreter))
            .arg(folder.join(driver))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {interpreter} {driver}"))?;
        let asks = child.stdin.take().context("the peer has no standard input")?;
        let answers = child.stdout.take().context("the peer has no standard output")?;
        Ok(Self { child, asks, answers: BufReader::new(answers), driver })
    }

    /// So many programs of this kind, as the peer has measured them.
    ///
    /// # Errors
    /// The peer failed; what it said is on standard error.
    pub(super) fn run(&mut self, kind: Kind, programs: usize) -> anyhow::Result<Samples> {
        #[derive(serde::Deserialize)]
        struct Answer {
            us: f64,
        }
        let mut samples = Samples::default();
        for _ in 0..programs {
            writeln!(self.asks, "{} {}", kind.word(), kind.calls())?;
            let mut line = String::new();
            self.answers.read_line(&mut line)?;
            let answer: Answer = serde_json::from_str(&line)
                .with_context(|| format!("{} did not answer {}", self.driver, kind.word()))?;
            samples.push(Duration::try_from_secs_f64(answer.us / 1e6)?);
        }
        Ok(samples)
    }

    /// Of its process and those below it, in MiB.
    ///
    /// # Errors
    /// It has ended.
    pub(super) fn pss_mib(&self) -> anyhow::Result<f64> {
        let pid = i32::try_from(self.child.id())?;
        let below = below(pid)?.into_iter().map(|process| process.pid);
        std::iter::once(pid).chain(below).map(pss_mib).sum()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The reaper of the kernel in this process may have been quicker.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
