//! The kernel's own gRPC (`[KERN-02]`): sessions, turns, calls and approvals for other front ends.
//!
//! | module | job |
//! |---|---|
//! | [`server`] | from the bound listener to the drained end |
//! | [`listen`] | the Unix socket and its lock, TCP with TLS |
//! | `peers` | who may connect, and how many |
//! | `service` | one method an RPC: checks what the client says, and answers |
//! | `sessions` | the sessions that are open |
//! | `open` | one of them: its turns and calls, one at a time |
//! | `hub` | events, to everybody who watches |
//! | `page` | receipts and snapshots, bounded |
//! | `status` | errors as gRPC statuses |
//!
//! Invariants: a call that comes in here passes the same gate as the model's (`[GATE-01]`); whoever is
//! not the kernel's user, or is a descendant of the kernel (a tool), is not heard; whatever a client
//! sends is answered by a status and panics nothing.
//!
//! Not here: the sessions themselves and the approvals desk (`tollgate-engine`), the command
//! (`tollgate serve`).

mod hub;
mod limits;
pub mod listen;
mod open;
mod page;
mod peers;
pub mod server;
mod service;
mod sessions;
mod status;

pub use listen::{Bound, Listen, ServeError, TlsFiles};
pub use server::{Defaults, serve};
