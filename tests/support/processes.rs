//! The process table: who is whose child, and who works in a world.
//!
//! A process belongs to a world if its working directory or its command line is inside it: servers
//! start in the workspace, and so do the programs that a shell starts, however they detach
//! themselves. That holds also when the kernel is dead and its children have other parents.

use std::{fs, path::Path};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// One process.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Process {
    /// Process id.
    pub pid: i32,
    /// Its parent.
    pub parent: i32,
    /// "R", "S", "Z" …
    pub state: char,
    /// Name of the program, at most 15 bytes.
    pub name: String,
    /// Arguments, joined by blanks.
    pub command: String,
    /// Start time in clock ticks since boot: with the pid, it names the process for ever.
    pub started: u64,
}

impl Process {
    /// Ends it, as `kill -9` does.
    pub fn kill(&self) {
        // It may be gone already.
        kill(Pid::from_raw(self.pid), Signal::SIGKILL).ok();
    }

    /// Whether this very process is alive.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        look(self.pid).is_some_and(|now| now.started == self.started && now.state != 'Z')
    }

    /// The executable's file name; of one that is being started still the launcher's.
    #[must_use]
    pub fn program(&self) -> String {
        let exe = fs::read_link(format!("/proc/{}/exe", self.pid)).unwrap_or_default();
        exe.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// All processes that can be seen, without zombies.
#[must_use]
pub fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(look).filter(|process| process.state != 'Z').collect()
}

/// One process as it is now.
#[must_use]
pub fn look(pid: i32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may hold anything.
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = tail.split_whitespace().collect();
    let command = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ").trim_end().to_owned();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        state: fields.first()?.chars().next()?,
        name,
        command,
        started: fields.get(19)?.parse().ok()?,
    })
}

/// Everything below a process: children, their children …
#[must_use]
pub fn below(root: i32) -> Vec<Process> {
    let all = all();
    let mut found: Vec<Process> = Vec::new();
    let mut roots = vec![root];
    while let Some(parent) = roots.pop() {
        for process in all.iter().filter(|process| process.parent == parent) {
            roots.push(process.pid);
            found.push(process.clone());
        }
    }
    found
}

/// The programs below a process, by the names of their executables, in order, launchers left out.
#[must_use]
pub fn programs_below(root: i32) -> Vec<String> {
    let mut programs: Vec<String> = below(root).iter().map(Process::program).collect();
    programs.retain(|program| program != "tollgate" && !program.is_empty());
    programs.sort();
    programs
}

/// Everything that works in a folder, this test itself left out.
#[must_use]
pub fn inside(folder: &Path) -> Vec<Process> {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let text = folder.to_string_lossy().into_owned();
    let works_there = |process: &Process| {
        let cwd = fs::read_link(format!("/proc/{}/cwd", process.pid)).unwrap_or_default();
        cwd.starts_with(folder) || process.command.contains(&text)
    };
    all().into_iter().filter(|process| process.pid != own && works_there(process)).collect()
}
