//! Which bytes of a grant are signed, and how a grant is refused.
//!
//! Verify first, parse after: nothing of the claims is looked at before the signature over their
//! exact bytes holds. Vectors, good and bad, are in `proto/vectors/grants.json`.
//!
//! Not here: replay (the SDK remembers nonces), what to permit (the kernel's gate).

use ed25519_dalek::{Signer, Verifier};
use hmac::{Hmac, KeyInit, Mac};
use prost::Message;
use sha2::{Digest, Sha256};

use crate::tool::v1::{GrantAlgorithm, GrantClaims, SignedGrant};

/// What every signed text starts with, so that a signature can mean nothing else.
const DOMAIN: &[u8] = b"tollgate.grant.v1\0";
/// Bytes of encoded claims.
pub const CLAIMS_BYTES_MAX: usize = 16 * 1024;

/// A key that signs.
pub enum SigningKey {
    /// Shared with one local server process.
    Hmac([u8; 32]),
    /// The kernel's own; servers on other hosts pin its public half.
    Ed25519(Box<ed25519_dalek::SigningKey>),
}

/// A key that verifies.
#[derive(Clone)]
pub enum VerifyingKey {
    /// Shared with the kernel.
    Hmac([u8; 32]),
    /// A kernel's public key.
    Ed25519(Box<ed25519_dalek::VerifyingKey>),
}

impl SigningKey {
    /// A kernel's Ed25519 key of its 32 secret bytes.
    #[must_use]
    pub fn ed25519(secret: &[u8; 32]) -> Self {
        Self::Ed25519(Box::new(ed25519_dalek::SigningKey::from_bytes(secret)))
    }

    /// The key that verifies what this one signs.
    #[must_use]
    pub fn verifying(&self) -> VerifyingKey {
        match self {
            Self::Hmac(key) => VerifyingKey::Hmac(*key),
            Self::Ed25519(key) => VerifyingKey::Ed25519(Box::new(key.verifying_key())),
        }
    }
}

impl VerifyingKey {
    /// A kernel's public Ed25519 key; `None` if the bytes are no point of the curve, or one of so small
    /// an order that anybody could sign for it.
    #[must_use]
    pub fn ed25519(bytes: &[u8; 32]) -> Option<Self> {
        let key =
            ed25519_dalek::VerifyingKey::from_bytes(bytes).ok().filter(|key| !key.is_weak())?;
        Some(Self::Ed25519(Box::new(key)))
    }
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey")
    }
}

impl std::fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerifyingKey")
    }
}

/// Why a grant does not permit a call. One variant for each `Rejection` of the wire.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum GrantError {
    /// No grant came with the call.
    #[error("the call carries no grant")]
    Missing,
    /// Unknown key or algorithm, a signature that does not fit, claims that cannot be read.
    #[error("the grant's signature does not fit its bytes")]
    Invalid,
    /// Its time to start has passed.
    #[error("the grant has expired")]
    Expired,
    /// For another server, instance, session, call, attempt or tool.
    #[error("the grant is for another call")]
    Audience,
    /// The arguments are not the granted bytes.
    #[error("the arguments are not those that were granted")]
    Arguments,
    /// The schema is not the one that the arguments were validated against.
    #[error("the tool's schema has changed since the call was checked")]
    Schema,
}

/// What a server knows of a call, to compare a grant with.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The server's name and instance.
    pub server: &'a str,
    /// See `server`.
    pub instance: &'a str,
    /// The attached session.
    pub session: &'a str,
    /// From the frame.
    pub call_id: &'a str,
    /// From the frame.
    pub attempt: u32,
    /// From the frame.
    pub tool: &'a str,
    /// SHA-256 of the tool's schema text.
    pub schema_sha256: &'a [u8; 32],
    /// SHA-256 of the argument bytes that came.
    pub arguments_sha256: &'a [u8; 32],
    /// The server's clock.
    pub now_unix_ms: u64,
}

