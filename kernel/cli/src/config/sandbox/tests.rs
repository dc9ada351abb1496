//! Goal: `[sandbox]` reaches the servers that confine themselves, and the gate ([GATE-70]).

use std::path::Path;

use serde_json::json;

use super::*;
use crate::config::{built_in, file};

/// The built-in values with a file laid over them.
fn said(text: &str) -> Values {
    let mut values = built_in::values();
    values.lay(file::parse(Path::new("/c.toml"), text).unwrap());
    values
}

#[test]
fn what_nobody_says_is_the_servers_own_to_know() {
    let values = said("");
    assert_eq!((mode(&values), network(&values)), ("best-effort", Network::Ask));
    for server in SERVERS {
        assert_eq!(settings(&values, server, json!({ "x": 1 })), json!({ "x": 1 }));
    }
}

#[test]
fn every_server_that_confines_itself_is_told_how_much_must_hold() {
    for word in ["required", "off"] {
        let values = said(&format!("[sandbox]\nmode = {word:?}"));
        for server in SERVERS {
            assert_eq!(settings(&values, server, json!({})), json!({ "sandbox": word }));
        }
        assert_eq!(settings(&values, "notes", json!({})), json!({}));
        let own = json!({ "sandbox": "best-effort" });
        assert_eq!(settings(&values, "code", own.clone()), own, "what is said of itself wins");
    }
}

#[test]
fn further_folders_are_the_shells() {
    let home = std::env::home_dir().unwrap();
    let values = said("[sandbox]\nwrite = [\"~/.cargo\", \"/srv/cache\"]");
    let expected = json!({ "sandbox_write": [home.join(".cargo"), "/srv/cache"] });
    assert_eq!(settings(&values, "shell", json!({})), expected);
    for server in ["file", "code", "model", "notes"] {
        assert_eq!(settings(&values, server, json!({})), json!({}));
    }
    for wrong in ["cache", "./x", "~", "/", "/srv/../etc", "~/../x", ""] {
        let text = format!("[sandbox]\nwrite = [\"/srv\", {wrong:?}]");
        let error = file::parse(Path::new("/c.toml"), &text).unwrap_err().to_string();
        assert!(error.starts_with("/c.toml:2: sandbox.write: must be folders"), "{wrong}: {error}");
    }
}

/// Its confinement then closes all files but what the network needs.
#[test]
fn the_model_server_is_told_when_no_model_is_a_file() {
    let none = "[auto_review]\nmodel = \"m:n\"";
    for (text, expected) in [
        ("model = \"openai:m\"", json!({ "scripts": false })),
        ("model = \"m\"\n[auto_review]\nmodel = \"m:n\"", json!({ "scripts": false })),
        ("model = \"script:/s.json\"", json!({})),
        ("model = \"m\"\n[auto_review]\nmodel = \"replay:/s\"", json!({})),
        ("", json!({})),
        (none, json!({})),
    ] {
        assert_eq!(settings(&said(text), "model", json!({})), expected, "{text}");
        assert_eq!(settings(&said(text), "file", json!({})), json!({}), "{text}");
    }
}

#[test]
fn the_network_is_one_of_three_words() {
    for network in Network::ALL {
        let values = said(&format!("[sandbox]\nnetwork = {:?}", network.as_str()));
        assert_eq!(self::network(&values), network);
    }
    let error = file::parse(Path::new("/c.toml"), "[sandbox]\nnetwork = \"of\"").unwrap_err();
    assert!(error.to_string().contains("did you mean \"off\"?"), "{error}");
}
