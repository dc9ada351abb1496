//! Tests of `json`.

use super::*;

fn keys(text: &str) -> Vec<String> {
    let json = Json::parse(text.as_bytes()).unwrap();
    json.object().unwrap().iter().map(|(key, _)| key.to_owned()).collect()
}

#[test]
fn members_keep_their_order() {
    assert_eq!(keys(r#"{"z": 1, "a": 2, "m": 3}"#), ["z", "a", "m"]);
}

#[test]
fn members_are_found_in_small_and_large_objects() {
    for count in [1, INDEXED_MEMBERS_MIN - 1, INDEXED_MEMBERS_MIN, 500] {
        let members: Vec<String> =
            (0..count).map(|it| format!("\"{}\": {it}", count - it)).collect();
        let json = Json::parse(format!("{{{}}}", members.join(",")).as_bytes()).unwrap();
        let object = json.object().unwrap();
        assert_eq!(object.len(), count);
        for it in 0..count {
            let found = object.get(&(count - it).to_string()).and_then(Json::number).unwrap();
            assert_eq!(found.as_u64(), u64::try_from(it).ok());
        }
        assert!(object.get("no").is_none());
    }
}

#[test]
fn what_is_no_strict_json_is_nothing() {
    let large = format!("[{}]", " ".repeat(SCHEMA_BYTES_MAX));
    let deep = "[".repeat(200);
    for text in ["", "{", r#"{"a": 1, "a": 1}"#, "1 2", "1e999", "\"\\ud800\"", &large, &deep] {
        assert!(Json::parse(text.as_bytes()).is_none(), "{}", text.get(..20).unwrap_or(text));
    }
    assert!(Json::parse(b"\"\xFF\"").is_none(), "no UTF-8");
}
