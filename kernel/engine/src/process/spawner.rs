//! Starts servers, all from one thread that never ends.
//!
//! A parent-death signal is sent when the *thread* that started a process ends. The threads of a tokio
//! runtime come and go (with one, `spawn_blocking` killed its child after ten idle seconds), so one
//! thread starts everything and lives as long as the kernel. The process that it starts is the launcher
//! (`tollgate __launch`), because only a single-threaded process can limit itself before `exec`.
//!
//! Invariants: descriptors 0 to 2 (3 with a listener) are all that a server inherits; every path after
//! the start ends the process if it does not hand it over.

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;

use nix::sys::prctl;
use nix::unistd::Pid;
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;
use tollgate_launch::Launch;

use super::child::Child;
use super::limits::SPAWN_QUEUE_MAX;
use super::log_file::LogFile;
use super::logs::Log;
use super::reaper::CHILDREN;
use super::server::ServerProcess;
use super::spec::{ProcessSpec, SpawnError};
use crate::secrets::LogSecrets;

/// The highest descriptor that a server is given.
const HIGHEST_GIVEN: RawFd = 3;

/// Starts servers; cheap to clone. All spawners of a process share its one spawner thread.
#[derive(Clone, Debug)]
pub struct Spawner {
    launcher: PathBuf,
    secrets: LogSecrets,
}

/// What the spawner thread is asked for.
struct Request {
    launcher: PathBuf,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    /// What becomes descriptor 0, 1, 2 and perhaps 3, in this order.
    descriptors: Vec<OwnedFd>,
    is_warden: bool,
    answer: oneshot::Sender<nix::Result<Child>>,
}

/// A process that runs, with the kernel's ends of its streams.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) stdin: pipe::Sender,
    pub(super) stdout: pipe::Receiver,
    pub(super) stderr: pipe::Receiver,
}

impl Default for Spawner {
    /// A spawner for the `tollgate` binary, whose `main` begins with `tollgate_launch::main_if_asked`.
    fn default() -> Self {
        Self::with_launcher(PathBuf::from("/proc/self/exe"))
    }
}

impl Spawner {
    /// A spawner whose launcher is the program at the path `launcher`.
    #[must_use]
    pub fn with_launcher(launcher: PathBuf) -> Self {
        Self { launcher, secrets: LogSecrets::default() }
    }

    /// The same, which keeps these values out of servers' logs.
    #[must_use]
    pub fn keeping_out(self, secrets: LogSecrets) -> Self {
        Self { secrets, ..self }
    }

    /// Starts one server. Its output is read by a task of the current runtime.
    ///
    /// # Errors
    ///
    /// See [`SpawnError`]; nothing runs then.
    ///
    /// # Cancel safety
    ///
    /// If this is cancelled the process is ended, if it was started at all.
    pub async fn spawn(&self, mut spec: ProcessSpec) -> Result<ServerProcess, SpawnError> {
        let file = spec.log_file.take().map(open_log).transpose()?;
        let (log, tail) = Log::new(spec.name.clone(), file, self.secrets.clone());
        let Started { child, stdin, stdout, stderr } = self.start(spec).await?;
        let log = AbortOnDropHandle::new(tokio::spawn(log.read(stdout, stderr)));
        Ok(ServerProcess::new(child, stdin, tail, log))
    }

    /// Starts one process, with the kernel's ends of its streams.
    pub(super) async fn start(&self, spec: ProcessSpec) -> Result<Started, SpawnError> {
        let threads = threads()?;
        let arguments = arguments(&spec)?;
        let environment = environment(spec.env)?;
        let pipe_error = |source| SpawnError::Pipe { source };
        let (stdin_there, stdin) = io::pipe().map_err(pipe_error)?;
        let (stdout, stdout_there) = io::pipe().map_err(pipe_error)?;
        let (stderr, stderr_there) = io::pipe().map_err(pipe_error)?;
        let stdin = pipe::Sender::from_owned_fd(stdin.into()).map_err(pipe_error)?;
        let stdout = pipe::Receiver::from_owned_fd(stdout.into()).map_err(pipe_error)?;
        let stderr = pipe::Receiver::from_owned_fd(stderr.into()).map_err(pipe_error)?;
        let given = [stdin_there.into(), stdout_there.into(), stderr_there.into()];
        let given = given.into_iter().chain(spec.listener).map(above_given);
        let descriptors = given.collect::<io::Result<_>>().map_err(pipe_error)?;

        let launcher = self.launcher.clone();
        let (answer, answered) = oneshot::channel();
        let request = Request {
            launcher,
            arguments,
            environment,
            descriptors,
            is_warden: spec.warden,
            answer,
        };
        // Neither fails while the spawner thread lives, which is as long as the process.
        let gone = || SpawnError::Threads { source: io::ErrorKind::BrokenPipe.into() };
        threads.send(request).await.map_err(|_| gone())?;
        let started = answered.await.map_err(|_| gone())?;
        let launcher_error =
            |source| SpawnError::Launcher { launcher: self.launcher.clone(), source };
        let child = started.map_err(launcher_error)?;
        Ok(Started { child, stdin, stdout, stderr })
    }
}

