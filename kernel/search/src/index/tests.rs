//! Tests of `index`.

use super::*;

#[track_caller]
fn check(name: &str, server: &str, expected: &str) {
    assert_eq!(short(name, server), expected, "{name} of {server}");
}

#[test]
fn the_short_name_is_what_the_server_calls_it() {
    check("mcp_github_create_issue", "github", "create_issue");
    check("mcp__github__create_issue", "github", "create_issue");
    check("github__create_issue", "github", "create_issue");
    check("google_calendar__create_event", "google-calendar", "create_event");
    check("filesystem:read_file", "filesystem", "read_file");
    check("git_log", "git", "log");
    check("github_log", "git", "github_log");
    check("read", "file", "read");
    check("fetch", "fetch", "fetch");
    check("mcp_fetch", "fetch", "fetch");
    check("", "", "");
}

/// B131: a server named as a group of ours does not hide its tools.
#[test]
fn a_server_may_have_any_name() {
    for server in ["web", "git", "memory", "tools", "mcp"] {
        let name = format!("mcp_{server}_zeta_unique");
        let documents = [Document { name: &name, server, ..Document::default() }];
        let index = Index::new(&documents);
        for spelling in ["zetaunique", &joined(&name)] {
            assert_eq!(index.named(spelling).collect::<Vec<_>>(), [0], "{server} {spelling}");
        }
    }
}

#[test]
fn a_word_counts_once_as_in_its_best_field() {
    let documents = [
        Document { name: "x", description: "issue", trusted: true, ..Document::default() },
        Document {
            name: "y",
            description: "issue issue issue",
            trusted: true,
            ..Document::default()
        },
        Document { name: "issue", description: "issue", trusted: true, ..Document::default() },
    ];
    let index = Index::new(&documents);
    let term = index.vocabulary.get("issu").and_then(|it| index.term(*it)).unwrap();
    let impacts: Vec<f32> = term.postings.iter().map(|it| it.impact).collect();
    assert_eq!(impacts[0].to_bits(), impacts[1].to_bits());
    assert!(impacts[2] > impacts[0]);
}
