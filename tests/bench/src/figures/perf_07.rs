//! PERF-07: a tool server is needed and does not run: from the call to its result, with a known
//! manifest; one server, and five at once. The floor is the same program as a bare tonic server, from
//! its start to its answer to `Hello`.
//!
//! A kernel ends children that it does not know, so it runs in a process of its own (`cold`).

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use futures::future::try_join_all;

use super::Sizes;
use crate::{
    echo,
    kernel::Bench,
    output, raw,
    row::{Goal, Row, Unit},
    stats::{Rounds, Samples},
};

/// # Errors
/// A server cannot be had.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (servers, name, goal_us) in
        [(1, "cold server: call to result", 4_000.0), (5, "five cold servers at once", 10_000.0)]
    {
        let [mut ours, mut ours_p99, mut beside] = [(); 3].map(|()| Rounds::default());
        for _ in 0..sizes.rounds {
            let samples = in_a_kernel(servers, sizes.starts)?;
            ours.push(samples.p50_us());
            ours_p99.push(samples.percentile_us(0.99));
            beside.push(bare(servers, sizes.starts).await?.p50_us());
        }
        rows.push(
            Row::new(name, Unit::Micros, ours.median())
                .p99(ours_p99.median())
                .beside("bare start, Hello", beside.median())
                .goal(Goal::AtMost(goal_us)),
        );
    }
    Ok(rows)
}

fn in_a_kernel(servers: usize, count: usize) -> anyhow::Result<Samples> {
    let ran = Command::new(std::env::current_exe()?)
        .args(["cold", &servers.to_string(), &count.to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(ran.status.success(), "the process with the kernel: {}", ran.status);
    let nanos: Vec<u64> = serde_json::from_slice(&ran.stdout).context("what it measured")?;
    let mut samples = Samples::default();
    samples.extend(nanos.into_iter().map(Duration::from_nanos));
    Ok(samples)
}

/// The process with the kernel: prints each start's ns as a JSON array.
///
/// # Errors
/// A server cannot be had, or a call failed.
pub(crate) fn cold(servers: usize, count: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let nanos = runtime.block_on(Box::pin(async {
        let bench = Bench::open(servers).await?;
        let mut nanos = Vec::new();
        // The first start is for the page cache.
        for _ in 0..=count {
            let start = Instant::now();
            let tools = echo::TOOLS.iter().take(servers);
            try_join_all(tools.map(|tool| bench.call(tool))).await?;
            nanos.push(u64::try_from(start.elapsed().as_nanos())?);
            bench.kernel.stop().await;
        }
        anyhow::Ok(nanos.split_off(1))
    }))?;
    output::line(&serde_json::to_string(&nanos)?);
    Ok(())
}

async fn bare(servers: usize, count: usize) -> anyhow::Result<Samples> {
    let folder = tempfile::tempdir()?;
    let mut samples = Samples::default();
    for number in 0..count {
        let start = Instant::now();
        let started: Vec<_> = (0..servers)
            .map(|server| {
                let socket = folder.path().join(format!("{number}-{server}"));
                raw::Spawned::start(&socket).map(|process| (process, socket))
            })
            .collect::<anyhow::Result<_>>()?;
        try_join_all(started.iter().map(|(_, socket)| raw::Client::greet(socket))).await?;
        samples.since(start);
    }
    Ok(samples)
}
