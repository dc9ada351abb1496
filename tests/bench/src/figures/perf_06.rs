//! PERF-06: programs of code mode, through a real kernel and real servers: each call of a program is a
//! gated call of a tool in another process, with its receipts. Beside them, in the same rounds: the same
//! calls asked by the model, a bare interpreter, our engine alone, and two peers, whose one tool is a
//! function of the peer's own process, with no gate and no receipt.
//!
//! Not here: who is measured (`sides`), what they run (`kind`).

mod engines;
mod kind;
mod peer;
mod sides;

use super::Sizes;
use crate::{
    row::{Goal, Row, Unit},
    stats::Rounds,
};

use kind::Kind;
use sides::{Memory, Side, Sides};

/// # Errors
/// A server or a peer cannot be had, or a program gave another value than it should.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut sides = Sides::open().await?;
    let mut rows = Vec::new();
    for kind in [Kind::Empty, Kind::Sequential, Kind::All] {
        rows.extend(measure_kind(&mut sides, kind, sizes.rounds, sizes.programs).await?);
    }
    let memory = sides.memory()?;
    // Last, for it stops the servers.
    let cold = measure_kind(&mut sides, Kind::Cold, sizes.rounds, sizes.starts).await?;
    sides.close().await;

    // The table has them beside the warm ones, as the requirement does.
    let after_empty = rows.iter().filter(|row| row.figure == Kind::Empty.figure()).count();
    rows.splice(after_empty..after_empty, cold);
    rows.extend(memory_rows(&memory));
    Ok(rows)
}

/// Every side that knows this kind, in turn; the first round warms up and does not count.
async fn measure_kind(
    sides: &mut Sides,
    kind: Kind,
    rounds: usize,
    programs: usize,
) -> anyhow::Result<Vec<Row>> {
    let mut taken: Vec<(Side, Rounds)> =
        kind.sides().iter().map(|side| (*side, Rounds::default())).collect();
    for round in 0..=rounds {
        for (side, medians) in &mut taken {
            let samples = sides.run(*side, kind, programs).await?;
            if round > 0 {
                medians.push(samples.p50_us());
            }
        }
    }
    let mut medians = taken.iter().map(|(side, medians)| (side, medians.median()));
    let ours = medians.next().map_or(0.0, |(_, median)| median);
    // The goal is told once.
    let goals = std::iter::once(Goal::AtMost(kind.goal_us())).chain(std::iter::repeat(Goal::Shown));
    let row = |((side, median), goal): ((&Side, f64), Goal)| {
        Row::new(kind.figure(), Unit::Micros, ours).beside(side.name(), median).goal(goal)
    };
    Ok(medians.zip(goals).map(row).collect())
}

fn memory_rows(memory: &Memory) -> [Row; 2] {
    let row = || Row::new("PSS of the code server after all that", Unit::MiB, memory.ours);
    [
        row().beside("Monty: Python and its worker", memory.monty),
        row().beside("@utcp/code-mode: Node", memory.utcp),
    ]
}
