//! Signing: one key for each server process, known to nobody else.

use std::time::Duration;

use tollgate_core::digest::Digest;
use tollgate_proto::{
    grant::{self, SigningKey},
    tool::v1::{GrantClaims, Scope, SignedGrant},
};

use super::limits::GRANT_FOR;
use crate::clock;

/// Signs for one server process.
#[derive(Debug)]
pub(super) struct Signer {
    pub(super) key: SigningKey,
    pub(super) key_id: String,
    pub(super) server: String,
    pub(super) instance: String,
    /// The session that is attached: this kernel's.
    pub(super) session: String,
}

/// What a grant is for.
#[derive(Clone, Debug)]
pub struct CallClaims<'a> {
    /// The call.
    pub call_id: &'a str,
    /// From 1.
    pub attempt: u32,
    /// The name that the server will see.
    pub tool: &'a str,
    /// Of the schema that the arguments were validated against.
    pub schema_sha256: Digest,
    /// Of the argument bytes.
    pub arguments_sha256: Digest,
    /// What the call may reach.
    pub scope: Scope,
}

/// A signed grant and its digest, for the receipt.
#[derive(Clone, Debug)]
pub struct Granted {
    /// As it goes over the wire.
    pub grant: SignedGrant,
    /// SHA-256 of the signed claims and the signature.
    pub sha256: Digest,
}

impl Signer {
    pub(super) fn sign(&self, claims: CallClaims<'_>) -> Granted {
        let expires = clock::unix_ms().saturating_add(ms(GRANT_FOR));
        let claims = GrantClaims {
            key_id: self.key_id.clone(),
            server: self.server.clone(),
            instance: self.instance.clone(),
            session: self.session.clone(),
            call_id: claims.call_id.to_owned(),
            attempt: claims.attempt,
            tool: claims.tool.to_owned(),
            schema_sha256: claims.schema_sha256.0.to_vec().into(),
            arguments_sha256: claims.arguments_sha256.0.to_vec().into(),
            scope: Some(claims.scope),
            expires_unix_ms: expires,
            nonce: uuid::Uuid::new_v4().into_bytes().to_vec().into(),
        };
        let grant = grant::sign(&claims, &self.key);
        let sha256 = Digest::of(&[&grant.claims[..], &grant.signature[..]].concat());
        Granted { grant, sha256 }
    }
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
