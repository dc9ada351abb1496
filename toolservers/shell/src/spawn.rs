//! Starts bash for one command: own session, one pipe for both outputs, nothing inherited; no input,
//! unless the call gives one. A confined one is started by the launcher that this binary is, too.
//!
//! `posix_spawn` rather than fork and exec: no unsafe code, and as fast as starting a program can be.
//! The shell gets the command as the one argument after `-c`, byte for byte.
//!
//! A folder of this process (`desk`) holds a start-up file, read through `BASH_ENV`, that makes
//! the shell write its last working directory to a file in a folder of the call. The shell forgets both names
//! before the command starts, so neither the command nor its children see them, and a command
//! that exits in its middle is covered too. One that replaces the shell (`exec`) leaves no directory.

use std::{
    env,
    ffi::{CStr, CString, OsStr, OsString},
    fs::{self, File},
    io::{self, Write as _},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use nix::{
    fcntl::OFlag,
    libc,
    spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn},
    sys::{
        signal::{SigSet, Signal},
        stat::Mode,
    },
    unistd::Pid,
};
use rustix::{
    fs::{MemfdFlags, memfd_create},
    io::fcntl_dupfd_cloexec,
    pipe::{PipeFlags, pipe_with},
};
use tollgate_confine::child::{COMMAND, ENTER, HOLD, OWN_BINARY, PLAN, Plan, REPORT};

use crate::{
    desk::Desk,
    env::{Environment, text_of},
    reap,
    sandbox::Confinement,
    terminal::Pty,
};

/// What the shell runs before a command.
const PRELUDE: &str = "trap \"builtin pwd -P 2>/dev/null >|${TOLLGATE_CWD@Q}\" EXIT
unset BASH_ENV TOLLGATE_CWD TOLLGATE_PRELUDE
";

