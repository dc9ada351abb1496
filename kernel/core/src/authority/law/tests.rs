//! Goal: what the repository's law protects is not changed, by whatever spelling. [GATE-50]

use super::*;
use crate::{
    authority::words::testing::{World, call, line, path},
    safety::{Access, Safety, Trust},
    testing::READ,
};

fn protect(paths: &[&str], action: LawAction, line: u32) -> Protect {
    Protect {
        paths: paths.iter().map(|text| PathPattern::new(text).unwrap().into()).collect(),
        action,
        reason: "ask Ann".to_owned(),
        origin: format!("law.toml:{line}"),
    }
}

fn world() -> World {
    let places = vec![
        protect(&["docs/**", "Vendor/LICENSE"], LawAction::Ask, 1),
        protect(&["migrations/**", "docs/legal/**"], LawAction::Block, 4),
        protect(&["/w/abs/**", "src/*/gen/**"], LawAction::Block, 8),
    ];
    let mut world = World::default();
    world.policy.law = Law::Protects { root: "/w".into(), places };
    world
}

/// "", "ask law.toml:1 (docs/**)", "block …".
fn said(call: &Classified, world: &World) -> String {
    match judge(call, &world.at()) {
        LawSaid::Nothing => String::new(),
        LawSaid::Ask(why) => {
            assert!(why.need == Need::Hard && why.reason.contains("ask Ann"), "{why:?}");
            format!("ask {}", why.rule.unwrap())
        }
        LawSaid::Block(refusal) => {
            assert!(refusal.message.contains("protects"), "{refusal:?}");
            format!("block {}", refusal.rule.unwrap())
        }
    }
}

#[track_caller]
fn touch(place: &str, access: Access, expected: &str) {
    let call = call(Trust::Trusted, Safety::WORST, vec![path(place, access)], "");
    assert_eq!(said(&call, &world()), expected, "{place} {access:?}");
}

const MIGRATIONS: &str = "block law.toml:4 (migrations/**)";

#[test]
fn paths_are_compared_with_the_law() {
    touch("migrations/1.sql", Access::Write, MIGRATIONS);
    touch("migrations/a/b", Access::Create, MIGRATIONS);
    touch("migrations", Access::Create, MIGRATIONS);
    touch("/w/migrations/1.sql", Access::Delete, MIGRATIONS);
    touch("docs/x", Access::Write, "ask law.toml:1 (docs/**)");
    touch("abs/x", Access::Write, "block law.toml:8 (/w/abs/**)");
    for place in ["migrations/1.sql", "docs/x"] {
        touch(place, Access::Read, "");
    }
    for place in ["src/x", "migrations2/x", "/other/migrations/x", "sub/migrations/x"] {
        touch(place, Access::Write, "");
    }
}

#[test]
fn a_block_wins_over_an_ask() {
    touch("docs/legal/x", Access::Write, "block law.toml:4 (docs/legal/**)");
    let both = line("touch docs/x migrations/y");
    assert_eq!(said(&both, &world()), MIGRATIONS);
}

/// FS-06.
#[test]
fn places_are_folded() {
    touch("MIGRATIONS/1.sql", Access::Write, MIGRATIONS);
    touch("migr\u{200b}ations/1.sql", Access::Write, MIGRATIONS);
    touch("migrations./1.sql", Access::Write, MIGRATIONS);
    touch("vendor/license", Access::Write, "ask law.toml:1 (Vendor/LICENSE)");
    touch("VENDOR/LICENSE", Access::Write, "ask law.toml:1 (Vendor/LICENSE)");
    touch("a/../migrations/x", Access::Write, MIGRATIONS);
}

