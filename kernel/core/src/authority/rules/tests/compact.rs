//! Goal: `[GATE-20]` the compact form is read as other agents write it, and shown normalised.

use super::{Dice, HOME};
use crate::authority::rules::{
    Action, CommandMatch, NamePattern, PathMatch, PathPattern, Rule, Source, Touch,
    compact::{parse, show},
};

fn read(text: &str) -> Result<Rule, String> {
    parse(text, Action::Allow, Source::User, Some(HOME), "here").map_err(|error| error.to_string())
}

/// Reads, shows, reads again.
#[track_caller]
fn check(text: &str, expected: &str) {
    let rule = read(text).unwrap();
    assert_eq!(show(&rule), expected, "{text}");
    assert_eq!(read(expected).unwrap(), rule, "{text}");
}

#[track_caller]
fn wrong(text: &str, why: &str) {
    let error = read(text).unwrap_err();
    assert!(error.contains(why), "{text}: {error}");
}

#[test]
fn forms_of_other_agents_are_read() {
    for (written, shown) in [
        ("bash", "bash"),
        (" Bash ", "bash"),
        ("bash(*)", "bash"),
        ("bash(git push)", "bash(git push)"),
        ("bash(cargo test *)", "bash(cargo test *)"),
        ("Bash(cargo test:*)", "bash(cargo test *)"),
        ("BASH(git:*)", "bash(git *)"),
        ("bash-tool(ls)", "bash(ls)"),
        ("read(~/notes/**)", "read(/home/me/notes/**)"),
        ("Read(./src/)", "read(src/**)"),
        ("Read(//etc/hosts)", "read(/etc/hosts)"),
        ("Edit(src/**)", "edit(src/**)"),
        ("write(src/my notes/*.md)", "write(src/my notes/*.md)"),
        ("WebFetch(domain:example.com)", "web_fetch(host:example.com)"),
        ("web_fetch(host:*.Example.com)", "web_fetch(host:*.example.com)"),
        ("web_fetch(example.com)", "web_fetch(host:example.com)"),
        ("mcp_github_*", "mcp_github_*"),
        ("mcp__github", "mcp_github_*"),
        ("mcp__github__*", "mcp_github_*"),
        ("mcp__github__get_issue", "mcp_github_get_issue"),
        ("mcp(github)", "mcp_* server=github"),
        ("mcp_x_createIssue", "mcp_x_createIssue"),
        ("*", "*"),
        ("*read*", "*read*"),
    ] {
        check(written, shown);
    }
}

