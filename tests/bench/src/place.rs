//! Where processes run. A wake-up on another, idle processor costs 20 to 35 µs on a virtual machine,
//! so a figure is only comparable with one of the same placement.

use anyhow::Context as _;
use clap::ValueEnum;
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};

/// A placement.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Place {
    /// Everything on processor 0. The one that is judged: tight, and repeatable under load.
    Pinned,
    /// Wherever the system puts it. Shown beside.
    Unpinned,
}

impl Place {
    /// As the command line has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Unpinned => "unpinned",
        }
    }

    /// Puts this process there, and what it starts from now on: call it before any thread.
    ///
    /// # Errors
    /// The system does not allow it.
    pub(crate) fn take(self) -> anyhow::Result<()> {
        if self == Self::Pinned {
            let mut processors = CpuSet::new();
            processors.set(0)?;
            sched_setaffinity(Pid::from_raw(0), &processors).context(
                "cannot run on processor 0; is it among the allowed ones (`taskset -p`)?",
            )?;
        }
        Ok(())
    }
}

/// How many processors this process may use.
pub(crate) fn processors() -> usize {
    let allowed = sched_getaffinity(Pid::from_raw(0)).unwrap_or_default();
    (0..CpuSet::count()).filter(|number| allowed.is_set(*number).unwrap_or(false)).count()
}
