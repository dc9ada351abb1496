//! A raw server's process.

use std::{
    os::{fd::OwnedFd, unix::net::UnixListener},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::Context as _;

/// A raw server's process; ended when it is dropped.
#[derive(Debug)]
pub(crate) struct Spawned(Child);

impl Spawned {
    /// Starts it on a new socket at `path`, which is there when this returns.
    ///
    /// # Errors
    /// The socket or the process cannot be had.
    pub(crate) fn start(path: &Path) -> anyhow::Result<Self> {
        let bound = UnixListener::bind(path);
        let listener = bound.with_context(|| format!("cannot bind {}", path.display()))?;
        let child = Command::new(std::env::current_exe()?)
            .arg("raw-server")
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(listener)))
            .stdout(Stdio::null())
            .spawn()
            .context("cannot start the raw server")?;
        Ok(Self(child))
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        // Where a kernel runs in this process too, its reaper may have been quicker.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
