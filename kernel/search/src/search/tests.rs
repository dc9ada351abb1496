//! Tests of `search`.

use crate::{
    Document, Found, Index, Kind, Query, Why,
    tests::{TOOLS, documents, names},
};

fn find(text: &str, limit: usize, kind: Kind) -> (Vec<&'static str>, Found) {
    let documents = documents(TOOLS);
    let found =
        Index::new(&documents).search(&Query::parse(text, Some(limit), kind, None).unwrap());
    (names(&documents, &found), found)
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let (names, found) = find(text, 5, Kind::Auto);
    assert_eq!(names.get(..expected.len()), Some(expected), "{text:?}: {names:?} {found:?}");
}

/// [CAT-11] Whole names, names as their server has them, with its name before, in any spelling.
#[test]
fn a_name_comes_first_however_it_is_written() {
    check("mcp_github_create_issue", &["mcp_github_create_issue"]);
    check("github.create_issue", &["mcp_github_create_issue"]);
    check("github/create-issue", &["mcp_github_create_issue"]);
    check("use GitHub:createIssue for this", &["mcp_github_create_issue"]);
    check("create_issue", &["mcp_linear_create_issue", "mcp_github_create_issue"]);
    check("create issue", &["mcp_linear_create_issue", "mcp_github_create_issue"]);
    check("send_message", &["mcp_slack_send_message"]);
    check("I want list_issues, please", &["mcp_github_list_issues"]);
    check("web-search", &["web_search"]);
    check("read", &["read"]);
    check("the tool `read`, to see issues", &["read"]);
    check("call \"web search\" for issues", &["web_search"]);
    check("read write", &["read", "write"]);
}

/// B125, oh-my-claudecode 814: the bare short name finds the server's tool.
#[test]
fn a_short_name_finds_the_tool_of_its_server() {
    let (names, found) = find("send_message", 5, Kind::Auto);
    assert_eq!((names[0], found.matches[0].why), ("mcp_slack_send_message", Why::ShortName));
}