/// CFG-08's way around: the folder above goes, and what is below with it.
#[test]
fn folders_above_are_not_removed_or_moved() {
    touch("migrations", Access::Delete, MIGRATIONS);
    touch("/w", Access::Delete, MIGRATIONS);
    touch("/", Access::Delete, MIGRATIONS);
    touch("src", Access::Delete, "block law.toml:8 (src/*/gen/**)");
    touch("src", Access::Write, "");
    touch("other", Access::Delete, "");
    for text in ["rm -rf .", "mv migrations x", "mv ../w ../x", "cd sub && rm -rf ../migrations"] {
        assert_eq!(said(&line(text), &world()), MIGRATIONS, "{text}");
    }
}

#[test]
fn words_of_commands_are_compared_too() {
    for text in [
        "touch migrations/1.sql",
        "sed -i s/a/b/ migrations/1.sql",
        "cp x --target-directory=migrations",
        "true && touch ./migrations/x",
        "cd migrations && touch 1.sql",
        "python3 -c \"open('migrations/1.sql', 'w')\"",
        "> migrations/$X",
    ] {
        assert_eq!(said(&line(text), &world()), MIGRATIONS, "{text}");
    }
    for text in
        ["cat migrations/1.sql", "ls migrations", "touch src/x", "cargo test", "rm -rf target"]
    {
        assert_eq!(said(&line(text), &world()), "", "{text}");
    }
}

#[test]
fn what_is_not_known_may_be_any_place() {
    let of = |safety| said(&call(Trust::Trusted, safety, vec![Subject::Unknown], ""), &world());
    assert_eq!(of(Safety::WORST), MIGRATIONS);
    assert_eq!(of(READ), "");
}

/// `[GATE-50]`: fails closed.
#[test]
fn a_broken_law_lets_only_reading_through() {
    let mut world = World::default();
    world.policy.law = Law::Broken { fault: "law.toml:3: a quote is not closed".into() };
    let judged = |safety| judge(&call(Trust::Trusted, safety, Vec::new(), ""), &world.at());
    assert!(matches!(judged(READ), LawSaid::Nothing));
    let LawSaid::Block(refusal) = judged(Safety::WORST) else { panic!("it blocks") };
    assert_eq!((refusal.layer, refusal.class.as_str()), (Layer::Law, "law_broken"));
    assert!(refusal.message.contains("law.toml:3: a quote"), "{}", refusal.message);
}

#[test]
fn without_law_nothing_is_said() {
    assert_eq!(said(&line("rm -rf migrations"), &World::default()), "");
}

/// A name that is folded (`a:b`, `x.`, wide letters) is protected by the pattern that names it.
#[test]
fn a_pattern_is_folded_as_the_places_are() {
    for (pattern, place) in [
        ("data:prod/**", "data:prod/x"),
        ("data:*/**", "data:prod/x"),
        ("notes./**", "notes./x"),
        ("ΑΣ/**", "ΑΣ/x"),
        ("ａ/**", "ａ/x"),
        ("s\u{ad}x/*", "s\u{ad}x/1"),
        ("[a:b]/**", "a/x"),
        ("Data/*.SQL", "data/1.sql"),
    ] {
        let mut world = World::default();
        let places = vec![protect(&[pattern], LawAction::Block, 1)];
        world.policy.law = Law::Protects { root: "/w".into(), places };
        let call = call(Trust::Trusted, Safety::WORST, vec![path(place, Access::Write)], "");
        assert_eq!(said(&call, &world), format!("block law.toml:1 ({pattern})"), "{place}");
    }
}

/// I13: many patterns and many words together are bounded, and what is beyond counts as touched.
#[test]
fn more_places_than_are_compared_are_no_way_around_the_law() {
    let mut world = World::default();
    let patterns: Vec<String> = (0..1000).map(|n| format!("**/x{n}*/y*z/**")).collect();
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let places = vec![protect(&patterns, LawAction::Block, 1)];
    world.policy.law = Law::Protects { root: "/w".into(), places };
    let words = |count| format!("touch {}", "a/b ".repeat(count).trim_end());
    assert_eq!(said(&line(&words(900)), &world), "");
    assert_eq!(said(&line(&words(1100)), &world), "block law.toml:1 (**/x0*/y*z/**)");
}