/// Where a system has its shell. A `bash` in another folder of the `PATH` comes after these: an activated
/// environment puts a folder of the workspace there (CFG-07).
const SHELLS: &[&str] = &["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/// Folders that some programs do not work without, and that a confined command cannot change where they
/// are: their variables, and their names in its temporary folder.
const MOVED: &[(&str, &str)] = &[("GOCACHE", "go-build"), ("npm_config_logs_dir", "npm-logs")];

/// Signals that a program finds at their default. Rust ignores SIGPIPE in this process, and a
/// child that inherits that never ends in `yes | head`.
const DEFAULT_SIGNALS: &[Signal] = &[
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGPIPE,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGCHLD,
];

/// The shell, found once, and the folder of its start-up file.
#[derive(Debug)]
pub(crate) struct Bash {
    program: PathBuf,
    desk: Desk,
    calls: AtomicU64,
}

/// Why the shell is not there.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BashError {
    /// No folder of the search path has it.
    #[error("bash is not installed: no folder of PATH holds it")]
    Missing,
    /// The start-up file could not be written.
    #[error("cannot write the shell's start-up file below the temporary folder")]
    Desk(#[source] io::Error),
}

/// What a command finds as its input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
    /// Its end, at once.
    Nothing,
    /// This text and then its end; at most what a pipe holds (`INPUT_BYTES_MAX`).
    Text(&'a [u8]),
    /// What comes, until the writing end is closed.
    Open,
    /// What is typed, at a terminal that is its output too.
    Terminal(&'a Pty),
}

/// A running command.
#[derive(Debug)]
pub(crate) struct Started {
    /// The shell.
    pub(crate) child: reap::Child,
    /// Both outputs in one order.
    pub(crate) output: OwnedFd,
    /// The writing end of its input, if that is open.
    pub(crate) input: Option<OwnedFd>,
    /// Where the shell leaves its last working directory.
    pub(crate) last_cwd: LastCwd,
}

/// The folder of a call, with the file that holds its last working directory; removed when dropped.
#[derive(Debug)]
pub(crate) struct LastCwd(PathBuf);

impl LastCwd {
    /// The directory, if the shell came to say it.
    pub(crate) fn read(&self) -> Option<PathBuf> {
        let mut text = fs::read(self.file()).ok()?;
        (text.pop() == Some(b'\n')).then(|| PathBuf::from(OsString::from_vec(text)))
    }

    fn file(&self) -> PathBuf {
        self.0.join("cwd")
    }
}

impl Drop for LastCwd {
    fn drop(&mut self) {
        // What cannot be removed goes with its folder at the end.
        drop(fs::remove_dir_all(&self.0));
    }
}

impl Bash {
    /// Finds the shell and writes its start-up file.
    ///
    /// # Errors
    /// There is no shell, or no place for the file.
    pub(crate) fn find(environment: &Environment) -> Result<Self, BashError> {
        let system = SHELLS.iter().map(PathBuf::from);
        let mut candidates =
            system.chain(environment.path().iter().map(|folder| folder.join("bash")));
        let program = candidates.find(|path| path.is_file()).ok_or(BashError::Missing)?;
        let desk = Desk::new().map_err(BashError::Desk)?;
        fs::write(desk.path().join("prelude"), PRELUDE).map_err(BashError::Desk)?;
        Ok(Self { program, desk, calls: AtomicU64::new(0) })
    }

    /// Starts a command in `cwd`.
    ///
    /// # Errors
    /// The folder cannot be entered, or the operating system starts no process.
    pub(crate) fn start(
        &self,
        command: &str,
        cwd: &Path,
        mut environment: Vec<CString>,
        input: Input<'_>,
        confinement: &Confinement,
    ) -> io::Result<Started> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let last_cwd = LastCwd(self.desk.path().join(call.to_string()));
        fs::create_dir(&last_cwd.0)?;
        let prelude = self.desk.path().join("prelude");
        // By way of a variable: the shell expands BASH_ENV, and a path may hold anything.
        environment.extend(text_of(OsStr::new("BASH_ENV"), OsStr::new("${TOLLGATE_PRELUDE}")));
        environment.extend(text_of(OsStr::new("TOLLGATE_PRELUDE"), prelude.as_os_str()));
        environment.extend(text_of(OsStr::new("TOLLGATE_CWD"), last_cwd.file().as_os_str()));

        let program = CString::new(self.program.as_os_str().as_bytes())?;
        let options = [c"--noprofile".into(), c"--norc".into(), c"-c".into()];
        let mut arguments = vec![program.clone()];
        arguments.extend(options);
        arguments.push(CString::new(command)?);

        let (theirs, output, into_input) = ends(input)?;
        let Confinement::By(plan) = confinement else {
            let (actions, attributes) = (actions(&theirs, None)?, attributes()?);
            let child = reap::spawn(None, || {
                in_folder(cwd, || {
                    Ok(posix_spawn(&*program, &actions, &attributes, &arguments, &environment)?)
                })
            })?;
            return Ok(Started { child, output, input: into_input, last_cwd });
        };
        let temporary = self.desk.temporary();
        let mut moved = vec![("TMPDIR", temporary.clone())];
        if !plan.network {
            moved.extend(MOVED.iter().map(|(name, folder)| (*name, temporary.join(folder))));
        }
        for (name, folder) in moved {
            let before = format!("{name}=");
            environment.retain(|text| !text.as_bytes().starts_with(before.as_bytes()));
            environment.extend(text_of(OsStr::new(name), folder.as_os_str()));
        }
        let mut plan = Plan::clone(plan);
        plan.write.extend([temporary, last_cwd.0.clone()]);
        let launch = Launch { stage: ENTER, plan: &plan, words: &arguments };
        let (start, report) = self.launch(&launch, theirs, environment)?;
        let child = reap::spawn(Some(report), start)?;
        Ok(Started { child, output, input: into_input, last_cwd })
    }

    /// Starts the holder of namespaces, and gives its report.
    ///
    /// # Errors
    /// The operating system starts no process.
    pub(crate) fn hold(&self) -> io::Result<(reap::Child, OwnedFd)> {
        let launch = Launch { stage: HOLD, plan: &Plan::default(), words: &[] };
        let (start, report) = self.launch(&launch, Ends::nothing()?, Vec::new())?;
        Ok((reap::spawn(None, start)?, report))
    }

    /// Starts a command that does nothing under a plan, and gives its report.
    ///
    /// # Errors
    /// The operating system starts no process.
    pub(crate) fn probe(&self, plan: &Plan) -> io::Result<OwnedFd> {
        let words = [CString::new(self.program.as_os_str().as_bytes())?, c"-c".into(), c":".into()];
        let launch = Launch { stage: ENTER, plan, words: &words };
        let (start, report) = self.launch(&launch, Ends::nothing()?, Vec::new())?;
        reap::spawn(None, start)?;
        Ok(report)
    }

    /// What starts this binary as a launcher, and where it will report.
    fn launch(
        &self,
        launch: &Launch<'_>,
        theirs: Ends<'_>,
        environment: Vec<CString>,
    ) -> io::Result<(impl FnOnce() -> io::Result<Pid>, OwnedFd)> {
        let (file, folder) = self.desk.blanks();
        let plan = Plan { blank_file: file, blank_folder: folder, ..launch.plan.clone() };
        let mut told = File::from(memfd_create("plan", MemfdFlags::CLOEXEC)?);
        told.write_all(&plan.to_bytes())?;
        let (report, into_report) = pipe_with(PipeFlags::CLOEXEC)?;
        let extra = (above(told.into())?, above(into_report)?);
        let (actions, attributes) = (actions(&theirs, Some(&extra))?, attributes()?);
        let own = [c"tollgate-shell".into(), CString::new(COMMAND)?, CString::new(launch.stage)?];
        let arguments: Vec<CString> = own.into_iter().chain(launch.words.iter().cloned()).collect();
        let start = move || {
            // Held until the process has its copies.
            let _ends = (&theirs, &extra);
            let program = Path::new(OWN_BINARY);
            Ok(posix_spawn(program, &actions, &attributes, &arguments, &environment)?)
        };
        Ok((start, report))
    }
}

/// A stage of the launcher, and what it is told.
struct Launch<'a> {
    stage: &'a str,
    plan: &'a Plan,
    words: &'a [CString],
}

