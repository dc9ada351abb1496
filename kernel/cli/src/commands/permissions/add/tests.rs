//! Goal: what a stored rule covers is said as it is, and nonsense is told.

use super::*;

#[test]
fn a_day_or_a_moment_in_the_future_is_an_end() {
    assert_eq!(expires("2999-01-01").unwrap(), 32_472_144_000_000);
    assert_eq!(expires("2999-01-01T00:00:01Z").unwrap(), 32_472_144_001_000);
    for (text, part) in [("2001-01-01", "over already"), ("soon", "no day and no moment")] {
        let told = expires(text).unwrap_err().chain();
        assert!(told.contains(part), "{text}: {told}");
    }
}
