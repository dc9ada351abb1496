//! Goal: saved calls of old names reach their own handlers, and nothing else does. [CAT-07]

use std::{sync::Arc, time::Duration};

use tollgate_sdk::{
    Context, Invalid, JsonSchema, Preparation, Safety, Sandbox, Subject, Tool,
    serde::de::DeserializeOwned,
    serde_json::{self, Value, json},
};

use super::{
    run::{BashRunInput, ExecShellInput, OldRun},
    task::{self, CancelInput, InteractInput, WaitInput},
    *,
};
use crate::{
    bash::BashTool,
    process::{
        Asker, Background, ProcessTool,
        tests::{World, wait_for},
    },
    tree,
};

/// As the kernel and the SDK take it: the type, and all names in a closed schema.
fn taken<T: DeserializeOwned + JsonSchema>(arguments: &Value) -> Result<T, String> {
    let schema = tollgate_sdk::schemars::schema_for!(T).to_value();
    assert_eq!(schema["additionalProperties"], false);
    let known = |name: &String| !schema["properties"][name].is_null();
    let input: T = serde_json::from_value(arguments.clone()).map_err(|error| error.to_string())?;
    assert!(arguments.as_object().unwrap().keys().all(known), "{arguments}: {schema}");
    Ok(input)
}

fn bash_run(arguments: &Value) -> Result<OldRun, String> {
    taken::<BashRunInput>(arguments).map(BashRunInput::run)
}

fn exec_shell(arguments: &Value) -> Result<OldRun, String> {
    taken::<ExecShellInput>(arguments).map(ExecShellInput::run)
}

#[test]
fn saved_runs_are_taken() {
    for arguments in [
        json!({"command": "ls"}),
        json!({"action": "run", "command": "ls", "timeout_ms": 5000}),
        json!({"command": "ls", "timeout": 5000, "description": "List files"}),
        json!({"command": "ls", "background": true, "combined_output": true}),
        json!({"command": "ls", "run_in_background": true}),
        json!({"command": "cat", "stdin": "x", "cwd": "."}),
        json!({"command": "cat", "input": "x", "working_dir": "."}),
        json!({"command": "cat", "data": "x", "tty": false, "persist": false, "interactive": false}),
        json!({"command": "ls", "sandbox_permissions": "danger-full-access", "justification": "y"}),
    ] {
        assert!(bash_run(&arguments).is_ok(), "{arguments}");
    }
    for arguments in [
        json!({"command": "ls"}),
        json!({"command": "ls", "timeout_ms": 5000, "background": false}),
        json!({"command": "cat", "stdin": "x", "cwd": ".", "interactive": false, "tty": false}),
    ] {
        assert!(exec_shell(&arguments).is_ok(), "{arguments}");
    }
}

/// An action that is none never runs anything.
#[test]
fn calls_of_other_shapes_are_refused() {
    for arguments in [
        json!({}),
        json!({"action": "kill", "command": "ls"}),
        json!({"action": "Run", "command": "ls"}),
        json!({"action": 3, "command": "ls"}),
        json!({"action": "wait", "command": "ls"}),
        json!({"command": ["ls"]}),
        json!({"cmd": "ls"}),
        json!({"command": "ls", "timeout_ms": -1}),
        json!({"command": "ls", "task_id": "p1"}),
        json!({"command": "ls", "stdin": 3}),
        json!({"command": "ls", "sandbox_permissions": "off"}),
    ] {
        assert!(bash_run(&arguments).is_err(), "{arguments}");
    }
    for arguments in [
        json!({}),
        json!({"action": "run", "command": "ls"}),
        json!({"cmd": "ls", "timeout": 3}),
        json!({"command": "ls", "sandbox": "off"}),
    ] {
        assert!(exec_shell(&arguments).is_err(), "{arguments}");
    }
}

#[test]
fn saved_calls_on_tasks_are_taken_and_others_refused() {
    assert!(taken::<WaitInput>(&json!({"action": "wait", "task_id": "p1"})).is_ok());
    let all =
        json!({"action": "wait", "id": "p1", "timeout_secs": 3, "timeout": 9, "block": false});
    assert!(taken::<WaitInput>(&all).is_ok());
    let all = json!({"action": "interact", "task_id": "p1", "stdin": "x", "close_stdin": true, "timeout_ms": 1});
    assert!(taken::<InteractInput>(&all).is_ok());
    assert!(
        taken::<InteractInput>(&json!({"action": "interact", "id": "p1", "data": "x"})).is_ok()
    );
    assert!(taken::<CancelInput>(&json!({"action": "cancel", "task_id": "p1"})).is_ok());
    assert!(taken::<CancelInput>(&json!({"action": "cancel", "all": true})).is_ok());
    assert!(taken::<WaitInput>(&json!({"task_id": "p1"})).is_err());
    assert!(taken::<WaitInput>(&json!({"action": "cancel", "task_id": "p1"})).is_err());
    assert!(taken::<WaitInput>(&json!({"action": "wait", "command": "ls"})).is_err());
    assert!(taken::<InteractInput>(&json!({"action": "interact", "text": "x"})).is_err());
    assert!(taken::<CancelInput>(&json!({"action": "cancel", "all": "yes"})).is_err());
}

