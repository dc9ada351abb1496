//! The server's side of grants: keys, and which grants were seen. Nothing runs without passing here.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use tollgate_proto::{
    grant::{self, Expected, GrantError, VerifyingKey, sha256},
    tool::v1::{GrantClaims, SignedGrant},
};
use tonic::{Code, Status};

use crate::{
    limits::{GRANT_AHEAD, NONCES_MAX},
    status::status,
};

/// Verifies grants for one server process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct GrantGate(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server: String,
    instance: String,
    keys: HashMap<String, VerifyingKey>,
    nonces: Mutex<Nonces>,
}

/// Why a grant is refused here: what the contract says, or a replay.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum Refused {
    #[error(transparent)]
    Grant(#[from] GrantError),
    #[error("the grant was used before")]
    Replayed,
    #[error("too many unexpired grants are remembered; try again in a minute")]
    Full,
}

impl Refused {
    /// As the status of a request that is no call.
    pub(crate) fn status(self) -> Status {
        let reason = match self {
            Self::Grant(GrantError::Missing) => "GRANT_MISSING",
            Self::Grant(GrantError::Invalid) => "GRANT_INVALID",
            Self::Grant(GrantError::Expired) => "GRANT_EXPIRED",
            Self::Grant(GrantError::Audience) => "GRANT_AUDIENCE",
            Self::Grant(GrantError::Arguments) => "ARGUMENTS_DIGEST",
            Self::Grant(GrantError::Schema) => "SCHEMA_CHANGED",
            Self::Replayed => "GRANT_REPLAYED",
            Self::Full => "OVERLOADED",
        };
        status(Code::PermissionDenied, reason, self.to_string())
    }
}

/// A call that a grant is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) session: &'a str,
    pub(crate) call_id: &'a str,
    pub(crate) attempt: u32,
    pub(crate) tool: &'a str,
    pub(crate) schema_sha256: &'a [u8; 32],
    pub(crate) arguments_sha256: &'a [u8; 32],
}

impl GrantGate {
    pub(crate) fn new(
        server: String,
        instance: String,
        keys: HashMap<String, VerifyingKey>,
    ) -> Self {
        Self(Arc::new(Inner { server, instance, keys, nonces: Mutex::default() }))
    }

    /// Verifies, compares and uses up a grant.
    pub(crate) fn pass(
        &self,
        grant: Option<&SignedGrant>,
        asked: Asked<'_>,
    ) -> Result<GrantClaims, Refused> {
        let now = unix_ms();
        let grant = grant.ok_or(GrantError::Missing)?;
        let claims = grant::verify(grant, |id| self.0.keys.get(id).cloned())?;
        let expected = Expected {
            server: &self.0.server,
            instance: &self.0.instance,
            session: asked.session,
            call_id: asked.call_id,
            attempt: asked.attempt,
            tool: asked.tool,
            schema_sha256: asked.schema_sha256,
            arguments_sha256: asked.arguments_sha256,
            now_unix_ms: now,
        };
        grant::check(&claims, &expected)?;
        // A grant that never expires could be kept for ever; none of the kernel's does.
        if u128::from(claims.expires_unix_ms) > u128::from(now) + GRANT_AHEAD.as_millis() {
            return Err(GrantError::Invalid.into());
        }
        self.use_up(&claims, now)?;
        Ok(claims)
    }

    /// Checks the grant of a request that is no tool call, such as `Generate`: the tool's name is the
    /// request's, the arguments are its bytes, and there is no schema (its digest is of no bytes).
    ///
    /// # Errors
    /// `PERMISSION_DENIED` with the reason.
    pub fn check(
        &self,
        grant: Option<&SignedGrant>,
        session: &str,
        call_id: &str,
        tool: &str,
        arguments: &[u8],
    ) -> Result<(), Status> {
        let asked = Asked {
            session,
            call_id,
            attempt: 1,
            tool,
            schema_sha256: &sha256(b""),
            arguments_sha256: &sha256(arguments),
        };
        self.pass(grant, asked).map(drop).map_err(Refused::status)
    }

    fn use_up(&self, claims: &GrantClaims, now: u64) -> Result<(), Refused> {
        // `verify` has looked at its length.
        let nonce = claims.nonce[..].try_into().map_err(|_| GrantError::Invalid)?;
        let mut nonces = self.0.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        nonces.use_up(nonce, claims.expires_unix_ms, now)
    }
}

/// Nonces of grants that have not expired, so that each is good for one use.
#[derive(Debug, Default)]
struct Nonces {
    seen: HashSet<[u8; 16]>,
    /// Second of expiry → its nonces, to forget them without a look at all others.
    by_second: BTreeMap<u64, Vec<[u8; 16]>>,
}

impl Nonces {
    fn use_up(&mut self, nonce: [u8; 16], expires_ms: u64, now_ms: u64) -> Result<(), Refused> {
        while let Some(oldest) = self.by_second.first_entry()
            && *oldest.key() < now_ms / 1000
        {
            for expired in oldest.remove() {
                self.seen.remove(&expired);
            }
        }
        if self.seen.contains(&nonce) {
            return Err(Refused::Replayed);
        }
        if self.seen.len() >= NONCES_MAX {
            return Err(Refused::Full);
        }
        self.seen.insert(nonce);
        self.by_second.entry(expires_ms / 1000).or_default().push(nonce);
        Ok(())
    }
}

/// The clock, in ms since the epoch.
pub(crate) fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
