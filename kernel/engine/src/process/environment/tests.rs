//! Goal: no secret reaches a server by accident. [PROTO-10]

use super::*;

/// Scrubs `names`, and compares what is left.
#[track_caller]
fn check(names: &[&str], allow: &[&str], expected: &[&str]) {
    let variables = names.iter().map(|name| (OsString::from(name), OsString::from("v")));
    let allow: Vec<_> = allow.iter().map(ToString::to_string).collect();
    let left = scrub(variables, &allow);
    let left: Vec<_> = left.iter().map(|(name, _)| name.to_str().unwrap()).collect();
    assert_eq!(left, expected, "{names:?} with {allow:?}");
}

#[test]
fn the_fixed_list_passes_in_a_fixed_order() {
    check(
        &["TERM", "PATH", "LC_ALL", "XDG_CACHE_HOME"],
        &[],
        &["LC_ALL", "PATH", "TERM", "XDG_CACHE_HOME"],
    );
}

#[test]
fn all_else_is_dropped() {
    check(&["OPENAI_API_KEY", "SSH_AUTH_SOCK", "LD_PRELOAD", "PATHS", "path", ""], &[], &[]);
}

#[test]
fn a_name_in_the_configuration_passes() {
    check(&["CARGO_HOME", "GOPATH"], &["CARGO_HOME"], &["CARGO_HOME"]);
    check(&["NPM_A", "NPM_B", "NP"], &["NPM_*"], &["NPM_A", "NPM_B"]);
}

#[test]
fn a_secret_passes_only_by_its_exact_name() {
    let secrets = ["GH_TOKEN", "XDG_API_KEY", "LC_SECRET", "GH_token"];
    check(&secrets, &["GH_*", "*"], &[]);
    check(&secrets, &["GH_TOKEN"], &["GH_TOKEN"]);
}
