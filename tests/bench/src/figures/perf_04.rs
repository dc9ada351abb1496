//! PERF-04: from the start of `tollgate exec` to its first model request, with warm manifests; and
//! that by then no server but `model` was started.

use std::time::Instant;

use anyhow::ensure;

use super::Sizes;
use crate::{
    exec::{Home, Running},
    mock::{Mock, text},
    process::below,
    row::{Goal, Row, Unit},
    stats::{Rounds, Samples},
};

/// # Errors
/// `tollgate` failed, or started a server that nothing needed.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut mock = Mock::start().await?;
    let home = Home::warm(&mut mock, "").await?;
    let [mut ours, mut whole, mut beside] = [(); 3].map(|()| Rounds::default());
    for _ in 0..sizes.rounds {
        let [mut first, mut all, mut floor] = [(); 3].map(|()| Samples::default());
        for _ in 0..sizes.starts {
            let run = home.exec(&mock)?;
            let started = run.started;
            let request = mock.next().await.map_err(|error| run.explain(error))?;
            first.push(request.at.duration_since(started));
            only_the_model_runs(&run)?;
            request.answer(text("done")).await?;
            run.finish()?;
            all.since(started);

            let started = Instant::now();
            home.version()?;
            floor.since(started);
        }
        ours.push(first.p50_us());
        whole.push(all.p50_us());
        beside.push(floor.p50_us());
    }
    let floor = "tollgate --version, start to exit";
    Ok(vec![
        Row::new("exec: start to first model request", Unit::Micros, ours.median())
            .beside(floor, beside.median())
            .goal(Goal::AtMost(25_000.0)),
        Row::new("exec: whole run without a call", Unit::Micros, whole.median())
            .beside(floor, beside.median()),
    ])
}

/// `[ARCH-04]`: what the first request does not need is not started.
fn only_the_model_runs(run: &Running) -> anyhow::Result<()> {
    let programs: Vec<_> = below(run.pid())?.into_iter().map(|process| process.program).collect();
    ensure!(
        programs == ["tollgate-model"],
        "at the first model request these ran below tollgate: {programs:?}; only tollgate-model should"
    );
    Ok(())
}