/// The same file under a number that is out of the way of those that a launcher is given.
fn above(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    Ok(fcntl_dupfd_cloexec(descriptor, REPORT + 1)?)
}

/// Runs `start` with this process in `cwd`, and leaves it again: `posix_spawn` has no folder of its
/// own, and nothing else here uses relative paths. Callers hold the lock of `reap`.
fn in_folder(cwd: &Path, start: impl FnOnce() -> io::Result<Pid>) -> io::Result<Pid> {
    env::set_current_dir(cwd)?;
    let started = start();
    env::set_current_dir("/")?;
    started
}

/// A command's ends of what connects it with this process.
#[derive(Debug)]
enum Ends<'a> {
    Streams {
        input: OwnedFd,
        output: OwnedFd,
    },
    /// The path of the terminal.
    Terminal(&'a CStr),
}

impl Ends<'_> {
    /// Of a process that says and hears nothing.
    fn nothing() -> io::Result<Self> {
        let null = File::options().read(true).write(true).open("/dev/null")?;
        Ok(Self::Streams { input: null.try_clone()?.into(), output: null.into() })
    }
}

/// The command's ends; ours of its output, and of its input if that stays open.
fn ends(input: Input<'_>) -> io::Result<(Ends<'_>, OwnedFd, Option<OwnedFd>)> {
    if let Input::Terminal(pty) = input {
        let (output, input) = (pty.end.try_clone()?, pty.end.try_clone()?);
        return Ok((Ends::Terminal(&pty.path), output, Some(input)));
    }
    let (output, into_output) = pipe_with(PipeFlags::CLOEXEC)?;
    let (from_input, into_input) = input_of(input)?;
    Ok((Ends::Streams { input: from_input, output: into_output }, output, into_input))
}

/// The reading end of an input, and the writing one if it stays open.
fn input_of(input: Input<'_>) -> io::Result<(OwnedFd, Option<OwnedFd>)> {
    if let Input::Nothing = input {
        return Ok((File::open("/dev/null")?.into(), None));
    }
    let (from, into) = pipe_with(PipeFlags::CLOEXEC)?;
    if let Input::Text(text) = input {
        // Nobody reads yet: what the pipe does not hold would be waited for without end.
        rustix::io::ioctl_fionbio(&into, true)?;
        File::from(into).write_all(text)?;
        return Ok((from, None));
    }
    Ok((from, Some(into)))
}

/// These ends as the standard streams, a launcher's plan and report, everything else closed.
fn actions(
    ends: &Ends<'_>,
    launcher: Option<&(OwnedFd, OwnedFd)>,
) -> nix::Result<PosixSpawnFileActions> {
    let mut actions = PosixSpawnFileActions::init()?;
    match ends {
        Ends::Streams { input, output } => {
            actions.add_dup2(input.as_raw_fd(), 0)?;
            actions.add_dup2(output.as_raw_fd(), 1)?;
            actions.add_dup2(output.as_raw_fd(), 2)?;
        }
        Ends::Terminal(path) => {
            // In the new session (`attributes`), so that it becomes its controlling terminal.
            actions.add_open(0, *path, OFlag::O_RDWR, Mode::empty())?;
            actions.add_dup2(0, 1)?;
            actions.add_dup2(0, 2)?;
        }
    }
    if let Some((plan, report)) = launcher {
        actions.add_dup2(plan.as_raw_fd(), PLAN)?;
        actions.add_dup2(report.as_raw_fd(), REPORT)?;
    }
    let last = if launcher.is_some() { REPORT } else { 2 };
    // A descriptor without close-on-exec, such as a socket that the kernel handed over, must not
    // reach a command.
    for entry in fs::read_dir("/proc/self/fd").into_iter().flatten().flatten() {
        let descriptor = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(descriptor) = descriptor.filter(|descriptor| *descriptor > last) {
            actions.add_close(descriptor)?;
        }
    }
    Ok(actions)
}

/// A session of its own, and signals as a program expects them.
fn attributes() -> nix::Result<PosixSpawnAttr> {
    let mut attributes = PosixSpawnAttr::init()?;
    // nix has no name for this flag; it takes the bits.
    let session = PosixSpawnFlags::from_bits_retain(libc::c_int::from(libc::POSIX_SPAWN_SETSID));
    attributes.set_flags(
        session | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK,
    )?;
    attributes.set_sigdefault(&DEFAULT_SIGNALS.iter().copied().collect::<SigSet>())?;
    attributes.set_sigmask(&SigSet::empty())?;
    Ok(attributes)
}
