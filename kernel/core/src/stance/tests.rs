//! Goal: of two stances nothing looser is kept.

use super::*;

/// Every pair: the result is one of both in each control, is the same whichever comes first, and plan
/// and never win over everything.
#[test]
fn the_tighter_of_two_stances_loosens_nothing() {
    let all = || {
        Mode::ALL
            .into_iter()
            .flat_map(|mode| Posture::ALL.into_iter().map(move |posture| Stance { mode, posture }))
    };
    for (one, two) in all().flat_map(|one| all().map(move |two| (one, two))) {
        let tighter = one.tighter_of(two);
        assert_eq!(tighter, two.tighter_of(one), "{one:?} {two:?}");
        assert!([one.mode, two.mode].contains(&tighter.mode));
        assert!([one.posture, two.posture].contains(&tighter.posture));
        assert_eq!(tighter.mode == Mode::Plan, [one.mode, two.mode].contains(&Mode::Plan));
        let never = [one.posture, two.posture].contains(&Posture::Never);
        assert_eq!(tighter.posture == Posture::Never, never);
    }
    let stance = |posture| Stance { mode: Mode::Work, posture };
    let tighter = stance(Posture::FullAccess).tighter_of(stance(Posture::AutoReview));
    assert_eq!(tighter.posture, Posture::AutoReview);
}