/// Codex 21503: a query that lists six names gets six, whatever the limit.
#[test]
fn names_survive_the_cut_beyond_the_limit() {
    let six =
        "mcp_github_create_issue mcp_github_list_issues web_search git_status grep_files web_fetch";
    let (names, _) = find(&format!("github {six} please"), 1, Kind::Auto);
    for name in six.split(' ') {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let (names, found) = find("write and then search the web for issues", 1, Kind::Auto);
    assert!(names.contains(&"write"), "a plain name within a sentence: {names:?} {found:?}");
}

#[test]
fn two_spellings_of_one_name_are_two_tools() {
    let of = |name| Document { name, ..Document::default() };
    let documents = [of("getCarInfo"), of("getCARInfo")];
    let index = Index::new(&documents);
    for text in ["getCARInfo", "getCarInfo", "please `getCARInfo` now"] {
        let found = index.search(&Query::parse(text, Some(1), Kind::Auto, None).unwrap());
        assert!(text.contains(names(&documents, &found)[0]), "{text}: {found:?}");
        assert_eq!(found.matches[0].why, Why::Name);
    }
}

#[test]
fn select_picks_names_and_says_which_are_missing() {
    let (names, found) = find("select:git_status,raed,web_search,git_status", 1, Kind::Auto);
    assert_eq!(names, ["git_status", "web_search"]);
    assert_eq!(found.missing, ["raed"]);
    assert!(found.nearest.contains(&0), "read is near: {found:?}");
}

#[test]
fn filters_leave_only_what_they_allow() {
    let (names, found) = find("server:github issues", 5, Kind::Auto);
    assert_eq!(names, ["mcp_github_create_issue", "mcp_github_list_issues"]);
    assert_eq!(found.matched_total, 2);
    let (names, _) = find("server:github", 5, Kind::Auto);
    assert_eq!(names, ["mcp_github_create_issue", "mcp_github_list_issues"]);
    let (names, _) = find("create +recurring", 5, Kind::Auto);
    assert_eq!(names, ["mcp_calendar_create_event"]);
    let (names, found) = find("server:gitlab issues", 5, Kind::Auto);
    assert_eq!((names.len(), found.server_is_unknown), (0, true));
}

#[test]
fn kind_name_looks_at_names_only() {
    let (names, _) = find("issue", 5, Kind::Name);
    assert!(names.iter().all(|it| it.contains("issue")), "{names:?}");
    assert!(find("markdown", 5, Kind::Name).0.is_empty());
}

#[test]
fn kind_regex_fits_names_before_texts() {
    let (names, found) = find("^create_", 5, Kind::Regex);
    assert_eq!(
        names,
        ["mcp_calendar_create_event", "mcp_github_create_issue", "mcp_linear_create_issue"]
    );
    assert!(found.matches.iter().all(|it| it.why == Why::Regex));
    assert_eq!(find("MARKDOWN", 5, Kind::Regex).0, ["web_fetch"]);
}

#[test]
fn misspelt_words_find_what_is_meant() {
    check("recuring meetng", &["mcp_calendar_create_event"]);
    check("serch the web", &["web_search"]);
    check("list repositry isues", &["mcp_github_list_issues"]);
}

/// [CAT-11] Chinese requests find tools that are described in English, and mixed ones do.
#[test]
fn chinese_and_mixed_queries_find_tools() {
    check("创建 日程", &["mcp_calendar_create_event"]);
    check("读取文件", &["read"]);
    check("搜索网页", &["web_search"]);
    check("github 问题 列出", &["mcp_github_list_issues"]);
    let documents = [
        Document { name: "a", description: "发送电子邮件给用户", ..Document::default() },
        Document { name: "b", description: "读取数据库记录", ..Document::default() },
    ];
    let found =
        Index::new(&documents).search(&Query::parse("电子邮件", None, Kind::Auto, None).unwrap());
    assert_eq!(names(&documents, &found), ["a"]);
}

#[test]
fn nonsense_finds_nothing_and_what_is_near_a_name_is_said() {
    for text in [
        "quantum banana telescope",
        "volcanic ukulele orchestra",
        "zxcv qwpo",
        "*",
        "🙂",
        "[",
        "...",
    ] {
        let (names, found) = find(text, 5, Kind::Auto);
        assert!(names.is_empty() && found.matched_total == 0, "{text}: {found:?}");
    }
    let (names, found) = find("gtistatus", 5, Kind::Auto);
    assert!(names.is_empty());
    assert_eq!(found.nearest.first(), Some(&11), "git_status");
}

/// What was cut is counted; the next page begins where this one ends.
#[test]
fn pages_follow_each_other_and_counts_are_honest() {
    let documents = documents(TOOLS);
    let index = Index::new(&documents);
    let query =
        || Query::parse("create list search send issue", Some(3), Kind::Auto, None).unwrap();
    let first = index.search(&query());
    let (mut seen, total) = (names(&documents, &first), first.matched_total);
    assert!(total > 3, "{first:?}");
    while seen.len() < total {
        let next = index.search(&query().skip(seen.len()));
        assert_eq!(next.matched_total, total);
        assert!(!next.matches.is_empty(), "{seen:?}");
        seen.extend(names(&documents, &next));
    }
    let distinct: std::collections::BTreeSet<_> = seen.iter().collect();
    assert_eq!(distinct.len(), total);
}

#[test]
fn ties_are_broken_by_our_own_tools_then_by_name() {
    let of =
        |name, native| Document { name, description: "Same words", native, ..Document::default() };
    let documents = [of("c_x", false), of("b_x", false), of("z_x", true)];
    let found =
        Index::new(&documents).search(&Query::parse("same words", None, Kind::Auto, None).unwrap());
    assert_eq!(names(&documents, &found), ["z_x", "b_x", "c_x"]);
}
