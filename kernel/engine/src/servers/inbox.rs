//! What has come for one call and was not taken yet: bounded by what the call was granted.
//!
//! The reader of a session never waits: it puts a frame here and goes on, so that a call that nobody
//! reads stops only itself. A server that sends more than its credit has broken the contract for
//! this call; the call gets [`CallEvent::Fault`] and nothing after it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::{Bytes, BytesMut};
use tokio::sync::Notify;
use tollgate_proto::{
    limits::{HOST_REQUESTS_MAX, OUTPUT_CREDIT_BYTES},
    tool::v1::{Completed, Host, output::Channel},
};

/// What happens to a call, in the order in which it is taken.
#[derive(Debug)]
pub enum CallEvent {
    /// The server has begun.
    Accepted,
    /// How far it is.
    Progress {
        /// One line.
        text: String,
        /// 0 to 1.
        fraction: Option<f32>,
    },
    /// Output of one channel that has come since the last.
    Output(Channel, Bytes),
    /// It asks for something.
    Host(Host),
    /// It has ended.
    Completed(Box<Completed>),
    /// The connection is gone; the call may have run.
    Lost(String),
    /// The server broke the contract for this call.
    Fault(String),
}

/// The inbox of one call. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Inbox(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    arrived: Notify,
}

#[derive(Debug)]
struct State {
    accepted: bool,
    progress: Option<(String, Option<f32>)>,
    /// In order; neighbours of one channel are one piece.
    output: VecDeque<(Channel, BytesMut)>,
    /// Bytes that may still come.
    credit: u64,
    hosts: VecDeque<Host>,
    last: Option<CallEvent>,
    /// Nothing more is taken in.
    closed: bool,
}

impl Inbox {
    pub(super) fn new() -> Self {
        let state = State {
            accepted: false,
            progress: None,
            output: VecDeque::new(),
            credit: u64::from(OUTPUT_CREDIT_BYTES),
            hosts: VecDeque::new(),
            last: None,
            closed: false,
        };
        Self(Arc::new(Shared { state: Mutex::new(state), arrived: Notify::new() }))
    }

    /// Waits for what comes next.
    ///
    /// # Cancel safety
    /// Nothing is lost when the future is dropped.
    pub async fn next(&self) -> CallEvent {
        loop {
            let arrived = self.0.arrived.notified();
            if let Some(event) = self.lock().take() {
                return event;
            }
            arrived.await;
        }
    }

    /// More output was granted.
    pub(super) fn add_credit(&self, bytes: u32) {
        self.lock().credit += u64::from(bytes);
    }

    pub(super) fn accepted(&self) {
        self.put(|state| state.accepted = true);
    }

    pub(super) fn progress(&self, text: String, fraction: Option<f32>) {
        self.put(|state| state.progress = Some((text, fraction)));
    }

    pub(super) fn output(&self, channel: Channel, data: &[u8]) {
        self.put(|state| match state.credit.checked_sub(data.len() as u64) {
            Some(_) if data.is_empty() => {}
            Some(left) => {
                state.credit = left;
                match state.output.back_mut() {
                    Some((last, piece)) if *last == channel => piece.extend_from_slice(data),
                    Some(_) | None => state.output.push_back((channel, BytesMut::from(data))),
                }
            }
            None => state.fault("the server sent more output than it was granted"),
        });
    }

    pub(super) fn host(&self, host: Host) {
        self.put(|state| {
            if state.hosts.len() < HOST_REQUESTS_MAX {
                state.hosts.push_back(host);
            } else {
                state.fault("the server opened more host requests than a call may have");
            }
        });
    }

    pub(super) fn completed(&self, completed: Box<Completed>) {
        self.put(|state| state.end(CallEvent::Completed(completed)));
    }

    pub(super) fn lost(&self, reason: &str) {
        self.put(|state| state.end(CallEvent::Lost(reason.to_owned())));
    }

    fn put(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        if !state.closed {
            change(&mut state);
            drop(state);
            self.0.arrived.notify_one();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self) -> Option<CallEvent> {
        if std::mem::take(&mut self.accepted) {
            return Some(CallEvent::Accepted);
        }
        if let Some((text, fraction)) = self.progress.take() {
            return Some(CallEvent::Progress { text, fraction });
        }
        if let Some((channel, data)) = self.output.pop_front() {
            return Some(CallEvent::Output(channel, data.freeze()));
        }
        self.hosts.pop_front().map(CallEvent::Host).or_else(|| self.last.take())
    }

    fn end(&mut self, event: CallEvent) {
        self.closed = true;
        self.last = Some(event);
    }

    fn fault(&mut self, why: &str) {
        self.output.clear();
        self.hosts.clear();
        self.end(CallEvent::Fault(why.to_owned()));
    }
}

#[cfg(test)]
mod tests;
