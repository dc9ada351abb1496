//! The grants of `vectors/grants.json`: what each is, made from fixed keys, so that the file is the
//! same wherever it is made.

use hmac::{Hmac, KeyInit, Mac};
use prost::Message;
use sha2::Sha256;

use crate::{
    grant::{CLAIMS_BYTES_MAX, SigningKey, sha256, sign},
    tool::v1::{GrantAlgorithm, GrantClaims, HostService, Scope, SignedGrant},
};

/// When every call comes, unless its vector says otherwise.
const NOW: u64 = 1_790_000_000_000;
const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
const ARGUMENTS: &str = r#"{"path":"src/lib.rs","n":9007199254740993}"#;

/// A grant with the call that it came for and what a server must say.
#[derive(Clone)]
pub(super) struct Vector {
    pub(super) name: &'static str,
    pub(super) verdict: &'static str,
    pub(super) grant: Option<SignedGrant>,
    pub(super) call: Call,
}

/// A call as the server sees it.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) server: String,
    pub(super) instance: String,
    pub(super) session: String,
    pub(super) call_id: String,
    pub(super) attempt: u32,
    pub(super) tool: String,
    pub(super) schema: String,
    pub(super) arguments: String,
    pub(super) now_unix_ms: u64,
}

/// A key of the file.
pub(super) struct Key {
    pub(super) id: String,
    pub(super) algorithm: &'static str,
    /// The shared key, or the public key.
    pub(super) verifies: [u8; 32],
    pub(super) signing: SigningKey,
}

/// The keys that the server of the vectors holds.
pub(super) fn keys() -> Vec<Key> {
    let long = "k".repeat(64);
    let hmac = |id: &str, byte| Key {
        id: id.to_owned(),
        algorithm: "hmac-sha256",
        verifies: [byte; 32],
        signing: SigningKey::Hmac([byte; 32]),
    };
    let pair = ed25519();
    vec![
        hmac("local", 0x11),
        hmac(&long, 0x22),
        Key {
            id: "remote".to_owned(),
            algorithm: "ed25519",
            verifies: pair.verifying_key().to_bytes(),
            signing: SigningKey::ed25519(&pair.to_bytes()),
        },
    ]
}

fn ed25519() -> ed25519_dalek::SigningKey {
    ed25519_dalek::SigningKey::from_bytes(&[0x33; 32])
}

fn key(id: &str) -> SigningKey {
    keys().into_iter().find(|key| key.id == id).unwrap().signing
}

fn call() -> Call {
    Call {
        server: "file".into(),
        instance: "0199a1d0-0000-7000-8000-000000000001".into(),
        session: "0199a1d0-0000-7000-8000-000000000002".into(),
        call_id: "0199a1d0-0000-7000-8000-000000000003".into(),
        attempt: 1,
        tool: "read".into(),
        schema: SCHEMA.into(),
        arguments: ARGUMENTS.into(),
        now_unix_ms: NOW,
    }
}

/// Claims that permit `call`, under the key `local`.
fn claims(call: &Call) -> GrantClaims {
    GrantClaims {
        key_id: "local".into(),
        server: call.server.clone(),
        instance: call.instance.clone(),
        session: call.session.clone(),
        call_id: call.call_id.clone(),
        attempt: call.attempt,
        tool: call.tool.clone(),
        schema_sha256: sha256(call.schema.as_bytes()).to_vec().into(),
        arguments_sha256: sha256(call.arguments.as_bytes()).to_vec().into(),
        scope: Some(Scope { read_roots: vec!["/srv/repo".into()], ..Scope::default() }),
        expires_unix_ms: NOW + 60_000,
        nonce: vec![0x44; 16].into(),
    }
}

/// All vectors, good ones first.
pub(super) fn all() -> Vec<Vector> {
    let mut all = good();
    all.extend(bad_signatures());
    all.extend(bad_keys());
    all.extend(bad_claims());
    all.extend(other_calls());
    all
}

fn vector(name: &'static str, verdict: &'static str, grant: SignedGrant) -> Vector {
    Vector { name, verdict, grant: Some(grant), call: call() }
}

