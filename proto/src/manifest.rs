//! The manifest's digest: one definition for both sides.

use prost::Message;
use sha2::{Digest, Sha256};

use crate::tool::v1::{Manifest, ToolSpec};

/// The digest of a manifest and its tools, as `Manifest.digest` documents it.
#[must_use]
pub fn digest(manifest: &Manifest, tools: &[ToolSpec]) -> [u8; 32] {
    let bare = Manifest { digest: bytes::Bytes::new(), ..manifest.clone() };
    let mut hash = Sha256::new();
    hash.update(bare.encode_to_vec());
    for tool in tools {
        let bytes = tool.encode_to_vec();
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    hash.finalize().into()
}
