//! Goal: neither clock counts what it must not, whatever overlaps; with a clock that is told, and nothing
//! that waits.

use super::*;

const HOUR: u64 = 3_600_000;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// What happens at a time in ms.
#[derive(Clone, Copy, Debug)]
enum Does {
    Opens,
    Closes,
    Asks,
    Answers,
}
use Does::{Answers, Asks, Closes, Opens};

fn after(wall: u64, guest: u64, events: &[(u64, Does)]) -> ProgramClock {
    // Not from zero: the moment that times are counted from is anybody's.
    let mut clock = ProgramClock::new(ms(7), ms(wall), ms(guest));
    for (at, does) in events {
        let now = ms(7 + at);
        match does {
            Opens => clock.call_opened(now),
            Closes => clock.call_closed(now),
            Asks => clock.asking(now),
            Answers => clock.answered(now),
        }
    }
    clock
}

/// Wall 1,000 ms, guest 300 ms: when which of them runs out after these events.
#[track_caller]
fn check(events: &[(u64, Does)], expected: Option<(Which, u64)>) {
    let clock = after(1_000, 300, events);
    let found = clock.expires_at();
    assert_eq!(found, expected.map(|(which, at)| (which, ms(7 + at))), "{events:?}");
    let last = events.last().map_or(0, |(at, _)| *at);
    let left = expected.map(|(which, at)| (which, ms(at.saturating_sub(last))));
    assert_eq!(clock.left(ms(7 + last)), left, "{events:?}");
    if let Some((which, at)) = expected {
        assert_eq!(clock.ran_out(ms(7 + at)), Some(which), "{events:?}");
        let before = at.checked_sub(1).filter(|before| *before >= last);
        assert!(before.is_none_or(|it| clock.ran_out(ms(7 + it)).is_none()), "{events:?}");
    } else {
        assert_eq!(clock.ran_out(ms(24 * HOUR)), None, "{events:?}");
    }
}

/// `[CODE-08]`: the table of clocks.
#[test]
fn each_clock_runs_when_the_table_says() {
    check(&[], Some((Which::Guest, 300)));
    check(&[(100, Opens)], Some((Which::Wall, 1_000)));
    check(&[(100, Opens), (500, Closes)], Some((Which::Guest, 700)));
    check(&[(100, Opens), (900, Closes)], Some((Which::Wall, 1_000)));
    check(&[(100, Opens), (200, Asks)], None);
    check(&[(100, Opens), (200, Asks), (5_200, Answers)], Some((Which::Wall, 6_000)));
    check(
        &[(100, Opens), (200, Asks), (5_200, Answers), (5_300, Closes)],
        Some((Which::Guest, 5_500)),
    );
    // A question without a call, as of an agent beside it.
    check(&[(100, Asks)], None);
    check(&[(100, Asks), (5_100, Answers)], Some((Which::Guest, 5_300)));
}

/// Calls side by side: the guest's clock goes on when the last has ended.
#[test]
fn overlapping_calls_count_once() {
    check(&[(100, Opens), (150, Opens), (200, Closes)], Some((Which::Wall, 1_000)));
    check(&[(100, Opens), (150, Opens), (200, Closes), (400, Closes)], Some((Which::Guest, 600)));
}

/// `[CODE-08]`, CM-11, complaints 26 and 27: questions that overlap stop the clocks once.
#[test]
fn overlapping_questions_count_once() {
    let both = [(100, Opens), (110, Opens), (200, Asks), (300, Asks), (1_200, Answers)];
    check(&both, None);
    let answered = [&both[..], &[(2_200, Answers)]].concat();
    // 200 of the wall's, 100 of the guest's were used before.
    check(&answered, Some((Which::Wall, 3_000)));
    check(
        &[&answered[..], &[(2_300, Closes), (2_400, Closes)]].concat(),
        Some((Which::Guest, 2_600)),
    );
    // One ends and another begins at the same moment.
    check(&[(200, Asks), (900, Asks), (900, Answers), (950, Answers)], Some((Which::Guest, 1_050)));
}

/// CM-11: an hour at a card is no time of the program.
#[test]
fn an_hour_long_approval_costs_nothing() {
    let events = [(100, Opens), (200, Asks), (200 + HOUR, Answers)];
    check(&events, Some((Which::Wall, HOUR + 1_000)));
    let ended = [&events[..], &[(300 + HOUR, Closes)]].concat();
    check(&ended, Some((Which::Guest, HOUR + 500)));
}

/// A question that is open when the deadline would have come holds it off; one that comes with it or after
/// it does not.
#[test]
fn a_question_holds_the_deadline_off_and_does_not_bring_it_back() {
    check(&[(0, Opens), (999, Asks)], None);
    check(&[(0, Opens), (999, Asks), (5_000, Answers)], Some((Which::Wall, 5_001)));
    check(&[(0, Opens), (1_000, Asks)], Some((Which::Wall, 1_000)));
    check(&[(0, Opens), (1_500, Asks)], Some((Which::Wall, 1_500)));
}

#[test]
fn what_has_run_out_stays_so() {
    for events in [
        &[(400, Opens)][..],
        &[(400, Opens), (500, Asks)],
        &[(400, Opens), (500, Asks), (9_000, Answers), (9_001, Closes)],
    ] {
        let clock = after(100_000, 300, events);
        assert_eq!(clock.ran_out(ms(10_000)), Some(Which::Guest), "{events:?}");
        assert_eq!(clock.left(ms(10_000)), Some((Which::Guest, Duration::ZERO)), "{events:?}");
    }
}

#[test]
fn of_two_at_once_it_is_the_walls() {
    let clock = after(300, 300, &[]);
    assert_eq!(clock.expires_at(), Some((Which::Wall, ms(307))));
    assert_eq!(clock.ran_out(ms(400)), Some(Which::Wall));
}

#[test]
fn time_that_goes_backwards_counts_as_none() {
    let mut clock = after(1_000, 300, &[(100, Opens), (200, Closes)]);
    clock.call_opened(ms(50));
    clock.call_closed(ms(60));
    assert_eq!(clock.expires_at(), Some((Which::Guest, ms(7 + 400))));
    assert_eq!(clock.ran_out(ms(0)), None);
}

/// Ends without a beginning are the kernel's fault, and give no time away.
#[test]
fn ends_without_a_beginning_change_nothing() {
    check(&[(50, Closes), (60, Answers)], Some((Which::Guest, 300)));
    check(&[(50, Answers), (60, Asks), (160, Answers)], Some((Which::Guest, 400)));
}

#[test]
fn limits_that_no_clock_reaches_are_none() {
    let clock = ProgramClock::new(ms(7), Duration::MAX, Duration::MAX);
    assert_eq!(clock.ran_out(ms(24 * HOUR)), None);
    let none = ProgramClock::new(ms(7), Duration::ZERO, ms(300));
    assert_eq!(none.ran_out(ms(7)), Some(Which::Wall));
}
