//! Goal: both sides and every language compute one digest of a manifest ([PROTO-02]).

use prost::Message;
use sha2::{Digest, Sha256};

use super::{
    hex,
    samples::{manifest, tool_spec},
};
use crate::{
    manifest::digest,
    tool::v1::{Manifest, ToolSpec},
};

/// As `Manifest.digest` documents it, word for word.
fn by_hand(mut manifest: Manifest, tools: &[ToolSpec]) -> Vec<u8> {
    manifest.digest.clear();
    let mut bytes = manifest.encode_to_vec();
    for tool in tools {
        let tool = tool.encode_to_vec();
        bytes.extend(u64::try_from(tool.len()).unwrap().to_be_bytes());
        bytes.extend(tool);
    }
    Sha256::digest(bytes).to_vec()
}

#[test]
fn the_digest_is_as_documented() {
    let tools = [tool_spec(), ToolSpec { name: "write".into(), ..tool_spec() }];
    for some in [&tools[..], &tools[..1], &[]] {
        assert_eq!(digest(&manifest(), some)[..], by_hand(manifest(), some));
    }
}

#[test]
fn the_digest_is_pinned() {
    let tool = ToolSpec { name: "read".into(), ..ToolSpec::default() };
    let manifest = Manifest { name: "file".into(), ..Manifest::default() };
    assert_eq!(
        hex(&digest(&manifest, &[tool])),
        // printf '\x0a\x04file\0\0\0\0\0\0\0\x06\x0a\x04read' | sha256sum
        "2660221260145d51156d25c74753da56c8927652e6f4b015acf880cf9218a967"
    );
}

#[test]
fn the_digest_does_not_depend_on_itself() {
    let other = Manifest { digest: vec![9; 32].into(), ..manifest() };
    assert_eq!(digest(&manifest(), &[]), digest(&other, &[]));
}

#[test]
fn every_tool_and_its_place_count() {
    let (one, two) = (tool_spec(), ToolSpec { title: "other".into(), ..tool_spec() });
    let of = |tools: &[&ToolSpec]| {
        digest(&manifest(), &tools.iter().map(|tool| (*tool).clone()).collect::<Vec<_>>())
    };
    let all = [of(&[]), of(&[&one]), of(&[&two]), of(&[&one, &two]), of(&[&two, &one])];
    let different: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len());
}
