//! Percentiles of small sets.

use std::time::Duration;

use super::{Rounds, Samples};

#[track_caller]
fn check(samples_us: &[u64], share: f64, expected_us: f64) {
    let mut samples = Samples::default();
    samples.extend(samples_us.iter().copied().map(Duration::from_micros));
    assert!((samples.percentile_us(share) - expected_us).abs() < 1e-6, "{samples:?}");
}

#[test]
fn a_percentile_is_a_sample() {
    check(&[], 0.5, 0.0);
    check(&[7], 0.99, 7.0);
    check(&[3, 1, 2], 0.5, 2.0);
    check(&[5, 4, 3, 2, 1], 0.99, 5.0);
    check(&[5, 4, 3, 2, 1], 0.0, 1.0);
}

#[test]
fn rounds_give_their_median() {
    let mut rounds = Rounds::default();
    for value in [9.0, 1.0, 2.0, 100.0, 3.0] {
        rounds.push(value);
    }
    assert!((rounds.median() - 3.0).abs() < 1e-6);
}
