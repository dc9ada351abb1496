//! Which servers run, for other processes of this user (`tollgate servers list|stop`).
//!
//! A record is a file `<server>.json` in the runtime directory of the kernel that runs the server:
//! `{"server": text, "pid": int, "start_ticks": int, "instance": text}`, at most 4 KiB.
//!
//! Invariant: a process is signalled only if its start time is that of the record, so that a number that
//! now belongs to another process is not hit (hashicorp/go-plugin#320).

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use tollgate_launch::processes::process;

use super::limits::RECORD_BYTES_MAX;
use super::runtime_dir::{RuntimeDir, RuntimeDirError, file_name, home, io_error, living};

/// A server that a kernel of this user runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its name in the configuration.
    pub server: String,
    /// Its process id; that of its warden if it has one.
    pub pid: i32,
    /// When that process started, in clock ticks after boot.
    pub start_ticks: u64,
    /// The instance id that it gave in `Hello`.
    pub instance: String,
    /// The process id of its kernel.
    #[serde(skip)]
    pub kernel: i32,
}

impl RuntimeDir {
    /// Records that the process `pid` is the instance `instance` of `server`, in place of an earlier
    /// record of that server.
    ///
    /// # Errors
    ///
    /// `server` is no file name, the process is gone, or the file cannot be written.
    pub fn record(&self, server: &str, pid: i32, instance: &str) -> Result<(), RuntimeDirError> {
        let path = self.path().join(format!("{}.json", file_name(server)?));
        let failed = |source: io::Error| io_error("record the server in", &path)(source);
        let gone = || failed(Errno::ESRCH.into());
        let start_ticks = process(Pid::from_raw(pid)).ok_or_else(gone)?.start_ticks;
        let (server, instance) = (server.to_owned(), instance.to_owned());
        let record = Record { server, pid, start_ticks, instance, kernel: 0 };
        let text = serde_json::to_vec(&record).map_err(|error| failed(error.into()))?;
        // By rename, so that a reader never sees half of it.
        let unfinished = path.with_extension("json.new");
        fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, &path)).map_err(failed)
    }

    /// Removes the record of `server`, if there is one.
    ///
    /// # Errors
    ///
    /// `server` is no file name, or the file cannot be removed.
    pub fn forget(&self, server: &str) -> Result<(), RuntimeDirError> {
        let path = self.path().join(format!("{}.json", file_name(server)?));
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(io_error("remove", &path)(source))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// What a file is called by which another process asks a kernel to forget a server's deaths.
const FORGIVE: &str = "forgive";

impl RuntimeDir {
    /// Whether somebody has asked since the last look that the deaths of `server` be forgotten.
    #[must_use]
    pub fn take_forgiveness(&self, server: &str) -> bool {
        let name = file_name(server).ok();
        name.is_some_and(|name| {
            fs::remove_file(self.path().join(format!("{name}.{FORGIVE}"))).is_ok()
        })
    }
}

/// Asks every living kernel of this user to forget the deaths of `server`, so that one in quarantine
/// is started again when it is needed next.
///
/// # Errors
///
/// `server` is no file name, or a kernel's runtime directory cannot be written.
pub fn forgive(below: Option<&Path>, server: &str) -> Result<(), RuntimeDirError> {
    let name = file_name(server)?;
    for (path, _) in living(&home(below)) {
        let file = path.join(format!("{name}.{FORGIVE}"));
        fs::write(&file, b"").map_err(io_error("write", &file))?;
    }
    Ok(())
}

impl Record {
    /// Whether the process of this record still runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        let found = process(Pid::from_raw(self.pid));
        found.is_some_and(|found| found.alive && found.start_ticks == self.start_ticks)
    }

    /// Asks the server to end, by SIGTERM; `false` if it had ended already.
    ///
    /// # Errors
    ///
    /// The operating system refuses the signal.
    pub fn terminate(&self) -> io::Result<bool> {
        if !self.is_running() {
            return Ok(false);
        }
        match kill(Pid::from_raw(self.pid), Signal::SIGTERM) {
            Ok(()) => Ok(true),
            Err(Errno::ESRCH) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// The servers of all living kernels of this user that have their runtime directories below `below` or
/// in the usual place, ordered by kernel and name. Empty also if no kernel ever ran.
#[must_use]
pub fn running(below: Option<&Path>) -> Vec<Record> {
    let of_kernel = |(path, kernel)| {
        let files = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
        let records = files.filter(|file| file.extension().is_some_and(|end| end == "json"));
        records.filter_map(move |file| Some(Record { kernel, ..read(&file)? }))
    };
    let mut records: Vec<_> = living(&home(below)).into_iter().flat_map(of_kernel).collect();
    records.retain(Record::is_running);
    records.sort_by(|a, b| (a.kernel, &a.server).cmp(&(b.kernel, &b.server)));
    records
}

fn read(file: &Path) -> Option<Record> {
    let mut text = Vec::new();
    File::open(file).ok()?.take(RECORD_BYTES_MAX).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