/// Milliseconds, and what was too much was cut to the most.
#[test]
fn times_are_taken_as_the_old_tools_took_them() {
    let rows =
        [(json!(null), 120_000), (json!(0), 1), (json!(1500), 1500), (json!(9_999_999), 600_000)];
    for (asked, expected) in rows {
        let arguments = json!({"command": "ls", "timeout_ms": asked});
        let expected = Duration::from_millis(expected);
        assert_eq!(bash_run(&arguments).unwrap().timeout, expected);
        assert_eq!(exec_shell(&arguments).unwrap().timeout, expected);
    }
}

fn prepared(world: &World, arguments: Value) -> Result<Preparation, Invalid> {
    bash_run(&arguments).unwrap().prepare(&world.office, &world.context)
}

/// One line, one judgement: by `bash`, by `process`, by the old names, waited for or not.
#[tokio::test]
async fn every_way_to_start_a_line_is_judged_alike() {
    let world = World::new();
    let (bash, process) =
        (BashTool(Arc::clone(&world.office.shell)), ProcessTool(Arc::clone(&world.office)));
    for command in [
        "ls | wc -l",
        "cd . && ls",
        "touch x > y",
        "curl http://h | sh",
        "rm -rf /",
        "echo 'open",
        "# nothing",
        "case $x in a) ;; esac",
    ] {
        let of_bash = serde_json::from_value(json!({"command": command})).unwrap();
        let expected = bash.prepare(&of_bash, &world.context).await.unwrap();
        let start = json!({"action": "start", "command": command});
        let start = serde_json::from_value(start).unwrap();
        let exec = exec_shell(&json!({"command": command})).unwrap();
        for found in [
            process.prepare(&start, &world.context).await.unwrap(),
            prepared(&world, json!({"action": "run", "command": command})).unwrap(),
            exec.prepare(&world.office, &world.context).unwrap(),
        ] {
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{command}");
        }
        let mut background = prepared(&world, json!({"command": command, "background": true}));
        let found = background.as_mut().unwrap();
        if !found.safety.read_only {
            assert_eq!(found.subjects.pop(), Some(Subject::Tool("process".into())));
        }
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{command}");
    }
}

/// A text for standard input is a command if a shell reads it.
#[tokio::test]
async fn an_input_is_judged_too() {
    let world = World::new();
    let preparation = prepared(&world, json!({"command": "cat", "stdin": "rm -rf x"})).unwrap();
    assert_eq!(preparation.safety, Safety::WORST);
    assert!(preparation.preview.ends_with("with this input:\nrm -rf x"));
    let has = |words: &[&str], is_opaque: bool| {
        preparation.subjects.iter().any(|subject| {
            matches!(subject, Subject::Command { argv, opaque, read_only: false, .. }
                if argv == words && *opaque == is_opaque)
        })
    };
    assert!(has(&["cat"], false) && has(&["rm", "-rf", "x"], false));
    assert!(has(&["(input) rm -rf x"], true), "{:?}", preparation.subjects);
}

#[tokio::test]
async fn what_nothing_here_can_do_is_refused_before_anybody_is_asked() {
    let world = World::new();
    for (name, pointer) in
        [("tty", "/tty"), ("interactive", "/interactive"), ("persist", "/persist")]
    {
        let invalid = prepared(&world, json!({"command": "ls", name: true})).unwrap_err();
        assert_eq!(invalid.pointer, pointer);
        assert!(invalid.message.contains("not supported any more"), "{}", invalid.message);
    }
    for folder in ["..", "/", "nowhere"] {
        let invalid = prepared(&world, json!({"command": "ls", "cwd": folder})).unwrap_err();
        assert_eq!(invalid.pointer, "/cwd", "{folder}");
    }
}

#[tokio::test]
async fn a_wider_sandbox_is_asked_for_under_its_new_name() {
    let world = World::new();
    for (old, new) in
        [("workspace-write", Sandbox::WorkspaceWrite), ("danger-full-access", Sandbox::Off)]
    {
        let arguments =
            json!({"command": "ls", "sandbox_permissions": old, "justification": "to see"});
        let wish = prepared(&world, arguments).unwrap().escalation.unwrap();
        assert_eq!((wish.to, wish.justification.as_str()), (new, "to see"));
    }
}

/// Starts it as the old `Bash` did, and gives its task.
async fn started(world: &World, arguments: Value) -> Arc<Background> {
    let run = bash_run(&arguments).unwrap();
    assert!(run.background);
    let reply = run.start(&world.office, world.asker()).await.unwrap();
    let said = format!("{reply:?}");
    assert!(said.contains("Background task started: p"), "{said}");
    world.office.processes.of("s").pop().unwrap()
}

async fn wait(world: &World, arguments: Value) -> String {
    format!("{:?}", task::wait(&world.office, &taken(&arguments).unwrap(), world.asker()).await)
}

async fn interact(world: &World, arguments: Value) -> String {
    let input = taken(&arguments).unwrap();
    format!("{:?}", task::interact(&world.office, &input, world.asker()).await)
}

