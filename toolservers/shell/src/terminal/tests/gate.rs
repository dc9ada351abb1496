//! Goal: what the gate is told of each action. [GATE-22], [TOOL-06], [SHELL-04], [CODE-05].

use super::*;

/// The commands of what is prepared, and whether each is opaque; none is said to only read.
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

/// A program may do other at a terminal than without one, so that nothing is proven of it.
#[tokio::test]
async fn an_open_is_judged_as_bash_judges_the_line_and_never_as_reading() {
    let desk = Desk::new();
    for command in ["ls", "cd src && git push --force", "python3", "echo x > a.txt", "cat $X", ":"]
    {
        let preparation = desk.prepare(json!({"action": "open", "command": command})).unwrap();
        assert_eq!(preparation.safety, Safety::WORST, "{command}");
        let line = Line { command: command.into(), ..Line::default() };
        let shell = &desk.world.office.shell;
        let mut bash = line.prepare(&shell.environment, &desk.world.context).unwrap();
        for subject in &mut bash.subjects {
            if let Subject::Command { read_only, .. } = subject {
                *read_only = false;
            }
        }
        assert!(!preparation.subjects.is_empty(), "{command}");
        assert!(preparation.subjects.starts_with(&bash.subjects), "{command}");
        commands(&preparation);
    }
    let preparation = desk.prepare(json!({"action": "open"})).unwrap();
    assert!(preparation.title.starts_with("Open a terminal: exec bash"), "{}", preparation.title);
    assert!(desk.prepare(json!({"action": "open", "cwd": "/"})).is_err());
}

#[tokio::test]
async fn looking_changes_nothing() {
    let desk = Desk::new();
    desk.open("sleep 7301");
    for arguments in [
        json!({"action": "list"}),
        json!({"action": "read", "id": "t1"}),
        json!({"action": "resize", "id": "t1", "rows": 30}),
    ] {
        let preparation = desk.prepare(arguments.clone()).unwrap();
        assert_eq!(preparation.safety, Safety::READ, "{arguments}");
        assert!(preparation.subjects.is_empty());
    }
    assert_eq!(tree::kill_everything().await, 0);
}

/// No rule for commands lets them through: their subject is no command.
#[tokio::test]
async fn a_close_and_an_interrupt_change_something_and_name_what() {
    let desk = Desk::new();
    desk.open("sleep 7302");
    for (arguments, title) in [
        (json!({"action": "close", "id": "t1"}), "Close t1: sleep 7302"),
        (json!({"action": "send", "id": "t1", "keys": ["ctrl-c"]}), "Interrupt t1"),
    ] {
        let preparation = desk.prepare(arguments).unwrap();
        assert!(!preparation.safety.read_only && !preparation.safety.concurrency_safe);
        assert_eq!(preparation.subjects, [Subject::Tool("terminal".into())]);
        assert_eq!(preparation.title, title);
    }
    assert_eq!(tree::kill_everything().await, 0);
}

#[tokio::test]
async fn what_is_typed_is_never_known() {
    let desk = Desk::new();
    desk.open("sh");
    let rows: [(&str, &[&str]); 5] =
        [("ls\n", &[]), ("ls", &[]), ("", &["enter"]), ("x", &["ctrl-c"]), ("", &["up", "enter"])];
    for (text, keys) in rows {
        let arguments = json!({"action": "send", "id": "t1", "text": text, "keys": keys});
        let preparation = desk.prepare(arguments.clone()).unwrap();
        assert_eq!(preparation.safety, Safety::WORST, "{arguments}");
        let (argv, opaque) = commands(&preparation).remove(0);
        assert!(opaque && argv[0].starts_with("(typed into t1) "), "{argv:?}");
        assert!(preparation.preview.contains(text.trim_end()), "{arguments}");
        let named = keys.iter().all(|key| preparation.preview.contains(key));
        assert!(named, "{}", preparation.preview);
    }
    assert_eq!(tree::kill_everything().await, 0);
}

