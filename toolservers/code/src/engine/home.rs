//! A QuickJS runtime within its limits, from its beginning to its end.
//!
//! Not here: the program in it.

use std::{
    rc::Rc,
    sync::atomic::{AtomicUsize, Ordering},
};

use rquickjs::{Function, Object, Persistent, Runtime};

use super::{fault::or_forget, host::Host};
use crate::limits::Limits;

/// The engine takes a stack of more as one without a bound.
const STACK_BYTES_MAX: usize = 16 * 1024 * 1024;

static LEFT_BEHIND: AtomicUsize = AtomicUsize::new(0);

/// How many runtimes of this process were left behind because memory ran out in them: each keeps 300 KiB to
/// all the memory of its program. A process with one may be replaced when it is idle.
pub fn runtimes_left_behind() -> usize {
    LEFT_BEHIND.load(Ordering::Relaxed)
}

/// A runtime.
pub(super) struct Home {
    /// It lives as long as this.
    pub(super) runtime: Runtime,
    host: Rc<Host>,
}

impl Home {
    /// A runtime without a context, that looks at the stop flag of its host.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(super) fn new(limits: &Limits, host: &Rc<Host>) -> rquickjs::Result<Self> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(limits.memory_bytes);
        runtime.set_max_stack_size(limits.stack_bytes.min(STACK_BYTES_MAX));
        let stop = Rc::clone(host);
        runtime.set_interrupt_handler(Some(Box::new(move || stop.is_stopped())));
        Ok(Self { runtime, host: Rc::clone(host) })
    }

    /// Lets the hooks of the prelude know of every rejection, and of every one that is handled after all.
    pub(super) fn track_rejections(&self, hooks: Persistent<Object<'static>>) {
        self.runtime.set_host_promise_rejection_tracker(Some(Box::new(
            move |ctx, promise, reason, handled| {
                let told = hooks
                    .clone()
                    .restore(&ctx)
                    .and_then(|hooks| hooks.get::<_, Function<'_>>("onRejection"))
                    .and_then(|hook| hook.call::<_, ()>((promise, reason, handled)));
                let _ = or_forget(&ctx, told);
            },
        )));
    }

    /// Leaves the runtime behind, for ever.
    ///
    /// Where memory runs out, QuickJS-NG 0.16 may lose count of a value, and a runtime that ends with a value
    /// in it aborts the process (bellard/quickjs 468).
    pub(super) fn abandon(&self) {
        LEFT_BEHIND.fetch_add(1, Ordering::Relaxed);
        std::mem::forget(self.runtime.clone());
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // It holds a value of the runtime.
        self.runtime.set_host_promise_rejection_tracker(None);
        if self.host.has_met_memory_limit() {
            // What the program held goes, the runtime (some 300 KiB) stays.
            self.runtime.run_gc();
            self.abandon();
        }
    }
}
