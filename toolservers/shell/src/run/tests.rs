//! Goal: real commands from start to end, with real processes. [SHELL-01], [SHELL-02], [SHELL-03]

use std::sync::{Mutex, MutexGuard};

use super::*;
use crate::{
    env::Environment,
    limits::TERM_GRACE,
    reap::{self, Reaper},
    testing::{alone, running},
    tree::{self, tests::alive},
};

#[derive(Default)]
struct Heard {
    bytes: Mutex<Vec<u8>>,
    pieces: Mutex<Vec<Vec<u8>>>,
    lines: Mutex<Vec<String>>,
    /// Told for every piece, so that a test can act while the command runs.
    came: tokio::sync::Notify,
    /// The same for every line.
    told: tokio::sync::Notify,
}

impl Audience for Heard {
    async fn output(&self, bytes: &[u8]) -> bool {
        self.bytes.lock().unwrap().extend(bytes);
        self.pieces.lock().unwrap().push(bytes.to_vec());
        self.came.notify_one();
        true
    }

    fn progress(&self, line: String) {
        self.lines.lock().unwrap().push(line);
        self.told.notify_one();
    }
}

/// A folder, a shell, and the reaper of this process.
struct World {
    bash: Bash,
    environment: Environment,
    folder: tempfile::TempDir,
    heard: Heard,
    timeout: Duration,
    input: Input<'static>,
    output_bytes_max: u64,
    stop: CancellationToken,
    _reaper: Reaper,
    _alone: MutexGuard<'static, ()>,
}

impl World {
    fn new() -> Self {
        let alone = alone();
        let environment = Environment::of_this_process();
        Self {
            bash: Bash::find(&environment).unwrap(),
            environment,
            folder: tempfile::tempdir().unwrap(),
            heard: Heard::default(),
            timeout: Duration::from_secs(60),
            input: Input::Nothing,
            output_bytes_max: 1 << 20,
            stop: CancellationToken::new(),
            _reaper: reap::start().unwrap(),
            _alone: alone,
        }
    }

    async fn run(&self, command: &str) -> Finished {
        let call_id = "c-test";
        let order = Order {
            command,
            cwd: self.folder.path(),
            environment: self.environment.of_call(call_id, self.folder.path(), false),
            call_id,
            timeout: self.timeout,
            input: self.input,
            output_bytes_max: self.output_bytes_max,
            confinement: &Confinement::Off,
        };
        run(&self.bash, order, &self.stop, &self.heard).await.unwrap()
    }

    /// Runs and stops at the first piece of output.
    async fn run_until_output(&self, command: &str) -> Finished {
        let stopping = async {
            self.heard.came.notified().await;
            self.stop.cancel();
        };
        tokio::join!(self.run(command), stopping).0
    }
}

async fn check(command: &str, output: &str, ending: Ending) -> Finished {
    let finished = World::new().run(command).await;
    assert_eq!(
        (finished.output.head.as_str(), finished.ending),
        (output, Some(ending)),
        "{command}"
    );
    finished
}

#[tokio::test]
async fn output_and_exit_code_are_those_of_the_command() {
    check("echo out; echo err >&2; exit 3", "out\nerr\n", Ending::Code(3)).await;
}

/// B043.
#[tokio::test]
async fn silent_commands_end_too() {
    check("true", "", Ending::Code(0)).await;
    check("false", "", Ending::Code(1)).await;
    check("mkdir -p d", "", Ending::Code(0)).await;
}

/// B049.
#[tokio::test]
async fn a_signal_is_told_with_the_output_before_it() {
    check("printf x; kill -KILL $$", "x\n", Ending::Signal(9)).await;
    check("kill -SEGV $$", "", Ending::Signal(11)).await;
    check("kill -40 $$", "", Ending::Signal(40)).await;
    check("{ sh -c 'kill -9 $$'; } 2>/dev/null; echo rc=$?", "rc=137\n", Ending::Code(0)).await;
}

/// B050: no pipefail, and a reader that ends early ends its writer.
#[tokio::test]
async fn pipes_report_what_bash_reports() {
    check("false | cat", "", Ending::Code(0)).await;
    check("yes | head -1", "y\n", Ending::Code(0)).await;
}

/// B041.
#[tokio::test]
async fn input_is_empty_and_there_is_no_terminal() {
    check("cat", "", Ending::Code(0)).await;
    check("read x; echo \"[$x]\"", "[]\n", Ending::Code(0)).await;
    check("(: </dev/tty) 2>/dev/null || echo none", "none\n", Ending::Code(0)).await;
    check(
        "ps -o pid=,sid= -p $$ | { read p s; [ $p = $s ] && echo leader; }",
        "leader\n",
        Ending::Code(0),
    )
    .await;
}

