//! What the kernel keeps on disk: session logs, receipts and artifacts, below one state directory.
//!
//! | module | keeps | invariant |
//! |---|---|---|
//! | [`dir`] | the layout | nobody else can write there |
//! | [`lock`] | one kernel per session | the operating system frees it, also after `kill -9` |
//! | [`framed`] | lines with length and checksum | a failed write leaves what was there; damage is told |
//! | [`session`] | one log a session | a record is written before `append` returns |
//! | [`receipts`] | one chain a session | one receipt a call; what was changed or cut shows |
//! | [`artifacts`] | bytes named by their SHA-256 | a name is never seen before its whole content |
//!
//! The order that makes `kill -9` harmless (`[STORE-01]`): `decided` is appended, and flushed if the
//! call has effects, before the call is sent; its receipt is appended before the session's
//! `tool_result`, which quotes the chain's head. A device flush runs beside what comes next.
//!
//! Not here: what the records mean to a conversation (the turn loop), where the state directory is
//! (`tollgate`'s configuration), printing.

pub mod artifacts;
pub mod dir;
mod encode;
mod error;
mod file_error;
pub mod framed;
pub mod limits;
pub mod lock;
pub mod receipts;
pub mod session;

pub use artifacts::{ArtifactId, Artifacts};
pub use dir::StateDir;
pub use encode::EncodeError;
pub use error::StoreError;
pub use file_error::FileError;
pub use lock::SessionLock;
pub use receipts::ReceiptLog;
pub use session::{SessionLog, SessionRecord};

#[cfg(test)]
mod tests;
