//! Goal: nothing passes without a grant for exactly this call, once ([PROTO-06]). Which grants are
//! good is settled by the vectors of `tollgate-proto`; here is what a server adds.

use std::collections::HashMap;

use tollgate_proto::{
    grant::{GrantError, SigningKey, VerifyingKey, sha256, sign},
    tool::v1::{GrantClaims, SignedGrant},
};
use tonic::Code;

use super::{Asked, GrantGate, Nonces, Refused, unix_ms};
use crate::limits::{GRANT_AHEAD, NONCES_MAX};

const KEY: [u8; 32] = [7; 32];

fn gate() -> GrantGate {
    let keys = HashMap::from([("key-1".to_owned(), VerifyingKey::Hmac(KEY))]);
    GrantGate::new("file".into(), "instance-1".into(), keys)
}

fn claims(nonce: u32) -> GrantClaims {
    let mut bytes = vec![0; 12];
    bytes.extend(nonce.to_be_bytes());
    GrantClaims {
        key_id: "key-1".into(),
        server: "file".into(),
        instance: "instance-1".into(),
        session: "session-1".into(),
        call_id: "call-1".into(),
        attempt: 1,
        tool: "read".into(),
        schema_sha256: sha256(b"").to_vec().into(),
        arguments_sha256: sha256(b"{}").to_vec().into(),
        expires_unix_ms: unix_ms() + 60_000,
        nonce: bytes.into(),
        ..GrantClaims::default()
    }
}

fn signed(claims: &GrantClaims) -> SignedGrant {
    sign(claims, &SigningKey::Hmac(KEY))
}

fn pass(gate: &GrantGate, claims: &GrantClaims) -> Result<(), Refused> {
    let asked = Asked {
        session: "session-1",
        call_id: "call-1",
        attempt: 1,
        tool: "read",
        schema_sha256: &sha256(b""),
        arguments_sha256: &sha256(b"{}"),
    };
    gate.pass(Some(&signed(claims)), asked).map(drop)
}

#[test]
fn a_grant_is_good_for_one_use() {
    let gate = gate();
    assert_eq!(pass(&gate, &claims(1)), Ok(()));
    assert_eq!(pass(&gate, &claims(1)), Err(Refused::Replayed));
    assert_eq!(pass(&gate, &claims(2)), Ok(()));
}

/// The nonce is what is used up: a second grant for the same call under it is a replay too.
#[test]
fn a_nonce_is_good_for_one_use_whatever_else_is_claimed() {
    let gate = gate();
    assert_eq!(pass(&gate, &claims(1)), Ok(()));
    let later = GrantClaims { expires_unix_ms: unix_ms() + 61_000, ..claims(1) };
    assert_eq!(pass(&gate, &later), Err(Refused::Replayed));
}

/// Otherwise a peer without a key could use up a kernel's nonces.
#[test]
fn a_refused_grant_is_not_used_up() {
    let gate = gate();
    let late = GrantClaims { expires_unix_ms: 1, ..claims(1) };
    assert_eq!(pass(&gate, &late), Err(Refused::Grant(GrantError::Expired)));
    let other = GrantClaims { tool: "write".into(), ..claims(1) };
    assert_eq!(pass(&gate, &other), Err(Refused::Grant(GrantError::Audience)));
    assert_eq!(pass(&gate, &claims(1)), Ok(()));
}

/// Nonces are remembered until expiry, so expiry is bounded.
#[test]
fn a_grant_that_lasts_too_long_is_invalid() {
    let ahead = u64::try_from(GRANT_AHEAD.as_millis()).unwrap();
    let expiring = |ms| GrantClaims { expires_unix_ms: ms, ..claims(1) };
    let invalid = Err(Refused::Grant(GrantError::Invalid));
    assert_eq!(pass(&gate(), &expiring(u64::MAX)), invalid);
    assert_eq!(pass(&gate(), &expiring(unix_ms() + ahead + 60_000)), invalid);
    assert_eq!(pass(&gate(), &expiring(unix_ms() + ahead - 60_000)), Ok(()));
}

#[test]
fn no_grant_is_missing() {
    let asked = Asked {
        session: "",
        call_id: "",
        attempt: 1,
        tool: "",
        schema_sha256: &[0; 32],
        arguments_sha256: &[0; 32],
    };
    let refused = gate().pass(None, asked).unwrap_err();
    assert_eq!(refused, Refused::Grant(GrantError::Missing));
}

/// Fail closed: a server that cannot remember refuses, and expired nonces make room.
#[test]
fn a_full_memory_refuses_until_nonces_expire() {
    let gate = gate();
    let far = unix_ms() + 60_000;
    let fill = |expires: u64| {
        let all = (0..NONCES_MAX as u128).map(|n| (n << 64).to_be_bytes());
        *gate.0.nonces.lock().unwrap() = Nonces {
            seen: all.clone().collect(),
            by_second: [(expires / 1000, all.collect())].into(),
        };
    };
    fill(far);
    assert_eq!(pass(&gate, &claims(1)), Err(Refused::Full));
    fill(1);
    assert_eq!(pass(&gate, &claims(1)), Ok(()));
    assert_eq!(pass(&gate, &claims(1)), Err(Refused::Replayed));
}

/// A request that is no call: no schema, the request's bytes as arguments.
#[test]
fn other_requests_pass_the_same_gate() {
    let gate = gate();
    let granted = |nonce| {
        let claims = GrantClaims {
            tool: "generate".into(),
            arguments_sha256: sha256(b"request").to_vec().into(),
            ..claims(nonce)
        };
        signed(&claims)
    };
    let check = |grant: &SignedGrant, tool, bytes| {
        let checked = gate.check(Some(grant), "session-1", "call-1", tool, bytes);
        checked.map_err(|status| status.code())
    };
    assert_eq!(check(&granted(1), "generate", b"request"), Ok(()));
    assert_eq!(check(&granted(1), "generate", b"request"), Err(Code::PermissionDenied));
    assert_eq!(check(&granted(2), "generate", b"Request"), Err(Code::PermissionDenied));
    assert_eq!(check(&granted(3), "blob.read", b"request"), Err(Code::PermissionDenied));
}
