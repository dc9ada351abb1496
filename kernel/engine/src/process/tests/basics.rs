//! What a server is given, what is heard of it, and how its end is told.

use std::os::fd::AsRawFd;
use std::pin::pin;
use std::task::{Context, Waker};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tollgate_launch::processes::processes;

use super::*;

/// Runs a server to its end, plain and below a warden, and compares end and output.
async fn check(spec: impl Fn() -> ProcessSpec, exit: Exit, output: &str) {
    for warden in [false, true] {
        let server = spawner().spawn(ProcessSpec { warden, ..spec() }).await.unwrap();
        assert_eq!(server.last_words().await, (exit, output.to_owned()), "warden: {warden}");
    }
}

#[tokio::test]
async fn both_streams_are_heard_to_the_last_byte() {
    check(|| shell("echo out; exit 0"), Exit::Code(0), "out\n").await;
    check(|| shell("echo err >&2; printf end >&2; exit 3"), Exit::Code(3), "err\nend\n").await;
}

#[tokio::test]
async fn the_environment_is_exactly_what_was_given() {
    let spec = || ProcessSpec {
        program: "/usr/bin/env".into(),
        args: Vec::new(),
        env: vec![("A".into(), "x=y z".into()), ("B".into(), "".into())],
        ..shell("")
    };
    check(spec, Exit::Code(0), "A=x=y z\nB=\n").await;
}

#[tokio::test]
async fn a_line_arrives_and_the_input_stays_open_until_it_is_closed() {
    for warden in [false, true] {
        let script = r#"read -r line; echo "got $line" > "$ROLL_CALL"; read -r more || echo "end""#;
        let mut roll = RollCall::new();
        let mut spec = ProcessSpec { warden, ..shell(script) };
        spec.env.push(roll.variable());
        let server = spawner().spawn(spec).await.unwrap();
        let me = std::process::id();
        server.write_line(&me.to_string()).await.unwrap();
        assert_eq!(roll.next().1.pid, Pid::this());
        assert_eq!(server.exit(), None);
        server.close_stdin();
        assert_eq!(server.last_words().await, (Exit::Code(0), "end\n".into()));
        assert!(server.write_line("late").await.is_err());
    }
}

#[tokio::test]
async fn a_line_with_a_newline_is_refused() {
    let server = spawner().spawn(shell("cat")).await.unwrap();
    assert!(server.write_line("a\nb").await.is_err());
    server.write_line("c").await.unwrap();
    server.close_stdin();
    assert_eq!(server.last_words().await, (Exit::Code(0), "c\n".into()));
}

#[tokio::test]
async fn every_end_is_told_to_all_who_wait() {
    let rows = [
        ("exit 7", Exit::Code(7)),
        ("kill -TERM $$", Exit::Signal(15)),
        ("kill -KILL $$", Exit::Signal(9)),
        ("kill -40 $$", Exit::Unknown),
    ];
    for (script, exit) in rows {
        let server = spawner().spawn(shell(script)).await.unwrap();
        let told = tokio::join!(server.exited(), server.exited(), server.exited());
        assert_eq!(told, (exit, exit, exit), "{script}");
        assert_eq!(server.exit(), Some(exit));
    }
    assert_eq!(Exit::Signal(9).to_string(), "was killed by signal 9 (SIGKILL)");
}

#[tokio::test]
async fn a_program_that_is_missing_is_named_in_the_log() {
    for warden in [false, true] {
        let spec = ProcessSpec { program: "/no/such/server".into(), warden, ..shell("") };
        let (exit, log) = spawner().spawn(spec).await.unwrap().last_words().await;
        assert_eq!(exit, Exit::Code(127));
        assert!(log.contains("cannot start /no/such/server: No such file"), "{log}");
    }
}

#[tokio::test]
async fn a_launcher_that_is_missing_is_an_error() {
    let error = Spawner::with_launcher("/no/launcher".into()).spawn(shell("")).await.unwrap_err();
    assert!(matches!(error, SpawnError::Launcher { .. }), "{error:?}");
    let spec = ProcessSpec { args: vec!["a\0b".into()], ..shell("") };
    let error = spawner().spawn(spec).await.unwrap_err();
    assert!(matches!(error, SpawnError::ZeroByte { .. }), "{error:?}");
}

#[tokio::test]
async fn no_other_descriptor_reaches_the_server() {
    // Some that the kernel did not open itself and that are therefore not close-on-exec.
    let inherited: Vec<_> = (0..8).map(|_| File::open("/dev/null").unwrap()).collect();
    for file in &inherited {
        fcntl(file, FcntlArg::F_SETFD(FdFlag::empty())).unwrap();
    }
    let highest = inherited.last().unwrap().as_raw_fd();
    let script = format!(
        "for n in $(seq 0 {highest}); do test -e /proc/$$/fd/$n && printf '%s ' $n; done; echo"
    );
    check(|| shell(&script), Exit::Code(0), "0 1 2 \n").await;
}

#[tokio::test]
async fn a_listening_socket_is_descriptor_3_and_the_servers_alone() {
    let script = "import socket, sys
s = socket.socket(fileno=3)
c, _ = s.accept()
c.sendall(b'served')
c.close()
sys.stdin.read()";
    for warden in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let directory = RuntimeDir::create(Some(home.path())).unwrap();
        let (listener, path) = directory.listen("test", 1).unwrap();
        // The call is queued by the operating system before the server is up.
        let mut client = UnixStream::connect(&path).await.unwrap();
        let spec = ProcessSpec {
            program: "python3".into(),
            args: vec!["-c".into(), script.into()],
            env: scrubbed(&[]),
            listener: Some(listener),
            warden,
            ..shell("")
        };
        let server = spawner().spawn(spec).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "served");
        server.close_stdin();
        assert_eq!(server.last_words().await, (Exit::Code(0), String::new()));
        let refused = UnixStream::connect(&path).await.unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    }
}

#[tokio::test]
async fn a_cancelled_start_leaves_nothing() {
    for polls in 1..4 {
        {
            let spawner = spawner();
            let mut start = pin!(spawner.spawn(shell("exec sleep 1000")));
            for _ in 0..polls {
                let mut context = Context::from_waker(Waker::noop());
                if start.as_mut().poll(&mut context).is_ready() {
                    break;
                }
                std::thread::yield_now();
            }
        }
        // Servers start one after the other: when this one runs, the other is decided.
        let next = spawner().spawn(shell("exec cat")).await.unwrap();
        let of_me = |process: &Process| process.parent == Pid::this();
        let others = processes().unwrap().into_iter().filter(of_me);
        let others: Vec<_> = others.filter(|process| process.pid.as_raw() != next.pid()).collect();
        assert_gone(&others, GONE_WITHIN);
    }
}

#[tokio::test]
async fn the_log_file_holds_all_and_the_tail_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let log_file = directory.path().join("test.log");
    // Seven bytes a line: more than the file's limit once, less than twice.
    let spec = ProcessSpec { log_file: Some(log_file.clone()), ..shell("seq 100000 900000") };
    let (exit, tail) = spawner().spawn(spec).await.unwrap().last_words().await;
    assert_eq!(exit, Exit::Code(0));
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let (old, new) = (read(&log_file.with_extension("log.1")), read(&log_file));
    let whole: String = (100_000..=900_000).map(|n| format!("{n}\n")).collect();
    assert!(old + &new == whole, "the log file is not complete");
    assert!(tail.len() <= 64 * 1024 && tail.len() > 63 * 1024, "{}", tail.len());
    assert!(whole.ends_with(&format!("\n{tail}")), "not the last lines: {tail:.40}");
}
