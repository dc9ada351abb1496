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
    fs, io,
    os::fd::OwnedFd,
    sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError},
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
use tollgate_confine::child::{Ended, Report};

static CHILDREN: Mutex<Children> =
    Mutex::new(Children { waited: BTreeMap::new(), aside: Vec::new(), any: false });

/// Counts the times that children were reaped.
static REAPED: LazyLock<watch::Sender<u64>> = LazyLock::new(|| watch::Sender::new(0));

struct Children {
    waited: BTreeMap<i32, Waited>,
    /// Processes of this server's own, which belong to no command.
    aside: Vec<i32>,
    /// Whether this process had children when it last looked.
    any: bool,
}

/// Who is told of a process's end.
struct Waited {
    ended: oneshot::Sender<Ending>,
    /// Where its launcher reports, and what is made of that at its end.
    report: Option<(OwnedFd, Arc<OnceLock<Report>>)>,
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
    /// How it ended, a launched one as its launcher tells it; fails only if the reaper is gone.
    pub(crate) ended: oneshot::Receiver<Ending>,
    /// What its launcher reported, once it has ended; nothing of one without a launcher.
    pub(crate) report: Arc<OnceLock<Report>>,
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

/// Starts a process by `start` and registers it, with where its launcher reports.
///
/// # Errors
/// Those of `start`.
pub(crate) fn spawn(
    report: Option<OwnedFd>,
    start: impl FnOnce() -> io::Result<Pid>,
) -> io::Result<Child> {
    let mut children = lock();
    let pid = start()?.as_raw();
    let (sender, ended) = oneshot::channel();
    let told = Arc::default();
    let report = report.map(|from| (from, Arc::clone(&told)));
    children.waited.insert(pid, Waited { ended: sender, report });
    children.any = true;
    Ok(Child { pid, ended, report: told })
}

/// Whether this process may have children, adopted ones included, other than those of its own.
pub(crate) fn has_children() -> bool {
    let children = lock();
    children.any && !has_only(&children.aside)
}

/// These processes are of this server's own: they belong to no command, and what they adopt is told by
/// itself alone.
pub(crate) fn keep_aside(own: impl Into<Vec<i32>>) {
    lock().aside = own.into();
}

/// Ends those of this server's own, and with them everything in the namespaces that they keep open, at once.
pub(crate) fn end_aside() {
    let children = lock();
    // Of those not waited for yet the numbers are theirs.
    for pid in children.aside.iter().filter(|pid| children.waited.contains_key(pid)) {
        if let Some(pid) = rustix::process::Pid::from_raw(*pid) {
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
        }
    }
}

/// Those of this server's own.
pub(crate) fn aside() -> Vec<i32> {
    lock().aside.clone()
}

/// Whether nothing is below this process but these, one below the other.
fn has_only(own: &[i32]) -> bool {
    let this = i32::try_from(std::process::id()).unwrap_or(i32::MAX);
    let parents = [this].into_iter().chain(own.iter().copied());
    let children = own.iter().copied().map(Some).chain([None]);
    let is_alone = |(parent, child): (i32, Option<i32>)| {
        children_of(parent).is_some_and(|all| all.as_slice() == child.as_slice())
    };
    !own.is_empty() && parents.zip(children).all(is_alone)
}

/// The children of all threads of a process; nothing where the kernel does not tell.
fn children_of(process: i32) -> Option<Vec<i32>> {
    let mut all = Vec::new();
    for thread in fs::read_dir(format!("/proc/{process}/task")).ok()? {
        let text = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        all.extend(text.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    Some(all)
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
                if let (Some(ending), Some(waited)) =
                    (ending, children.waited.remove(&pid.as_raw_nonzero().get()))
                {
                    // Nobody waits any more for a call that was dropped.
                    waited.ended.send(as_reported(waited.report, ending)).ok();
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

/// How the program of a launcher ended.
fn as_reported(report: Option<(OwnedFd, Arc<OnceLock<Report>>)>, ending: Ending) -> Ending {
    let Some((from, told)) = report else { return ending };
    // Somebody else may hold the writing end, and nobody waits for that here.
    rustix::io::ioctl_fionbio(&from, true).ok();
    let report = Report::read(from.into());
    let ended = report.ended.map(|ended| match ended {
        Ended::Code(code) => Ending::Code(code),
        Ended::Signal(signal) => Ending::Signal(signal),
    });
    told.set(report).ok();
    ended.unwrap_or(ending)
}

fn ending_of(status: WaitStatus) -> Option<Ending> {
    let code = status.exit_status().map(Ending::Code);
    code.or_else(|| status.terminating_signal().map(Ending::Signal))
}

fn lock() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}
