//! Goal: the index finds the same as looking at every rule, and looks at few.

use std::fmt::Write as _;

use super::{Dice, World, call_of, rule, subject};
use crate::{
    authority::rules::{
        Action, Rule, Rules, Selected, compact,
        facts::Facts,
        hold::is_served,
        index::Candidate,
        select::{decide, is_in_force},
    },
    call::Classified,
    safety::{Subject, Trust},
};

fn some_rule(dice: &mut Dice) -> Rule {
    let action = dice.pick(&["allow", "ask", "deny", "allow"]);
    let source = dice.pick(&["managed ", "", "", "project ", "session ", "built-in "]);
    let tool = dice.pick(&["bash", "bash", "read", "*", "b*", "web_fetch"]);
    let mut text = format!("{source}{action} {tool}");
    let place = [
        "src/**",
        "src",
        "**",
        "**/*.rs",
        "/etc/**",
        "/w/src/a",
        ".env",
        "/home/me/.ssh/**",
        "s*/a",
        "/",
        "src/a/b/c",
    ];
    let command =
        ["git push *", "git *", "git push", "git -f *", "rm *", "./x *", "/usr/bin/git push *"];
    let host = ["example.com", "*.example.com", "example.com:8080"];
    match dice.throw(6) {
        0 => {}
        1 | 2 => write!(text, "(command:{})", dice.pick(&command)).unwrap(),
        3 | 4 => write!(text, "(path:{})", dice.pick(&place)).unwrap(),
        _ => write!(text, "(host:{})", dice.pick(&host)).unwrap(),
    }
    if dice.throw(8) == 0 {
        write!(text, " path={}", dice.pick(&place)).unwrap();
    }
    if text.contains("path") && dice.throw(3) == 0 {
        text.push_str(dice.pick(&[" access=read", " access=write"]));
    }
    rule(&text)
}

fn some_call(dice: &mut Dice) -> Classified {
    let fixed = [
        "git push",
        "ro: git push -f",
        "git -C x push",
        "op: git $x",
        "op: $x",
        "rm -rf src",
        "./x a",
        "/bin/git push",
        "op: > $x",
        "op: < $x",
        "r: /w/src/a",
        "w: /w/.env",
        "d: /w/src",
        "d: /",
        "d: /w",
        "c: /etc/x",
        "r: /home/me/.ssh/id",
        "op: cat ~/.ssh/id",
        "ro: cat src/a",
        "ro: cd src",
        "h: example.com",
        "h: a.example.com:443",
        "curl https://example.com:8080/x",
        "repo: /w",
        "unknown",
        "m: a/b",
        "r: src/a",
        "r: /w/src/a/b/c/d",
        "timeout 5 git push",
        "rt: /w",
        "rt: /w/src",
        "rt: /",
        "wt: /w",
        "wt: /w/src/a",
        "gt: /w",
        "gt: /w/src",
    ];
    let count = dice.throw(4);
    let subjects: Vec<Subject> = (0..count)
        .map(|_| match dice.throw(4) {
            0 => Subject::Command {
                argv: dice.words(4),
                operator: String::new(),
                opaque: dice.throw(2) == 0,
                read_only: dice.throw(2) == 0,
            },
            _ => subject(dice.pick(&fixed)),
        })
        .collect();
    let trust = if dice.throw(8) == 0 { Trust::Untrusted } else { Trust::Trusted };
    call_of(dice.pick(&["bash", "read", "web_fetch", "other"]), trust, subjects)
}

fn named(selected: &Selected<'_>) -> String {
    match selected {
        Selected::Nothing => "nothing".to_owned(),
        Selected::Allow(rules) => rules.iter().map(|rule| compact::show(rule)).collect(),
        Selected::Ask(rule) => format!("ask {}", compact::show(rule)),
        Selected::Deny(rule) => format!("deny {}", compact::show(rule)),
    }
}

#[test]
fn the_index_finds_what_a_scan_finds() {
    let mut dice = Dice(3);
    let mut answers = [0; 4];
    for _ in 0..4_000 {
        let count = dice.throw(12);
        let all = Rules::new((0..count).map(|_| some_rule(&mut dice)).collect());
        let world = World::new(&[], &[]);
        let (at, call) = (world.at(), some_call(&mut dice));
        let facts = Facts::of(&call, &at);
        let scanned: Vec<Candidate<'_>> = all
            .all()
            .iter()
            .filter(|rule| {
                let reads = facts.reads_as().is_some_and(|name| rule.tool.matches(name));
                let runs = facts.runs_as().is_some_and(|name| rule.tool.matches(name));
                let denies = rule.action != Action::Allow;
                let place = rule.path.is_some() && rule.command.is_none();
                rule.tool.matches(facts.tool) || (denies && (runs || (reads && place)))
            })
            .filter(|rule| is_in_force(rule, &at) && is_served(rule, &facts))
            .map(|rule| Candidate { rule, near: true })
            .collect();
        let selected = crate::authority::rules::select(&call, &at, &[&all]);
        answers[match selected {
            Selected::Nothing => 0,
            Selected::Allow(_) => 1,
            Selected::Ask(_) => 2,
            Selected::Deny(_) => 3,
        }] += 1;
        let expected = named(&decide(&scanned, &facts, &at));
        assert_eq!(named(&selected), expected, "{:?} {:?}", call.subjects(), all.all());
    }
    assert!(answers.iter().all(|count| *count > 100), "each answer is met: {answers:?}");
}

/// Ten thousand rules of all kinds.
fn many() -> Rules {
    let one = |n: usize| match n % 8 {
        0 => format!("allow bash(git sub{n} *)"),
        1 => format!("deny bash(tool{n} *)"),
        2 => format!("deny *(path:folder{n}/**)"),
        3 => format!("allow write(src/mod{n}/file.rs)"),
        4 => format!("ask web_fetch(host:h{n}.test)"),
        5 => format!("allow mcp_server{n}_*"),
        6 => format!("deny *(path:/var/lib/x{n}/**) access=write"),
        _ => format!("allow tool_{n}"),
    };
    Rules::new((0..10_000).map(|n| rule(&one(n))).collect())
}

/// PERF-02: what a call costs does not grow with rules that are not about it.
#[test]
fn a_call_looks_at_few_of_many_rules() {
    let rules = many();
    let world = World::new(&[], &[]);
    for (tool, subjects) in [
        ("bash", ["git commit -m x", "ro: cat src/mod3/file.rs"].as_slice()),
        ("bash", &["cargo test --workspace", "c: /w/out"]),
        ("write", &["w: /w/src/mod11/file.rs"]),
        ("web_fetch", &["h: h12.test"]),
        ("mcp_server13_x", &["m: server13/x"]),
    ] {
        let at = world.at();
        let call = super::call(tool, subjects);
        let facts = Facts::of(&call, &at);
        let found = rules.candidates(&facts).len();
        assert!(found <= 2, "{tool} {subjects:?}: {found} rules");
    }
}

#[test]
fn a_clone_is_the_same_body() {
    let rules = many();
    assert!(std::ptr::eq(rules.all(), rules.clone().all()));
}
