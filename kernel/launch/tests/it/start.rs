//! Goal: a server finds exactly what it was given, and a failed start says why. [PROTO-10]

use std::process::Command;

use crate::support::{LAUNCHER, launch, run};

/// Launches `program`, plain and below a warden, and compares its output.
#[track_caller]
fn check(options: &[&str], program: &[&str], expected: &str) {
    for warden in [&[][..], &["--warden"][..]] {
        let ended = launch(&[warden, options].concat(), program);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), expected), "{ended:?}");
    }
}

/// Launches `program`, plain and below a warden, and looks for an exit code and a part of the one
/// sentence on standard error.
#[track_caller]
fn check_failure(options: &[&str], program: &[&str], code: i32, part: &str) {
    for warden in [&[][..], &["--warden"][..]] {
        let ended = launch(&[warden, options].concat(), program);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.stderr.contains(part), "{ended:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
    }
}

#[test]
fn arguments_arrive_as_given() {
    check(&[], &["printf", "%s|", "a b", "", "--", "$X"], "a b||--|$X|");
}

#[test]
fn the_environment_is_exactly_what_was_given() {
    let env = "/usr/bin/env";
    for warden in [&[][..], &["--warden"][..]] {
        let ended = launch(warden, &[env]);
        let mut lines: Vec<_> = ended.stdout.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["ODD=a=b c", "PATH=/usr/bin:/bin"]);
    }
}

#[test]
fn a_listening_server_is_told_as_systemd_tells_it() {
    let script = r#"test "$LISTEN_PID" = $$ && echo "$LISTEN_FDS""#;
    for warden in ["", "--warden"] {
        let words = format!("{warden} --listen --parent $PPID");
        let launch = format!("exec {LAUNCHER} __launch {words} -- sh -c '{script}' 3</dev/null");
        assert_eq!(run("sh", &["-c", &launch]).stdout, "1\n", "{warden}");
    }
}

#[test]
fn only_the_granted_descriptors_reach_the_server() {
    let script = "for n in 0 1 2 3 4 5 7 9; do test -e /proc/$$/fd/$n && echo $n; done; true";
    let launch = |words: &str| {
        let opened = "3</dev/null 5</dev/null 7</dev/null 9>/dev/null";
        let line = format!("exec {LAUNCHER} __launch {words} -- sh -c '{script}' {opened}");
        run("sh", &["-c", &line]).stdout
    };
    for warden in ["", "--warden "] {
        assert_eq!(launch(&format!("{warden}--parent $PPID")), "0\n1\n2\n");
        assert_eq!(launch(&format!("{warden}--listen --parent $PPID")), "0\n1\n2\n3\n");
    }
}

#[test]
fn a_server_has_a_session_of_its_own_and_gains_no_privileges() {
    // Fields 1, 5 and 6 of /proc/PID/stat: process, group, session.
    let script = "read -r pid name state parent group session rest < /proc/$$/stat
        test $pid = $group && test $pid = $session && grep NoNewPrivs /proc/self/status";
    check(&[], &["sh", "-c", script], "NoNewPrivs:\t1\n");
}

#[test]
fn no_signal_is_blocked_or_ignored() {
    for warden in [&[][..], &["--warden"][..]] {
        let ended = launch(warden, &["grep", "-E", "SigBlk|SigIgn", "/proc/self/status"]);
        for line in ended.stdout.lines() {
            let mask = u64::from_str_radix(line.split_once('\t').unwrap().1, 16).unwrap();
            // Signals 32 and 33 belong to the C library, which lets nobody change them.
            assert_eq!(mask & !(0b11 << 31), 0, "{line}");
        }
        assert_eq!(ended.stdout.lines().count(), 2, "{ended:?}");
    }
}

#[test]
fn limits_hold_and_cannot_be_raised() {
    let script = "ulimit -c; ulimit -Hc; ulimit -n; ulimit -Hn; ulimit -v";
    let limits = ["--nofile", "77", "--as-bytes", "1073741824"];
    check(&limits, &["sh", "-c", script], "0\n0\n77\n77\n1048576\n");
    // More than the kernel has is what the kernel has.
    let kernel = Command::new("sh").args(["-c", "ulimit -Hn"]).output().unwrap();
    let hard = String::from_utf8(kernel.stdout).unwrap();
    check(&["--nofile", &u64::MAX.to_string()], &["sh", "-c", "ulimit -Hn"], &hard);
}

#[test]
fn the_working_directory_is_entered() {
    check(&["--cwd", "/usr/bin"], &["pwd"], "/usr/bin\n");
    let sentence = "cannot enter the working directory /no/where: No such file or directory";
    check_failure(&["--cwd", "/no/where"], &["pwd"], 126, sentence);
}

#[test]
fn a_program_that_cannot_start_is_named() {
    check_failure(&[], &["/no/program"], 127, "cannot start /no/program: No such file");
    check_failure(&[], &["no-program-of-this-name"], 127, "cannot start no-program-of-this-name:");
    check_failure(&[], &["/etc/passwd"], 126, "cannot start /etc/passwd: Permission denied");
}

/// The kernel may end between starting the launcher and the launcher's first step.
#[test]
fn nothing_starts_for_a_parent_that_has_ended() {
    for options in [&["--parent", "1"][..], &["--warden", "--parent", "1"][..]] {
        let ended = run(LAUNCHER, &[&["__launch"], options, &["--", "echo", "ran"]].concat());
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(126), ""), "{ended:?}");
        assert!(ended.stderr.contains("process 1, which asked for it, has ended"), "{ended:?}");
    }
}

#[test]
fn without_the_command_it_is_not_a_launch() {
    let ended = run(LAUNCHER, &["--parent", "1"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(126), ""));
}
