//! A server's manifest: asked for in pages, checked against its own digest.
//!
//! Not here: where it is kept ([`super::cache`]), what it means for the catalog (`entries`).

use prost::Message;
use tokio::time::timeout;
use tollgate_core::{catalog::ServerFacts, digest::Digest, limits::SERVER_TOOLS_MAX};
use tollgate_proto::{
    manifest,
    tool::v1::{DescribeRequest, DescribeResponse, Manifest, SourceState, ToolSpec},
};

use super::{
    connect::{Channel, tool_client},
    error::ServerError,
    limits::{DESCRIBE_BYTES_MAX, DESCRIBE_PAGES_MAX, DESCRIBE_WITHIN},
    wire,
};

/// A manifest with its tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The server's part.
    pub manifest: Manifest,
    /// Its tools, in order.
    pub tools: Vec<ToolSpec>,
}

impl Described {
    /// The digest over both parts, computed here.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest(manifest::digest(&self.manifest, &self.tools))
    }

    /// What receipts say of the server.
    #[must_use]
    pub fn facts(&self) -> ServerFacts {
        wire::facts(&self.manifest)
    }

    /// A whole manifest on one page; `None`: there is none, or it is not what its digest says.
    pub(super) fn from_page(page: DescribeResponse) -> Option<Self> {
        let described = Self { manifest: page.manifest?, tools: page.tools };
        let is_whole = page.next_page_token.is_empty() && described.is_true();
        is_whole.then_some(described)
    }

    /// Whether it says its own digest.
    pub(super) fn is_true(&self) -> bool {
        self.manifest.digest[..] == self.digest().0
    }

    /// What the server offers when it has just started: no source is connected, and the tools of sources
    /// are not there.
    pub(super) fn at_rest(mut self) -> Self {
        for source in &mut self.manifest.sources {
            if matches!(source.state(), SourceState::Ready | SourceState::Failed) {
                source.set_state(SourceState::Idle);
                source.detail.clear();
            }
        }
        let Self { manifest: Manifest { sources, .. }, tools } = &mut self;
        tools.retain(|tool| sources.iter().all(|source| source.name != tool.source));
        self.manifest.digest = self.digest().0.to_vec().into();
        self
    }
}

/// Asks a server for its manifest, all pages.
pub(super) async fn ask(channel: &Channel) -> Result<Described, ServerError> {
    let pages = async {
        let first = tool_client(channel).describe(DescribeRequest::default()).await?.into_inner();
        from_first(channel, first).await
    };
    timeout(DESCRIBE_WITHIN, pages)
        .await
        .map_err(|_| ServerError::Silent { what: "Describe", within: DESCRIBE_WITHIN })?
}

/// The manifest that begins with this page. Has no clock of its own.
pub(super) async fn from_first(
    channel: &Channel,
    first: DescribeResponse,
) -> Result<Described, ServerError> {
    let mut client = tool_client(channel);
    let mut page = first;
    let manifest = page.manifest.take().ok_or_else(no_manifest)?;
    let mut described = Described { manifest, tools: Vec::new() };
    let mut bytes = 0;
    for _ in 0..DESCRIBE_PAGES_MAX {
        bytes += page.tools.iter().map(Message::encoded_len).sum::<usize>();
        described.tools.append(&mut page.tools);
        if bytes > DESCRIBE_BYTES_MAX || described.tools.len() > SERVER_TOOLS_MAX {
            return Err(ServerError::Contract(format!(
                "more than {SERVER_TOOLS_MAX} tools, or {DESCRIBE_BYTES_MAX} bytes of them"
            )));
        }
        if page.next_page_token.is_empty() {
            return Ok(described);
        }
        let request = DescribeRequest { page_token: page.next_page_token };
        page = client.describe(request).await?.into_inner();
        if page.manifest.is_none() {
            return Err(no_manifest());
        }
    }
    Err(ServerError::Contract(format!("more than {DESCRIBE_PAGES_MAX} pages of tools")))
}

fn no_manifest() -> ServerError {
    ServerError::Contract("a page without a manifest".into())
}
