//! Goal: time that a person takes counts for no clock, and all other time does.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Runs work that takes `work` and, in the middle, waits `wait` for a person, within `within`.
async fn check(within: u32, work: u32, wait: u32, expected: Option<u32>) {
    let waits = Waits::default();
    let began = Instant::now();
    let job = Box::pin(async {
        sleep(SECOND * work / 2).await;
        let wait_begun = waits.begin();
        sleep(SECOND * wait).await;
        drop(wait_begun);
        sleep(SECOND * work / 2).await;
    });
    let done = waits.timeout(SECOND * within, job).await;
    assert_eq!(done.is_some(), expected.is_none(), "{within} {work} {wait}");
    if let Some(after) = expected {
        let late = began.elapsed().saturating_sub(SECOND * after);
        assert!(late < LOOK_EVERY * 2, "{late:?} late");
    }
}

/// [GATE-61] [B106] The wait for a person has no deadline and shortens no other.
#[tokio::test(start_paused = true)]
async fn a_wait_for_a_person_is_not_counted() {
    check(10, 4, 0, None).await;
    check(10, 8, 1_000_000, None).await;
    check(10, 40, 0, Some(10)).await;
    check(10, 40, 7, Some(10)).await;
    check(30, 40, 7, Some(37)).await;
}

#[tokio::test(start_paused = true)]
async fn waits_side_by_side_count_once() {
    let waits = Waits::default();
    let one = waits.begin();
    sleep(SECOND).await;
    let two = waits.begin();
    sleep(SECOND).await;
    drop(one);
    sleep(SECOND).await;
    assert_eq!(waits.total(), SECOND * 3);
    drop(two);
    sleep(SECOND).await;
    assert_eq!(waits.total(), SECOND * 3);
}
