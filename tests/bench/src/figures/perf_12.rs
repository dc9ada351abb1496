//! PERF-12: `grep` over a made-up tree beside ripgrep, and `read` of a window at the end of a large file, the
//! first time and later ones. Each is a step of a turn (`steps`), so that all processes and the model's request
//! count; ripgrep is a process from its start to its end.
//!
//! Not here: git, whose server is not written yet; its row says so.

use std::{
    env, fs,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use serde_json::json;

use super::{Sizes, steps::Turn};
use crate::{
    exec::Home,
    mock::{Mock, ToolCall},
    row::{Goal, Row, Unit},
    stats::{Rounds, us},
};

/// Folders of the tree, and files of each.
const FOLDERS: usize = 50;
const FILES_PER_FOLDER: usize = 40;
/// Lines of a file.
const LINES: usize = 220;
/// What is searched, and in one file of how many it is.
const NEEDLE: &str = r"fn needle_\d+\(";
const NEEDLE_EVERY: usize = 25;
/// Bytes of a line of the large file, and lines of a window.
const LINE_BYTES: u64 = 64;
const WINDOW: u64 = 100;
/// Where the peers' script puts ripgrep.
const INSTALLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../peers/search/.venv/bin/rg");

/// # Errors
/// `tollgate` or ripgrep failed, or they did not find the same.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut mock = Mock::start().await?;
    let home = Home::warm(&mut mock, "").await?;
    let tree = home.path("work/tree");
    let files = plant(&tree)?;
    let large = home.path("work/large.txt");
    let lines = write_large(&large, sizes.stream_bytes)?;
    let ripgrep = ripgrep();
    let grep = ToolCall::new("grep", json!({ "pattern": NEEDLE, "path": "tree" }));
    let read = |from_end: u64| {
        let offset = lines - from_end + 1;
        ToolCall::new("read", json!({ "path": "large.txt", "offset": offset, "limit": WINDOW }))
    };
    let [mut ours, mut beside, mut first, mut again] = [(); 4].map(|()| Rounds::default());
    for _ in 0..sizes.rounds {
        let mut turn = Turn::begin(&home, &mut mock).await?;
        // The server starts, and the tool is known.
        (turn, _) = turn.step(&grep).await?;
        for _ in 0..sizes.programs {
            let step;
            (turn, step) = turn.step(&grep).await?;
            let found = step.result.matches("fn needle_").count();
            ensure!(found == files / NEEDLE_EVERY, "grep found {found}: {}", step.result);
            ours.push(us(step.took));
            if let Some(ripgrep) = &ripgrep {
                beside.push(us(search(ripgrep, &home.path("work"), found)?));
            }
        }
        let mut step;
        (turn, step) = turn.step(&read(2 * WINDOW)).await?;
        first.push(us(step.took));
        for later in 0..sizes.programs as u64 {
            // Never the same window: what is unchanged is not sent again.
            (turn, step) = turn.step(&read(WINDOW + later)).await?;
            let number = format!("line {:>8} ", lines - WINDOW - later + 1);
            ensure!(step.result.contains(&number), "no {number:?} in {:.300}", step.result);
            again.push(us(step.took));
        }
        turn.end(&home).await?;
    }
    let searched = format!("grep in {files} files");
    let grep = match ripgrep {
        Some(_) => Row::new(searched, Unit::Micros, ours.median())
            .beside("ripgrep", beside.median())
            .goal(Goal::RatioAtMost(1.2)),
        None => Row::new(
            format!("{searched}; ripgrep cannot be had: tests/peers/search/install.sh"),
            Unit::Micros,
            ours.median(),
        ),
    };
    let size = sizes.stream_bytes / 1_000_000;
    Ok(vec![
        grep,
        Row::new(format!("read at the end of {size} MB, first"), Unit::Micros, first.median()),
        Row::new(format!("read at the end of {size} MB, again"), Unit::Micros, again.median())
            .goal(Goal::AtMost(20_000.0)),
        Row::new("git reads: later, there is no git server yet", Unit::Count, 0.0),
    ])
}

/// The tree: source text that is the same each time. Gives how many files there are.
fn plant(tree: &Path) -> anyhow::Result<usize> {
    let words = [
        "request", "window", "self", "buffer", "index", "match", "result", "path", "limit", "state",
    ];
    let mut seed = 12_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or(0) % below
    };
    let mut word = || words.get(next(words.len())).copied().unwrap_or_default();
    for number in 0..FOLDERS * FILES_PER_FOLDER {
        let source = (0..LINES).map(|line| {
            let (a, b, c) = (word(), word(), word());
            if line == LINES / 2 && number % NEEDLE_EVERY == 0 {
                format!("fn needle_{number}({a}: usize) -> usize {{\n")
            } else {
                format!("    let {a}_{line} = {b}.{c}({line}, \"{b} {a}\")?;\n")
            }
        });
        let text: String = source.collect();
        let folder = tree.join(format!("part_{}", number / FILES_PER_FOLDER));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("file_{number}.rs")), text)?;
    }
    Ok(FOLDERS * FILES_PER_FOLDER)
}

/// A file of numbered lines; gives how many.
fn write_large(path: &Path, bytes: u64) -> anyhow::Result<u64> {
    let mut file = BufWriter::with_capacity(1 << 20, fs::File::create(path)?);
    let lines = bytes / LINE_BYTES;
    for line in 1..=lines {
        // 64 bytes with the line's end.
        writeln!(file, "line {line:>8} {:->49}", "")?;
    }
    file.flush()?;
    Ok(lines)
}

/// Ripgrep on this machine's path, or where the peers' script puts it.
fn ripgrep() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places =
        env::split_paths(&path).map(|folder| folder.join("rg")).chain([INSTALLED.into()]);
    places.find(|place| place.is_file())
}

/// The same search by ripgrep.
fn search(ripgrep: &Path, folder: &Path, expected: usize) -> anyhow::Result<Duration> {
    let mut command = Command::new(ripgrep);
    command.args(["--no-config", "--line-number", NEEDLE, "tree"]).current_dir(folder);
    let start = Instant::now();
    let ran = command.stdin(Stdio::null()).output().context("cannot start ripgrep")?;
    let took = start.elapsed();
    let found = String::from_utf8_lossy(&ran.stdout).lines().count();
    ensure!(found == expected, "ripgrep found {found}, not {expected}");
    Ok(took)
}
