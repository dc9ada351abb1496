//! EN-01, EN-02, EN-05 Nothing of other processes, of secrets, and of doors of the kernel that programs do not need.

use serde_json::json;
use tollgate_tests::{Command, World, binary, events::content_text};

use super::hand::{Hand, approved, has, ordinary, texts};

/// What stands in the environment of the kernel and the server.
const KEY: &str = "CANARY-KEY-51c0";

/// Looks everywhere where an environment, memory or open files of others could be.
const LOOKS: &[&str] = &[
    "env; set; export -p; cat /proc/self/environ | tr '\\0' '\\n'",
    "cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
    "cat /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/environ | tr '\\0' '\\n'",
    "tr '\\0' '\\n' < /proc/$PPID/environ; tr '\\0' '\\n' < /proc/1/environ",
    "ls -l /proc/[0-9]*/fd /proc/[0-9]*/cwd /proc/[0-9]*/exe",
    "ps -ef 2> /dev/null || for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; done",
    "python3 -c 'import os; print(os.environ)'",
];

/// [GATE-70] [SHELL-01] EN-01 EN-02 No key of the kernel's environment or the server's, in no process that shows.
#[test]
fn no_process_shows_a_key() {
    let world = World::new();
    let calls: Vec<_> = LOOKS.iter().map(|line| json!({ "command": line })).collect();
    let script = calls
        .iter()
        .fold(tollgate_tests::Script::new(), |script, it| script.call("bash", it.clone()));
    let command = world.exec(&script.text("done"), "go").env("ANTHROPIC_API_KEY", KEY);
    let results = super::hand::answered(command.env("SOME_TOKEN", KEY), calls.len());
    for (line, text) in LOOKS.iter().zip(texts(&results)) {
        assert!(!text.contains(KEY) && !text.contains("SOME_TOKEN"), "{line}: {text}");
    }
    assert!(content_text(&results[0]).contains("HOME="), "{results:?}");
}

/// [GATE-70] EN-02 A process of somebody else, the server and who started it: not seen, not read, not ended.
#[test]
fn other_processes_are_out_of_reach() {
    let world = World::new();
    let server = Command::new(&binary("tollgate-shell")).env("SOME_TOKEN", KEY);
    let mut hand = Hand::of(&world, server, &json!({}));
    let other = Command::new(std::path::Path::new("sleep")).args(["31337"]).env("A", KEY).spawn();
    let pids = [other.pid, hand.server.process.pid, i32::try_from(std::process::id()).unwrap()];
    for pid in pids {
        for line in [
            format!("kill -9 {pid} && echo DONE"),
            format!("cat /proc/{pid}/environ && echo DONE"),
            format!("cat /proc/{pid}/cmdline && echo DONE"),
            format!("head -c 1 /proc/{pid}/mem && echo DONE"),
            format!("ls /proc/{pid}/fd /proc/{pid}/root && echo DONE"),
            format!("python3 -c \"import os; os.pidfd_open({pid})\" && echo DONE"),
        ] {
            let done = hand.bash(&line, ordinary);
            assert!(!done.text.contains("DONE") && !done.text.contains(KEY), "{line}: {done:?}");
        }
    }
    let seen = hand.bash("cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ps -ef; echo $$", ordinary).text;
    assert!(!seen.contains("31337") && !seen.contains("nextest"), "{seen}");
    assert!(tollgate_tests::processes::look(other.pid).is_some(), "it lives");
    // One's own can be.
    let own = "sleep 60 & cat /proc/$!/cmdline | tr '\\0' ' '; kill $! && echo DONE";
    let done = hand.bash(own, ordinary);
    assert!(done.text.contains("DONE") && done.text.contains("sleep 60"), "{done:?}");
}

