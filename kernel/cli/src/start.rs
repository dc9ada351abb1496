//! What every command begins with: output, configuration, and, for those that need it, a kernel.

use std::{path::PathBuf, sync::Arc};

use anyhow::Context as _;
use tollgate_engine::{kernel::Kernel, settings::Settings, store::StateDir};

use crate::{
    args::Common,
    config::{self, Config, programs::Programs},
    exit::{Exit, Failure},
    output::{Output, line_err},
};

/// What a command has.
#[derive(Debug)]
pub(crate) struct Start {
    /// The common options.
    pub(crate) common: Common,
    /// Where output goes.
    pub(crate) output: Output,
}

impl Start {
    /// Reads the configuration, and says what in it does not count.
    ///
    /// # Errors
    /// It has mistakes.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let config = config::load(&self.common, &environment)?;
        for note in &config.notes {
            line_err(&self.output.stderr_paint.yellow(&format!("note: {note}")));
        }
        Ok(config)
    }

    /// The settings for a kernel.
    ///
    /// # Errors
    /// A server cannot be used as it is configured.
    pub(crate) fn settings(&self, config: &Config) -> Result<Settings, Failure> {
        let executable = executable()?;
        let programs = Programs::of_process(&executable);
        let (settings, faults) = config::settings(config, &executable, &programs);
        config::no_faults(faults)?;
        Ok(settings)
    }

    /// A kernel; it has started and dialled nothing.
    ///
    /// # Errors
    /// As [`Self::settings`], and the kernel's own.
    pub(crate) fn kernel(&self, config: &Config) -> Result<Arc<Kernel>, Failure> {
        Ok(Kernel::start(self.settings(config)?, &config.places.engine, config.roots())?)
    }

    /// The store, for commands that only look.
    ///
    /// # Errors
    /// It cannot be used.
    pub(crate) fn store(&self) -> Result<StateDir, Failure> {
        let places = config::dirs::places(&environment)?;
        Ok(StateDir::open(&places.engine.state)?)
    }
}

/// A variable of this process, if it is text.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// This program, absolute.
///
/// # Errors
/// The operating system does not know it.
pub(crate) fn executable() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .context("cannot find the path of this program; is /proc mounted?")
        .map_err(|error| Failure::new(Exit::Failed, error))
}
