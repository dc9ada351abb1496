//! Why a launch did not become a server, and the exit code that says so.
//!
//! Exit codes are those of a POSIX shell: 127 when the program was not found, 126 for all else.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use nix::errno::Errno;

/// Exit code when the program (or the interpreter that its first line names) does not exist.
const EXIT_NOT_FOUND: u8 = 127;
/// Exit code when the program exists, or may exist, but could not be started.
const EXIT_NOT_STARTED: u8 = 126;

/// Why a launch did not become a server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    /// The command line is not one that a kernel writes.
    #[error(
        "{reason}; the kernel starts servers with: __launch [--warden] [--listen] --parent PID \
         [--cwd DIR] [--nofile N] [--as-bytes N] [--nproc N] -- PROGRAM [ARG]…"
    )]
    Usage {
        /// What is wrong with it.
        reason: String,
    },
    /// The process that asked for this launch has ended, so nobody would ever stop the server.
    #[error("not started, because process {parent}, which asked for it, has ended")]
    ParentGone {
        /// The process id that was expected as parent.
        parent: i32,
    },
    /// The operating system refused a step that the server must not run without.
    #[error("cannot {step}")]
    Step {
        /// What was tried, as a verb with its object.
        step: &'static str,
        /// The operating system's reason.
        source: Errno,
    },
    /// The working directory cannot be entered.
    #[error("cannot enter the working directory {}", path.display())]
    WorkingDirectory {
        /// The directory that was asked for.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The list of open descriptors cannot be read.
    #[error("cannot list the open descriptors in /proc/self/fd")]
    Descriptors {
        /// The operating system's reason.
        source: io::Error,
    },
    /// The program cannot be started.
    #[error("cannot start {}", program.display())]
    Exec {
        /// The program as it was asked for.
        program: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
}

impl LaunchError {
    /// The exit code of a launcher that ends with this error.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Exec { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                ExitCode::from(EXIT_NOT_FOUND)
            }
            Self::Usage { .. }
            | Self::ParentGone { .. }
            | Self::Step { .. }
            | Self::WorkingDirectory { .. }
            | Self::Descriptors { .. }
            | Self::Exec { .. } => ExitCode::from(EXIT_NOT_STARTED),
        }
    }
}
