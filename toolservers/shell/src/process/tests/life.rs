//! Goal: what a well-behaved process goes through.

use tollgate_sdk::serde_json::json;

use super::*;

#[tokio::test]
async fn a_start_names_an_id_at_once_and_the_end_is_told() {
    let world = World::new();
    let said = world.said(json!({"action": "start", "command": "echo hi; exit 3"})).await;
    assert!(said.contains("p1 runs since"), "{said}");
    let said = world.said(json!({"action": "wait", "id": "p1"})).await;
    assert!(said.contains(r"hi\n[p1 ended with exit code 3 after"), "{said}");
    let facts = say::facts(&world.office.processes.find("s", "p1").unwrap());
    assert_eq!((&facts["state"], &facts["exit_code"]), (&json!("ended"), &json!(3)));
    assert_eq!((&facts["lines"], &facts["bytes"]), (&json!(1), &json!(3)));
    for action in ["status", "output"] {
        let said = world.said(json!({"action": action, "id": "p1"})).await;
        assert!(said.contains("p1 ended with exit code 3"), "{said}");
    }
    let said = world.said(json!({"action": "list"})).await;
    assert!(said.contains("1 lines so far: echo hi; exit 3"), "{said}");
}

/// B049.
#[tokio::test]
async fn a_signal_is_told_by_name() {
    let process = World::new().ended("kill -SEGV $$").await;
    assert_eq!(ending(&process), Some(Ending::Signal(11)));
    assert!(say::life(&process).contains("p1 was ended by SIGSEGV, signal 11"));
}

#[tokio::test]
async fn all_that_was_written_before_the_end_is_there_when_the_end_is() {
    let process = World::new().ended("seq 20000").await;
    assert_eq!(process.state().kept.total(), 20_000);
    assert!(output(&process).ends_with("\n20000\n"));
}

#[tokio::test]
async fn output_is_read_on_from_a_line() {
    let world = World::new();
    world.ended("seq 5").await;
    let said = world.said(json!({"action": "output", "id": "p1", "after": 3})).await;
    assert!(
        said.contains(r#""4\n5\n[p1 ended"#) && said.contains("read on with after=5"),
        "{said}"
    );
    let said = world.said(json!({"action": "output", "id": "p1", "after": 5})).await;
    assert!(said.contains("(no new output)"), "{said}");
}

#[tokio::test]
async fn a_wait_ends_at_a_text_that_came_before_or_comes() {
    let world = World::new();
    let process = world.try_start("echo ready on 80; read x; echo got $x", true).unwrap();
    let wait = |until: &str| json!({"action": "wait", "id": "p1", "until": until, "timeout": 60});
    assert!(world.said(wait("ready")).await.contains("[the text is there]"));
    assert!(world.said(wait("ready")).await.contains("[the text is there]"));
    let (said, written) =
        tokio::join!(world.said(wait("got 7")), process.write("7\n", false, &world.cancelled));
    assert!(said.contains("[the text is there]") && written.is_ok(), "{said}");
    let said = world.said(wait("never")).await;
    assert!(said.contains("it ended, and the text did not come"), "{said}");
}

/// B187: the process goes on, and answers under the same id.
#[tokio::test]
async fn a_wait_that_is_over_or_stopped_stops_nothing() {
    let world = World::new();
    let process = world.start("sleep 7001");
    let now = Instant::now();
    assert_eq!(process.wait(|_| false, now, &world.cancelled).await, Waited::TimedOut);
    let stopping = async { world.cancelled.cancel() };
    let wait = json!({"action": "wait", "id": "p1", "timeout": 600});
    let (said, ()) = tokio::join!(world.said(wait), stopping);
    assert!(said.contains("FAILED") && said.contains("cancelled: true"), "{said}");
    assert!(said.contains("p1 goes on"), "{said}");
    assert_eq!(process.life(), Life::Running);
    running("7001", 1).await;
    assert_eq!(tree::kill_everything().await, 0);
}

#[tokio::test]
async fn a_stop_says_how_it_ended_and_a_second_one_that_it_had() {
    let world = World::new();
    let process = world.start("trap 'echo bye; exit 9' TERM; echo up; while :; do :; done");
    says(&process, "up").await;
    let said = world.said(json!({"action": "stop", "id": "p1"})).await;
    assert!(said.contains(r"up\nbye\n[p1 ended with exit code 9"), "{said}");
    assert!(said.contains("were stopped on request"), "{said}");
    let said = world.said(json!({"action": "stop", "id": "p1"})).await;
    assert!(said.contains("[it had ended before]") && said.contains("exit code 9"), "{said}");
}

#[tokio::test]
async fn what_is_written_is_read_and_the_end_too() {
    let world = World::new();
    let process = world.try_start("cat; echo end", true).unwrap();
    let said = world.said(json!({"action": "write", "id": "p1", "text": "a\nb"})).await;
    assert!(said.contains("[3 bytes were written; p1 runs since"), "{said}");
    says(&process, "b").await;
    let close = json!({"action": "write", "id": "p1", "text": "c\n", "close": true});
    assert!(world.said(close).await.contains("its input is closed"));
    assert_eq!(wait_for(&process, |_| false).await, Waited::Ended);
    assert_eq!(output(&process), "a\nbc\nend\n");
    let said = world.said(json!({"action": "write", "id": "p1", "text": "x"})).await;
    assert!(said.contains("nothing can be written to it"), "{said}");
}

/// B041: without being asked, no input is open.
#[tokio::test]
async fn input_is_empty_unless_it_was_asked_for() {
    let world = World::new();
    let process = world.ended("cat").await;
    assert_eq!(ending(&process), Some(Ending::Code(0)));
    world.start("sleep 7002");
    let said = world.said(json!({"action": "write", "id": "p2", "text": "x"})).await;
    assert!(said.contains("FAILED") && said.contains("without 'interactive'"), "{said}");
    assert_eq!(tree::kill_everything().await, 0);
}

/// The session's folder is where it starts, and where it goes leaves the session alone.
#[tokio::test]
async fn it_runs_in_the_sessions_folder_and_leaves_no_file_behind() {
    let world = World::new();
    let process = world.ended("pwd -P; cd /").await;
    let folder = world.folder.path().canonicalize().unwrap();
    assert_eq!(output(&process), format!("{}\n", folder.display()));
}
