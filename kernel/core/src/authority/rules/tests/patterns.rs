//! Goal: patterns match what they say, and no pattern silently matches nothing (G-07).

use std::path::Path;

use crate::authority::rules::{NamePattern, PathPattern};

#[track_caller]
fn name(pattern: &str, name: &str, expected: bool) {
    assert_eq!(NamePattern::new(pattern).unwrap().matches(name), expected, "{pattern} of {name}");
}

#[track_caller]
fn path(pattern: &str, path: &str, expected: bool) {
    let read = PathPattern::new(pattern).unwrap();
    assert_eq!(read.matches(Path::new(path), Path::new("/w")), expected, "{pattern} of {path}");
}

#[test]
fn names_are_exact_or_globs() {
    for (pattern, yes, no) in [
        ("bash", "bash", "bash2"),
        ("mcp_x_*", "mcp_x_", "mcp_y_a"),
        ("*.test", "a.b.test", "test"),
        ("*", "", "\0"),
        ("m*_x", "mcp_x", "mcp_y"),
        ("{a,b}?", "ac", "c"),
    ] {
        name(pattern, yes, true);
        name(pattern, no, pattern == "*");
    }
    for broken in ["", "[", "{a", "a[b"] {
        assert!(NamePattern::new(broken).is_err(), "{broken}");
    }
    assert_eq!(NamePattern::host("EXAMPLE.com.").unwrap().as_str(), "example.com");
    for broken in ["https://x", "x/y", ""] {
        assert!(NamePattern::host(broken).is_err(), "{broken}");
    }
}

#[test]
fn places_are_exact_folders_or_globs() {
    for (pattern, yes, no) in [
        ("a/b", "/w/a/b", "/w/a/b/c"),
        ("./a//b", "/w/a/b", "/x/a/b"),
        ("a/**", "/w/a/b/c", "/w/ab"),
        ("a/**", "/w/a", "/a"),
        ("a/", "/w/a/b", "/w/b"),
        ("**", "/w/a", "/x"),
        ("*.rs", "/w/a.rs", "/w/a/b.rs"),
        ("**/*.rs", "/w/a/b.rs", "/w/a/b.c"),
        ("**/.env", "/w/.env", "/w/.envrc"),
        ("*/secret/**", "/w/a/secret", "/w/a/b/secret"),
        ("a,b*/**", "/w/a,b/c", "/w/a/c"),
        ("/etc/**", "/etc", "/w/etc"),
        ("//etc/passwd", "/etc/passwd", "/etc"),
        ("/", "/any/thing", "relative"),
        (r"app/\[id\]/x", "/w/app/[id]/x", "/w/app/i/x"),
        (".", "/w", "/w/a"),
    ] {
        path(pattern, yes, true);
        path(pattern, no, false);
    }
    for broken in ["", "a/../b", "..", "[", "~", "~/x", "a\\"] {
        assert!(PathPattern::new(broken).is_err(), "{broken}");
    }
    let home = PathPattern::with_home("~/n/**", Some("/home/m[e]/")).unwrap();
    assert!(home.matches(Path::new("/home/m[e]/n/a"), Path::new("/w")));
}

#[test]
fn an_exact_place_is_itself_whatever_its_name() {
    for odd in ["/w/a*b", "/w/[id]/x", "/w/{a,b}", r"/w/a\b", "/w/ü ~!", "/w/a?"] {
        let pattern = PathPattern::exactly(odd).unwrap();
        assert!(pattern.matches(Path::new(odd), Path::new("/w")), "{odd}");
        assert!(!pattern.matches(Path::new("/w/ab"), Path::new("/w")), "{odd}");
        assert!(pattern.is_exact());
    }
}

/// G-15.
#[test]
fn matching_is_linear_in_the_text() {
    let pattern = PathPattern::new("**/a*a*a*a*a*a*a*a*b").unwrap();
    let text = format!("/w/{}", "a".repeat(4000));
    assert!(!pattern.matches(Path::new(&text), Path::new("/w")));
}

/// `[CAT-13]`: what is said of all names that begin so, before any of them is known.
#[test]
fn a_pattern_is_compared_with_a_beginning() {
    let row = |pattern: &str| {
        let pattern = NamePattern::new(pattern).unwrap();
        (pattern.covers("mcp_git_"), pattern.meets("mcp_git_"))
    };
    let rows = [
        "*",
        "mcp_*",
        "mcp_git_*",
        "mcp_git_log",
        "mcp_git_l*",
        "mcp_jira_*",
        "read",
        "*_log",
        "m?p*",
    ];
    let expected = [
        (true, true),
        (true, true),
        (true, true),
        (false, true),
        (false, true),
        (false, false),
        (false, false),
        (false, true),
        (false, true),
    ];
    assert_eq!(rows.map(row), expected);
}
