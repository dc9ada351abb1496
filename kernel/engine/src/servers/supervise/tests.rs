//! Goal: `[PROTO-08]`: restarts wait longer each time, and end after five deaths in three minutes.

use std::time::Duration;

use tokio::time::{Instant, advance};

use super::Deaths;

#[tokio::test(start_paused = true)]
async fn waits_double_with_each_death() {
    let mut deaths = Deaths::default();
    let mut waits = Vec::new();
    for _ in 0..4 {
        deaths.note(Instant::now(), "x", 1.0);
        waits.push(deaths.wait(Instant::now()).as_millis());
    }
    assert_eq!(waits, [100, 200, 400, 800]);
}

#[tokio::test(start_paused = true)]
async fn jitter_at_most_halves_the_wait() {
    let mut deaths = Deaths::default();
    deaths.note(Instant::now(), "x", 0.0);
    assert_eq!(deaths.wait(Instant::now()), Duration::from_millis(50));
}

#[tokio::test(start_paused = true)]
async fn five_deaths_in_three_minutes_are_a_quarantine() {
    let mut deaths = Deaths::default();
    for _ in 0..4 {
        deaths.note(Instant::now(), "boom", 0.5);
        assert_eq!(deaths.quarantine(), None);
    }
    deaths.note(Instant::now(), "boom", 0.5);
    assert!(deaths.quarantine().unwrap().contains("boom"));
    deaths.forgive();
    assert_eq!(deaths.quarantine(), None);
}

#[tokio::test(start_paused = true)]
async fn old_deaths_do_not_count() {
    let mut deaths = Deaths::default();
    for _ in 0..20 {
        deaths.note(Instant::now(), "boom", 0.5);
        advance(Duration::from_secs(60)).await;
    }
    assert_eq!(deaths.quarantine(), None);
}
