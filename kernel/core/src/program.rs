//! A running program of code mode, as far as it needs no waiting: its two clocks.
//!
//! Not here: what a program may call ([`crate::authority::program`]), running one (`engine::dispatch`).

mod clock;

pub use clock::{ProgramClock, Which};
