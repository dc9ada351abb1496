//! Goal: what is missing is said or refused, as the settings want.

use super::*;
use crate::{namespaces::NAMESPACES, paths::LANDLOCK};

fn without(requirement: Requirement) -> Result<String, ConfineError> {
    let mut tiers = Tiers::new(requirement);
    tiers.add(NAMESPACES, Ok(String::new()))?;
    tiers.add(LANDLOCK, Err("this kernel has none".into()))?;
    tiers.hold("rlimits");
    Ok(tiers.to_string())
}

#[test]
fn a_missing_tier_is_named_as_missing() {
    assert_eq!(without(Requirement::BestEffort).unwrap(), "namespaces landlock:none rlimits");
    assert_eq!(Tiers::off().to_string(), "off");
}

#[test]
fn how_a_tier_is_had_is_told() {
    let mut tiers = Tiers::new(Requirement::Required);
    tiers.add(LANDLOCK, Ok("7".into())).unwrap();
    assert_eq!(tiers.to_string(), "landlock:7");
}

#[test]
fn a_missing_tier_that_is_required_says_what_it_needs() {
    let error = without(Requirement::Required).unwrap_err().to_string();
    for words in ["landlock cannot be had here: this kernel has none", "Linux 5.13", "best-effort"]
    {
        assert!(error.contains(words), "{error}");
    }
}
