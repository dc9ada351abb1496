//! The black-box tests: the real binaries, real processes, real sockets, one module an area.
//!
//! Each test names the requirements that it shows. None asserts a time, none sleeps to wait, and every
//! wait has a bound (`tollgate_tests`). `cargo build --workspace` comes first.

#![cfg(test)]

mod approvals;
mod attacks;
mod catalog;
mod code;
mod config;
mod confine;
mod crash;
mod differential;
mod direct_call;
mod exec;
mod file;
mod gate;
mod grants;
mod guardian;
mod hooks;
mod hostile;
mod inspection;
mod lazy;
mod manifest_cache;
mod model;
mod output;
mod permissions;
mod policy_files;
mod python;
mod redteam;
mod search;
mod secrets;
mod serve;
mod session;
mod shell;
mod standalone;
mod store;
mod supervision;
mod tasks;
mod terminal;
mod tidy;
mod trust;