/// A grant of changed claims, rightly signed by the key that they name.
fn changed(change: impl FnOnce(&mut GrantClaims)) -> SignedGrant {
    let mut claims = claims(&call());
    change(&mut claims);
    sign(&claims, &key(&claims.key_id))
}

/// A grant by the HMAC key, or by the Ed25519 key, as it should be.
fn right(key_id: &str) -> SignedGrant {
    changed(|claims| claims.key_id = key_id.into())
}

/// A rightly signed grant for a call that is not the usual one.
fn permitted(name: &'static str, key_id: &str, change: impl FnOnce(&mut Call)) -> Vector {
    let mut call = call();
    change(&mut call);
    let claims = GrantClaims { key_id: key_id.into(), ..claims(&call) };
    Vector { name, verdict: "OK", grant: Some(sign(&claims, &key(key_id))), call }
}

fn good() -> Vec<Vector> {
    let everything = Scope {
        read_roots: vec!["/srv/repo".into(), "/srv/ü".into()],
        write_roots: vec!["/srv/repo/out".into()],
        hosts: vec!["example.org:443".into()],
        exec: true,
        network: true,
        host_services: vec![HostService::CallTool.into(), HostService::AskUser.into()],
        ..Scope::default()
    };
    let scoped = changed(|claims| claims.scope = Some(everything));
    let last_moment = changed(|claims| claims.expires_unix_ms = NOW + 1);
    let largest = changed(|claims| fill(claims, CLAIMS_BYTES_MAX));
    let future =
        [&claims(&call()).encode_to_vec()[..], &[0xc2, 0x3e, 3, b'n', b'e', b'w']].concat();
    vec![
        vector("HMAC-SHA256", "OK", right("local")),
        vector("Ed25519", "OK", right("remote")),
        vector("every kind of scope", "OK", scoped),
        vector("the last millisecond before expiry", "OK", last_moment),
        vector("claims of exactly 16 KiB", "OK", largest),
        vector("a field of a later version among the claims", "OK", by_hmac(future)),
        permitted("a key id of 64 bytes", &"k".repeat(64), |_| {}),
        permitted("a second attempt", "remote", |call| call.attempt = 2),
        permitted("arguments with spaces and letters beyond ASCII", "local", |call| {
            call.arguments = "{ \"path\" : \"\u{e4}/\u{65e5}\u{672c}\" }".into();
        }),
        permitted("a blob's read: no call id, the digest of an empty schema", "local", |call| {
            call.tool = "blob.read".into();
            call.call_id.clear();
            call.schema.clear();
        }),
        permitted("a request to a model", "remote", |call| {
            call.tool = "generate".into();
            call.schema.clear();
        }),
    ]
}

fn bad_signatures() -> Vec<Vector> {
    let bytes = claims(&call()).encode_to_vec();
    let bad = |name, key_id: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut grant = right(key_id);
        let mut signature = grant.signature.to_vec();
        change(&mut signature);
        grant.signature = signature.into();
        vector(name, "GRANT_INVALID", grant)
    };
    let bare = tag(&[0x11; 32], &bytes);
    let other_algorithm = tag(&[0x11; 32], &signed(2, &bytes));
    vec![
        bad("HMAC: the tag's first bit", "local", &|signature| signature[0] ^= 0x80),
        bad("HMAC: the tag's last bit", "local", &|signature| signature[31] ^= 1),
        bad("HMAC: half of the tag", "local", &|signature| signature.truncate(16)),
        bad("HMAC: a byte after the tag", "local", &|signature| signature.push(0)),
        bad("HMAC: no signature", "local", &Vec::clear),
        bad("HMAC: a tag over the claims alone", "local", &|tag| tag.clone_from(&bare)),
        bad("HMAC: a tag over the other algorithm's byte", "local", &|tag| {
            tag.clone_from(&other_algorithm);
        }),
        bad("Ed25519: a bit of R", "remote", &|signature| signature[0] ^= 1),
        bad("Ed25519: a bit of S", "remote", &|signature| signature[32] ^= 1),
        bad("Ed25519: S plus the group's order", "remote", &|signature| plus_order(signature)),
        bad("Ed25519: half of the signature", "remote", &|signature| signature.truncate(32)),
        bad("Ed25519: no signature", "remote", &Vec::clear),
        bad("Ed25519: zeros", "remote", &|signature| signature.fill(0)),
    ]
}

