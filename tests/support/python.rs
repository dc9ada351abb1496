//! The interpreter with what the tests' Python programs need: `tests/peers/install.sh` makes it.

use std::path::PathBuf;

use crate::{binaries::workspace_root, run::Command};

/// The interpreter of `tests/peers/.venv`. A missing one is a failure that says what to run.
#[must_use]
pub fn python() -> PathBuf {
    let path = workspace_root().join("tests/peers/.venv/bin/python");
    assert!(path.exists(), "{} is missing; run tests/peers/install.sh first", path.display());
    path
}

/// The folder of the Python echo server.
#[must_use]
pub fn folder() -> PathBuf {
    workspace_root().join("tests/python")
}

/// A command of the interpreter.
#[must_use]
pub fn command() -> Command {
    Command::new(&python()).env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONUNBUFFERED", "1")
}
