//! One child of the kernel: signals to it, and its end.
//!
//! Invariant: nothing is sent to a process that was reaped (test
//! `a_child_that_was_reaped_does_not_signal_its_successor`).

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tokio::sync::watch;

use super::exit::Exit;
use super::reaper::CHILDREN;

/// One child. Ends its process when dropped.
#[derive(Debug)]
pub(super) struct Child {
    pid: Pid,
    serial: u64,
    is_warden: bool,
    exit: watch::Receiver<Option<Exit>>,
}

impl Child {
    /// The child `pid` that was the `serial`-th to be started; `exit` will say how it ended.
    pub(super) fn new(
        pid: Pid,
        serial: u64,
        is_warden: bool,
        exit: watch::Receiver<Option<Exit>>,
    ) -> Self {
        Self { pid, serial, is_warden, exit }
    }

    /// The process id: that of the warden if there is one.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Waits until the process has ended and nothing of it is left.
    pub(super) async fn exited(&self) -> Exit {
        let mut exit = self.exit.clone();
        // The sender is dropped only after it has sent.
        exit.wait_for(Option::is_some).await.ok().and_then(|exit| *exit).unwrap_or(Exit::Unknown)
    }

    /// How it ended, or `None` while it runs.
    pub(super) fn exit(&self) -> Option<Exit> {
        *self.exit.borrow()
    }

    /// Sends SIGTERM: a server drains, a warden ends all below it at once.
    pub(super) fn terminate(&self) {
        // A stopped process would keep the signal waiting.
        self.signal(&[Signal::SIGTERM, Signal::SIGCONT], kill);
    }

    /// Kills the process and its group. What is below is then an orphan and is swept.
    pub(super) fn kill(&self) {
        self.signal(&[Signal::SIGKILL], |pid, signal| {
            // The group exists only once the launcher has made it.
            killpg(pid, signal).ok();
            kill(pid, signal)
        });
    }

    fn signal(&self, signals: &[Signal], send: impl Fn(Pid, Signal) -> nix::Result<()>) {
        CHILDREN.while_unreaped(self.pid, self.serial, || {
            for signal in signals {
                // Failure means that it is a zombie already.
                send(self.pid, *signal).ok();
            }
        });
    }
}

impl Drop for Child {
    /// A warden ends what is below it also when the kernel ends right now; if the warden were killed,
    /// only a living kernel could.
    fn drop(&mut self) {
        if self.is_warden { self.terminate() } else { self.kill() }
    }
}
