//! A server as the shell server is one: it starts launchers by `posix_spawn`, tells them a plan and reads
//! their reports.

use std::{
    ffi::{CString, OsStr, OsString},
    fs::{self, File},
    io::{Read as _, Seek as _, Write as _},
    os::{
        fd::{AsFd, OwnedFd},
        unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    },
    path::{Path, PathBuf},
};

use nix::{
    fcntl::OFlag,
    spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn},
    sys::{
        memfd::{MFdFlags, memfd_create},
        signal::{SigSet, Signal, kill},
        wait::{WaitStatus, waitpid},
    },
    unistd::{Gid, Pid, Uid, pipe2, setgid, setgroups, setuid},
};
use tempfile::TempDir;
use tollgate_confine::{
    Requirement,
    child::{COMMAND, ENTER, Ended, HOLD, OWN_BINARY, PLAN, Plan, REPORT, Report},
};

use super::super::ACT;

/// "same" or "nobody".
pub(crate) const USER: &str = "TOLLGATE_TEST_USER";
/// [`NAMESPACES`] or [`PLAIN`].
pub(crate) const TIER: &str = "TOLLGATE_TEST_TIER";
/// A tier.
pub(crate) const NAMESPACES: &str = "with namespaces";
/// The other.
pub(crate) const PLAIN: &str = "without namespaces";
/// What a program is told, text by text.
pub(crate) const TOLD: &str = "TOLLGATE_TEST_TOLD";
/// A text that no program that is kept from it prints.
pub(crate) const CANARY: &str = "the-secret-canary";

/// The user and group "nobody" of every distribution.
const NOBODY: u32 = 65_534;

/// Root gives itself up if the test wants that. A program that lends its owner is left to it.
pub(crate) fn become_user() {
    if std::env::var(USER).is_ok_and(|user| user == "nobody") {
        setgroups(&[]).unwrap();
        setgid(Gid::from_raw(NOBODY)).unwrap();
        setuid(Uid::from_raw(NOBODY)).unwrap();
        // Else /proc/self of a process that changed its user is root's.
        nix::sys::prctl::set_dumpable(true).unwrap();
    }
}

/// The folders of a test and the namespaces of its server.
pub(crate) struct World {
    folder: TempDir,
    /// What programs may write.
    pub(crate) work: PathBuf,
    /// Beside it, with a file `file` and a folder `folder`.
    pub(crate) outside: PathBuf,
    pub(crate) holder: Option<Holder>,
}

/// Who keeps the namespaces open.
#[derive(Clone, Copy)]
pub(crate) struct Holder {
    /// The process that was started.
    pub(crate) started: Pid,
    /// The first process of the PID namespace.
    pub(crate) first: i32,
}

