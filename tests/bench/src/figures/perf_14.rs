//! PERF-14: from the word to stop until no process of the command is left, and until the call has its end. The
//! trees have children in the background, of their own session (`setsid`), and after two forks; others ignore
//! SIGTERM, so that the grace has to pass first.
//!
//! Processes are known by their executable, a copy of the shell in the workspace.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::Sizes;
use crate::{
    kernel::Bench,
    process::below,
    row::{Goal, Row, Unit},
    stats::Samples,
};

/// Processes of one tree, the command's shell among them.
const TREE: usize = 7;
/// Between two looks at the tree.
const LOOK_PAUSE: Duration = Duration::from_micros(500);
/// How long a tree may take to stand or to be gone.
const PATIENCE: Duration = Duration::from_secs(20);
/// Six that wait for a line that nobody writes, hidden in three ways, and the same in the foreground.
const COMMAND: &str = "[ -p never ] || mkfifo never
n=\"$PWD/napper\"; s='TRAP; read x <> \"$1\"'; f=\"$PWD/never\"
for i in 1 2; do
  \"$n\" -c \"$s\" n \"$f\" &
  setsid \"$n\" -c \"$s\" n \"$f\" &
  ( ( setsid \"$n\" -c \"$s\" n \"$f\" & ) & )
done
TRAP; exec \"$n\" -c \"$s\" n \"$f\"";

/// What was measured of one kind of tree.
#[derive(Debug, Default)]
struct Kind {
    quiet: Samples,
    told: Samples,
}

/// # Errors
/// A tree did not stand, or did not end.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let bench = Bench::open_for_commands().await?;
    let napper = bench.workspace().canonicalize()?.join("napper");
    fs::copy("/bin/bash", &napper).context("cannot copy the shell")?;
    let [mut usual, mut stubborn] = [Kind::default(), Kind::default()];
    for round in 0..sizes.rounds * sizes.starts {
        usual.take(&bench, &napper, ":").await?;
        // Each takes half a second by design.
        if round % 4 == 0 {
            stubborn.take(&bench, &napper, "trap '' TERM").await?;
        }
    }
    bench.kernel.stop().await;
    let mut rows = usual.rows("", 250_000.0);
    rows.extend(stubborn.rows(", SIGTERM ignored", 800_000.0));
    Ok(rows)
}

impl Kind {
    async fn take(&mut self, bench: &Bench, napper: &Path, trap: &str) -> anyhow::Result<()> {
        let arguments = json!({ "command": COMMAND.replace("TRAP", trap) }).to_string();
        let stop = CancellationToken::new();
        let call = async {
            let end = bench.stoppable("bash", Bytes::from(arguments), &stop).await?;
            anyhow::Ok((end, Instant::now()))
        };
        let quiet = async {
            let tree = standing(napper).await?;
            let begun = Instant::now();
            stop.cancel();
            until(|| Ok(!tree.iter().any(|pid| is_there(*pid)))).await?;
            anyhow::Ok((begun, begun.elapsed()))
        };
        let ((end, told), (begun, quiet)) = tokio::try_join!(call, quiet)?;
        ensure!(end.result.is_error, "a stopped call is no error");
        self.quiet.push(quiet);
        self.told.push(told.duration_since(begun));
        Ok(())
    }

    fn rows(&self, name: &str, goal_us: f64) -> Vec<Row> {
        let row = |figure: String, samples: &Samples| {
            Row::new(figure, Unit::Micros, samples.p50_us()).p99(samples.percentile_us(0.99))
        };
        let p99 = self.quiet.percentile_us(0.99);
        vec![
            row(format!("cancel to quiet{name}"), &self.quiet),
            Row::new(format!("its 99th percentile{name}"), Unit::Micros, p99)
                .goal(Goal::AtMost(goal_us)),
            row(format!("cancel to the result{name}"), &self.told),
        ]
    }
}

/// The processes of a tree, once all of them are there.
async fn standing(napper: &Path) -> anyhow::Result<Vec<i32>> {
    let own = i32::try_from(std::process::id())?;
    let mut tree = Vec::new();
    until(|| {
        let all = below(own)?.into_iter().map(|process| process.pid);
        let exe = |pid: &i32| fs::read_link(format!("/proc/{pid}/exe")).ok();
        tree = all.filter(|pid| exe(pid).is_some_and(|exe| exe == napper)).collect();
        Ok(tree.len() == TREE)
    })
    .await
    .context("the tree does not stand")?;
    Ok(tree)
}

/// Whether a process is there and no zombie.
fn is_there(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

/// Looks until it is so.
async fn until(mut so: impl FnMut() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let give_up = Instant::now() + PATIENCE;
    while !so()? {
        ensure!(Instant::now() < give_up, "not within {} s", PATIENCE.as_secs());
        tokio::time::sleep(LOOK_PAUSE).await;
    }
    Ok(())
}