fn bad_keys() -> Vec<Vector> {
    let with = |name, change: &dyn Fn(&mut SignedGrant), key_id: &str| {
        let mut grant = right(key_id);
        change(&mut grant);
        vector(name, "GRANT_INVALID", grant)
    };
    let other_hmac = sign(&claims(&call()), &SigningKey::Hmac([0x55; 32]));
    let remote = GrantClaims { key_id: "remote".into(), ..claims(&call()) };
    let other_ed25519 = sign(&remote, &SigningKey::ed25519(&[0x55; 32]));
    let public = ed25519().verifying_key().to_bytes();
    let confused =
        SignedGrant { key_id: "remote".into(), ..sign(&remote, &SigningKey::Hmac(public)) };
    let unknown = GrantClaims { key_id: "nobody".into(), ..claims(&call()) };
    // Signed by a key that the server has, which is not the one that the claims name.
    let mut mismatch = sign(&remote, &key("local"));
    mismatch.key_id = "local".into();
    vec![
        vector("HMAC: another key's tag", "GRANT_INVALID", other_hmac),
        vector("Ed25519: another key's signature", "GRANT_INVALID", other_ed25519),
        vector("an HMAC tag made with the public key", "GRANT_INVALID", confused),
        vector("an unknown key id", "GRANT_INVALID", sign(&unknown, &key("local"))),
        vector("the claims name another key", "GRANT_INVALID", mismatch),
        with("the grant names another key", &|grant| grant.key_id = "k".repeat(64), "local"),
        with("no key id", &|grant| grant.key_id.clear(), "local"),
        with("no algorithm", &|grant| grant.algorithm = 0, "local"),
        with("an algorithm of a later version", &|grant| grant.algorithm = 3, "local"),
        with("an HMAC tag called Ed25519", &|grant| grant.algorithm = 2, "local"),
        with("an Ed25519 signature called HMAC", &|grant| grant.algorithm = 1, "remote"),
    ]
}

fn bad_claims() -> Vec<Vector> {
    let bytes = claims(&call()).encode_to_vec();
    let with = |name, key_id: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut grant = right(key_id);
        let mut claims = grant.claims.to_vec();
        change(&mut claims);
        grant.claims = claims.into();
        vector(name, "GRANT_INVALID", grant)
    };
    let nonce = |name, bytes: usize| {
        let grant = changed(|claims| claims.nonce = vec![0x44; bytes].into());
        vector(name, "GRANT_INVALID", grant)
    };
    let flip = |claims: &mut Vec<u8>| claims[20] ^= 1;
    let too_large = changed(|claims| fill(claims, CLAIMS_BYTES_MAX + 1));
    let cut = by_hmac(bytes[..bytes.len() - 1].to_vec());
    vec![
        with("HMAC: a bit of the claims", "local", &flip),
        with("Ed25519: a bit of the claims", "remote", &flip),
        with("claims without their last byte", "local", &|claims| {
            claims.truncate(claims.len() - 1);
        }),
        with("a byte after the claims", "local", &|claims| claims.push(0)),
        with("no claims", "local", &Vec::clear),
        vector("rightly signed claims that end within a field", "GRANT_INVALID", cut),
        vector("rightly signed bytes that are no claims", "GRANT_INVALID", by_hmac(vec![0xff; 64])),
        vector("rightly signed claims of 16 KiB and a byte", "GRANT_INVALID", too_large),
        nonce("a nonce of 15 bytes", 15),
        nonce("a nonce of 17 bytes", 17),
        nonce("no nonce", 0),
    ]
}