/// A running launcher.
pub(crate) struct Running {
    pub(crate) pid: Pid,
    input: Option<File>,
    output: File,
    report: Option<File>,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) output: String,
    pub(crate) report: Report,
    /// Of the launcher.
    pub(crate) code: Option<i32>,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("confine").tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        let [work, outside] = ["work", "outside"].map(|name| path.join(name));
        for folder in [&work, &outside, &outside.join("folder")] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(outside.join("file"), "outside").unwrap();
        fs::write(path.join("blank-file"), "").unwrap();
        fs::create_dir(path.join("blank-folder")).unwrap();
        for blank in ["blank-file", "blank-folder"] {
            fs::set_permissions(path.join(blank), fs::Permissions::from_mode(0o0)).unwrap();
        }
        let mut world = Self { folder, work, outside, holder: None };
        if std::env::var(TIER).is_ok_and(|tier| tier == NAMESPACES) {
            world.holder = Some(world.hold());
        }
        world
    }

    /// Whether this is the tier with namespaces.
    pub(crate) fn has_namespaces(&self) -> bool {
        self.holder.is_some()
    }

    /// A folder that programs neither write nor are kept from.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Programs may write `work` and start there.
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            requirement: if self.has_namespaces() {
                Requirement::Required
            } else {
                Requirement::BestEffort
            },
            holder: self.holder.map(|holder| holder.first),
            network: false,
            cwd: self.work.clone(),
            write: vec![self.work.clone()],
            held: Vec::new(),
            masked: Vec::new(),
            blank_file: self.path().join("blank-file"),
            blank_folder: self.path().join("blank-folder"),
            processes: 0,
        }
    }

    fn hold(&self) -> Holder {
        let words: &[&str] = &[];
        let mut running = start(HOLD, &Plan::default().to_bytes(), words, &[], Unusual::default());
        let mut text = Vec::new();
        while !text.ends_with(b"\n") {
            let mut byte = [0];
            assert_eq!(
                running.report.as_mut().unwrap().read(&mut byte).unwrap(),
                1,
                "{}",
                text.escape_ascii()
            );
            text.extend(byte);
        }
        let report = Report::parse(&text);
        assert_eq!(report.failed, None);
        Holder { started: running.pid, first: report.held.unwrap() }
    }

    /// Starts a program.
    pub(crate) fn start(&self, plan: &Plan, words: &[&str]) -> Running {
        start(ENTER, &plan.to_bytes(), words, &[], Unusual::default())
    }

    /// Runs a script to its end.
    pub(crate) fn sh(&self, plan: &Plan, script: &str) -> Ran {
        self.start(plan, &["/bin/sh", "-c", script]).end()
    }

    /// Runs an act of `inside` to its end.
    pub(crate) fn act(&self, plan: &Plan, act: &str, told: &[&OsStr]) -> Ran {
        self.start_act(plan, act, told).end()
    }

    /// Starts an act of `inside`.
    pub(crate) fn start_act(&self, plan: &Plan, act: &str, told: &[&OsStr]) -> Running {
        let own = std::env::current_exe().unwrap();
        let mut variables = vec![(ACT.to_owned(), act.into())];
        for (number, text) in told.iter().enumerate() {
            variables.push((format!("{TOLD}{number}"), (*text).to_owned()));
        }
        start(ENTER, &plan.to_bytes(), &[own.to_str().unwrap()], &variables, Unusual::default())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(holder) = self.holder {
            kill(holder.started, Signal::SIGKILL).ok();
            waitpid(holder.started, None).ok();
        }
    }
}

impl Running {
    /// Says it a line.
    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    /// Reads a line of its output; nothing at its end.
    pub(crate) fn line(&mut self) -> Option<String> {
        let mut text = Vec::new();
        let mut byte = [0];
        while self.output.read(&mut byte).unwrap() == 1 {
            if byte == *b"\n" {
                return Some(String::from_utf8_lossy(&text).into_owned());
            }
            text.extend(byte);
        }
        None
    }

    /// Waits for its end, that is, for the end of all that have its output open.
    pub(crate) fn end(mut self) -> Ran {
        self.input = None;
        let mut output = Vec::new();
        self.output.read_to_end(&mut output).unwrap();
        let code = self.code();
        let report = self.report.map(Report::read).unwrap_or_default();
        Ran { output: String::from_utf8_lossy(&output).into_owned(), report, code }
    }

    /// Waits for the launcher's end alone.
    pub(crate) fn code(&self) -> Option<i32> {
        let status = waitpid(self.pid, None).unwrap();
        if let WaitStatus::Exited(_, code) = status { Some(code) } else { None }
    }
}

impl Ran {
    /// It ran, and ended well.
    #[track_caller]
    pub(crate) fn well(self) -> Self {
        let ended = self.report.ended.unwrap_or(Ended::Code(self.code.unwrap_or(-1)));
        let is_well = ended == Ended::Code(0) && self.report.confined.is_some();
        assert!(is_well, "{self:?}");
        self
    }

    /// The lines of `inside` about what was tried, each with how that went.
    pub(crate) fn rows(&self) -> Vec<(String, String)> {
        let tried = self.output.lines().filter_map(|line| line.strip_prefix("tried "));
        let row = |line: &str| line.rsplit_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned()));
        tried.filter_map(row).collect()
    }

    /// Just these worked of what was tried, which was at least so much, and nobody saw the canary.
    #[track_caller]
    pub(crate) fn only_worked(self, worked: &[&str], least: usize) {
        let rows = self.well().rows_and_no_canary();
        assert!(rows.len() >= least, "only {} were tried: {rows:?}", rows.len());
        let found = rows.iter().filter(|(_, how)| how == "WORKED").map(|(what, _)| what.as_str());
        let mut found: Vec<_> = found.collect();
        let mut expected = worked.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{rows:#?}");
    }

    fn rows_and_no_canary(self) -> Vec<(String, String)> {
        assert!(!self.output.contains(CANARY), "{}", self.output);
        self.rows()
    }
}

