//! Which processes belong to a call, and how they are ended: TERM, a grace, KILL until none is left.
//!
//! This process is a subreaper (`reap`), so all that a command ever started is below it in the
//! process table, whatever group or session it moved to. Which call a process belongs to is told
//! by its ancestors, its session, or the marker in its environment. One that hid all three is
//! nobody's, and ends with the call that is being ended if no other runs.
//!
//! Invariants: a signal reaches exactly the process that was looked at, by a process descriptor and
//! its start time, never a later one with the same id; processes kept from earlier calls survive
//! until [`kill_everything`].

use std::{
    collections::BTreeMap,
    fs,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::time::{Instant, sleep, sleep_until};

use crate::{
    env::MARKER,
    limits::{FLOOD_PROCESSES, KILL_LOOK_AGAIN, KILL_PATIENCE, TERM_GRACE},
    reap,
};

#[cfg(test)]
pub(crate) mod tests;

/// What ended calls left running, and the ids of those calls.
static KEPT: Mutex<BTreeMap<Id, String>> = Mutex::new(BTreeMap::new());

/// A process, told apart from later ones with the same number by its start in clock ticks.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Id {
    pid: i32,
    start: u64,
}

/// A line of the process table; zombies are not in it.
#[derive(Clone, Copy, Debug)]
struct Process {
    id: Id,
    parent: i32,
    session: i32,
}

/// The processes of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<'a> {
    /// The shell: leader of the call's session. Nothing once it has ended, since its number may be
    /// given to another process; what it left is then told by the note that was made of it.
    pub(crate) root: Option<i32>,
    /// The marker's value in their environment.
    pub(crate) call_id: &'a str,
}

impl Tree<'_> {
    /// Notes what the ended command left running, and gives their number.
    pub(crate) fn keep_the_rest(self) -> usize {
        if !reap::has_children() {
            return 0;
        }
        let all = below_this_process();
        let left = self.members(&all);
        let mut kept = kept();
        kept.retain(|id, _| all.iter().any(|process| process.id == *id));
        kept.extend(left.iter().map(|id| (*id, self.call_id.to_owned())));
        left.len()
    }

    /// How many of it are alive.
    pub(crate) fn count(self) -> usize {
        if reap::has_children() { self.members(&below_this_process()).len() } else { 0 }
    }

    /// Ends all of it and gives how many could not be ended. So many that no look keeps up with them end with
    /// the namespaces of all commands.
    pub(crate) async fn end(self) -> usize {
        if self.count() > FLOOD_PROCESSES {
            reap::end_aside();
        }
        end_all(|| self.members(&below_this_process())).await
    }

    /// Those of `all` (parents before children) that belong to this call.
    fn members(self, all: &[Process]) -> Vec<Id> {
        let (aside, started) = (reap::aside(), reap::started());
        let started: Vec<i32> = started.into_iter().filter(|pid| !aside.contains(pid)).collect();
        let alone = started.iter().all(|root| Some(*root) == self.root);
        let kept = kept();
        // What is known of a process holds for its children, if they say nothing else.
        let mut owned: BTreeMap<i32, Option<bool>> = BTreeMap::new();
        let mut members = Vec::new();
        for process in all {
            let pid = process.id.pid;
            if aside.contains(&pid) {
                continue;
            }
            let is_its = |number: i32| self.root == Some(number);
            let own = if is_its(pid) || is_its(process.session) {
                Some(true)
            } else if let Some(owner) = kept.get(&process.id) {
                Some(self.root.is_none() && owner == self.call_id)
            } else if started.contains(&pid) {
                Some(false)
            } else if let Some(Some(parents)) = owned.get(&process.parent) {
                Some(*parents)
            } else {
                marker(pid).map(|id| id == self.call_id)
            };
            owned.insert(pid, own);
            if own.unwrap_or(alone) {
                members.push(process.id);
            }
        }
        members
    }
}

/// Ends everything that any call started, kept or not. For the way out of this program.
pub(crate) async fn kill_everything() -> usize {
    if !reap::has_children() {
        return 0;
    }
    end_all(|| below_this_process().iter().map(|process| process.id).collect()).await
}

/// TERM, the grace, then KILL until `members` gives none; gives how many are left.
async fn end_all(members: impl Fn() -> Vec<Id>) -> usize {
    let mut reaped = reap::reaped();
    for id in members() {
        send(id, Signal::TERM);
        // A stopped process takes no other signal.
        send(id, Signal::CONT);
    }
    let killing_starts = Instant::now() + TERM_GRACE;
    loop {
        if members().is_empty() {
            return 0;
        }
        tokio::select! {
            biased;
            () = sleep_until(killing_starts) => break,
            _ = reaped.changed() => {}
            () = sleep(KILL_LOOK_AGAIN) => {}
        }
    }
    let patience_ends = Instant::now() + KILL_PATIENCE;
    loop {
        let left = members();
        if left.is_empty() || Instant::now() >= patience_ends {
            return left.len();
        }
        for id in left {
            send(id, Signal::KILL);
        }
        tokio::select! {
            biased;
            _ = reaped.changed() => {}
            () = sleep(KILL_LOOK_AGAIN) => {}
        }
    }
}

/// Sends a signal to that very process; one that is gone needs none.
fn send(id: Id, signal: Signal) {
    let Some(pid) = Pid::from_raw(id.pid) else { return };
    let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    // The descriptor pins the process, so the number cannot change hands after this look.
    if process(id.pid).is_some_and(|process| process.id == id) {
        pidfd_send_signal(descriptor, signal).ok();
    }
}

/// The descendants of this process, parents before children.
fn below_this_process() -> Vec<Process> {
    let mut children: BTreeMap<i32, Vec<Process>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(process) = pid.and_then(process) {
            children.entry(process.parent).or_default().push(process);
        }
    }
    let this = i32::try_from(std::process::id()).unwrap_or(i32::MAX);
    let mut below = children.remove(&this).unwrap_or_default();
    let mut next = 0;
    while let Some(process) = below.get(next) {
        below.extend(children.remove(&process.id.pid).unwrap_or_default());
        next += 1;
    }
    below
}

/// One line of the process table, by proc(5) `stat`; nothing for one that is gone or a zombie.
fn process(pid: i32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let (_, after_name) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    if matches!(fields.first(), Some(&("Z" | "X"))) {
        return None;
    }
    Some(Process {
        id: Id { pid, start: number(19)? },
        parent: i32::try_from(number(1)?).ok()?,
        session: i32::try_from(number(3)?).ok()?,
    })
}

/// The call id in a process's environment, as it was when its program started.
fn marker(pid: i32) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut texts = environment.split(|byte| *byte == 0);
    let value = texts.find_map(|text| text.strip_prefix(MARKER.as_bytes())?.strip_prefix(b"="))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

fn kept() -> MutexGuard<'static, BTreeMap<Id, String>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}