/// The line to the spawner thread; starts it, and the reaper thread, the first time.
fn threads() -> Result<mpsc::Sender<Request>, SpawnError> {
    static REQUESTS: Mutex<Option<mpsc::Sender<Request>>> = Mutex::new(None);
    let mut requests = REQUESTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(requests) = &*requests {
        return Ok(requests.clone());
    }
    let threads_error = |source| SpawnError::Threads { source };
    prctl::set_child_subreaper(true).map_err(|errno| threads_error(errno.into()))?;
    // Before the reaper looks for orphans.
    CHILDREN.remember_inherited();
    let (sender, mut receiver) = mpsc::channel(SPAWN_QUEUE_MAX);
    let named = |name: &str| thread::Builder::new().name(name.to_owned());
    named("spawner")
        .spawn(move || {
            while let Some(request) = receiver.blocking_recv() {
                start(request);
            }
        })
        .map_err(threads_error)?;
    named("reaper").spawn(|| CHILDREN.attend()).map_err(threads_error)?;
    Ok(requests.insert(sender).clone())
}

/// Starts what is asked for; runs on the spawner thread.
fn start(request: Request) {
    let there = request.descriptors.iter().map(AsRawFd::as_raw_fd).zip(0..);
    let descriptors: Vec<(RawFd, RawFd)> = there.collect();
    let started = CHILDREN.start(request.is_warden, || {
        let Request { launcher, arguments, environment, .. } = &request;
        tollgate_launch::start(launcher, arguments, environment, &descriptors)
    });
    // The server alone holds its ends, before anybody waits for end-of-file on the others.
    drop(request.descriptors);
    // Nobody waits any more: the child comes back and is ended by its drop.
    drop(request.answer.send(started));
}

/// The command line of the launcher.
fn arguments(spec: &ProcessSpec) -> Result<Vec<CString>, SpawnError> {
    let launch = Launch {
        warden: spec.warden,
        listen: spec.listener.is_some(),
        parent: Pid::this(),
        directory: spec.cwd.clone(),
        limits: spec.limits,
        program: spec.program.clone().into(),
        arguments: spec.args.clone(),
    };
    let words = [OsString::from("tollgate")].into_iter().chain(launch.to_arguments());
    words.map(|word| text(word.into_vec(), "the program or its arguments")).collect()
}

fn environment(variables: Vec<(OsString, OsString)>) -> Result<Vec<CString>, SpawnError> {
    let pair = |(name, value): (OsString, OsString)| {
        text([name.into_vec(), value.into_vec()].join(&b'='), "the environment")
    };
    variables.into_iter().map(pair).collect()
}

fn text(bytes: Vec<u8>, what: &'static str) -> Result<CString, SpawnError> {
    CString::new(bytes).map_err(|_| SpawnError::ZeroByte { what })
}

fn open_log(path: PathBuf) -> Result<LogFile, SpawnError> {
    LogFile::open(path.clone()).map_err(|source| SpawnError::LogFile { path, source })
}

/// Moves a descriptor above those that a server is given, else one of them could be overwritten before
/// it is itself passed on. (A kernel that was started without standard input has 0 free.)
fn above_given(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    let mut moved = descriptor;
    let mut passed = Vec::new();
    while moved.as_raw_fd() <= HIGHEST_GIVEN {
        // Kept open until the end, so that the copy gets another number.
        let copy = moved.try_clone()?;
        passed.push(std::mem::replace(&mut moved, copy));
    }
    Ok(moved)
}