#[test]
fn quoted_words_are_one_word() {
    for (written, shown) in [
        (r#"bash(git commit -m "a b")"#, "bash(git commit -m 'a b')"),
        (r"bash(git commit -m a\ b *)", "bash(git commit -m 'a b' *)"),
        (r#"bash(echo "it's \"so\"")"#, r#"bash(echo 'it'\''s "so"')"#),
        ("bash(echo '*')", "bash(echo '*')"),
        ("bash(echo ')' *)", "bash(echo ')' *)"),
        ("bash(echo 'a:*')", "bash(echo 'a:*')"),
        ("bash(echo '')", "bash(echo '')"),
        ("bash(echo ';')", "bash(echo ';')"),
        (r"read(src/\[id\].ts)", r"read(src/\[id\].ts)"),
        ("read(a(b).txt)", "read('a(b).txt')"),
        ("read(\"it's\")", r"read('it'\''s')"),
        ("read('host:x')", "read('host:x')"),
        ("bash('path:x' y)", "bash('path:x' y)"),
    ] {
        check(written, shown);
    }
}

#[test]
fn what_the_form_cannot_hold_stands_after_it() {
    for (written, shown) in [
        ("bash(path:.env)", "bash(path:.env)"),
        ("*(path:.env) access=read", "*(path:.env) access=read"),
        ("*(command:rm *)", "*(command:rm *)"),
        ("* (host:example.com)", "*(host:example.com)"),
        (
            "bash(git push *) access=write server=x path=src/** workspace='/my w'",
            "bash(git push *) path=src/** access=write server=x workspace='/my w'",
        ),
        ("read path=src/**", "read(src/**)"),
        ("read(command:ls)", "read(command:ls)"),
    ] {
        check(written, shown);
    }
}

#[test]
fn what_is_wrong_is_said_with_what_is_right() {
    wrong("", "empty");
    wrong("bash()", "names no command");
    wrong("bash(npm run test*)", "'git push *'");
    wrong("bash(* push)", "'*' can only be the last word");
    wrong("bash(git * push)", "'*' can only be the last word");
    wrong("bash(git log && rm x)", "'&' joins commands");
    wrong("bash(git log | sh)", "'|' joins commands");
    wrong("bash(git log > x)", "'>' joins commands");
    wrong("bash(git", "not closed");
    wrong("bash(echo 'x)", "quote is not closed");
    wrong("bash('' x)", "empty word");
    wrong("bash(git) push", "only path=");
    wrong("bash(git) paht=x", "only path=");
    wrong("bash(git) access=write", "needs a path");
    wrong("read(x) access=all", "'read' or 'write'");
    wrong("read(x) workspace=here", "absolute");
    wrong("*(rm *)", "say what is meant");
    wrong("read(a/../b)", "'..' has no meaning");
    wrong("read([)", "no usable pattern");
    wrong("read()", "empty");
    wrong("web_fetch(https://example.com/x)", "without scheme");
    wrong("[", "no usable pattern");
    let error = parse("read(~/x)", Action::Allow, Source::User, None, "here").unwrap_err();
    assert!(error.to_string().contains("home folder"), "{error}");
}

#[test]
fn what_is_shown_is_read_again() {
    let mut dice = Dice(1);
    let tools = ["bash", "read", "Web", "mcp_x_*", "*", "mcp_x_y", "m*x"];
    let places = [
        "src/**",
        "/etc/*.conf",
        "a b",
        ".env",
        "it's",
        "x:y",
        r"\[id\]",
        "(a",
        ")",
        "host:a",
        "{a,b}",
        " a",
        "a\"b",
        "**",
        "é/?",
    ];
    let hosts = ["example.com", "*.example.com", "[::1]:80", "a:1", "{a,b}.x"];
    for _ in 0..5_000 {
        let path = |glob: &str, access| PathMatch { glob: PathPattern::new(glob).unwrap(), access };
        let access = [None, Some(Touch::Read), Some(Touch::Write)][dice.throw(3)];
        let argv = dice.words(4);
        let exact = dice.throw(2) == 0;
        let rule = Rule {
            action: Action::Allow,
            source: Source::User,
            tool: NamePattern::new(dice.pick(&tools)).unwrap(),
            command: (dice.throw(2) == 0).then_some(CommandMatch { argv, exact }),
            path: (dice.throw(2) == 0).then(|| path(dice.pick(&places), access)),
            host: (dice.throw(3) == 0).then(|| NamePattern::host(dice.pick(&hosts)).unwrap()),
            server: (dice.throw(3) == 0).then(|| NamePattern::new("git*").unwrap()),
            workspace: (dice.throw(3) == 0).then(|| "/my 'w'".into()),
            reason: String::new(),
            expires_unix_ms: None,
            origin: "here".to_owned(),
        };
        let shown = show(&rule);
        assert_eq!(read(&shown).as_ref(), Ok(&rule), "{shown}");
    }
}

/// Whatever stands there, it is a rule or an error, never a panic.
#[test]
fn no_text_breaks_the_reader() {
    let mut dice = Dice(2);
    let parts = [
        "bash", "(", ")", "*", "'", "\"", "\\", " ", "=", "path:", "host", ":", "access=", "read",
        "é", "\n", "/", "~", "..", "[", "{", ",", "-", "mcp__", "&",
    ];
    for _ in 0..20_000 {
        let length = dice.throw(10);
        let text: String = (0..length).map(|_| dice.pick(&parts)).collect();
        if let Ok(rule) = read(&text) {
            assert_eq!(read(&show(&rule)).as_ref(), Ok(&rule), "{text:?} shown {}", show(&rule));
        }
    }
}
