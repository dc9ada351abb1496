//! Verdicts and how values look.

use super::{Goal, Row, Unit};

#[track_caller]
fn check(ours: f64, beside: f64, goal: Goal, verdict: &str) {
    let row = Row::new("x", Unit::Micros, ours).beside("floor", beside).goal(goal);
    assert_eq!(row.verdict(), verdict, "{row:?}");
}

#[test]
fn a_goal_is_met_at_its_bound() {
    check(10.0, 5.0, Goal::AtMost(10.0), "ok");
    check(10.1, 5.0, Goal::AtMost(10.0), "short");
    check(8.0, 10.0, Goal::RatioAtMost(0.8), "ok");
    check(9.0, 10.0, Goal::RatioAtMost(0.8), "short");
    check(40.0, 10.0, Goal::RatioAtLeast(4.0), "ok");
    check(39.0, 10.0, Goal::RatioAtLeast(4.0), "short");
    check(39.0, 10.0, Goal::Shown, "");
}

#[test]
fn a_ratio_to_nothing_is_short() {
    check(1.0, 0.0, Goal::RatioAtMost(2.0), "short");
}

#[test]
fn values_have_three_digits() {
    assert_eq!(Unit::Micros.show(12.74), "12.7 µs");
    assert_eq!(Unit::Micros.show(3414.0), "3.41 ms");
    assert_eq!(Unit::PerSecond.show(46_512.4), "46512/s");
    assert_eq!(Unit::MiB.show(8.0), "8.00 MiB");
}
