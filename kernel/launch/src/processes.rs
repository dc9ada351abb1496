//! The process table, read from `/proc`.
//!
//! A process is told apart from a later one with the same number by its start time.

use std::fs;
use std::io;
use std::path::Path;

use nix::unistd::Pid;

/// What `/proc/PID/stat` says of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: Pid,
    /// The number of its parent.
    pub parent: Pid,
    /// Whether any of its threads can still run; a zombie is not alive.
    pub alive: bool,
    /// When it started, in clock ticks after boot.
    pub start_ticks: u64,
}

/// What the process table says of `pid`, or `None` if there is no such process.
#[must_use]
pub fn process(pid: Pid) -> Option<Process> {
    read(pid.as_raw())
}

/// All processes that this user can see.
///
/// The list is read entry by entry, so it may miss one that is being started or given another
/// parent meanwhile.
///
/// # Errors
///
/// `/proc` cannot be read.
pub fn processes() -> io::Result<Vec<Process>> {
    let names =
        fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter_map(|name| read(name.parse().ok()?)).collect())
}

fn read(pid: i32) -> Option<Process> {
    let stat = fs::read(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    parse(&String::from_utf8_lossy(&stat))
}

/// Reads `PID (NAME) STATE PARENT …` (`proc_pid_stat(5)`); NAME is chosen by the process and may hold
/// blanks and parentheses.
fn parse(stat: &str) -> Option<Process> {
    let (pid, _) = stat.split_once(" (")?;
    let (_, rest) = stat.rsplit_once(") ")?;
    // Numbered as in the manual page, where the state is field 3.
    let field = |number: usize| rest.split(' ').nth(number.checked_sub(3)?);
    let threads: u64 = field(20)?.parse().ok()?;
    // A process whose first thread has ended is shown as a zombie while its other threads run on.
    let alive = !matches!(field(3)?, "Z" | "X") || threads > 1;
    Some(Process {
        pid: Pid::from_raw(pid.parse().ok()?),
        parent: Pid::from_raw(field(4)?.parse().ok()?),
        alive,
        start_ticks: field(22)?.trim_end().parse().ok()?,
    })
}

#[cfg(test)]
mod tests;
