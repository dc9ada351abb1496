//! PERF-01: one gated call of 1 KiB, the whole line from its name to its receipt, beside a raw unary
//! call and an echo on a raw session, from the same process to other processes.

use std::time::Instant;

use bytes::Bytes;

use super::Sizes;
use crate::{
    kernel::Bench,
    raw::{self, PAYLOAD_BYTES},
    row::{Goal, Row, Unit},
    stats::{Rounds, Samples},
};

/// Calls before the first round.
const WARM_UP: usize = 100;

/// # Errors
/// A server cannot be had, or a call failed.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("raw.sock");
    // Before the kernel, whose reaper ends children that it does not know.
    let _raw = raw::Spawned::start(&socket)?;
    let mut raw = raw::Client::open(&socket).await?;
    let bench = Bench::open(1).await?;

    gated(&bench, WARM_UP).await?;
    unary(&mut raw, WARM_UP).await?;
    session(&raw, WARM_UP).await?;
    let [mut ours, mut ours_p99, mut unary_p50, mut session_p50] =
        [(); 4].map(|()| Rounds::default());
    for _ in 0..sizes.rounds {
        let samples = gated(&bench, sizes.calls).await?;
        ours.push(samples.p50_us());
        ours_p99.push(samples.percentile_us(0.99));
        unary_p50.push(unary(&mut raw, sizes.calls).await?.p50_us());
        session_p50.push(session(&raw, sizes.calls).await?.p50_us());
    }
    bench.kernel.stop().await;

    let (p50, p99) = (ours.median(), ours_p99.median());
    let (unary, session) = (unary_p50.median(), session_p50.median());
    Ok(vec![
        Row::new("gated call, 1 KiB, 100 rules", Unit::Micros, p50)
            .p99(p99)
            .beside("raw tonic unary", unary)
            .goal(Goal::RatioAtMost(0.8)),
        Row::new("its 99th percentile", Unit::Micros, p99)
            .beside("raw tonic unary, median", unary)
            .goal(Goal::RatioAtMost(2.0)),
        Row::new("gated call", Unit::Micros, p50).beside("raw session echo", session),
    ])
}

async fn gated(bench: &Bench, count: usize) -> anyhow::Result<Samples> {
    let mut samples = Samples::default();
    for _ in 0..count {
        let start = Instant::now();
        bench.call("echo_a").await?;
        samples.since(start);
    }
    Ok(samples)
}

async fn unary(raw: &mut raw::Client, count: usize) -> anyhow::Result<Samples> {
    let text = "x".repeat(PAYLOAD_BYTES);
    let mut samples = Samples::default();
    for _ in 0..count {
        let start = Instant::now();
        raw.unary(text.clone()).await?;
        samples.since(start);
    }
    Ok(samples)
}

async fn session(raw: &raw::Client, count: usize) -> anyhow::Result<Samples> {
    let bytes = Bytes::from(vec![b'x'; PAYLOAD_BYTES]);
    let mut samples = Samples::default();
    for number in 0..count {
        let start = Instant::now();
        raw.echo(number.to_string(), bytes.clone()).await?;
        samples.since(start);
    }
    Ok(samples)
}
