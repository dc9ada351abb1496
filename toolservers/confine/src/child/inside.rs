//! `enter` and `inside`: the last steps before a program, and the wait for its end.

use std::{
    convert::Infallible,
    ffi::OsString,
    fs,
    io::{self, IsTerminal as _},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use nix::{
    errno::Errno,
    sys::{
        resource::Resource,
        signal::SigSet,
        wait::{WaitStatus, waitpid},
    },
    unistd::{Pid, close},
};

use super::{PLAN, Plan, REPORT, next_stage, report::Reporter, tie_to_parent, tie_to_stage};
use crate::{
    ConfineError, Requirement, Tiers, capabilities,
    mounts::{self, View},
    namespaces,
    paths::{self, Access},
    resources, step,
    syscalls::{self, Doors},
};

/// The stage in the namespaces.
pub(super) const INSIDE: &str = "inside";

/// Devices that every program may use.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Further ones where they are its own.
const OWN_DEVICES: [&str; 2] = ["/dev/ptmx", mounts::TERMINALS];

/// Process ids that Linux does not give out again once it has given all.
const RESERVED_IDS: u64 = 300;

/// For [`crate::Tiers`]: protected and denied places are held.
const PLACES: &str = "places";

/// Confines this process and becomes the program, or waits for one that does in the namespaces.
pub(super) fn enter(words: &[OsString]) -> Result<ExitCode, ConfineError> {
    tie_to_parent()?;
    let plan = plan()?;
    let Some(holder) = plan.holder else {
        return confined(&plan, words).map(|never| match never {});
    };
    // A signal to the whole session is for the program; this process tells how that ended.
    SigSet::all().thread_block().map_err(step("block signals"))?;
    namespaces::join(Pid::from_raw(holder), plan.network).map_err(step("join the namespaces"))?;
    capabilities::keep_for_mounts().map_err(step("keep what the next stage needs"))?;
    let child = next_stage(INSIDE, words)?;
    for descriptor in [0, 1, 2, PLAN] {
        close(descriptor).ok();
    }
    let mut report = Reporter::open().map_err(step("open the report"))?;
    loop {
        let (line, code) = match waitpid(child.pid, None) {
            Ok(WaitStatus::Exited(_, code)) => (format!("code {code}"), code),
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                (format!("signal {}", signal as i32), 128 + signal as i32)
            }
            Ok(_) | Err(Errno::EINTR) => continue,
            // A real-time signal ended it, for which `nix` has no name.
            Err(_) => ("signal 34".to_owned(), 162),
        };
        report.say(&line);
        return Ok(ExitCode::from(u8::try_from(code & 0xff).unwrap_or(u8::MAX)));
    }
}

/// The same as [`enter`] in the namespaces, with mounts of its own.
pub(super) fn inside(words: &[OsString]) -> Result<Infallible, ConfineError> {
    tie_to_stage()?;
    let plan = plan()?;
    mounts::own().map_err(step("make a mount namespace"))?;
    limit_processes(plan.processes)?;
    let view = View {
        write: &plan.write,
        held: &plan.held,
        masked: &plan.masked,
        own_memory: own_memory(&plan),
        blank_file: &plan.blank_file,
        blank_folder: &plan.blank_folder,
    };
    mounts::show(&view).map_err(step("arrange the mounts"))?;
    confined(&plan, words)
}

/// Limits those of all programs in the namespaces together.
fn limit_processes(most: u64) -> Result<(), ConfineError> {
    if most == 0 {
        return Ok(());
    }
    // The limit of a user does not hold for user 0; that of a PID namespace (Linux 6.14) holds for all,
    // and counts threads.
    fs::write("/proc/sys/kernel/pid_max", (most + RESERVED_IDS).to_string()).ok();
    resources::lower(Resource::RLIMIT_NPROC, most, "limit the processes")
}

fn plan() -> Result<Plan, ConfineError> {
    let bytes = fs::read(format!("/proc/self/fd/{PLAN}")).map_err(step("read the plan"))?;
    Plan::from_bytes(&bytes).map_err(step("read the plan"))
}

/// The steps that both ways have, and the program.
fn confined(plan: &Plan, words: &[OsString]) -> Result<Infallible, ConfineError> {
    let mut report = Reporter::open().map_err(step("open the report"))?;
    std::env::set_current_dir(&plan.cwd).map_err(step("enter the working directory"))?;
    let mut tiers = Tiers::new(plan.requirement);
    if plan.holder.is_some() {
        tiers.hold(namespaces::NAMESPACES.word);
        tiers.hold(PLACES);
    } else {
        tiers.add(namespaces::NAMESPACES, Err("this host allows none".into()))?;
        tiers.hold(format!("{PLACES}:none"));
    }
    capabilities::drop_all()?;
    resources::harden(false)?;
    if plan.requirement == Requirement::Off {
        return Err(step("confine a program")("sandbox = \"off\" needs no launcher"));
    }
    tiers.add(paths::LANDLOCK, paths::restrict(&access(plan)?))?;
    tiers.add(syscalls::SECCOMP, syscalls::filter(doors(plan)))?;
    tiers.hold(if plan.network { "net" } else { "net:none" });
    // A server that ended before this process was tied to it does not read that.
    report.tell(&format!("confined {tiers}")).map_err(step("report"))?;
    for descriptor in [PLAN, REPORT] {
        close(descriptor).ok();
    }
    let failed = exec(words);
    report.say(&format!("failed {failed}"));
    Err(failed)
}

/// Whether memory that is shared by name is the program's own: not if it works in there.
fn own_memory(plan: &Plan) -> bool {
    let works = |place: &PathBuf| place.starts_with(mounts::SHARED_MEMORY);
    plan.holder.is_some() && !plan.write.iter().chain([&plan.cwd]).any(works)
}

fn access(plan: &Plan) -> Result<Access, ConfineError> {
    let own = plan.holder.is_some();
    let devices = DEVICES.into_iter().chain(OWN_DEVICES.into_iter().filter(|_| own));
    let top = |but: &[&str]| paths::top(but).map_err(step("list /"));
    let mut write = plan.write.clone();
    if write.iter().any(|folder| folder == Path::new("/")) {
        // For user 0 the views of the kernel are the whole machine's settings.
        write.retain(|folder| folder != Path::new("/"));
        write.extend(top(&[paths::DEVICES, "proc", "sys"])?);
    }
    let mut read = top(&[paths::DEVICES])?;
    // The host's holds files like other folders, and perhaps those that the program is for.
    let memory = if own_memory(plan) { &mut write } else { &mut read };
    memory.push(mounts::SHARED_MEMORY.into());
    write.extend(devices.map(PathBuf::from));
    // The terminal that it was started at, which is the host's.
    if io::stdin().is_terminal() {
        write.push(PathBuf::from("/proc/self/fd/0"));
    }
    Ok(Access {
        list: vec![PathBuf::from("/")],
        read,
        write,
        // The namespaces' own network leads nowhere.
        tcp: plan.network || own,
    })
}

fn doors(plan: &Plan) -> Doors {
    Doors {
        streams: plan.network || plan.holder.is_some(),
        datagrams: plan.network,
        exec: true,
        set_id: false,
    }
}

/// Replaces this program; returns only if that failed. The standard library's `exec` also gives SIGPIPE,
/// which every Rust program ignores, its default action back.
fn exec(words: &[OsString]) -> ConfineError {
    let Some((program, rest)) = words.split_first() else {
        return step("start the program")("it has no name");
    };
    let error = Command::new(Path::new(program)).args(rest).exec();
    ConfineError::Step { what: "start the program", why: format!("{}: {error}", program.display()) }
}
