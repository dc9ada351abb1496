//! Owns every child of this process: starts them, waits for them, and reaps what it adopts.
//!
//! This process is a subreaper: a process that leaves its parent, its group and its session becomes
//! a child of this one, so nothing that a command starts can get out of reach. One task reaps on
//! SIGCHLD; nothing else in this program may wait for children (no `std::process`).
//!
//! Invariant: starting and registering happen under one lock, so an end is never missed.
//!
//! Not here: which processes belong to a call, and ending them (`tree`).

use std::{
    collections::BTreeMap,
    io,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use nix::unistd::Pid;
use rustix::{
    io::Errno,
    process::{WaitOptions, WaitStatus},
};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{oneshot, watch},
    task::JoinHandle,
};

static CHILDREN: Mutex<Children> = Mutex::new(Children { waited: BTreeMap::new(), any: false });

/// Counts the times that children were reaped.
static REAPED: LazyLock<watch::Sender<u64>> = LazyLock::new(|| watch::Sender::new(0));

struct Children {
    waited: BTreeMap<i32, oneshot::Sender<Ending>>,
    /// Whether this process had children when it last looked.
    any: bool,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Ending {
    /// It exited with this code, 0 to 255.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// A started process.
#[derive(Debug)]
pub(crate) struct Child {
    /// Its id; valid until `ended` has answered.
    pub(crate) pid: i32,
    /// How it ended; fails only if the reaper is gone.
    pub(crate) ended: oneshot::Receiver<Ending>,
}

/// The reaping task; it stops when this is dropped.
#[derive(Debug)]
pub(crate) struct Reaper(JoinHandle<()>);

impl Drop for Reaper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Makes this process a subreaper and starts reaping. Needs a running runtime.
///
/// # Errors
/// The operating system refuses one of the two.
pub(crate) fn start() -> io::Result<Reaper> {
    nix::sys::prctl::set_child_subreaper(true)?;
    let mut ended = signal(SignalKind::child())?;
    let task = async move {
        while ended.recv().await.is_some() {
            reap();
        }
    };
    Ok(Reaper(tokio::spawn(task)))
}

/// Starts a process by `start` and registers it.
///
/// # Errors
/// Those of `start`.
pub(crate) fn spawn(start: impl FnOnce() -> io::Result<Pid>) -> io::Result<Child> {
    let mut children = lock();
    let pid = start()?.as_raw();
    let (sender, ended) = oneshot::channel();
    children.waited.insert(pid, sender);
    children.any = true;
    Ok(Child { pid, ended })
}

/// Whether this process may have children, adopted ones included.
pub(crate) fn has_children() -> bool {
    lock().any
}

/// The running processes that [`spawn`] started.
pub(crate) fn started() -> Vec<i32> {
    lock().waited.keys().copied().collect()
}

/// Changes whenever something was reaped.
pub(crate) fn reaped() -> watch::Receiver<u64> {
    REAPED.subscribe()
}

fn reap() {
    let mut children = lock();
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => {
                let ending = ending_of(status);
                // Adopted processes are waited for by nobody.
                if let (Some(ending), Some(waiting)) =
                    (ending, children.waited.remove(&pid.as_raw_nonzero().get()))
                {
                    // Nobody waits any more for a call that was dropped.
                    waiting.send(ending).ok();
                }
            }
            Ok(None) => {
                children.any = true;
                break;
            }
            Err(Errno::INTR) => {}
            Err(_) => {
                children.any = false;
                break;
            }
        }
    }
    drop(children);
    REAPED.send_modify(|times| *times += 1);
}

fn ending_of(status: WaitStatus) -> Option<Ending> {
    let code = status.exit_status().map(Ending::Code);
    code.or_else(|| status.terminating_signal().map(Ending::Signal))
}

fn lock() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}
