//! Goal: below a warden, nothing outlives the server, the warden's stop or the kernel. [PROTO-10]
//!
//! The fake kernel is a shell. A warden that is itself killed needs the kernel's sweep and is tested
//! with the engine (`process/tests.rs`).

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tollgate_launch::processes::{Process, process};

use crate::support::{LAUNCHER, Running, assert_gone, launch, run};

/// How soon after a death nothing may be left.
const GONE_WITHIN: Duration = Duration::from_secs(1);

/// A server that starts programs in every way that escapes a process group, says who they are, and
/// ends when its input does.
const SERVER: &str = r#"
echo server $$
sleep 1000 & echo below $!
nohup sleep 1001 >/dev/null 2>&1 </dev/null & echo below $!
setsid sleep 1002 >/dev/null 2>&1 </dev/null & echo below $!
(setsid sh -c 'setsid sleep 1003 >/dev/null 2>&1 & echo below $!')
setsid sh -c 'trap "" TERM HUP INT; sleep 1004 >/dev/null 2>&1 & echo below $!; wait' &
python3 -c '
import ctypes, os, threading, time
threading.Thread(target=time.sleep, args=(1005,)).start()
print("below", os.getpid(), flush=True)
ctypes.CDLL(None).pthread_exit(None)' &
read -r end"#;

/// Number of lines that [`SERVER`] and [`KERNEL`] say, in any order.
const FAMILY_COUNT: usize = 8;

/// A kernel that starts the server and waits for its end. (A background job of a shell reads
/// `/dev/null` unless told otherwise.)
const KERNEL: &str = r#"
exec 4<&0
"$0" __launch --warden --parent $$ -- sh -c "$1" <&4 &
echo warden $!
wait"#;

/// A fake kernel, its warden, the server, and what the server started.
struct Family {
    kernel: Running,
    warden: Process,
    server: Process,
    all: Vec<Process>,
}

impl Family {
    fn start() -> Self {
        let kernel = Running::start("sh", &["-c", KERNEL, LAUNCHER, SERVER]);
        let line = || {
            let line = kernel.line().unwrap();
            let (who, pid) = line.split_once(' ').unwrap();
            (who.to_owned(), process(Pid::from_raw(pid.parse().unwrap())).unwrap())
        };
        let members: Vec<_> = (0..FAMILY_COUNT).map(|_| line()).collect();
        let the = |role: &str| members.iter().find(|(who, _)| who == role).unwrap().1;
        let (warden, server) = (the("warden"), the("server"));
        assert_eq!(server.parent, warden.pid);
        let all = members.into_iter().map(|(_, process)| process).collect();
        Self { kernel, warden, server, all }
    }
}

#[track_caller]
fn check(end: impl FnOnce(&mut Family)) {
    let mut family = Family::start();
    end(&mut family);
    assert_gone(&family.all, GONE_WITHIN);
}

#[test]
fn nothing_outlives_a_killed_kernel() {
    check(|family| family.kernel.child.kill().unwrap());
}

#[test]
fn nothing_outlives_a_killed_server() {
    check(|family| kill(family.server.pid, Signal::SIGKILL).unwrap());
}

#[test]
fn nothing_outlives_a_warden_that_is_asked_to_stop() {
    check(|family| kill(family.warden.pid, Signal::SIGTERM).unwrap());
}

#[test]
fn nothing_outlives_a_server_that_ends_at_end_of_input() {
    check(|family| drop(family.kernel.child.stdin.take()));
}

#[test]
fn a_warden_ignores_the_signals_of_a_terminal() {
    let family = Family::start();
    for signal in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGUSR1] {
        kill(family.warden.pid, signal).unwrap();
    }
    // Handled after the signals above if those were handled at all.
    kill(family.server.pid, Signal::SIGKILL).unwrap();
    assert_gone(&family.all, GONE_WITHIN);
}

#[test]
fn the_warden_holds_neither_input_nor_socket() {
    let script = r#"
        w=/proc/$PPID/fd
        # The warden lets go just after the start: look until it has, at most 10 s.
        n=0; while test -e $w/3 && test $n -lt 1000; do n=$((n + 1)); sleep 0.01; done
        readlink $w/0; test -e $w/3 && echo "socket held"; test -e /proc/$$/fd/3 && echo mine"#;
    let line =
        format!("exec {LAUNCHER} __launch --warden --listen --parent $PPID -- sh -c '{script}'");
    let ended = run("sh", &["-c", &format!("{line} 3</etc/passwd 0</etc/passwd")]);
    assert_eq!(ended.stdout, "/dev/null\nmine\n", "{ended:?}");
}

#[test]
fn the_exit_code_is_that_of_the_server() {
    let rows = [
        ("exit 0", 0),
        ("exit 3", 3),
        ("exit 255", 255),
        ("kill -KILL $$", 137),
        ("kill -TERM $$", 143),
        // A real-time signal: the number is lost, not the fact.
        ("kill -40 $$", 128),
    ];
    for (script, code) in rows {
        assert_eq!(launch(&["--warden"], &["sh", "-c", script]).code, Some(code), "{script}");
    }
}
