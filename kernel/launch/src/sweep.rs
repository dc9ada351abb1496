//! Ends all that is below a process: children, their children, and what was orphaned to it.
//!
//! Only a subreaper can do this: what leaves its session or is orphaned below it comes back to it as
//! a child, so that walking down from the root finds everything.
//!
//! Invariant: the root itself is never signalled.
//!
//! Not here: escapes that are possible only for a process that kills the root first; the subreaper
//! above the root sweeps those.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

use crate::processes::{Process, processes};

/// Pause between two looks at the process table. A killed process is gone within a scheduler tick.
const PAUSE: Duration = Duration::from_millis(1);
/// Looks in a row that must find nothing alive. One could miss a process that was given another
/// parent while the table was read.
const CLEAN_LOOKS: u32 = 2;

/// What a sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// How many times a living process was killed.
    pub killed: usize,
    /// What was still alive at the end of the time allowed, for instance stuck in a dead network
    /// file system.
    pub left: Vec<Pid>,
}

/// Kills and reaps everything below `root`, which must be the calling process and a subreaper,
/// except the children that `keep` names and what is below those. Ends after `within` at the latest.
pub fn sweep(root: Pid, keep: impl Fn(&Process) -> bool, within: Duration) -> Swept {
    let give_up = Instant::now() + within;
    let mut swept = Swept::default();
    let mut clean = 0;
    while clean < CLEAN_LOOKS {
        swept.left = kill_all(&below(root, &keep), root);
        if swept.left.is_empty() {
            clean += 1;
            continue;
        }
        clean = 0;
        swept.killed += swept.left.len();
        if Instant::now() >= give_up {
            break;
        }
        thread::sleep(PAUSE);
    }
    swept
}

/// Everything below `root` in the process table as it is now.
fn below(root: Pid, keep: &impl Fn(&Process) -> bool) -> Vec<Process> {
    let mut children: HashMap<Pid, Vec<Process>> = HashMap::new();
    for process in processes().unwrap_or_default() {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = children.remove(&root).unwrap_or_default();
    found.retain(|child| !keep(child));
    let mut next = 0;
    while let Some(process) = found.get(next) {
        // Taken out, so that a table read while numbers are reused cannot lead in a circle.
        found.extend(children.remove(&process.pid).unwrap_or_default());
        next += 1;
    }
    found
}

/// Kills all and reaps the direct children of `root` that are dead; returns what was alive.
fn kill_all(processes: &[Process], root: Pid) -> Vec<Pid> {
    for process in processes {
        // Failure means that it is gone.
        kill(process.pid, Signal::SIGKILL).ok();
    }
    for child in processes.iter().filter(|process| process.parent == root) {
        waitpid(child.pid, Some(WaitPidFlag::WNOHANG)).ok();
    }
    processes.iter().filter(|process| process.alive).map(|process| process.pid).collect()
}
