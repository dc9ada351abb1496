//! Goal: `[[rule]]` tables mean what they say, and each way to be wrong is told (`[GATE-20]`).

use std::path::{Path, PathBuf};

use tollgate_core::authority::rules::{Action, CommandMatch, Rule, Source, Touch};

use crate::permissions::parse;

#[track_caller]
fn rule(keys: &str) -> Rule {
    let text = format!("[[rule]]\n{keys}\n");
    let home = Some(Path::new("/home/ada"));
    let mut rules = parse(Path::new("/c/permissions.toml"), &text, home).unwrap().rules;
    assert_eq!(rules.len(), 1);
    rules.remove(0)
}

#[track_caller]
fn check_fault(keys: &str, expected: &str) {
    let text = format!("[[rule]]\n{keys}\n");
    let home = Some(Path::new("/home/ada"));
    let error = parse(Path::new("p.toml"), &text, home).map(|read| read.rules).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
}

/// `[GATE-20]`
#[test]
fn every_matcher_is_read() {
    let read = rule(
        "action = \"deny\"\ntool = \"bash\"\ncommand = [\"git\", \"push\"]\npath = \"~/src/**\"\naccess = \"write\"\nhost = \"*.Example.COM\"\nserver = \"mcp-*\"\nworkspace = \"~/w\"\nreason = \"mine\"\nexpires = 2027-01-31T12:00:00+02:00",
    );
    assert_eq!((read.action, read.source), (Action::Deny, Source::User));
    assert_eq!(read.tool.exact(), Some("bash"));
    let argv = vec!["git".to_owned(), "push".to_owned()];
    assert_eq!(read.command, Some(CommandMatch { argv, exact: false }));
    let path = read.path.unwrap();
    assert!(path.glob.matches(Path::new("/home/ada/src/x"), Path::new("/w")));
    assert_eq!(path.access, Some(Touch::Write));
    assert!(read.host.unwrap().matches("api.example.com"));
    assert!(read.server.unwrap().matches("mcp-github"));
    assert_eq!(read.workspace, Some(PathBuf::from("/home/ada/w")));
    assert_eq!(read.reason, "mine");
    assert_eq!(read.expires_unix_ms, Some(1_801_389_600_000));
    assert_eq!(read.origin, "permissions.toml:1");
}

#[test]
fn a_moment_is_written_in_several_ways() {
    let expires = |text: &str| {
        rule(&format!("action = \"ask\"\ntool = \"bash\"\nexpires = {text}")).expires_unix_ms
    };
    let day = Some(1_801_353_600_000);
    assert_eq!(expires("2027-01-31"), day);
    assert_eq!(expires("\"2027-01-31\""), day);
    assert_eq!(expires("2027-01-31T00:00:00Z"), day);
    assert_eq!(expires("2027-01-31 00:00:00Z"), day);
    assert_eq!(expires("\"2027-01-31T01:00:00+01:00\""), day);
    assert_eq!(expires("1969-01-01"), Some(0));
}

/// G-07 `[GATE-20]`: no rule is ignored because it is wrong.
#[test]
fn what_is_wrong_with_a_rule_is_told() {
    let rows = [
        ("tool = \"bash\"", "p.toml:1: rule: 'action' is missing"),
        ("action = \"alow\"\ntool = \"bash\"", "p.toml:2: rule.action: \"alow\" is none of"),
        ("action = \"deny\"", "p.toml:1: rule: it does not say for what"),
        ("action = \"deny\"\nreason = \"x\"", "it does not say for what"),
        (
            "action = \"deny\"\ntol = \"bash\"",
            "rule.tol: there is no such key; did you mean 'tool'?",
        ),
        (
            "action = \"deny\"\ntool = \"bash(git *)\"",
            "rule.tool: 'bash(git *)' is the compact form",
        ),
        ("action = \"deny\"\ntool = \"mcp_[\"", "rule.tool: 'mcp_[' is no usable pattern"),
        ("action = \"deny\"\ntool = \"b\u{430}sh\"", "is no name of a tool"),
        ("action = \"deny\"\ntool = [\"bash\"]", "rule.tool: must be a text, and is a list"),
        (
            "action = \"deny\"\ncommand = \"git push\"",
            "rule.command: must be a list of words: command = [\"git\", \"push\"]",
        ),
        (
            "action = \"deny\"\ncommand = [\"git push\"]",
            "rule.command: each word stands for itself: command = [\"git\", \"push\"]",
        ),
        ("action = \"deny\"\ncommand = [\"git\", \"*\"]", "rule.command: ends with '*'"),
        ("action = \"deny\"\ncommand = []", "rule.command: the list is empty"),
        ("action = \"deny\"\ncommand = [\"git\", 1]", "rule.command: must be a list of texts"),
        ("action = \"deny\"\ncommand = [\"git\"]\ncommand_exact = [\"git\"]", "not both"),
        ("action = \"deny\"\npath = \"a{b\"", "rule.path: 'a{b' is no usable pattern"),
        ("action = \"deny\"\npath = \"../x\"", "rule.path: "),
        ("action = \"deny\"\npath = \"x\"\naccess = \"wirte\"", "did you mean 'write'?"),
        ("action = \"deny\"\ntool = \"read\"\naccess = \"read\"", "there is no 'path'"),
        ("action = \"deny\"\nhost = \"https://example.com/\"", "rule.host: "),
        ("action = \"deny\"\nhost = \"\"", "rule.host: the text is empty"),
        (
            "action = \"deny\"\ntool = \"bash\"\nworkspace = \"w\"",
            "rule.workspace: 'w' is relative",
        ),
        ("action = \"deny\"\ntool = \"bash\"\nexpires = 2027-01-31T12:00:00", "rule.expires: "),
        (
            "action = \"deny\"\ntool = \"bash\"\nexpires = \"tomorrow\"",
            "rule.expires: 'tomorrow' is no moment",
        ),
        ("action = \"deny\"\ntool = \"bash\"\nexpires = 12", "rule.expires: must be a date"),
    ];
    for (keys, expected) in rows {
        check_fault(keys, expected);
    }
}

/// A path of another user's home cannot be known.
#[test]
fn a_home_that_is_not_known_is_a_fault() {
    let text = "[[rule]]\naction = \"deny\"\npath = \"~/x\"\n";
    assert!(parse(Path::new("p.toml"), text, None).is_err());
    check_fault(
        "action = \"deny\"\ntool = \"bash\"\nworkspace = \"~bob/x\"",
        "homes of other users",
    );
}
