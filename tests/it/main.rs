//! The black-box tests: the real binaries, real processes, real sockets, one module an area.
//!
//! Each test names the requirements that it shows. None asserts a time, none sleeps to wait, and every
//! wait has a bound (`tollgate_tests`). `cargo build --workspace` comes first.

#![cfg(test)]

mod config;
mod crash;
mod direct_call;
mod exec;
mod gate;
mod grants;
mod hostile;
mod lazy;
mod model;
mod output;
mod python;
mod session;
mod standalone;
mod store;
mod supervision;
mod tidy;
