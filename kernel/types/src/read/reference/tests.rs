//! Tests of `reference`.

use super::*;

const SCHEMA: &str = r##"{"$id": "https://example.com/s", "$defs": {
    "a/b": 1, "c~d": 2, "e f": 3, "list": [4, 5], "g": {"$anchor": "g"}, "h": {"$id": "#h"}}}"##;

#[test]
fn references_lead_into_the_schema_only() {
    let schema = Json::parse(SCHEMA.as_bytes()).unwrap();
    let found = |reference: &str| resolve(&schema, reference);
    for (reference, expected) in [
        ("#/$defs/a~1b", 1),
        ("#/$defs/c~0d", 2),
        ("#/$defs/e%20f", 3),
        ("#/%24defs/e f", 3),
        ("#/$defs/list/1", 5),
        ("https://example.com/s#/$defs/list/0", 4),
    ] {
        let number = found(reference).and_then(Json::number).expect(reference);
        assert_eq!(number.as_u64(), Some(expected), "{reference}");
    }
    for reference in ["#", "", "https://example.com/s", "https://example.com/s#", "#g", "#h"] {
        assert!(found(reference).and_then(Json::object).is_some(), "{reference}");
    }
    let long = format!("#/{}", "$defs/".repeat(REFERENCE_BYTES_MAX));
    for reference in [
        "#/nowhere",
        "#/$defs/list/2",
        "#/$defs/list/-1",
        "#/$defs/a~1b/x",
        "#i",
        "other.json",
        "/$defs",
        "https://example.com/other#/$defs/g",
        "#/%ff",
        "#/%",
        "#/",
        &long,
    ] {
        assert!(found(reference).is_none(), "{reference}");
    }
}

#[test]
fn definitions_are_called_by_the_last_step_that_says_something() {
    for (reference, expected) in [
        ("#/$defs/Node", "Node"),
        ("#/properties/from/items", "from"),
        ("#/$defs/list/anyOf/1", "list"),
        ("#anchor", "anchor"),
        ("#/$defs/My%20Type", "My Type"),
        ("#", "Self"),
    ] {
        assert_eq!(name(reference), expected, "{reference}");
    }
}
