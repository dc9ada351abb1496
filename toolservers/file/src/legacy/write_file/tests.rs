//! Goal: old writes write, and keep to the digest that they were given.

use sha2::{Digest, Sha256};
use tollgate_sdk::serde_json::json;

use super::super::tests::{call, check_unknown, prepared};
use super::*;
use crate::testing::World;

fn hash(content: &str) -> String {
    let digest = Sha256::digest(content);
    let digits: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{}", digits.concat())
}

/// [CAT-07]
#[test]
fn calls_of_transcripts_write() {
    let world = World::new().with("g", "old\n");
    for (arguments, path, family) in [
        (json!({"path": "f", "content": "x\n"}), "f", false),
        (json!({"file_path": "d/f", "content": "x\n"}), "d/f", false),
        (json!({"path": "g", "content": "x\n", "expected_hash": hash("old\n")}), "g", false),
        (json!({"action": "write", "path": "h", "content": "x\n"}), "h", true),
    ] {
        let input = call(&WriteFile::<false>, arguments);
        let asked = input.asked(family).unwrap();
        let context = world.context(Vec::new());
        write::run(&asked.path, &input.content, asked.expected, &context, &world.scope()).unwrap();
        assert_eq!(world.bytes(path), b"x\n");
    }
}

/// [CAT-07, FILE-10]: an old name is judged as `write` is.
#[tokio::test]
async fn other_calls_are_refused() {
    let world = World::new().with("f", "old\n");
    let tool = WriteFile::<false>;
    let said = prepared(&world, &tool, json!({"path": "f", "content": "x"})).await.unwrap();
    assert!(said.safety.destructive && said.preview.contains("not read in this session"));
    for (arguments, part) in [
        (json!({"content": "x"}), "path, file_path"),
        (json!({"path": "f", "content": "x", "expected_hash": hash("other\n")}), "stale"),
        (json!({"path": "new", "content": "x", "expected_hash": hash("other\n")}), "stale"),
        (json!({"path": "f", "content": "x", "expected_hash": "md5"}), "64 hex digits"),
        (json!({"path": "/etc/f", "content": "x"}), "outside_roots"),
    ] {
        let refused = prepared(&world, &tool, arguments).await.unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    check_unknown(&tool, json!({"path": "f"}), "content");
    check_unknown(&tool, json!({"path": "f", "content": {"a": 1}}), "string");
    assert_eq!(world.bytes("f"), b"old\n");
}