/// Typed in pieces, corrected, completed, fetched from the history.
#[tokio::test]
async fn a_line_is_judged_however_it_came_to_stand_there() {
    let desk = Desk::new();
    std::fs::create_dir(desk.world.path("a_long_name")).unwrap();
    desk.act(json!({"action": "open"})).await.unwrap();
    let shell = desk.terminal("t1");
    shows(&shell, "bash-").await;
    // Typed before; then what is judged.
    type Row<'a> = (&'a [(&'a str, &'a [&'a str])], &'a str, &'a [&'a str], &'a [&'a str]);
    let rows: [Row<'_>; 4] = [
        (&[("echo rm -r", &[])], "f /etc", &["enter"], &["echo", "rm", "-rf", "/etc"]),
        (&[("echo x", &["backspace"])], "y\n", &[], &["echo", "y"]),
        (&[("echo a_lo", &["tab"])], "\n", &[], &["echo", "a_long_name/"]),
        (&[("echo one\n", &[]), ("", &["up"])], "", &["enter"], &["echo", "one"]),
    ];
    for (before, text, keys, expected) in rows {
        for (text, keys) in before {
            desk.send(&shell, text, keys).await;
        }
        let expected: Vec<String> = expected.iter().map(|word| (*word).to_owned()).collect();
        let arguments = json!({"action": "send", "id": "t1", "text": text, "keys": keys});
        // The shell may still be drawing.
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let found = commands(&desk.prepare(arguments.clone()).unwrap());
            if found.contains(&(expected.clone(), false)) {
                break;
            }
            assert!(Instant::now() < deadline, "{expected:?}: {found:?}");
            desk.act(json!({"action": "read", "id": "t1", "wait_seconds": 1})).await.unwrap();
        }
        desk.send(&shell, text, keys).await;
    }
    assert_eq!(tree::kill_everything().await, 0);
}

/// [TOOL-06]: a child changes nothing of its parent's, not even what the parent has read.
#[tokio::test]
async fn a_child_agent_looks_at_its_parents_terminals_and_types_into_its_own() {
    let mut desk = Desk::new();
    let terminal = desk.open("seq 100; sleep 7303");
    shows(&terminal, "100").await;
    desk.world.context.agent = "child-1".into();
    for _ in 0..2 {
        let said = desk.said(json!({"action": "read", "id": "t1"})).await;
        assert!(said.contains("\\n1\\n2\\n3\\n"), "{said}");
    }
    for arguments in [
        json!({"action": "send", "id": "t1", "text": "x"}),
        json!({"action": "send", "id": "t1", "keys": ["ctrl-c"]}),
        json!({"action": "resize", "id": "t1", "rows": 30}),
        json!({"action": "close", "id": "t1"}),
    ] {
        let invalid = desk.prepare(arguments.clone()).unwrap_err();
        assert!(invalid.message.contains("started by agent 'main'"), "{}", invalid.message);
        assert!(desk.said(arguments).await.contains("not_yours"));
    }
    desk.world.context.agent = "main".into();
    let said = desk.said(json!({"action": "read", "id": "t1"})).await;
    assert!(said.contains("\\n1\\n2\\n3\\n"), "{said}");
    assert!(desk.act(json!({"action": "close", "id": "t1"})).await.is_ok());
}

#[tokio::test]
async fn without_a_grant_nothing_starts() {
    let mut desk = Desk::new();
    desk.world.scope.exec = false;
    let said = desk.said(json!({"action": "open"})).await;
    assert!(said.contains("not_granted"), "{said}");
    assert!(desk.terminals.all.of("s").is_empty());
}

/// [CODE-05] The kernel's table says the same; here it is the manifest.
#[tokio::test]
async fn programs_and_servers_are_no_callers() {
    let spec = TerminalTool(Desk::new().terminals).spec();
    assert_eq!(spec.callers, [Caller::Client]);
}
