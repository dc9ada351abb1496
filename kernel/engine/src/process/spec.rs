//! What a server is started with, and why it may not be.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use nix::errno::Errno;

use super::ProcessLimits;

/// One server to start.
pub struct ProcessSpec {
    /// Name of the server, for its log.
    pub name: String,
    /// The program: an absolute path, or a name that is looked up in the `PATH` of `env`.
    pub program: PathBuf,
    /// Its arguments, without its name.
    pub args: Vec<OsString>,
    /// All that it gets as environment. With a listener, `LISTEN_FDS` and `LISTEN_PID` are added.
    pub env: Vec<(OsString, OsString)>,
    /// Its working directory, or `None` for that of the kernel.
    pub cwd: Option<PathBuf>,
    /// Whether it starts programs itself, which a warden then ends with it.
    pub warden: bool,
    /// Limits that the operating system holds it to.
    pub limits: ProcessLimits,
    /// A listening socket that becomes its descriptor 3; the kernel keeps no copy.
    pub listener: Option<OwnedFd>,
    /// A file that its output is appended to, at most 4 MiB and once as much in `.1`.
    pub log_file: Option<PathBuf>,
}

impl fmt::Debug for ProcessSpec {
    /// Without arguments and environment, which may hold secrets that the configuration let through.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, program, warden, .. } = self;
        let mut shown = f.debug_struct("ProcessSpec");
        shown.field("name", name).field("program", program).field("warden", warden);
        shown.finish_non_exhaustive()
    }
}

/// Why a server was not started. A program that does not exist is not among these: the launcher finds
/// that out, ends with exit code 127, and says so in the log.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// A program, argument or variable holds a zero byte, which no process can be given.
    #[error("a zero byte in {what}")]
    ZeroByte {
        /// Which of them, in a word.
        what: &'static str,
    },
    /// A pipe could not be made; above all, too many descriptors are open.
    #[error("cannot make the pipes of a server")]
    Pipe {
        /// The operating system's reason.
        source: io::Error,
    },
    /// The log file cannot be opened.
    #[error("cannot open the log file {}", path.display())]
    LogFile {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The thread that starts servers, or the one that waits for them, cannot run.
    #[error("cannot run the threads that start and await servers")]
    Threads {
        /// The operating system's reason.
        source: io::Error,
    },
    /// The launcher itself cannot be started.
    #[error("cannot start the launcher {}", launcher.display())]
    Launcher {
        /// The program that was to be the launcher.
        launcher: PathBuf,
        /// The operating system's reason.
        source: Errno,
    },
}
