//! The command line of `__launch`: the kernel writes it, the launcher reads it.
//!
//! `__launch [--warden] [--listen] --parent PID [--cwd DIR] [--nofile N] [--as-bytes N] [--nproc N]
//! -- PROGRAM [ARG]…`. Both directions live here, so that they cannot drift apart (test
//! `what_is_written_is_read_back`).

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use nix::unistd::Pid;

use crate::COMMAND;
use crate::error::LaunchError;

/// One server to start, and what binds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Whether a warden stands between the kernel and a server that starts programs of its own.
    pub warden: bool,
    /// Whether descriptor 3 is a listening socket for the server.
    pub listen: bool,
    /// The process that starts the launcher; it does nothing once that process is gone.
    pub parent: Pid,
    /// Working directory of the server, or `None` to keep that of the parent.
    pub directory: Option<PathBuf>,
    /// Resource limits of the server.
    pub limits: ResourceLimits,
    /// The program to become: a path, or a name that is looked up in `PATH`.
    pub program: OsString,
    /// Arguments of the program, without its name.
    pub arguments: Vec<OsString>,
}

/// Limits that the operating system holds a server to; `None` keeps what the kernel has.
///
/// A limit can only lower what the kernel itself has. Core dumps are always off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Highest number of open descriptors.
    pub nofile: Option<u64>,
    /// Address space of one process, in bytes.
    pub as_bytes: Option<u64>,
    /// Number of processes and threads; counted by Linux over all processes of the user.
    pub nproc: Option<u64>,
}

impl Launch {
    /// The arguments of a `tollgate` process that does this launch, beginning with `__launch`.
    #[must_use]
    pub fn to_arguments(&self) -> Vec<OsString> {
        let mut written = vec![OsString::from(COMMAND)];
        let flags = [("--warden", self.warden), ("--listen", self.listen)];
        written.extend(flags.iter().filter(|(_, on)| *on).map(|(flag, _)| OsString::from(flag)));
        let mut option = |name: &str, value: Option<OsString>| {
            written.extend(value.into_iter().flat_map(|value| [OsString::from(name), value]));
        };
        let number = |value: Option<u64>| value.map(|n| OsString::from(n.to_string()));
        option("--parent", Some(self.parent.to_string().into()));
        option("--cwd", self.directory.clone().map(OsString::from));
        option("--nofile", number(self.limits.nofile));
        option("--as-bytes", number(self.limits.as_bytes));
        option("--nproc", number(self.limits.nproc));
        written.push("--".into());
        written.push(self.program.clone());
        written.extend(self.arguments.iter().cloned());
        written
    }

    /// Reads what follows `__launch` on the command line.
    pub(crate) fn parse(
        mut arguments: impl Iterator<Item = OsString>,
    ) -> Result<Self, LaunchError> {
        let (mut warden, mut listen, mut parent, mut directory) = (false, false, None, None);
        let mut limits = ResourceLimits::default();
        loop {
            let Some(option) = arguments.next() else {
                return Err(usage("`--` is missing"));
            };
            match option.to_str() {
                Some("--") => break,
                Some("--warden") => warden = true,
                Some("--listen") => listen = true,
                Some("--parent") => parent = Some(number(&option, arguments.next())?),
                Some("--cwd") => directory = Some(value(&option, arguments.next())?.into()),
                Some("--nofile") => limits.nofile = Some(number(&option, arguments.next())?),
                Some("--as-bytes") => limits.as_bytes = Some(number(&option, arguments.next())?),
                Some("--nproc") => limits.nproc = Some(number(&option, arguments.next())?),
                Some(_) | None => {
                    return Err(usage(&format!("unknown option {}", option.display())));
                }
            }
        }
        let parent: i32 = parent.ok_or_else(|| usage("`--parent` is missing"))?;
        let program = arguments.next().ok_or_else(|| usage("PROGRAM is missing"))?;
        let parent = Pid::from_raw(parent);
        let arguments = arguments.collect();
        Ok(Self { warden, listen, parent, directory, limits, program, arguments })
    }
}

/// The value that must follow an option.
fn value(option: &OsStr, next: Option<OsString>) -> Result<OsString, LaunchError> {
    next.ok_or_else(|| usage(&format!("{} needs a value", option.display())))
}

/// The number that must follow an option.
fn number<N: std::str::FromStr>(option: &OsStr, next: Option<OsString>) -> Result<N, LaunchError> {
    let text = value(option, next)?;
    text.to_str()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| usage(&format!("{} needs a number", option.display())))
}

fn usage(reason: &str) -> LaunchError {
    LaunchError::Usage { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests;