/// [SHELL-03] [GATE-70] A fork bomb ends with its call, and the next call works.
#[test]
fn a_fork_bomb_ends_with_its_call() {
    let world = World::new();
    let mut hand = Hand::new(&world);
    let bomb = json!({ "command": "b() { b | b & }; b; sleep 60 2>&1", "timeout": 3 });
    let done = hand.call("bash", &bomb, ordinary);
    assert!(!done.succeeded, "{done:?}");
    let next = hand.bash("echo fine; ls /proc | grep -c '^[0-9]'", ordinary);
    assert!(next.text.starts_with("fine\n"), "{next:?}");
    let left: usize = next.text.lines().nth(1).unwrap().parse().unwrap();
    assert!(left < 20, "{left} processes are left");
}

/// Calls of the kernel that must be refused: number, arguments.
#[cfg(target_arch = "x86_64")]
const CALLS: &[(&str, &str)] = &[
    ("io_uring_setup", "425, 8, ctypes.create_string_buffer(200)"),
    ("keyctl", "250, 0, -3, 1"),
    ("add_key", "248, b'user', b'x', b'y', 1, -3"),
    ("request_key", "249, b'user', b'x', None, -3"),
    ("bpf", "321, 0, ctypes.create_string_buffer(128), 128"),
    ("userfaultfd", "323, 1"),
    ("perf_event_open", "298, ctypes.create_string_buffer(128), 0, -1, -1, 0"),
    ("unshare user", "272, 0x10000000"),
    ("unshare mounts", "272, 0x00020000"),
    ("clone user", "56, 0x10000000 | 17, 0, 0, 0, 0"),
    ("clone3", "435, ctypes.create_string_buffer(88), 88"),
    ("setns", "308, os.open('/proc/1/ns/mnt', 0) if 0 else 0, 0"),
    ("mount", "165, b'none', b'/mnt', b'tmpfs', 0, None"),
    ("umount", "166, b'/proc', 2"),
    ("fsopen", "430, b'tmpfs', 0"),
    ("open_tree", "428, -100, b'/', 1"),
    ("pivot_root", "155, b'/', b'/'"),
    ("chroot", "161, b'/'"),
    ("ptrace", "101, 0, 0, 0, 0"),
    ("process_vm_readv", "310, 1, None, 0, None, 0, 0"),
    ("open_by_handle_at", "304, -100, ctypes.create_string_buffer(136), 0"),
    ("init_module", "175, b'', 0, b''"),
    ("kexec_load", "246, 0, 0, None, 0"),
    ("reboot", "169, 0, 0, 0, 0"),
    ("sethostname", "170, b'x', 1"),
    ("settimeofday", "164, None, None"),
    ("socket AF_ALG", "41, 38, 5, 0"),
    ("socket AF_VSOCK", "41, 40, 1, 0"),
    ("socket AF_PACKET", "41, 17, 3, 0"),
    ("chmod +s", "90, b'f', 0o4755"),
    ("fchmodat +s", "268, -100, b'f', 0o2755"),
    ("fchmodat2 +s", "452, -100, b'f', 0o4755, 0"),
    ("mknod of a disk", "133, b'disk', 0o60600, 0xfe00"),
    ("setuid", "105, 12345"),
];

/// Those that ordinary programs need: they are there.
#[cfg(target_arch = "x86_64")]
const NEEDED: &[(&str, &str)] = &[
    ("getpid", "39"),
    ("chmod", "90, b'f', 0o755"),
    ("memfd_create", "319, b'x', 0"),
    ("pidfd_open", "434, os.getpid(), 0"),
    ("landlock_create_ruleset", "444, None, 0, 1"),
    ("prctl", "157, 38, 1, 0, 0, 0"),
    ("socketpair", "53, 1, 1, 0, (ctypes.c_int * 2)()"),
    ("inotify_init1", "294, 0"),
    ("timerfd_create", "283, 1, 0"),
    ("eventfd2", "290, 0, 0"),
];

/// Prints each call's result and error.
#[cfg(target_arch = "x86_64")]
fn made(calls: &[(&str, &str)]) -> String {
    let list: String = calls
        .iter()
        .map(|(name, arguments)| format!("  ('{name}', lambda: ({arguments},)),\n"))
        .collect();
    format!(
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nlibc.syscall.restype = ctypes.c_long\n\
         open('f', 'w')\nfor name, arguments in [\n{list}]:\n  ctypes.set_errno(0)\n  \
         done = libc.syscall(*arguments())\n  \
         print(name, 'works' if done >= 0 else 'errno ' + str(ctypes.get_errno()), flush=True)\n"
    )
}

