//! A `tollgate exec` that runs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Child,
    time::Instant,
};

use anyhow::bail;

/// Characters of a failed run's standard error that are quoted.
const ERRORS_CHARS_MAX: usize = 1000;

/// A `tollgate exec` that runs; it is ended when it is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    errors: PathBuf,
    /// Right before it was started.
    pub(crate) started: Instant,
    is_over: bool,
}

impl Running {
    pub(super) fn new(child: Child, errors: PathBuf, started: Instant) -> Self {
        Self { child, errors, started, is_over: false }
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap_or(0)
    }

    /// Waits for its end, which its last answer has asked for.
    ///
    /// # Errors
    /// It failed, with what it said.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        let status = self.child.wait()?;
        self.is_over = true;
        if status.success() {
            return Ok(());
        }
        bail!("tollgate exec: {status}{}", last_words(&self.errors))
    }

    /// An error of the measurement with what the run said.
    pub(crate) fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        anyhow::anyhow!("{error:#}{}", last_words(&self.errors))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_over {
            // It may have ended by itself.
            self.child.kill().ok();
            self.child.wait().ok();
        }
    }
}

fn last_words(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let skip = text.chars().count().saturating_sub(ERRORS_CHARS_MAX);
    let tail: String = text.chars().skip(skip).collect();
    if tail.trim().is_empty() { String::new() } else { format!("; it said: {}", tail.trim()) }
}
