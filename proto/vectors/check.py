#!/usr/bin/env python3
"""Judges the HMAC grants of grants.json with Python's standard library alone.

What every server must do before it runs a tool, in this order: find the key, compare the tag, only
then parse the claims, compare them with the call. Ed25519 differs in `tag_fits`; left out here.
"""

import hashlib
import hmac
import json
import pathlib
import sys

HMAC_SHA256, ED25519, CLAIMS_BYTES_MAX = 1, 2, 16 * 1024
# The fields of `GrantClaims` in the order of their numbers, from 1.
CLAIMS = "key_id server instance session call_id attempt tool schema arguments scope expires nonce"
AUDIENCE = ["server", "instance", "session", "call_id", "tool"]


def varint(data, at):
    value = shift = 0
    while data[at] >= 0x80:
        value, shift, at = value | (data[at] & 0x7F) << shift, shift + 7, at + 1
    return value | data[at] << shift, at + 1


def parse(data):
    """Name or number → value of each field; fields of a later version harm nobody."""
    names, fields, at = CLAIMS.split(), {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = data[at : at + size], at + size
        fields[names[(key >> 3) - 1] if 1 <= key >> 3 <= len(names) else key >> 3] = value
    if at > len(data):
        raise ValueError("the message ends within a field")
    return fields


def tag_fits(key, grant, claims):
    signed = b"tollgate.grant.v1\0" + bytes([grant["algorithm"]]) + claims
    tag = hmac.new(bytes.fromhex(key["key"]), signed, hashlib.sha256).digest()
    return hmac.compare_digest(tag, bytes.fromhex(grant["signature"]))


def verdict(keys, grant, call):
    if grant is None:
        return "GRANT_MISSING"
    claims, key = bytes.fromhex(grant["claims"]), keys.get(grant["key_id"])
    fits = key and key["algorithm"] == "hmac-sha256" and grant["algorithm"] == HMAC_SHA256
    if not fits or len(claims) > CLAIMS_BYTES_MAX or not tag_fits(key, grant, claims):
        return "GRANT_INVALID"
    try:
        said = parse(claims)
    except (ValueError, LookupError):
        return "GRANT_INVALID"
    if said.get("key_id") != grant["key_id"].encode() or len(said.get("nonce", b"")) != 16:
        return "GRANT_INVALID"
    audience = all(said.get(name, b"") == call[name].encode() for name in AUDIENCE)
    if not audience or said.get("attempt", 0) != call["attempt"]:
        return "GRANT_AUDIENCE"
    if said.get("expires", 0) <= call["now_unix_ms"]:
        return "GRANT_EXPIRED"
    if said.get("schema") != hashlib.sha256(call["schema"].encode()).digest():
        return "SCHEMA_CHANGED"
    if said.get("arguments") != hashlib.sha256(call["arguments"].encode()).digest():
        return "ARGUMENTS_DIGEST"
    return "OK"  # A server now also refuses a nonce that it has seen: GRANT_REPLAYED.


file = json.loads(pathlib.Path(__file__).with_name("grants.json").read_bytes())
keys = {key["id"]: key for key in file["keys"]}
judged = [v for v in file["vectors"] if not v["grant"] or v["grant"]["algorithm"] != ED25519]
wrong = [v["name"] for v in judged if verdict(keys, v["grant"], v["call"]) != v["verdict"]]
print(f"{len(judged)} of {len(file['vectors'])} grants judged; wrong:", ", ".join(wrong) or "none")
sys.exit(bool(wrong))
