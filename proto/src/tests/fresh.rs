//! Goal: what is committed is what the `.proto` files say.

use std::collections::BTreeMap;

use super::at;

/// What helps when a test here fails.
const HELP: &str = "is not what the .proto files say; run `cargo run -p tollgate-codegen`";

/// Generated code and golden descriptors cannot drift from the contract ([PROTO-09]).
#[test]
fn generated_code_is_fresh() {
    let fresh = tollgate_codegen::generate(&at("")).unwrap();
    let committed: BTreeMap<String, String> = std::fs::read_dir(at("src/generated"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            (entry.file_name().into_string().unwrap(), text)
        })
        .collect();
    let names = |sources: &BTreeMap<String, String>| sources.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(&fresh.sources), "proto/src/generated {HELP}");
    for (name, text) in &fresh.sources {
        assert!(committed[name] == *text, "proto/src/generated/{name} {HELP}");
    }
    assert!(crate::DESCRIPTORS == fresh.descriptors, "proto/golden/descriptors.binpb {HELP}");
}
