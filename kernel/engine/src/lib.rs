//! All of the kernel that waits: for models, servers, people, disks.
//!
//! Read in this order: [`kernel`] (what a process has), [`session`] (what a conversation has),
//! [`turn`] (the loop), [`gate`] (the straight line of one call), [`dispatch`] (its clocks),
//! [`servers`] (processes and connections), [`process`] (how they are started), [`store`].
//!
//! Not here: decisions (`tollgate-core`), reading configuration and printing (`tollgate`).

pub mod approval;
pub mod batch;
pub mod clock;
pub mod context;
mod dispatch;
pub mod error;
pub mod event;
pub mod explain;
pub mod gate;
pub mod grant_key;
mod guardian;
pub mod history;
pub mod hooks;
pub mod kernel;
pub mod model;
pub mod process;
pub mod prompt;
mod search;
pub mod secrets;
pub mod servers;
pub mod session;
pub mod settings;
pub mod snapshot;
pub mod store;
pub mod tools;
pub mod turn;
