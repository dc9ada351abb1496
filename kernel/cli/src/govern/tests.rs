//! Goal: a posture that the machine's owner does not allow is only ever made tighter ([GATE-51]).

use super::*;

#[track_caller]
fn check(allowed: &[Posture], asked: Posture, expected: Option<Posture>) {
    let managed = Managed { postures: Some(allowed.to_vec()), ..Managed::default() };
    assert_eq!(clamped(&managed, asked), expected, "{asked} of {allowed:?}");
}

#[test]
fn a_posture_is_only_made_tighter() {
    use Posture::{Ask, AutoReview, FullAccess, Never};
    check(&[Ask, Never], FullAccess, Some(Ask));
    check(&[Ask, AutoReview], FullAccess, Some(AutoReview));
    check(&[Never], Ask, Some(Never));
    check(&[Ask], Ask, Some(Ask));
    check(&[FullAccess], Ask, None);
    check(&[], Never, None);
    for posture in LOOSEST_FIRST {
        assert_eq!(clamped(&Managed::default(), posture), Some(posture));
    }
}