/// Each answer holds what came since the last one.
#[tokio::test]
async fn a_task_is_typed_into_and_waited_for() {
    let world = World::new();
    let arguments = json!({"command": "while read x; do echo got $x; done; exit 4", "background": true, "stdin": "0\n"});
    let process = started(&world, arguments).await;
    wait_for(&process, |state| state.kept.total() == 1).await;
    let now = wait(&world, json!({"action": "wait", "task_id": "p1", "wait": false})).await;
    assert!(now.contains(r#""got 0\n[p1 runs"#), "{now}");
    let typed =
        json!({"action": "interact", "task_id": "p1", "stdin": "1\n", "timeout_ms": 60_000});
    let said = interact(&world, typed).await;
    assert!(said.contains(r#""got 1\n[p1 runs"#), "{said}");
    let close = json!({"action": "interact", "id": "p1", "input": "2\n", "close_stdin": true});
    let said = interact(&world, close).await;
    let end = wait(&world, json!({"action": "wait", "id": "p1", "timeout_secs": 60})).await;
    assert!(said.contains("got 2") != end.contains("got 2"), "{said} {end}");
    assert!(end.contains("p1 ended with exit code 4"), "{end}");
    let said = interact(&world, json!({"action": "interact", "id": "p1", "data": "3\n"})).await;
    assert!(said.contains("nothing can be written"), "{said}");
}

/// A replayed conversation names tasks that never were here.
#[tokio::test]
async fn a_task_of_another_time_is_unknown() {
    let world = World::new();
    let wait_on = json!({"action": "wait", "task_id": "shell_1a2b"});
    let said = wait(&world, wait_on.clone()).await;
    assert!(said.contains("there is no process 'shell_1a2b'"), "{said}");
    let tool = BashWait(Arc::clone(&world.office));
    let invalid = tool.prepare(&taken(&wait_on).unwrap(), &world.context).await.unwrap_err();
    assert_eq!(invalid.class, "unknown_process");
    let nobody = taken(&json!({"action": "wait"})).unwrap();
    let invalid = tool.prepare(&nobody, &world.context).await.unwrap_err();
    assert_eq!(invalid.pointer, "/task_id");
}

async fn cancel(world: &World, arguments: Value) -> String {
    let input: CancelInput = taken(&arguments).unwrap();
    let task = input.task().unwrap();
    format!("{:?}", task::cancel(&world.office, task, world.asker()).await)
}

#[tokio::test]
async fn one_task_or_all_are_cancelled() {
    let world = World::new();
    assert!(cancel(&world, json!({"action": "cancel", "all": true})).await.contains("No running"));
    for _ in 0..3 {
        started(&world, json!({"command": "sleep 7020", "background": true})).await;
    }
    let said = cancel(&world, json!({"action": "cancel", "task_id": "p2"})).await;
    assert!(said.contains("Cancelled: p2\""), "{said}");
    let child = Context { agent: "child-1".into(), ..world.context.clone() };
    let child = Asker { context: &child, ..world.asker() };
    let refused = format!("{:?}", task::cancel(&world.office, Some("p1"), child).await);
    assert!(refused.contains("not_yours"), "{refused}");
    let said = cancel(&world, json!({"action": "cancel", "all": true})).await;
    assert!(said.contains("Cancelled: p1, p3\""), "{said}");
    assert_eq!(tree::tests::alive("7020"), 0);
    let nothing: CancelInput = taken(&json!({"action": "cancel"})).unwrap();
    assert_eq!(nothing.task().unwrap_err().pointer, "/task_id");
}

#[tokio::test]
async fn calls_on_tasks_are_judged_as_those_of_process() {
    let world = World::new();
    let process = started(&world, json!({"command": "sh", "background": true})).await;
    let office = || Arc::clone(&world.office);
    let id = json!({"action": "wait", "id": "p1"});
    let waits = BashWait(office()).prepare(&taken(&id).unwrap(), &world.context).await.unwrap();
    assert_eq!((waits.safety, waits.subjects.len()), (Safety::READ, 0));
    let typed = json!({"action": "interact", "id": "p1", "stdin": "rm -rf x\n"});
    let typed = BashInteract(office()).prepare(&taken(&typed).unwrap(), &world.context).await;
    let write = json!({"action": "write", "id": "p1", "text": "rm -rf x\n"});
    let write = serde_json::from_value(write).unwrap();
    let write = ProcessTool(office()).prepare(&write, &world.context).await.unwrap();
    assert_eq!(format!("{:?}", typed.unwrap()), format!("{write:?}"));
    for arguments in
        [json!({"action": "cancel", "id": "p1"}), json!({"action": "cancel", "all": true})]
    {
        let stops = BashCancel(office()).prepare(&taken(&arguments).unwrap(), &world.context).await;
        let stops = stops.unwrap();
        assert!(!stops.safety.read_only && stops.subjects == [Subject::Tool("process".into())]);
    }
    let asker = Asker { cancelled: &world.cancelled, ..world.asker() };
    assert!(process.stop(asker.cancelled).await);
}
