//! Goal: what is said of a tool is what the gate says of its calls, and what depends on the call is said to.

use std::path::Path;

use super::*;
use crate::{
    authority::{HookSaid, policy::Policy, rules::Source},
    safety::Safety,
    stance::Stance,
    testing::{READ, entry},
};

const CHANGES: Safety = Safety { read_only: false, destructive: false, ..READ };

fn tool(safety: Safety) -> Entry {
    Entry { prepares: false, ..entry("note", safety) }
}

fn stance(mode: Mode, posture: Posture) -> Stance {
    Stance { mode, posture }
}

fn rules(all: &[(&str, Action, Source)]) -> Rules {
    let rule = |(text, action, source): &(&str, Action, Source)| {
        compact::parse(text, *action, *source, None, "a test").unwrap()
    };
    Rules::new(all.iter().map(rule).collect())
}

#[track_caller]
fn check(entry: &Entry, stance: Stance, policy: &Policy, requires: Requires, need: Option<Need>) {
    let session = Rules::default();
    let at = Circumstances {
        stance,
        policy,
        session: &session,
        hooks: &HookSaid::Nothing,
        taint: &[],
        cwd: Path::new("/w"),
        can_ask: true,
        now_unix_ms: 5,
    };
    let said = outlook(entry, &at);
    assert_eq!((said.requires, said.need), (requires, need), "{}", said.because);
    assert!(!said.because.is_empty());
}

/// `[CAT-32]`: the table of postures, for a tool that changes something.
#[test]
fn the_posture_settles_what_changes_something() {
    let none = Policy::default();
    for (posture, requires) in [
        (Posture::Ask, Requires::Person),
        (Posture::AutoReview, Requires::Guardian),
        (Posture::FullAccess, Requires::Nothing),
        (Posture::Never, Requires::Refused),
    ] {
        let at = stance(Mode::Work, posture);
        check(&tool(CHANGES), at, &none, requires, Some(Need::Ordinary));
        check(&tool(READ), at, &none, Requires::Nothing, None);
        check(&tool(CHANGES), stance(Mode::Plan, posture), &none, Requires::Refused, None);
        check(&tool(READ), stance(Mode::Plan, posture), &none, Requires::Nothing, None);
    }
}

#[test]
fn a_server_that_is_asked_leaves_it_to_the_call() {
    let none = Policy::default();
    let at = stance(Mode::Work, Posture::Ask);
    let asked = entry("note", CHANGES);
    check(&asked, at, &none, Requires::PerCall, None);
    let untrusted = Entry { trust: Trust::Untrusted, ..entry("note", READ) };
    check(&untrusted, at, &none, Requires::Person, Some(Need::Ordinary));
    let broken = Policy { broken: Some("no".to_owned()), ..Policy::default() };
    check(&asked, at, &broken, Requires::PerCall, None);
    check(&tool(CHANGES), at, &broken, Requires::Refused, None);
    check(&tool(READ), at, &broken, Requires::Nothing, None);
}

#[test]
fn rules_for_the_whole_tool_count_and_others_wait_for_the_call() {
    let with = |all: &[(&str, Action, Source)]| Policy { rules: rules(all), ..Policy::default() };
    let at = stance(Mode::Work, Posture::Ask);
    let ask = with(&[("note", Action::Ask, Source::User), ("note", Action::Allow, Source::User)]);
    check(&tool(READ), at, &ask, Requires::Person, Some(Need::Explicit));
    let full = stance(Mode::Work, Posture::FullAccess);
    check(&tool(READ), full, &ask, Requires::Refused, Some(Need::Explicit));
    check(&entry("note", READ), at, &ask, Requires::Person, Some(Need::Explicit));

    let allow =
        with(&[("n*", Action::Allow, Source::User), ("note", Action::Ask, Source::BuiltIn)]);
    check(&tool(CHANGES), at, &allow, Requires::Nothing, None);
    let never = stance(Mode::Work, Posture::Never);
    check(&tool(CHANGES), never, &allow, Requires::Refused, Some(Need::Ordinary));

    let narrow =
        with(&[("note(ls *)", Action::Allow, Source::User), ("other", Action::Ask, Source::User)]);
    check(&tool(CHANGES), at, &narrow, Requires::Person, Some(Need::Ordinary));

    let mut owners = Policy::default();
    owners.managed.rules = rules(&[("*", Action::Ask, Source::Managed)]);
    let review = stance(Mode::Work, Posture::AutoReview);
    check(&tool(READ), review, &owners, Requires::Refused, Some(Need::Hard));
}

#[test]
fn a_rule_that_has_expired_or_is_for_another_place_is_none() {
    let at = stance(Mode::Work, Posture::Ask);
    let mut rule = compact::parse("note", Action::Allow, Source::User, None, "a test").unwrap();
    rule.expires_unix_ms = Some(5);
    let expired = Policy { rules: Rules::new(vec![rule.clone()]), ..Policy::default() };
    check(&tool(CHANGES), at, &expired, Requires::Person, Some(Need::Ordinary));
    rule.expires_unix_ms = None;
    rule.workspace = Some("/elsewhere".into());
    let elsewhere = Policy { rules: Rules::new(vec![rule]), ..Policy::default() };
    check(&tool(CHANGES), at, &elsewhere, Requires::Person, Some(Need::Ordinary));
}
