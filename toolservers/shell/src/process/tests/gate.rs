//! Goal: what the gate is told of each action. [GATE-22], [TOOL-06], [SHELL-04].

use tollgate_sdk::serde_json::json;

use super::*;

#[tokio::test]
async fn looking_changes_nothing() {
    let world = World::new();
    world.ended("true").await;
    for arguments in [
        json!({"action": "list"}),
        json!({"action": "status", "id": "p1"}),
        json!({"action": "output", "id": "p1"}),
        json!({"action": "wait", "id": "p1"}),
    ] {
        let preparation = world.prepare(arguments.clone()).unwrap();
        assert_eq!(preparation.safety, Safety::READ, "{arguments}");
        assert!(preparation.subjects.is_empty());
    }
}

/// No rule for commands lets it through: its subject is no command.
#[tokio::test]
async fn a_stop_changes_something_and_names_what() {
    let world = World::new();
    world.start("sleep 7013");
    let preparation = world.prepare(json!({"action": "stop", "id": "p1"})).unwrap();
    assert!(!preparation.safety.read_only && !preparation.safety.concurrency_safe);
    assert_eq!(preparation.subjects, [Subject::Tool("process".into())]);
    assert_eq!(preparation.title, "Stop p1: sleep 7013");
    assert_eq!(tree::kill_everything().await, 0);
}

/// The commands of a written text, and whether each is opaque.
fn commands(preparation: &Preparation) -> Vec<(Vec<String>, bool)> {
    let mut found = Vec::new();
    for subject in &preparation.subjects {
        if let Subject::Command { argv, opaque, read_only, .. } = subject {
            assert!(!read_only);
            found.push((argv.clone(), *opaque));
        }
    }
    found
}

/// A text typed into a shell is a command that nobody parsed: never known, and seen by rules that deny
/// what stands in it.
#[tokio::test]
async fn a_written_text_is_never_known() {
    let world = World::new();
    world.try_start("sh", true).unwrap();
    for text in ["ls\n", "ls", "x", "", "git push\n", "'", "\0"] {
        let write = json!({"action": "write", "id": "p1", "text": text});
        let preparation = world.prepare(write).unwrap();
        assert_eq!(preparation.safety, Safety::WORST, "{text:?}");
        let (argv, opaque) = commands(&preparation).remove(0);
        assert!(opaque && argv[0].starts_with("(typed into p1) "), "{argv:?}");
        assert!(preparation.preview.contains(text.trim_end()), "{text:?}");
    }
    let write = json!({"action": "write", "id": "p1", "text": "cd / && rm -rf etc\n"});
    let rm = ["rm", "-rf", "etc"].map(String::from).to_vec();
    assert!(commands(&world.prepare(write).unwrap()).contains(&(rm, false)));
    assert_eq!(tree::kill_everything().await, 0);
}

/// A command that comes in two pieces is judged as one.
#[tokio::test]
async fn a_text_is_judged_with_what_was_typed_before_it_on_its_line() {
    let world = World::new();
    let process = world.try_start("cat", true).unwrap();
    for (typed, text, expected) in [
        ("ls\nrm -r", "f /etc\n", vec!["rm", "-rf", "/etc"]),
        ("\nrm \\\n", "-rf /srv\n", vec!["rm", "-rf", "/srv"]),
        ("\nrm -r", "f /opt", vec!["rm", "-rf", "/opt"]),
    ] {
        process.write(typed, false, &world.cancelled).await.unwrap();
        let write = json!({"action": "write", "id": "p1", "text": text});
        let expected: Vec<String> = expected.into_iter().map(String::from).collect();
        let found = commands(&world.prepare(write).unwrap());
        assert!(found.contains(&(expected, false)), "{found:?}");
    }
    assert!(process.stop(&world.cancelled).await);
}

#[tokio::test]
async fn a_write_that_nothing_reads_asks_nobody() {
    let world = World::new();
    world.ended("true").await;
    let invalid = world.prepare(json!({"action": "write", "id": "p1", "text": "x"})).unwrap_err();
    assert_eq!(invalid.pointer, "/id");
    assert!(invalid.message.contains("nothing can be written"), "{}", invalid.message);
}

/// [TOOL-06]: a child changes nothing of its parent's, and reads it; the parent may stop the child's
/// (B187).
#[tokio::test]
async fn a_child_agent_reads_its_parents_processes_and_stops_its_own() {
    let mut world = World::new();
    world.try_start("cat", true).unwrap();
    world.context.agent = "child-1".into();
    let process = world.start("sleep 7014");
    assert!(world.prepare(json!({"action": "output", "id": "p1"})).is_ok());
    assert!(world.act(json!({"action": "output", "id": "p1"})).await.is_ok());
    for arguments in
        [json!({"action": "stop", "id": "p1"}), json!({"action": "write", "id": "p1", "text": "x"})]
    {
        let invalid = world.prepare(arguments.clone()).unwrap_err();
        assert!(invalid.message.contains("started by agent 'main'"), "{}", invalid.message);
        assert!(world.said(arguments).await.contains("not_yours"));
    }
    assert_eq!(world.office.running(&world.context).len(), 1);
    world.context.agent = "main".into();
    let said = world.said(json!({"action": "list"})).await;
    assert!(said.contains("(of agent child-1): sleep 7014"), "{said}");
    assert!(world.act(json!({"action": "stop", "id": "p2"})).await.is_ok());
    assert!(matches!(process.life(), Life::Ended { .. }));
    assert_eq!(tree::kill_everything().await, 0);
}

#[tokio::test]
async fn without_a_grant_nothing_starts() {
    let mut world = World::new();
    world.scope.exec = false;
    let refused = format!("{:?}", world.try_start("true", false).unwrap_err());
    assert!(refused.contains("not_granted"), "{refused}");
    assert!(world.office.processes.of("s").is_empty());
}
