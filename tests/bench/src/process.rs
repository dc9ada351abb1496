//! What the system says of processes: who is below whom, how much memory they hold, CPU of children.

use std::{fs, path::Path, time::Duration};

use anyhow::Context as _;
use nix::sys::resource::{UsageWho, getrusage};
use tollgate_launch::processes::processes;

/// A process below another.
#[derive(Clone, Debug)]
pub(crate) struct Below {
    /// Its id.
    pub(crate) pid: i32,
    /// Its program's file name.
    pub(crate) program: String,
    /// Its command line.
    pub(crate) words: Vec<String>,
}

/// All processes below `root`, which is not among them.
///
/// # Errors
/// The process table cannot be read.
pub(crate) fn below(root: i32) -> anyhow::Result<Vec<Below>> {
    let all = processes().context("cannot read the process table in /proc")?;
    let mut known = vec![root];
    // Parents may come after their children in the table: look until nothing new is found.
    loop {
        let found: Vec<i32> = all
            .iter()
            .filter(|it| known.contains(&it.parent.as_raw()) && !known.contains(&it.pid.as_raw()))
            .map(|it| it.pid.as_raw())
            .collect();
        if found.is_empty() {
            break;
        }
        known.extend(found);
    }
    Ok(known.into_iter().skip(1).filter_map(look).collect())
}

/// A process that has just ended is left out.
fn look(pid: i32) -> Option<Below> {
    let folder = format!("/proc/{pid}");
    let program = fs::read_link(Path::new(&folder).join("exe")).ok()?;
    let line = fs::read(Path::new(&folder).join("cmdline")).ok()?;
    let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    Some(Below {
        pid,
        program: program.file_name()?.to_string_lossy().into_owned(),
        words: words.map(|word| String::from_utf8_lossy(word).into_owned()).collect(),
    })
}

/// The proportional set size of a process, in MiB: shared pages count by their share.
///
/// # Errors
/// It has ended, or belongs to another user.
pub(crate) fn pss_mib(pid: i32) -> anyhow::Result<f64> {
    let file = format!("/proc/{pid}/smaps_rollup");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    Ok(kib.with_context(|| format!("{file} has no Pss line"))? / 1024.0)
}

/// CPU time of all children that have ended and been waited for, and of theirs.
///
/// # Errors
/// The system does not say.
pub(crate) fn children_cpu() -> anyhow::Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the use of children")?;
    let micros = [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| time.tv_sec() * 1_000_000 + time.tv_usec())
        .sum::<i64>();
    Ok(Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
}
