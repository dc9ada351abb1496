//! What a program that is run to its end may say, how long it may take, and what is left of it: nothing.

use tokio_util::sync::CancellationToken;

use super::*;

const BOUNDS: CaptureBounds =
    CaptureBounds { stdout_bytes_max: 1000, stderr_bytes_max: 10, within: Duration::from_secs(30) };

async fn run(script: &str, input: &str, bounds: CaptureBounds) -> Captured {
    let spec = ProcessSpec { warden: true, ..shell(script) };
    let token = CancellationToken::new();
    spawner().capture(spec, input.into(), bounds, &token).await.unwrap()
}

#[tokio::test]
async fn it_is_told_its_input_and_heard_to_its_end() {
    let heard = run("cat; echo err >&2; exit 3", "input", BOUNDS).await;
    assert_eq!(heard.end, CaptureEnd::Exited(Exit::Code(3)));
    assert_eq!((heard.stdout.as_slice(), heard.stderr.as_slice()), (&b"input"[..], &b"err\n"[..]));
}

#[tokio::test]
async fn input_that_nobody_reads_is_no_fault() {
    let heard = run("exec <&-; echo done", &"x".repeat(200_000), BOUNDS).await;
    assert_eq!((heard.end, heard.stdout), (CaptureEnd::Exited(Exit::Code(0)), b"done\n".to_vec()));
}

/// HK-04: 10 GB on either stream.
#[tokio::test]
async fn too_much_output_ends_it_and_too_much_noise_does_not() {
    let heard = run("yes", "", BOUNDS).await;
    assert_eq!((heard.end, heard.stdout.len()), (CaptureEnd::TooMuch, 1001));
    let heard = run("yes | head -c 1000000 >&2", "", BOUNDS).await;
    assert_eq!((heard.end, heard.stderr.len()), (CaptureEnd::Exited(Exit::Code(0)), 10));
    let heard = run("yes | head -c 1000", "", BOUNDS).await;
    assert_eq!((heard.end, heard.stdout.len()), (CaptureEnd::Exited(Exit::Code(0)), 1000));
}

/// HK-03
#[tokio::test]
async fn its_time_ends_it_with_all_that_it_started() {
    let script = r#"trap '' TERM
echo said
setsid sh -c 'trap "" TERM; echo "daemon $$" > "$ROLL_CALL"; exec sleep 1000' &
(sh -c 'echo "child $$" > "$ROLL_CALL"; exec sleep 1000')"#;
    let mut roll = RollCall::new();
    let mut spec = ProcessSpec { warden: true, ..shell(script) };
    spec.env.push(roll.variable());
    let bounds = CaptureBounds { within: Duration::from_secs(2), ..BOUNDS };
    let token = CancellationToken::new();
    let spawner = spawner();
    let heard = spawner.capture(spec, Vec::new(), bounds, &token);
    let reading = tokio::task::spawn_blocking(move || [roll.next().1, roll.next().1]);
    let heard = heard.await.unwrap();
    assert_eq!((heard.end, heard.stdout), (CaptureEnd::TimedOut, b"said\n".to_vec()));
    assert_gone(&reading.await.unwrap(), Duration::ZERO);
}

/// HK-03: what stays behind and holds the output is ended, and the answer is the program's.
#[tokio::test]
async fn a_daemon_that_keeps_the_output_open_holds_nobody() {
    let mut roll = RollCall::new();
    // The program ends once the daemon has said who it is.
    let script = r#"trap 'echo answer; exit 0' USR1
setsid sh -c 'echo "daemon $$" > "$ROLL_CALL"; kill -USR1 "$1"; exec sleep 1000' - $$ &
while :; do wait; done"#;
    let mut spec = ProcessSpec { warden: true, ..shell(script) };
    spec.env.push(roll.variable());
    let token = CancellationToken::new();
    let heard = spawner().capture(spec, Vec::new(), BOUNDS, &token).await.unwrap();
    assert_eq!(
        (heard.end, heard.stdout),
        (CaptureEnd::Exited(Exit::Code(0)), b"answer\n".to_vec())
    );
    let (_, daemon) = roll.next_pid();
    assert!(!process(daemon).is_some_and(|it| it.alive), "{daemon} is left");
}

#[tokio::test]
async fn it_is_ended_when_it_is_given_up_or_dropped() {
    for drops in [false, true] {
        let mut roll = RollCall::new();
        let mut spec = ProcessSpec {
            warden: true,
            ..shell(r#"echo "hook $$" > "$ROLL_CALL"; exec sleep 1000"#)
        };
        spec.env.push(roll.variable());
        let token = CancellationToken::new();
        let given_up = token.clone();
        let running =
            tokio::spawn(
                async move { spawner().capture(spec, Vec::new(), BOUNDS, &given_up).await },
            );
        let hook = tokio::task::spawn_blocking(move || roll.next().1).await.unwrap();
        if drops {
            running.abort();
            assert!(running.await.unwrap_err().is_cancelled());
        } else {
            token.cancel();
            assert_eq!(running.await.unwrap().unwrap().end, CaptureEnd::Cancelled);
        }
        assert_gone(&[hook], GONE_WITHIN);
    }
}
