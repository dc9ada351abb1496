//! Goal: what is stored reads back as it was meant, and nothing else in the file changes.

use std::{fs, path::PathBuf};

use tollgate_core::authority::rules::{
    Action, CommandMatch, NamePattern, PathMatch, PathPattern, Rule, Source, Touch,
};

use super::{append, parse};
use crate::testing::{Dice, World};

const FILE: &str = "home/.config/permissions.toml";

fn store(world: &World, rules: &[Rule]) -> Result<(), String> {
    append(&world.at(FILE), rules, None).map_err(|error| error.to_string())
}

fn stored(world: &World) -> Vec<Rule> {
    let text = fs::read_to_string(world.at(FILE)).unwrap();
    parse(&world.at(FILE), &text, None).unwrap().rules
}

fn word_of(dice: &mut Dice, words: &[&str]) -> String {
    (*dice.pick(words)).to_owned()
}

/// A rule of all kinds of texts.
fn any_rule(dice: &mut Dice) -> Rule {
    let texts = [
        "git",
        "it's \"so\"",
        "a\\b",
        "tab\there",
        "two\nlines",
        "'''",
        "\"\"\"",
        "\u{202e}x",
        "ü",
        "\u{1b}[2J",
        "]",
        "# no comment",
        "x = 1",
        "--force",
        "\u{7f}",
        "\r\n",
    ];
    let hosts = ["example.com", "*.example.com", "example.com:8443", "[2001:db8::1]:443"];
    let word = |dice: &mut Dice| word_of(dice, &texts);
    let mut argv = vec!["git".to_owned()];
    argv.extend((0..dice.below(4)).map(|_| word(dice)));
    let command = CommandMatch { argv, exact: dice.below(2) == 0 };
    let globs = ["src/**", "/etc/passwd", "*.rs", "a b", "x\\*y", "{a,b}/c", "."];
    let glob = PathPattern::new(&word_of(dice, &globs)).unwrap();
    let access = *dice.pick(&[None, Some(Touch::Read), Some(Touch::Write)]);
    let maybe = |dice: &mut Dice| dice.below(2) == 0;
    Rule {
        action: *dice.pick(&[Action::Allow, Action::Ask, Action::Deny]),
        source: Source::User,
        tool: NamePattern::new(&word_of(dice, &["bash", "*", "mcp_github_*", "write"])).unwrap(),
        command: maybe(dice).then_some(command),
        path: maybe(dice).then_some(PathMatch { glob, access }),
        host: maybe(dice).then(|| NamePattern::host(&word_of(dice, &hosts)).unwrap()),
        server: maybe(dice).then(|| NamePattern::new("github").unwrap()),
        workspace: maybe(dice).then(|| PathBuf::from("/srv/no such/\"folder\"")),
        reason: if maybe(dice) { word(dice) } else { String::new() },
        expires_unix_ms: maybe(dice).then(|| 1_800_000_000_000 + dice.below(100_000) as u64),
        origin: "session".to_owned(),
    }
}

/// `[GATE-23]`
#[test]
fn what_is_written_reads_back_as_it_was() {
    let world = World::new();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut meant = Vec::new();
    for _ in 0..60 {
        let rules: Vec<Rule> = (0..=dice.below(3)).map(|_| any_rule(&mut dice)).collect();
        store(&world, &rules).unwrap();
        meant.extend(rules);
        let read = stored(&world);
        let same = read.iter().map(|rule| Rule { origin: "session".to_owned(), ..rule.clone() });
        assert_eq!(same.collect::<Vec<_>>(), meant);
    }
}

/// The user's own text, with its comments, stays as it is.
#[test]
fn the_rest_of_the_file_stays() {
    let world = World::new();
    let own = "# mine\n[[rule]] # a rule\naction = \"deny\"\ntool = \"bash\"";
    world.put(FILE, own);
    store(&world, &[any_rule(&mut Dice(7))]).unwrap();
    let text = fs::read_to_string(world.at(FILE)).unwrap();
    assert!(text.starts_with(own), "{text}");
    assert_eq!(stored(&world).len(), 2);
    assert_eq!(stored(&world)[1].origin, "permissions.toml:7");
}

/// G-07: an answer does not mend, hide or bury a broken file.
#[test]
fn a_broken_file_gets_no_rule() {
    let world = World::new();
    for broken in ["[[rule]]\naction = \"den", "[[rule]]\naction = \"deny\"\n", "\u{feff}", "a = 1"]
    {
        world.put(FILE, broken);
        store(&world, &[any_rule(&mut Dice(7))]).unwrap_err();
        assert_eq!(fs::read_to_string(world.at(FILE)).unwrap(), broken);
    }
}

#[test]
fn a_rule_that_the_file_cannot_say_is_not_stored() {
    let world = World::new();
    let command = CommandMatch { argv: vec!["git".into(), "*".into()], exact: false };
    let rule = Rule { command: Some(command), ..any_rule(&mut Dice(7)) };
    store(&world, &[rule]).unwrap_err();
    world.put(FILE, "rule = [{ action = \"deny\", tool = \"bash\" }]\n");
    store(&world, &[any_rule(&mut Dice(7))]).unwrap_err();
    assert_eq!(stored(&world).len(), 1);
}

#[test]
fn a_workspace_is_stored_without_links() {
    let world = World::new();
    world.link(&world.at("work"), "link");
    let rule = Rule { workspace: Some(world.at("link")), ..any_rule(&mut Dice(7)) };
    store(&world, &[rule]).unwrap();
    assert_eq!(stored(&world)[0].workspace, Some(world.at("work")));
}

/// `[GATE-20]`: the compact form, as other agents write it.
#[test]
fn compact_rules_are_read_with_their_lines() {
    let world = World::new();
    let text = "allow = [\n  \"bash(cargo test *)\",\n  \"read(~/notes/**)\",\n]\ndeny = [\"bash(rm *)\"]\n";
    let read = parse(&world.at(FILE), text, Some(&world.at("home"))).unwrap();
    let seen: Vec<_> = read.rules.iter().map(|it| (it.action, it.origin.as_str())).collect();
    let line = |line: usize| format!("permissions.toml:{line}");
    assert_eq!(
        seen,
        [
            (Action::Allow, line(2).as_str()),
            (Action::Allow, line(3).as_str()),
            (Action::Deny, line(5).as_str()),
        ]
    );
    let error = parse(&world.at(FILE), "allow = [\n\"bash(\"]\n", None).unwrap_err();
    assert!(error.to_string().contains("permissions.toml:2: allow: "), "{error}");
}
