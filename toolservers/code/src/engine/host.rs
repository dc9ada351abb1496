//! What a program's prelude can reach outside its runtime: asks, the log and the notes, all of them bounded.
//!
//! Not here: JavaScript values. Only texts and numbers come this far.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::mpsc::UnboundedSender;

use super::{Ask, text::shortened};
use crate::limits::Limits;

/// Sentences beside a value; what comes after is dropped.
const NOTES_MAX: usize = 32;
/// Bytes of one of them.
const NOTE_BYTES_MAX: usize = 1024;

/// The host's side of one program.
#[derive(Debug)]
pub(super) struct Host {
    asks: RefCell<Option<UnboundedSender<Ask>>>,
    stop: Arc<AtomicBool>,
    arguments_bytes: usize,
    log_bytes: usize,
    log_left: Cell<usize>,
    log_dropped: Cell<u64>,
    open: RefCell<BTreeMap<u32, String>>,
    notes: RefCell<Vec<String>>,
    out_of_memory: Cell<bool>,
}

impl Host {
    /// A host that has been asked nothing yet.
    pub(super) fn new(
        limits: &Limits,
        asks: &UnboundedSender<Ask>,
        stop: &Arc<AtomicBool>,
    ) -> Self {
        Self {
            asks: RefCell::new(Some(asks.clone())),
            stop: Arc::clone(stop),
            arguments_bytes: limits.arguments_bytes,
            log_bytes: limits.log_bytes,
            log_left: Cell::new(limits.log_bytes),
            log_dropped: Cell::new(0),
            open: RefCell::new(BTreeMap::new()),
            notes: RefCell::new(Vec::new()),
            out_of_memory: Cell::new(false),
        }
    }

    /// Whether no more of the program may run.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sends a call; false when its arguments are too large.
    pub(super) fn send(&self, id: u32, name: String, arguments: String) -> bool {
        if arguments.len() > self.arguments_bytes {
            return false;
        }
        // Between the stop and the next look of the interpreter at it, a program still runs a little.
        if !self.is_stopped() {
            self.open.borrow_mut().insert(id, name.clone());
            self.ask(Ask::Call { id: u64::from(id), name, arguments });
        }
        true
    }

    /// Forgets a call that was answered; none when it is not open.
    pub(super) fn answered(&self, id: u64) -> Option<u32> {
        let id = u32::try_from(id).ok()?;
        self.open.borrow_mut().remove(&id).map(|_| id)
    }

    /// How many calls were sent and not answered.
    pub(super) fn open_calls(&self) -> usize {
        self.open.borrow().len()
    }

    /// Their names, shortened to a few: "3 calls (read, grep, …)"; "1 call (read)".
    pub(super) fn open_calls_text(&self) -> String {
        let open = self.open.borrow();
        let mut names: Vec<&str> = open.values().map(String::as_str).take(4).collect();
        if open.len() > names.len() {
            names.push("…");
        }
        let calls = if open.len() == 1 { "call" } else { "calls" };
        format!("{} {calls} ({})", open.len(), shortened(&names.join(", "), NOTE_BYTES_MAX / 2))
    }

    /// Writes a line of the log; false when there is no room for another.
    pub(super) fn log(&self, level: &str, text: &str) -> bool {
        let left = self.log_left.get();
        let kept = text.floor_char_boundary(left.saturating_sub(1).min(text.len()));
        if left == 0 {
            self.log_dropped.set(self.log_dropped.get().saturating_add(1));
            return false;
        }
        let level = ["info", "warn", "error", "debug"].into_iter().find(|known| *known == level);
        let line = text.get(..kept).unwrap_or_default().to_owned();
        self.ask(Ask::Log { level: level.unwrap_or("log"), text: line });
        if kept < text.len() {
            self.log_dropped.set(1);
            self.log_left.set(0);
        } else {
            self.log_left.set(left.saturating_sub(kept).saturating_sub(1));
        }
        self.log_left.get() > 0
    }

    /// Keeps a sentence for the result.
    pub(super) fn note(&self, text: &str) {
        let mut notes = self.notes.borrow_mut();
        if notes.len() < NOTES_MAX {
            notes.push(shortened(text, NOTE_BYTES_MAX));
        }
    }

    /// Remembers that the runtime met its memory limit where the program may not have seen it.
    pub(super) fn met_memory_limit(&self) {
        self.out_of_memory.set(true);
    }

    /// Whether [`Self::met_memory_limit`].
    pub(super) fn has_met_memory_limit(&self) -> bool {
        self.out_of_memory.get()
    }

    /// Ends the conversation: nothing is asked from here on, and these are the notes.
    ///
    /// A runtime that is left behind holds a host for ever; it must not hold the channel.
    pub(super) fn end(&self) -> Vec<String> {
        self.asks.take();
        let mut notes = self.notes.take();
        let dropped = self.log_dropped.get();
        if dropped > 0 {
            let lines = if dropped == 1 { "line was" } else { "lines were" };
            notes.push(format!(
                "{dropped} {lines} cut or dropped from the log: a program logs at most {} bytes",
                self.log_bytes
            ));
        }
        notes
    }

    fn ask(&self, ask: Ask) {
        if let Some(asks) = &*self.asks.borrow() {
            // Nobody is there any more: nothing will be answered, and the pump ends when it sees that.
            drop(asks.send(ask));
        }
    }
}
