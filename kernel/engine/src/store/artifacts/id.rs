//! [`ArtifactId`]: `artifact:<64 hex digits>`.

use std::{fmt, str::FromStr};

use tollgate_core::digest::Digest;

/// Names an artifact by the SHA-256 of its content; written `artifact:<64 hex digits>`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ArtifactId(Digest);

/// A text that names no artifact.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("'{text}' is no artifact id: it is 'artifact:' and 64 lower-case hex digits")]
pub struct ArtifactIdError {
    text: String,
}

impl ArtifactId {
    /// SHA-256 of the content.
    #[must_use]
    pub fn digest(self) -> Digest {
        self.0
    }
}

impl From<Digest> for ArtifactId {
    fn from(digest: Digest) -> Self {
        Self(digest)
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "artifact:{}", self.0)
    }
}

impl FromStr for ArtifactId {
    type Err = ArtifactIdError;

    fn from_str(text: &str) -> Result<Self, ArtifactIdError> {
        let digest = text.strip_prefix("artifact:").and_then(Digest::from_hex).map(Self);
        // One spelling only, so that equal ids are equal texts.
        digest.filter(|id| id.to_string() == text).ok_or_else(|| ArtifactIdError {
            text: text.chars().take(80).flat_map(char::escape_default).collect(),
        })
    }
}