/// SHA-256 of some bytes.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Signs claims. `claims.key_id` names the key.
#[must_use]
pub fn sign(claims: &GrantClaims, key: &SigningKey) -> SignedGrant {
    let bytes = claims.encode_to_vec();
    let (algorithm, signature) = match key {
        SigningKey::Hmac(key) => {
            let algorithm = GrantAlgorithm::HmacSha256;
            (algorithm, mac(key, algorithm, &bytes).finalize().into_bytes().to_vec())
        }
        SigningKey::Ed25519(key) => {
            let algorithm = GrantAlgorithm::Ed25519;
            (algorithm, key.sign(&signed_bytes(algorithm, &bytes)).to_bytes().to_vec())
        }
    };
    SignedGrant {
        key_id: claims.key_id.clone(),
        algorithm: algorithm.into(),
        claims: bytes.into(),
        signature: signature.into(),
    }
}

/// Verifies a grant with the key that `key_of` has for its id, and reads its claims.
///
/// # Errors
/// [`GrantError::Invalid`] for everything that does not hold.
pub fn verify(
    grant: &SignedGrant,
    key_of: impl Fn(&str) -> Option<VerifyingKey>,
) -> Result<GrantClaims, GrantError> {
    if grant.claims.len() > CLAIMS_BYTES_MAX {
        return Err(GrantError::Invalid);
    }
    let key = key_of(&grant.key_id).ok_or(GrantError::Invalid)?;
    let holds = match (grant.algorithm(), &key) {
        (algorithm @ GrantAlgorithm::HmacSha256, VerifyingKey::Hmac(key)) => {
            mac(key, algorithm, &grant.claims).verify_slice(&grant.signature).is_ok()
        }
        (algorithm @ GrantAlgorithm::Ed25519, VerifyingKey::Ed25519(key)) => {
            ed25519_dalek::Signature::from_slice(&grant.signature).is_ok_and(|signature| {
                key.verify(&signed_bytes(algorithm, &grant.claims), &signature).is_ok()
            })
        }
        // An algorithm that does not belong to the key, or none.
        (
            GrantAlgorithm::Unspecified | GrantAlgorithm::HmacSha256 | GrantAlgorithm::Ed25519,
            VerifyingKey::Hmac(_) | VerifyingKey::Ed25519(_),
        ) => false,
    };
    if !holds {
        return Err(GrantError::Invalid);
    }
    let claims = GrantClaims::decode(grant.claims.clone()).map_err(|_| GrantError::Invalid)?;
    if claims.key_id != grant.key_id || claims.nonce.len() != 16 {
        return Err(GrantError::Invalid);
    }
    Ok(claims)
}

/// Compares verified claims with the call that came.
///
/// # Errors
/// The first claim that does not hold: audience, then expiry, then schema, then arguments.
pub fn check(claims: &GrantClaims, call: &Expected<'_>) -> Result<(), GrantError> {
    let audience = claims.server == call.server
        && claims.instance == call.instance
        && claims.session == call.session
        && claims.call_id == call.call_id
        && claims.attempt == call.attempt
        && claims.tool == call.tool;
    if !audience {
        Err(GrantError::Audience)
    } else if claims.expires_unix_ms <= call.now_unix_ms {
        Err(GrantError::Expired)
    } else if claims.schema_sha256 != call.schema_sha256[..] {
        Err(GrantError::Schema)
    } else if claims.arguments_sha256 != call.arguments_sha256[..] {
        Err(GrantError::Arguments)
    } else {
        Ok(())
    }
}

fn signed_bytes(algorithm: GrantAlgorithm, claims: &[u8]) -> Vec<u8> {
    [DOMAIN, &[algorithm_byte(algorithm)], claims].concat()
}

fn mac(key: &[u8; 32], algorithm: GrantAlgorithm, claims: &[u8]) -> Hmac<Sha256> {
    // HMAC pads a short key with zeros to the hash's block of 64 bytes.
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
    mac.update(DOMAIN);
    mac.update(&[algorithm_byte(algorithm)]);
    mac.update(claims);
    mac
}

fn algorithm_byte(algorithm: GrantAlgorithm) -> u8 {
    match algorithm {
        GrantAlgorithm::Unspecified => 0,
        GrantAlgorithm::HmacSha256 => 1,
        GrantAlgorithm::Ed25519 => 2,
    }
}
