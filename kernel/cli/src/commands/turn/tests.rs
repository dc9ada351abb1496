//! Goal: a turn over refused calls is not green, and says what helps ([CLI-05], [GATE-03]).

use super::*;

#[track_caller]
fn check(stop_reason: &str, refused: u32, code: u8) {
    let end = TurnEnd { stop_reason: stop_reason.into(), refused, ..TurnEnd::default() };
    assert_eq!(exit_of(&end).code(), code, "{stop_reason}, {refused} refused");
}

#[test]
fn the_exit_code_says_how_a_turn_ended() {
    check("end", 0, 0);
    check("end", 1, 3);
    check("steps", 0, 1);
    check("steps", 2, 3);
    check("stopped", 1, 3);
    check("cancelled", 0, 130);
    check("cancelled", 1, 130);
    check("timeout", 1, 124);
    check("length", 0, 1);
    check("something new", 0, 1);
}

#[test]
fn refused_calls_are_told_with_what_helps() {
    let end = TurnEnd { refused: 3, ..TurnEnd::default() };
    let refusals = Refusals { refused: 2, unasked: 1, denied: 1 };
    let lines = no_lines(refusals, &end);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(
        lines
            .first()
            .unwrap()
            .starts_with("1 call needed an approval and nobody could be asked; run it at")
    );
    assert!(no_lines(Refusals::default(), &TurnEnd::default()).is_empty());
}
