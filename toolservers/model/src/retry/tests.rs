//! Goal: the bounds of waiting, and what ends it [MODEL-03].

use super::*;
use crate::event::Class;

const FAULT: Class = Class::Network;

/// The single toucher of the decision: the wait in ms, or words of the end.
#[track_caller]
fn check(
    failure: &Failure,
    tries: u32,
    has_shown: bool,
    expected: Result<std::ops::Range<u128>, &str>,
) {
    for random in [0, 1, 249, u64::MAX] {
        match (wait(failure.clone(), tries, has_shown, random), &expected) {
            (Ok(wait), Ok(range)) => assert!(range.contains(&wait.as_millis()), "{wait:?}"),
            (Err(ended), Err(words)) => assert_eq!(ended.message, **words),
            (decided, _) => panic!("{decided:?}, not {expected:?}"),
        }
    }
}

fn asking(seconds: u64) -> Failure {
    Failure { retry_after: Some(Duration::from_secs(seconds)), ..Failure::passing(FAULT, "m") }
}

#[test]
fn a_passing_fault_is_tried_again_with_growing_waits() {
    let failure = Failure::passing(FAULT, "m");
    check(&failure, 1, false, Ok(250..500));
    check(&failure, 2, false, Ok(500..1000));
    check(&failure, 3, false, Ok(1000..2000));
    check(&failure, ATTEMPTS_MAX, false, Err("m (gave up after 4 tries)"));
    assert!(backoff(60, u64::MAX) <= BACKOFF_MAX);
}

#[test]
fn a_lasting_fault_or_a_shown_answer_ends_it() {
    check(&Failure::lasting(FAULT, "m"), 1, false, Err("m"));
    check(&Failure::passing(FAULT, "m"), 1, true, Err("m"));
}

#[test]
fn the_provider_may_ask_for_a_wait_within_bounds() {
    check(&asking(0), 1, false, Ok(0..1));
    check(&asking(60), 1, false, Ok(60_000..60_001));
    check(&asking(61), 1, false, Err("m (try again in 61 s)"));
}

#[test]
fn a_wait_is_read_in_each_of_its_forms() {
    let now: jiff::Timestamp = "1994-11-06T08:49:07Z".parse().unwrap();
    let read = |name: &'static str, value: &'static str| {
        let headers = HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]);
        asked(&headers, now).map(|wait| wait.as_millis())
    };
    assert_eq!(read("retry-after", "7"), Some(7000));
    assert_eq!(read("retry-after-ms", "1500"), Some(1500));
    assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), Some(30_000));
    assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(0), "passed");
    assert_eq!(read("retry-after", "soon"), None);
    assert_eq!(read("other", "7"), None);
}
