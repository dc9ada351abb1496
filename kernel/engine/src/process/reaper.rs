//! The children of this process: which run, how they ended, and what they left behind.
//!
//! The kernel is a subreaper: whatever a dead server leaves behind becomes a child of the kernel. One
//! thread waits for the end of any child (it blocks in `waitid`, it does not poll), reaps it, kills and
//! reaps orphans, and only then tells those who wait for the child. A thread, and not a task woken by
//! SIGCHLD, because a task ends with the runtime that it was started on.
//!
//! Invariants: a child is signalled only under the lock under which it is reaped, so that a number
//! given to another process meanwhile is never hit; `exited` means that nothing of the child is left.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;
use tokio::sync::watch;
use tollgate_launch::processes::{Process, processes};
use tollgate_launch::sweep;

use super::child::Child;
use super::exit::Exit;
use super::limits::SWEEP_MAX;

/// All children that were started here and have not been reaped.
pub(super) static CHILDREN: Children =
    Children { table: Mutex::new(Table::new()), started: Condvar::new() };

/// The table of children, and the news that one was added.
pub(super) struct Children {
    table: Mutex<Table>,
    started: Condvar,
}

struct Table {
    running: BTreeMap<Pid, Running>,
    /// Children from before this process became the kernel (by `exec`); not ours to kill.
    inherited: Vec<Process>,
    next_serial: u64,
}

struct Running {
    /// Tells this child from a later one with the same number.
    serial: u64,
    exit: watch::Sender<Option<Exit>>,
}

impl Table {
    const fn new() -> Self {
        Self { running: BTreeMap::new(), inherited: Vec::new(), next_serial: 0 }
    }

    /// Reaps the children of the table that have ended.
    fn reap(&mut self) -> Vec<(Running, Exit)> {
        let ended = self.running.keys().filter_map(|pid| Some((*pid, reap(*pid)?)));
        let ended: Vec<_> = ended.collect();
        let take = |(pid, exit)| Some((self.running.remove(&pid)?, exit));
        ended.into_iter().filter_map(take).collect()
    }
}

/// Reaps one child if it has ended.
fn reap(pid: Pid) -> Option<Exit> {
    match waitpid(pid, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::Exited(_, code)) => Some(Exit::Code(code)),
        Ok(WaitStatus::Signaled(_, signal, _)) => Some(Exit::Signal(signal as i32)),
        Ok(_) | Err(Errno::EINTR) => None,
        // EINVAL: reaped, but `nix` has no name for a real-time signal. ECHILD: reaped elsewhere.
        Err(_) => Some(Exit::Unknown),
    }
}

impl Children {
    /// Remembers the children that this process had before it started any; almost always none.
    pub(super) fn remember_inherited(&self) {
        let looking = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
        if waitid(Id::All, looking) == Err(Errno::ECHILD) {
            return;
        }
        let mut all = processes().unwrap_or_default();
        all.retain(|process| process.parent == Pid::this());
        self.lock().inherited = all;
    }

    /// Starts a child with `start`, which must be called on the thread that is to be its parent.
    pub(super) fn start(
        &self,
        is_warden: bool,
        start: impl FnOnce() -> nix::Result<Pid>,
    ) -> nix::Result<Child> {
        let (sender, exit) = watch::channel(None);
        // Held while it starts, so that it cannot end, or be taken for an orphan, before it is known.
        let mut table = self.lock();
        let pid = start()?;
        let serial = table.next_serial;
        table.next_serial += 1;
        table.running.insert(pid, Running { serial, exit: sender });
        drop(table);
        self.started.notify_all();
        Ok(Child::new(pid, serial, is_warden, exit))
    }

    /// Runs `act` if the child has not been reaped, and keeps it from being reaped meanwhile, so that
    /// its number is its own.
    pub(super) fn while_unreaped(&self, pid: Pid, serial: u64, act: impl FnOnce()) {
        let table = self.lock();
        if table.running.get(&pid).is_some_and(|running| running.serial == serial) {
            act();
        }
    }

    /// Waits for the ends of children for ever; the body of the reaper thread.
    pub(super) fn attend(&self) {
        loop {
            let seen = waitid(Id::All, WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
            let ended = self.lock().reap();
            if let Some(pid) = seen.ok().and_then(|status| status.pid()) {
                self.reap_stranger(pid);
            }
            let is_alone = seen == Err(Errno::ECHILD);
            if !is_alone {
                // Without any child there is nobody that could have been left behind.
                self.end_orphans();
            }
            for (child, exit) in ended {
                child.exit.send_replace(Some(exit));
            }
            if is_alone {
                self.wait_for_child();
            }
        }
    }

    /// Reaps a child that is not in the table; else `waitid` would name it for ever.
    fn reap_stranger(&self, pid: Pid) {
        let table = self.lock();
        if !table.running.contains_key(&pid) {
            waitpid(pid, Some(WaitPidFlag::WNOHANG)).ok();
        }
    }

    /// Kills what servers left behind.
    fn end_orphans(&self) {
        let swept = sweep(Pid::this(), |process| self.is_kept(process), SWEEP_MAX);
        if swept.killed > 0 {
            tracing::debug!(count = swept.killed, "killed processes that a server left behind");
        }
        if !swept.left.is_empty() {
            tracing::warn!(pids = ?swept.left, "processes that a server left behind do not end");
        }
    }

    fn is_kept(&self, process: &Process) -> bool {
        let table = self.lock();
        let same = |old: &Process| old.pid == process.pid && old.start_ticks == process.start_ticks;
        table.running.contains_key(&process.pid) || table.inherited.iter().any(same)
    }

    fn wait_for_child(&self) {
        let table = self.lock();
        let waited = self.started.wait_while(table, |table| table.running.is_empty());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // Each change of the table is one call that cannot panic halfway.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