/// B052.
#[tokio::test]
async fn the_shell_gets_the_very_bytes() {
    let line = "cat <<'E-O_F'\na\\\\b $HOME `x` !bang {1,2} $$ 'q' \"d\"\nE-O_F\necho hi!";
    check(line, "a\\\\b $HOME `x` !bang {1,2} $$ 'q' \"d\"\nhi!\n", Ending::Code(0)).await;
}

/// B059.
#[tokio::test]
async fn nothing_of_the_start_up_is_seen() {
    check(
        "env | grep -c 'BASH_ENV\\|TOLLGATE_PRELUDE\\|TOLLGATE_CWD\\|API_KEY'",
        "0\n",
        Ending::Code(1),
    )
    .await;
    check("ls /proc/self/fd | wc -l; ls -d /", "4\n/\n", Ending::Code(0)).await;
    check(
        "echo $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $CI $NO_COLOR $TERM",
        "cat cat 0 1 1 dumb\n",
        Ending::Code(0),
    )
    .await;
}

/// [SHELL-01]
#[tokio::test]
async fn the_last_directory_is_told_however_the_shell_ends() {
    for command in [
        "cd d",
        "cd d; exit 3",
        "cd d && false",
        "(cd /); cd d",
        "cd d; trap : USR1",
        "cd d; set -e; false",
    ] {
        let world = World::new();
        std::fs::create_dir(world.folder.path().join("d")).unwrap();
        let finished = world.run(command).await;
        let expected = world.folder.path().join("d").canonicalize().unwrap();
        assert_eq!(finished.last_cwd, Some(expected), "{command}");
        assert_eq!(finished.output.lines, 0, "{command}: {}", finished.output.head);
    }
}

#[tokio::test]
async fn a_shell_that_is_replaced_tells_no_directory_and_harms_nothing() {
    assert_eq!(check("cd /; exec echo x", "x\n", Ending::Code(0)).await.last_cwd, None);
    // B055.
    assert_eq!(check("mkdir t && cd t && rmdir ../t", "", Ending::Code(0)).await.last_cwd, None);
}

/// B037: the pipe held open by a child in another session.
#[tokio::test]
async fn a_background_child_does_not_hold_the_result() {
    let world = World::new();
    let finished = world.run("setsid sleep 6001 & echo hi").await;
    assert_eq!((finished.output.head.as_str(), finished.background), ("hi\n", 1));
    assert_eq!((finished.stop, finished.ending), (Stop::Itself, Some(Ending::Code(0))));
    assert!(finished.pipe.is_some());
    running("6001", 1).await;
    assert_eq!(tree::kill_everything().await, 0);
    assert_eq!(alive("6001"), 0);
}

/// B037: both streams through one pipe.
#[tokio::test]
async fn much_output_on_either_stream_blocks_nothing() {
    let finished = World::new().run("head -c 200000 /dev/zero | tr '\\0' e >&2; echo out").await;
    assert_eq!(finished.ending, Some(Ending::Code(0)));
    assert_eq!(finished.output.bytes, 200_004);
    assert!(finished.output.tail.ends_with("eout\n"));
}

/// B038, [SHELL-03]: `setsid`, double fork, `nohup`, a group of its own, no marker, TERM ignored.
#[tokio::test]
async fn a_timeout_ends_all_that_was_started() {
    for command in [
        "sh -c 'sleep 6002 & sleep 6002'; true",
        "setsid sleep 6002",
        "setsid sh -c 'setsid sleep 6002 & setsid sleep 6002 &'; sleep 6002",
        "nohup sleep 6002 & sleep 6002",
        "(setsid sh -c '(env -i setsid sleep 6002 &) &' &); sleep 6002",
        "trap '' TERM; sh -c 'trap \"\" TERM HUP; sleep 6002; sleep 6002' & sleep 6002; sleep 6002",
        "set -m; sleep 6002 & sleep 6002",
        "sleep 6002 & kill -STOP $!; kill -STOP $$",
    ] {
        let world = World { timeout: Duration::from_millis(300), ..World::new() };
        let finished = world.run(command).await;
        assert_eq!(
            (finished.stop, finished.survivors, alive("6002")),
            (Stop::TimedOut, 0, 0),
            "{command}"
        );
        assert!(
            finished.ending.is_some_and(|ending| ending != Ending::Code(0)),
            "{:?}",
            finished.ending
        );
        // The clock and what killing may take; the rest is for a busy machine.
        let most = world.timeout + TERM_GRACE + 2 * KILL_PATIENCE + Duration::from_secs(10);
        assert!(finished.duration < most, "{command}: {:?}", finished.duration);
    }
}

