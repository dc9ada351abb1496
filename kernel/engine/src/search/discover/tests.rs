//! Goal: a query starts what it is about and nothing else, within what policy permits.

use serde_json::json;
use tollgate_core::{
    authority::{
        admission::Outright,
        policy::{Lists, Policy},
        rules::{Action, NamePattern, Rules, Source as RuleSource, compact},
    },
    catalog::{Catalog, SourceState},
};

use super::{super::testing::source, Ask, about};

fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    catalog.with_sources(vec![
        source("github", "issues, pull requests and repositories", SourceState::Idle),
        source("linear-app", "tickets of the team", SourceState::Idle),
        source("slow", "", SourceState::Failed),
        source("off", "weather", SourceState::Disabled),
        source("there", "maps", SourceState::Ready),
    ]);
    catalog
}

/// What a query connects, and whether it is about servers.
fn wanted(arguments: serde_json::Value, policy: &Policy) -> (String, bool) {
    let (ask, _) = Ask::read(&arguments).unwrap();
    let about = about(&ask, &catalog(), &Outright::of(policy, 0));
    let names = about.wanted.iter().map(|(server, names)| format!("{server}: {}", names.join(" ")));
    (names.collect::<Vec<_>>().join("; "), about.is_about_servers)
}

#[track_caller]
fn check(query: &str, expected: &str) {
    let (found, _) = wanted(json!({ "query": query }), &Policy::default());
    assert_eq!(found, expected, "{query}");
}

/// `[CAT-13]`
#[test]
fn what_is_named_or_hinted_at_is_connected() {
    check("GitHub", "bridge: github");
    check("select:mcp_github_create_issue", "bridge: github");
    check("server:github list", "bridge: github");
    check("open an issue", "bridge: github");
    check("pull request review", "bridge: github");
    check("linear app", "bridge: linear-app");
    check("mcp_linear_app_list", "bridge: linear-app");
    check("which MCP servers are there", "bridge: github linear-app");
    check("^mcp_.*list", "bridge: github linear-app");
    check("bridge", "bridge: github linear-app slow");
    check("slow", "bridge: slow");
    let by_argument =
        wanted(json!({ "query": "list", "server": "Linear_App" }), &Policy::default());
    assert_eq!(by_argument.0, "bridge: linear-app");
}

/// `[CAT-13]`: words that any tool has start nothing; neither do parts of words.
#[test]
fn an_unrelated_query_means_no_source() {
    for query in [
        "read a file",
        "create",
        "search the web",
        "githubbing",
        "linear regression",
        "weather",
        "maps",
    ] {
        check(query, "");
    }
    assert!(!wanted(json!({ "query": "read a file" }), &Policy::default()).1);
    assert!(
        wanted(json!({ "query": "weather" }), &Policy::default()).1,
        "it is told to be disabled"
    );
}

/// `[CAT-14]`: what policy forbids is not even connected.
#[test]
fn what_is_denied_is_not_connected() {
    let names = |names: &[&str]| names.iter().map(|it| NamePattern::new(it).unwrap()).collect();
    let lists = |deny: &[&str], allow: Option<&[&str]>| Policy {
        lists: Lists { deny: names(deny), allow: allow.map(names) },
        ..Policy::default()
    };
    let rule = |text: &str| {
        let rule = compact::parse(text, Action::Deny, RuleSource::User, None, "test").unwrap();
        Policy { rules: Rules::new(vec![rule]), ..Policy::default() }
    };
    for (policy, expected) in [
        (lists(&["mcp_github_*"], None), "bridge: linear-app"),
        (lists(&["mcp_linear_app_*"], None), "bridge: github"),
        (lists(&["mcp_*"], None), ""),
        (lists(&["mcp_github_create_issue"], None), "bridge: github linear-app"),
        (lists(&[], Some(&["read", "mcp_github_get"])), "bridge: github"),
        (lists(&[], Some(&["read"])), ""),
        (rule("mcp_github_*"), "bridge: linear-app"),
        (rule("mcp_github_create_issue"), "bridge: github linear-app"),
    ] {
        let (found, _) = wanted(json!({ "query": "mcp" }), &policy);
        assert_eq!(found, expected, "{:?} {:?}", policy.lists, policy.rules);
    }
}
