//! Goal: every row of the floor is met by what it is for, and not by what only looks so. [GATE-31]

mod alone;
mod rows;

use super::*;
use crate::{
    authority::words::testing::{World, call, line, path},
    safety::{Access, Safety, Trust},
    testing::READ,
};

/// All cases, of every row.
fn cases() -> impl Iterator<Item = &'static rows::Case> {
    rows::CASES.iter().chain(alone::CASES)
}

/// The row that a line meets.
fn row_of(text: &str, can_ask: bool) -> Option<&'static str> {
    let world = World { can_ask, ..World::default() };
    meets(&line(text), &world.at()).map(|hit| hit.row)
}

#[test]
fn every_row_is_met_and_nearly_met() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let case = cases().find(|case| case.row == row.name);
        let case = case.unwrap_or_else(|| panic!("row {} has no cases", row.name));
        assert!(!case.met.is_empty() && !case.near.is_empty(), "{}", row.name);
        let can_ask = row.when != When::Headless;
        let row_of = |text: &&&str| row_of(text, can_ask);
        let missed = case.met.iter().filter(|text| row_of(text) != Some(row.name));
        wrong.extend(missed.map(|text| format!("{}: {text}: {:?}", row.name, row_of(&text))));
        let met = case.near.iter().filter(|text| row_of(text) == Some(row.name));
        wrong.extend(met.map(|text| format!("{}: near: {text}", row.name)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for case in cases() {
        assert!(ROWS.iter().any(|row| row.name == case.row), "no row {}", case.row);
    }
}

#[test]
fn rows_for_work_without_a_person_hold_only_there() {
    for row in ROWS.iter().filter(|row| row.when == When::Headless) {
        let case = cases().find(|case| case.row == row.name).unwrap();
        for text in case.met {
            assert_eq!(row_of(text, true), None, "{text}");
        }
    }
}

/// What a developer does all day meets nothing, with or without a person (THR-02, 40 tasks).
#[test]
fn ordinary_work_meets_nothing() {
    let both = |text: &&str| [true, false].map(|can_ask| row_of(text, can_ask));
    let met = alone::ORDINARY.iter().map(|text| (text, both(text)));
    let met: Vec<_> = met.filter(|(_, rows)| *rows != [None, None]).collect();
    assert!(met.is_empty(), "{met:#?}");
}

/// `[GATE-11]`: full-access lets all through but these.
#[test]
fn what_cannot_be_had_again_is_catastrophic_and_comes_first() {
    let world = World::default();
    let hit = meets(&line("git push --force && rm -rf /"), &world.at()).unwrap();
    assert_eq!((hit.row, hit.catastrophic), ("rm_root", true));
    let hit = meets(&line("npm publish"), &world.at()).unwrap();
    assert!(!hit.catastrophic && hit.reason.contains("publishes"), "{hit:?}");
}

#[test]
fn tools_meet_the_floor_by_their_paths() {
    let world = World::default();
    let hit = |safety: Safety, place: &str, access| {
        let call = call(Trust::Trusted, safety, vec![path(place, access)], "");
        meets(&call, &world.at()).map(|hit| hit.row)
    };
    assert_eq!(hit(READ, "/home/u/.ssh/id_ed25519", Access::Read), Some("credential_read"));
    assert_eq!(hit(READ, "/proc/1/environ", Access::Read), Some("credential_read"));
    assert_eq!(hit(READ, "/home/u/.ssh/id_ed25519.pub", Access::Read), None);
    assert_eq!(hit(READ, "src/main.rs", Access::Read), None);
    assert_eq!(hit(Safety::WORST, "/w", Access::Delete), Some("rm_root"));
    assert_eq!(hit(Safety::WORST, "/home", Access::Delete), Some("rm_root"));
    assert_eq!(hit(Safety::WORST, "/w/src", Access::Delete), None);
    assert_eq!(hit(Safety::WORST, "/dev/sda", Access::Write), Some("disk"));
    assert_eq!(hit(Safety::WORST, "/dev/null", Access::Write), None);
    assert_eq!(hit(Safety::WORST, "/home/u/.bash_history", Access::Write), Some("history_wipe"));
}
