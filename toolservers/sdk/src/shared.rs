//! What all sessions of a server process share.

use std::sync::Arc;

use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tollgate_proto::tool::v1::{Manifest, ToolSpec};

use crate::{blobs::Blobs, executions::Executions, grants::GrantGate, tools::Tools};

/// One server process.
pub(crate) struct Shared {
    /// Minted when the process started (UUIDv7 text); grants name it.
    pub(crate) instance: String,
    /// What confines this process, in words for receipts; empty when nothing does.
    pub(crate) confinement: String,
    pub(crate) tools: Tools,
    pub(crate) manifest: Manifest,
    pub(crate) specs: Vec<ToolSpec>,
    pub(crate) features: Vec<String>,
    pub(crate) calls_max: u32,
    pub(crate) grants: GrantGate,
    pub(crate) executions: Executions,
    pub(crate) blobs: Arc<Blobs>,
    /// Fires when the server is told to stop.
    pub(crate) draining: CancellationToken,
    /// Every task of every session, so that stopping can wait for them.
    pub(crate) tasks: TaskTracker,
}