/// B058.
#[tokio::test]
async fn a_stop_ends_it_and_keeps_what_it_said() {
    let world = World::new();
    let finished = world.run_until_output("echo begun; setsid sleep 6003 & sleep 6003").await;
    assert_eq!(finished.stop, Stop::Cancelled);
    // A shell that sees its child end first still says so ("Terminated") before it ends itself.
    let output = finished.output.head.as_str();
    let mut lines = output.lines();
    assert_eq!(lines.next(), Some("begun"), "{output:?}");
    assert!(lines.all(|line| line.contains("Terminated")), "{output:?}");
    assert_eq!(alive("6003"), 0);
}

#[tokio::test]
async fn a_stop_leaves_what_earlier_calls_keep_running() {
    let world = World::new();
    let earlier = world.run("setsid sleep 6004 >/dev/null 2>&1 &").await;
    assert_eq!(earlier.background, 1);
    running("6004", 1).await;
    world.heard.came.notify_one();
    let finished = world.run_until_output("sleep 6005").await;
    assert_eq!(finished.stop, Stop::Cancelled);
    assert_eq!((alive("6004"), alive("6005")), (1, 0));
    assert_eq!(tree::kill_everything().await, 0);
    assert_eq!(alive("6004"), 0);
}

/// The clock is looked at while output comes without end, and memory stays bounded. [SHELL-02]
#[tokio::test]
async fn endless_output_is_bounded_and_stopped() {
    // Time enough for a busy machine to start it and to write more than is passed on.
    let timeout = Duration::from_secs(2);
    let world = World { timeout, output_bytes_max: 1 << 16, ..World::new() };
    let finished = world.run("yes").await;
    assert_eq!(finished.stop, Stop::TimedOut);
    assert_eq!(finished.passed_on, 1 << 16);
    assert_eq!(world.heard.bytes.lock().unwrap().len(), 1 << 16);
    assert!(finished.output.bytes > 1 << 16);
    assert!(finished.output.head.len() + finished.output.tail.len() < 200_000);
}

/// B047: no piece ends inside a character, and the bytes are the same in all.
#[tokio::test]
async fn pieces_are_whole_characters_and_exact_bytes() {
    let world = World::new();
    let command = "for i in $(seq 3000); do printf '你é\\xff'; done; printf '\\xe4\\xbd'";
    world.run(command).await;
    let mut expected = "你é".as_bytes().to_vec();
    expected.push(0xff);
    let mut expected = expected.repeat(3000);
    expected.extend(b"\xe4\xbd");
    assert_eq!(*world.heard.bytes.lock().unwrap(), expected);
    let pieces = world.heard.pieces.lock().unwrap();
    assert!(pieces.iter().rev().skip(1).all(|piece| unfinished(piece) == 0));
}

#[tokio::test]
async fn the_newest_line_is_told_while_it_runs() {
    let world = World::new();
    let newest = || world.heard.lines.lock().unwrap().last().cloned();
    let until_told = async {
        while newest().as_deref() != Some("20%") {
            world.heard.told.notified().await;
        }
        world.stop.cancel();
    };
    let mut run = pin!(world.run("echo one; printf '10%%\\r20%%'; sleep 6006"));
    tokio::select! {
        biased;
        finished = &mut run => panic!("{finished:?}: {:?}", world.heard.lines),
        () = until_told => assert_eq!(run.await.stop, Stop::Cancelled),
    }
}

/// B041 holds for commands that are given no input; one that is given a text reads it and its end.
#[tokio::test]
async fn a_text_is_read_as_input_and_then_its_end() {
    let world = World { input: Input::Text(b"a\nb"), ..World::new() };
    let finished = world.run("read x; echo \"[$x]\"; cat").await;
    assert_eq!((finished.output.head.as_str(), finished.output.lines), ("[a]\nb\n", 2));
    let most = vec![b'x'; crate::limits::INPUT_BYTES_MAX].leak();
    drop(world);
    let world = World { input: Input::Text(most), ..World::new() };
    assert_eq!(world.run("wc -c").await.output.head.trim(), most.len().to_string());
}

#[test]
fn unfinished_characters_are_counted() {
    let cases: [(&[u8], usize); 8] = [
        (b"", 0),
        (b"a", 0),
        ("é".as_bytes(), 0),
        (b"a\xc3", 1),
        (b"\xe4\xbd", 2),
        (b"\xf0\x9f\x98", 3),
        (b"\x80\x80\x80", 0),
        (b"\xff", 0),
    ];
    for (bytes, expected) in cases {
        assert_eq!(unfinished(bytes), expected, "{bytes:?}");
    }
}
