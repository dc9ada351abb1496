//! Goal: the processes of a call reach what was decided, and no deny rule, law or protected place depends on
//! how a line names a file.

mod levels;
mod places;

use std::path::PathBuf;

use super::{
    super::{
        policy::Policy,
        rules::{Action, Rules, Source, compact},
        words::testing::{World, line},
    },
    *,
};
use crate::authority::{
    law::{Law, LawAction, Protect, Protected},
    rules::PathPattern,
};

/// Rules, each "ACTION COMPACT".
fn rules_of(texts: &[&str], source: Source) -> Rules {
    let rule = |text: &&str| {
        let (action, text) = text.split_once(' ').unwrap();
        let action = match action {
            "allow" => Action::Allow,
            "ask" => Action::Ask,
            _ => Action::Deny,
        };
        compact::parse(text, action, source, Some("/home/u"), "here").unwrap()
    };
    Rules::new(texts.iter().map(rule).collect())
}

fn world(rules: &[&str]) -> World {
    let mut world = World::default();
    world.policy.rules = rules_of(rules, Source::User);
    world
}

fn law(policy: &mut Policy, patterns: &[&str], action: LawAction) {
    let paths = patterns.iter().map(|text| Protected::from(PathPattern::new(text).unwrap()));
    let protect = Protect {
        paths: paths.collect(),
        action,
        reason: String::new(),
        origin: "law.toml:1".to_owned(),
    };
    policy.law = Law::Protects { root: "/w".into(), places: vec![protect] };
}

fn of(text: &str, world: &World) -> Confinement {
    confinement(&line(text), &world.at()).unwrap()
}

fn opened(text: &str, world: &World) -> Vec<String> {
    let opened = of(text, world).opened;
    opened.into_iter().map(|path| path.to_str().unwrap().to_owned()).collect()
}
