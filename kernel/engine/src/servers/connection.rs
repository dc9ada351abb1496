//! One connected server process: who it is, how it is spoken to, and its end.

use std::{path::PathBuf, time::Duration};

use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use tollgate_core::{call::Preparation, catalog::ServerFacts};
use tollgate_proto::{
    limits::MESSAGE_BYTES_MAX,
    model::v1::model_client::ModelClient,
    tool::v1::{GetExecutionRequest, GetExecutionResponse, Prepare, Reply, Start, cancel::Reason},
};

use super::{
    connect::{Channel, tool_client},
    grant::{CallClaims, Granted, Signer},
    inbox::Inbox,
    limits::EXECUTION_WITHIN,
    link::{Link, LinkError},
    wire::NotPrepared,
};
use crate::process::ServerProcess;

/// A server process that has answered `Hello`.
#[derive(Debug)]
pub struct Connection {
    pub(super) facts: ServerFacts,
    pub(super) instance: String,
    pub(super) confinement: String,
    pub(super) host: String,
    /// Roots on the server's host; the first is the workspace.
    pub(super) roots: Vec<PathBuf>,
    pub(super) channel: Channel,
    pub(super) signer: Signer,
    pub(super) link: Link,
    /// One permit for each call that the server says it runs at once.
    pub(super) slots: Semaphore,
    /// Absent for a server elsewhere.
    pub(super) process: Option<ServerProcess>,
    pub(super) since_unix_ms: u64,
}

impl Connection {
    /// What receipts say of the server.
    #[must_use]
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// The process, by the id that it gave itself.
    #[must_use]
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// What confines it, in words; empty: nothing.
    #[must_use]
    pub fn confinement(&self) -> &str {
        &self.confinement
    }

    /// "local", or the endpoint.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Roots on the server's host.
    #[must_use]
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The session that is attached: this kernel's own, whatever conversations it has.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.signer.session
    }

    /// Signs a grant for this process.
    #[must_use]
    pub fn grant(&self, claims: CallClaims<'_>) -> Granted {
        self.signer.sign(claims)
    }

    /// Waits until the server can run one call more.
    ///
    /// # Cancel safety
    /// Nothing is lost when the future is dropped.
    pub async fn slot(&self) -> Option<SemaphorePermit<'_>> {
        self.slots.acquire().await.ok()
    }

    /// Asks what a call would do.
    ///
    /// # Errors
    /// The connection is gone; the inner error is the tool's or the server's own no.
    pub async fn prepare(
        &self,
        prepare: Prepare,
    ) -> Result<Result<Preparation, NotPrepared>, LinkError> {
        self.link.prepare(prepare).await
    }

    /// Sends a call.
    ///
    /// # Errors
    /// The connection is gone, and the call was not sent.
    pub async fn start(&self, start: Start) -> Result<Inbox, LinkError> {
        self.link.start(start).await
    }

    /// Asks what became of a call of this session.
    ///
    /// # Errors
    /// The server cannot be asked.
    pub async fn execution(&self, call_id: &str) -> Result<GetExecutionResponse, tonic::Status> {
        let request = GetExecutionRequest {
            session: self.signer.session.clone(),
            call_id: call_id.to_owned(),
        };
        let mut client = tool_client(&self.channel);
        let told = timeout(EXECUTION_WITHIN, client.get_execution(request)).await;
        let late = |_| tonic::Status::deadline_exceeded("the server did not say");
        Ok(told.map_err(late)??.into_inner())
    }

    /// Tells the server to stop a call; `false` when it does not even read.
    pub fn cancel(&self, call_id: &str, reason: Reason, grace: Duration) -> bool {
        self.link.cancel(call_id, reason, grace)
    }

    /// Lets a call send more output.
    pub async fn credit(&self, call_id: &str, inbox: &Inbox, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.link.credit(call_id, inbox, bytes).await;
    }

    /// Answers a host request.
    pub async fn reply(&self, reply: Reply) {
        self.link.reply(reply).await;
    }

    /// Nobody waits for this call any more.
    pub fn forget(&self, call_id: &str) {
        self.link.forget(call_id);
    }

    /// Ends the process: it did not stop a call when it was told to.
    pub fn kill(&self, reason: &str) {
        self.link.close(reason);
        if let Some(process) = &self.process {
            process.kill();
        }
    }

    /// The client of a server that reaches models.
    pub(crate) fn model(&self) -> ModelClient<Channel> {
        ModelClient::new(self.channel.clone())
            .max_decoding_message_size(MESSAGE_BYTES_MAX)
            .max_encoding_message_size(crate::model::REQUEST_BYTES_MAX + MESSAGE_BYTES_MAX)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.link.is_lost() || self.process.as_ref().is_some_and(|process| process.exit().is_some())
    }

    /// Fires when the session stream has ended: by itself, or because the server was silent.
    pub(crate) fn lost(&self) -> CancellationToken {
        self.link.lost()
    }
}
