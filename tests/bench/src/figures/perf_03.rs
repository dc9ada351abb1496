//! PERF-03: 64 gated calls in flight to one server, beside 64 raw unary calls in flight.

use std::time::Instant;

use futures::future::try_join_all;

use super::Sizes;
use crate::{
    kernel::Bench,
    raw::{self, PAYLOAD_BYTES},
    row::{Goal, Row, Unit},
    stats::Rounds,
};

/// Calls at once.
const IN_FLIGHT: usize = 64;

/// # Errors
/// A server cannot be had, or a call failed.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("raw.sock");
    // Before the kernel, whose reaper ends children that it does not know.
    let _raw = raw::Spawned::start(&socket)?;
    let raw = raw::Client::open(&socket).await?;
    let bench = Bench::open(1).await?;

    gated(&bench, IN_FLIGHT).await?;
    unary(&raw, IN_FLIGHT).await?;
    let (mut ours, mut beside) = (Rounds::default(), Rounds::default());
    for _ in 0..sizes.rounds {
        ours.push(gated(&bench, sizes.calls_side_by_side).await?);
        beside.push(unary(&raw, sizes.calls_side_by_side).await?);
    }
    bench.kernel.stop().await;

    Ok(vec![
        Row::new("64 gated calls in flight, 1 KiB", Unit::PerSecond, ours.median())
            .beside("64 raw tonic unary", beside.median())
            .goal(Goal::RatioAtLeast(4.0)),
    ])
}

/// Calls per second.
async fn gated(bench: &Bench, count: usize) -> anyhow::Result<f64> {
    let start = Instant::now();
    let lines = (0..IN_FLIGHT).map(|_| async {
        for _ in 0..count / IN_FLIGHT {
            bench.call("echo_a").await?;
        }
        anyhow::Ok(())
    });
    try_join_all(lines).await?;
    Ok(per_second(count, start))
}

/// Calls per second.
async fn unary(raw: &raw::Client, count: usize) -> anyhow::Result<f64> {
    let text = "x".repeat(PAYLOAD_BYTES);
    let start = Instant::now();
    let lines = (0..IN_FLIGHT).map(|_| async {
        let mut raw = raw.clone();
        for _ in 0..count / IN_FLIGHT {
            raw.unary(text.clone()).await?;
        }
        anyhow::Ok(())
    });
    try_join_all(lines).await?;
    Ok(per_second(count, start))
}

fn per_second(count: usize, start: Instant) -> f64 {
    let done = u32::try_from(count / IN_FLIGHT * IN_FLIGHT).unwrap_or(u32::MAX);
    f64::from(done) / start.elapsed().as_secs_f64()
}