/// How a launcher is started, where that is unusual.
#[derive(Default)]
pub(crate) struct Unusual {
    /// Instead of a pipe.
    pub(crate) output: Option<OwnedFd>,
    /// Nobody reads the report.
    pub(crate) unheard: bool,
}

/// Starts a stage of a launcher.
pub(crate) fn start<W: AsRef<OsStr>>(
    stage: &str,
    plan: &[u8],
    words: &[W],
    variables: &[(String, OsString)],
    unusual: Unusual,
) -> Running {
    let mut told = File::from(memfd_create(c"plan", MFdFlags::MFD_CLOEXEC).unwrap());
    told.write_all(plan).unwrap();
    // As a server may have left it.
    told.seek(std::io::SeekFrom::End(0)).unwrap();
    let (report, into_report) = pipe2(OFlag::O_CLOEXEC).unwrap();
    let (from_output, into_output) = pipe2(OFlag::O_CLOEXEC).unwrap();
    let (from_input, input) = pipe2(OFlag::O_CLOEXEC).unwrap();
    let into_output = unusual.output.unwrap_or(into_output);
    let report = (!unusual.unheard).then_some(report);
    // Out of the way of the numbers that the launcher has.
    let above = |descriptor: &dyn AsFd| {
        let descriptor = descriptor.as_fd();
        nix::fcntl::fcntl(descriptor, nix::fcntl::FcntlArg::F_DUPFD_CLOEXEC(30)).unwrap()
    };
    let (plan, into_report_too) = (above(&told), above(&into_report));
    let (from_input_too, into_output_too) = (above(&from_input), above(&into_output));
    let mut actions = PosixSpawnFileActions::init().unwrap();
    for (from, to) in [
        (from_input_too, 0),
        (into_output_too, 1),
        (into_output_too, 2),
        (plan, PLAN),
        (into_report_too, REPORT),
    ] {
        actions.add_dup2(from, to).unwrap();
    }
    // Whoever started the tests may have left it some.
    for entry in fs::read_dir("/proc/self/fd").unwrap().flatten() {
        let descriptor: i32 = entry.file_name().to_str().unwrap().parse().unwrap();
        if descriptor > REPORT {
            actions.add_close(descriptor).unwrap();
        }
    }
    let mut attributes = PosixSpawnAttr::init().unwrap();
    let session = PosixSpawnFlags::from_bits_retain(nix::libc::POSIX_SPAWN_SETSID.into());
    let flags =
        session | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK;
    attributes.set_flags(flags).unwrap();
    attributes.set_sigdefault(&[Signal::SIGPIPE].into_iter().collect::<SigSet>()).unwrap();
    attributes.set_sigmask(&SigSet::empty()).unwrap();
    let text = |text: &OsStr| CString::new(text.as_bytes()).unwrap();
    let first = ["test", COMMAND, stage].map(|word| text(OsStr::new(word)));
    let rest = words.iter().map(|word| text(word.as_ref()));
    let arguments: Vec<_> = first.into_iter().chain(rest).collect();
    let path = CString::new("PATH=/usr/bin:/bin").unwrap();
    let pair = |(name, value): &(String, OsString)| {
        CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).unwrap()
    };
    let environment: Vec<_> = [path].into_iter().chain(variables.iter().map(pair)).collect();
    let program = Path::new(OWN_BINARY);
    let pid = posix_spawn(program, &actions, &attributes, &arguments, &environment).unwrap();
    for descriptor in [plan, into_report_too, from_input_too, into_output_too] {
        nix::unistd::close(descriptor).unwrap();
    }
    Running {
        pid,
        input: Some(input.into()),
        output: from_output.into(),
        report: report.map(File::from),
    }
}
