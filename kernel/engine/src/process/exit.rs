//! How a process ended, as far as the operating system says.

use std::fmt;

use nix::sys::signal::Signal;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this exit code. Below a warden, 128 + n stands for signal n.
    Code(i32),
    /// Killed by this signal number.
    Signal(i32),
    /// Ended, but the operating system's word on it is lost: a real-time signal, or another part of
    /// the program reaped it.
    Unknown,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "ended with exit code {code}"),
            Self::Signal(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(f, "was killed by signal {number} ({signal})"),
                Err(_) => write!(f, "was killed by signal {number}"),
            },
            Self::Unknown => write!(f, "ended in an unknown way"),
        }
    }
}
