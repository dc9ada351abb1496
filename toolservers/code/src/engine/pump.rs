//! The loop that runs a program's jobs, hands it its answers, and knows when it has ended.
//!
//! Invariants: once the stop flag is set no further job begins (Q3, Q4); a program that waits for nothing is
//! told so at once (Q5); a program has ended only when no call of it is open.
//!
//! Not here: clocks. Whoever sets the flag has one.

use std::sync::mpsc::{Receiver, TryRecvError};

use rquickjs::promise::PromiseState;

use super::{
    Tell,
    host::Host,
    machine::{Job, Machine},
};

/// Jobs between two looks at answers and at the program's promise.
const JOBS_PER_LOOK: usize = 64;
/// Looks after the program's own end, no call being open, while which what it left behind may still begin one.
const LOOKS_AFTER_END: usize = 160;

/// How a program ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// It returned.
    Returned,
    /// It threw.
    Threw,
    /// It was told to stop; `after_end` when it waited only for calls that it had not awaited.
    Stopped {
        /// It had returned or thrown before.
        after_end: bool,
    },
    /// It waits for what nothing will settle.
    NeverSettles,
}

/// Runs a launched program to its end.
pub(super) fn pump(machine: &Machine, host: &Host, tells: &Receiver<Tell>) -> End {
    let mut looks_after_end = 0;
    let mut ended: Option<End> = None;
    loop {
        let idle = run_jobs(machine, host);
        if host.is_stopped() {
            return End::Stopped { after_end: ended.is_some() };
        }
        if ended.is_none() {
            ended = end_of(machine, host);
        }
        let Some(answered) = deliver_what_came(machine, tells) else {
            return End::Stopped { after_end: ended.is_some() };
        };
        if answered {
            looks_after_end = 0;
            continue;
        }
        if host.open_calls() == 0 {
            match ended {
                Some(end) if idle || looks_after_end == LOOKS_AFTER_END => return end,
                Some(_) => looks_after_end += 1,
                None if idle => return End::NeverSettles,
                None => {}
            }
        } else if idle && !wait(machine, tells) {
            return End::Stopped { after_end: ended.is_some() };
        }
    }
}

/// True when nothing is left to run.
fn run_jobs(machine: &Machine, host: &Host) -> bool {
    for _ in 0..JOBS_PER_LOOK {
        if host.is_stopped() {
            return false;
        }
        if machine.step() == Job::None {
            return true;
        }
    }
    false
}

/// Looks whether the program has returned or thrown, and tells what it has left running.
fn end_of(machine: &Machine, host: &Host) -> Option<End> {
    let end = match machine.state() {
        PromiseState::Pending => return None,
        PromiseState::Resolved => End::Returned,
        PromiseState::Rejected => {
            // What the calls of a failed program would go on to do is not wanted any more.
            machine.close();
            End::Threw
        }
    };
    if host.open_calls() > 0 {
        host.note(&format!(
            "{} had not ended when the program did, and the result waited; await every call, as in \
             `(await tools.NAME({{…}})).content`, several by `await Promise.all([…])`",
            host.open_calls_text()
        ));
    }
    Some(end)
}

/// Whether an answer had come; none when the program is to stop.
fn deliver_what_came(machine: &Machine, tells: &Receiver<Tell>) -> Option<bool> {
    match tells.try_recv() {
        Ok(Tell::Answer { id, answer }) => {
            machine.deliver(id, answer);
            Some(true)
        }
        Err(TryRecvError::Empty) => Some(false),
        Ok(Tell::Stop) | Err(TryRecvError::Disconnected) => None,
    }
}

/// Waits for an answer; false when the program is to stop.
fn wait(machine: &Machine, tells: &Receiver<Tell>) -> bool {
    match tells.recv() {
        Ok(Tell::Answer { id, answer }) => {
            machine.deliver(id, answer);
            true
        }
        Ok(Tell::Stop) | Err(_) => false,
    }
}
