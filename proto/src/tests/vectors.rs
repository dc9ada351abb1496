//! Goal: every grant of `vectors/grants.json` is judged as the file says ([PROTO-06]).
//!
//! The file is for authors of servers in any language; `vectors/check.py` reads it without this crate.

use serde_json::{Value, json};

use super::{
    at, hex, regenerates, unhex,
    vector_list::{Call, Key, Vector, all, keys},
};
use crate::{
    grant::{Expected, GrantError, VerifyingKey, check, sha256, verify},
    tool::v1::SignedGrant,
};

const ABOUT: &str = "Grants and how a server must judge them. See proto/README.md; made by \
    proto/src/tests/vector_list.rs, never edited by hand. `claims` and `signature` are hex, `schema` and \
    `arguments` the exact UTF-8 text. `verdict` is OK or the `Rejection` without its prefix.";

/// The file as it stands; with `TOLLGATE_REGENERATE=1`, made anew.
fn file() -> Value {
    if regenerates() {
        let text = serde_json::to_string_pretty(&written()).unwrap() + "\n";
        std::fs::write(at("vectors/grants.json"), text).unwrap();
        return written();
    }
    let text = std::fs::read_to_string(at("vectors/grants.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn written() -> Value {
    json!({
        "about": ABOUT,
        "keys": keys().iter().map(key_to).collect::<Vec<_>>(),
        "vectors": all().iter().map(vector_to).collect::<Vec<_>>(),
    })
}

fn key_to(key: &Key) -> Value {
    json!({ "id": key.id, "algorithm": key.algorithm, "key": hex(&key.verifies) })
}

fn vector_to(vector: &Vector) -> Value {
    let Call { server, instance, session, call_id, attempt, tool, schema, arguments, now_unix_ms } =
        &vector.call;
    json!({
        "name": vector.name,
        "verdict": vector.verdict,
        "grant": vector.grant.as_ref().map(|grant| json!({
            "key_id": grant.key_id,
            "algorithm": grant.algorithm,
            "claims": hex(&grant.claims),
            "signature": hex(&grant.signature),
        })),
        "call": {
            "server": server,
            "instance": instance,
            "session": session,
            "call_id": call_id,
            "attempt": attempt,
            "tool": tool,
            "schema": schema,
            "arguments": arguments,
            "now_unix_ms": now_unix_ms,
        },
    })
}

#[test]
fn the_file_is_what_the_generator_makes() {
    assert!(file() == written(), "run with TOLLGATE_REGENERATE=1 and look at the difference");
}

#[test]
fn every_vector_is_judged_as_the_file_says() {
    let file = file();
    for vector in file["vectors"].as_array().unwrap() {
        assert_eq!(verdict(&file["keys"], vector), vector["verdict"], "{}", vector["name"]);
    }
}

/// The file keeps its promise to authors: enough of both, both algorithms, every verdict.
#[test]
fn the_vectors_are_many_and_distinct() {
    let all = all();
    let count = |verdict| all.iter().filter(|vector| vector.verdict == verdict).count();
    assert!(count("OK") >= 10 && all.len() - count("OK") >= 25);
    for verdict in ["GRANT_MISSING", "GRANT_EXPIRED", "GRANT_AUDIENCE", "ARGUMENTS_DIGEST"] {
        assert!(count(verdict) > 0, "{verdict}");
    }
    let names: std::collections::BTreeSet<_> = all.iter().map(|vector| vector.name).collect();
    assert_eq!(names.len(), all.len());
}

/// Reads a vector as an author would, and judges it with this crate.
fn verdict(keys: &Value, vector: &Value) -> &'static str {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let number = |value: &Value| value.as_u64().unwrap();
    let grant = vector["grant"].as_object().map(|grant| SignedGrant {
        key_id: text(&grant["key_id"]),
        algorithm: i32::try_from(number(&grant["algorithm"])).unwrap(),
        claims: unhex(&text(&grant["claims"])).into(),
        signature: unhex(&text(&grant["signature"])).into(),
    });
    let call = &vector["call"];
    let expected = Expected {
        server: call["server"].as_str().unwrap(),
        instance: call["instance"].as_str().unwrap(),
        session: call["session"].as_str().unwrap(),
        call_id: call["call_id"].as_str().unwrap(),
        attempt: u32::try_from(number(&call["attempt"])).unwrap(),
        tool: call["tool"].as_str().unwrap(),
        schema_sha256: &sha256(text(&call["schema"]).as_bytes()),
        arguments_sha256: &sha256(text(&call["arguments"]).as_bytes()),
        now_unix_ms: number(&call["now_unix_ms"]),
    };
    let key_of = |id: &str| {
        let key = keys.as_array().unwrap().iter().find(|key| key["id"] == id)?;
        let bytes: [u8; 32] = unhex(&text(&key["key"])).try_into().unwrap();
        match key["algorithm"].as_str().unwrap() {
            "hmac-sha256" => Some(VerifyingKey::Hmac(bytes)),
            _ => VerifyingKey::ed25519(&bytes),
        }
    };
    let judged = grant
        .ok_or(GrantError::Missing)
        .and_then(|grant| verify(&grant, key_of))
        .and_then(|claims| check(&claims, &expected));
    match judged {
        Ok(()) => "OK",
        Err(GrantError::Missing) => "GRANT_MISSING",
        Err(GrantError::Invalid) => "GRANT_INVALID",
        Err(GrantError::Expired) => "GRANT_EXPIRED",
        Err(GrantError::Audience) => "GRANT_AUDIENCE",
        Err(GrantError::Arguments) => "ARGUMENTS_DIGEST",
        Err(GrantError::Schema) => "SCHEMA_CHANGED",
    }
}

/// Both keys of a pair show nothing of themselves.
#[test]
fn keys_are_not_printed() {
    for key in keys() {
        let shown = format!("{:?} {:?}", key.signing, key.signing.verifying());
        assert_eq!(shown, "SigningKey VerifyingKey");
    }
}