/// [GATE-70] EN-05 Each is refused: not permitted, or said not to exist.
#[cfg(target_arch = "x86_64")]
#[test]
fn doors_of_the_kernel_are_closed() {
    let world = World::new();
    let mut hand = Hand::new(&world);
    world.write("calls.py", made(CALLS));
    let done = hand.bash("python3 calls.py", ordinary);
    for (name, _) in CALLS {
        // Not permitted, denied, not there, no such user.
        let refused = [1, 13, 38, 22]
            .iter()
            .any(|errno| done.text.contains(&format!("{name} errno {errno}\n")));
        assert!(refused, "{name}: {done:?}");
    }
    world.write("needed.py", made(NEEDED));
    let done = hand.bash("python3 needed.py", ordinary);
    for (name, _) in NEEDED {
        assert!(done.text.contains(&format!("{name} works\n")), "{name}: {done:?}");
    }
}

/// [GATE-70] EN-05 By the programs that people know.
#[test]
fn programs_that_widen_are_refused() {
    let world = World::new();
    let mut hand = Hand::new(&world);
    for line in [
        "unshare -r true",
        "unshare -Urm true",
        "mount -t tmpfs none /mnt",
        "mount --bind . /mnt",
        "umount /proc",
        "umount -l /",
        "mount -o remount,rw /",
        "touch s; chmod u+s s",
        "touch s; chmod 2755 s",
        "install -m 4755 /bin/true s2",
        "chroot / true",
        "nsenter -t 1 -m true",
        "nsenter -t $PPID -a true",
        "strace -o /dev/null true",
        "dmesg",
        "hostname other",
        "date -s 2001-01-01",
        "sysctl -w kernel.hostname=x",
        "echo x > /proc/sys/kernel/hostname",
        "echo 1 > /proc/sys/vm/drop_caches",
        "echo b > /proc/sysrq-trigger",
        "echo '|/tmp/x' > /proc/sys/kernel/core_pattern",
    ] {
        let done = hand.bash(&format!("{line} && echo DONE"), ordinary);
        assert!(!done.text.contains("DONE"), "{line}: {done:?}");
    }
    let done = hand.bash("touch s; chmod 755 s && chmod 600 s && umask 022 && echo DONE", ordinary);
    assert!(done.text.contains("DONE"), "{done:?}");
}

/// [GATE-70] EN-05 No program types for who sits at a terminal: refused on one of its own, too.
#[test]
fn nothing_is_typed_into_a_terminal() {
    let world = World::new();
    let ioctl =
        "import fcntl, sys; fcntl.ioctl(0, int(sys.argv[1], 16), b'x' * 64); print('DO' + 'NE')";
    world.write("t.py", ioctl);
    let run = |hand: &mut Hand, number: &str| {
        hand.bash(&format!("script -qec 'python3 t.py {number}' /dev/null < /dev/null"), ordinary)
    };
    if !has("script") {
        return;
    }
    let mut hand = Hand::new(&world);
    for number in ["5412", "541c"] {
        let done = run(&mut hand, number);
        assert!(!done.text.contains("DONE"), "{number}: {done:?}");
    }
    // The size of a window.
    let done = run(&mut hand, "5413");
    assert!(done.text.contains("DONE"), "{done:?}");
}

/// [GATE-70] User 0 of the sandbox is nobody: no capability, and none by a program that has them.
#[test]
fn no_capability_is_left() {
    let world = World::new();
    let line = "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status";
    let text = texts(&approved(&world, &[line])).remove(0);
    for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert!(text.contains(&format!("{name}:\t0000000000000000")), "{text}");
    }
    assert!(text.contains("NoNewPrivs:\t1") && text.contains("Seccomp:\t2"), "{text}");
}