/// Rightly signed, for another call.
fn other_calls() -> Vec<Vector> {
    let other = |name, verdict, change: &dyn Fn(&mut Call)| {
        let mut vector = vector(name, verdict, right("local"));
        change(&mut vector.call);
        vector
    };
    let claimed =
        |name, verdict, change: &dyn Fn(&mut GrantClaims)| vector(name, verdict, changed(change));
    let id = || "0199a1d0-0000-7000-8000-00000000000f".to_owned();
    vec![
        Vector { name: "no grant", verdict: "GRANT_MISSING", grant: None, call: call() },
        other("another server", "GRANT_AUDIENCE", &|call| call.server = "shell".into()),
        other("the server after a restart", "GRANT_AUDIENCE", &|call| call.instance = id()),
        other("another session", "GRANT_AUDIENCE", &|call| call.session = id()),
        other("another call id", "GRANT_AUDIENCE", &|call| call.call_id = id()),
        other("another attempt", "GRANT_AUDIENCE", &|call| call.attempt = 2),
        other("another tool", "GRANT_AUDIENCE", &|call| call.tool = "write".into()),
        other("a tool whose name has this one's as its start", "GRANT_AUDIENCE", &|call| {
            call.tool = "read_all".into();
        }),
        other("later than its expiry", "GRANT_EXPIRED", &|call| call.now_unix_ms = NOW + 60_001),
        other("its expiry is now", "GRANT_EXPIRED", &|call| call.now_unix_ms = NOW + 60_000),
        claimed("no expiry", "GRANT_EXPIRED", &|claims| claims.expires_unix_ms = 0),
        other("another schema", "SCHEMA_CHANGED", &|call| call.schema = "{}".into()),
        claimed("no schema digest", "SCHEMA_CHANGED", &|claims| claims.schema_sha256.clear()),
        other("other arguments", "ARGUMENTS_DIGEST", &|call| call.arguments = "{}".into()),
        other("the same arguments with a space", "ARGUMENTS_DIGEST", &|call| {
            call.arguments = ARGUMENTS.replace(':', ": ");
        }),
        other("the same arguments, a number rounded", "ARGUMENTS_DIGEST", &|call| {
            call.arguments = ARGUMENTS.replace("9007199254740993", "9007199254740992");
        }),
        claimed("half of the arguments' digest", "ARGUMENTS_DIGEST", &|claims| {
            claims.arguments_sha256.truncate(16);
        }),
        other("everything is wrong: the audience is told", "GRANT_AUDIENCE", &|call| {
            *call = Call {
                tool: "x".into(),
                schema: "{}".into(),
                arguments: "{}".into(),
                now_unix_ms: u64::MAX,
                ..call.clone()
            };
        }),
        other("late, other schema, other arguments: expiry is told", "GRANT_EXPIRED", &|call| {
            *call = Call {
                schema: "{}".into(),
                arguments: "{}".into(),
                now_unix_ms: u64::MAX,
                ..call.clone()
            };
        }),
        other("other schema and arguments: the schema is told", "SCHEMA_CHANGED", &|call| {
            *call = Call { schema: "{}".into(), arguments: "{}".into(), ..call.clone() };
        }),
    ]
}

/// Makes claims encode to exactly `bytes`.
fn fill(claims: &mut GrantClaims, bytes: usize) {
    claims.scope = Some(Scope::default());
    let mut path = String::from("/");
    // The lengths before the path grow with it; one byte at a time finds the size.
    loop {
        let scope = Scope { read_roots: vec![path.clone()], ..Scope::default() };
        claims.scope = Some(scope);
        let missing = bytes - claims.encoded_len();
        if missing == 0 {
            return;
        }
        path.push_str(&"a".repeat(missing.saturating_sub(8).max(1)));
    }
}

/// A grant over any bytes, rightly signed by the key `local`.
fn by_hmac(claims: Vec<u8>) -> SignedGrant {
    SignedGrant {
        key_id: "local".into(),
        algorithm: GrantAlgorithm::HmacSha256.into(),
        signature: tag(&[0x11; 32], &signed(1, &claims)).into(),
        claims: claims.into(),
    }
}

fn signed(algorithm: u8, claims: &[u8]) -> Vec<u8> {
    [b"tollgate.grant.v1\0", &[algorithm][..], claims].concat()
}

fn tag(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).unwrap();
    mac.update(bytes);
    mac.finalize().into_bytes().to_vec()
}

/// Adds the order of the curve's group to S: the same point, another signature. RFC 8032 refuses it.
fn plus_order(signature: &mut [u8]) {
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut carry = 0;
    for (byte, order) in signature[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        *byte = u8::try_from(sum & 0xff).unwrap();
        carry = sum >> 8;
    }
}
