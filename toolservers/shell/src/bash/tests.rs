//! Goal: what the tool says before and after, short of running anything.

use std::time::Duration;

use super::*;
use crate::capture::Captured;

fn context(cwd: &Path) -> Context {
    Context {
        call_id: "c-1".into(),
        session: "s".into(),
        turn: 1,
        step: 1,
        agent: "main".into(),
        role: String::new(),
        caller: Caller::Model,
        roots: vec![cwd.to_owned()],
        cwd: cwd.to_owned(),
        mode: "work".into(),
        posture: "ask".into(),
        can_ask: true,
        observations: Vec::new(),
    }
}

fn input(command: &str) -> Input {
    Input {
        command: command.into(),
        timeout: None,
        description: None,
        sandbox: None,
        justification: None,
    }
}

async fn prepared(command: &str) -> Preparation {
    let folder = tempfile::tempdir().unwrap();
    BashTool::new().unwrap().prepare(&input(command), &context(folder.path())).await.unwrap()
}

#[tokio::test]
async fn a_reading_line_is_safe_and_any_other_is_not() {
    assert_eq!(prepared("ls | wc -l").await.safety, Safety::READ);
    assert_eq!(
        prepared("cd . && ls").await.safety,
        Safety { concurrency_safe: false, ..Safety::READ }
    );
    for command in [
        "touch CANARY",
        "ls\ntouch CANARY",
        "ls\rtouch CANARY",
        "cat <(touch CANARY)",
        "X=1 ls",
        "echo 'open",
    ] {
        assert_eq!(prepared(command).await.safety, Safety::WORST, "{command:?}");
    }
}

#[tokio::test]
async fn a_preparation_names_every_command() {
    let preparation = prepared("ls && sudo touch C > out").await;
    assert_eq!(preparation.title, "ls && sudo touch C > out");
    assert_eq!(preparation.subjects.len(), 4, "{:?}", preparation.subjects);
    assert!(preparation.preview.contains("touch C"));
}

/// A rule that allows every subject must not allow a line of none.
#[tokio::test]
async fn a_line_that_is_not_proven_has_a_subject() {
    for command in ["case $x in a) ;; esac", "f() { :; } <<E\nE", "((x))", "\\"] {
        let preparation = prepared(command).await;
        assert!(!preparation.subjects.is_empty(), "{command:?}");
    }
    let nothing = prepared("# nothing").await;
    assert_eq!((nothing.safety, nothing.subjects.len()), (Safety::READ, 0));
}

#[tokio::test]
async fn what_no_shell_could_run_is_invalid_at_once() {
    let tool = BashTool::new().unwrap();
    for command in [String::new(), " \n".into(), "a\0b".into(), "x".repeat(COMMAND_BYTES_MAX + 1)] {
        let invalid = tool.prepare(&input(&command), &context(Path::new("/"))).await.unwrap_err();
        assert_eq!(invalid.pointer, "/command");
    }
}

fn wishing(sandbox: Option<Wider>, justification: Option<&str>) -> Input {
    Input { sandbox, justification: justification.map(Into::into), ..input("curl http://h") }
}

/// [GATE-72]
#[tokio::test]
async fn a_wish_for_a_wider_sandbox_is_told_with_its_reason() {
    let tool = BashTool::new().unwrap();
    let context = context(Path::new("/"));
    let prepared = async |input: &Input| tool.prepare(input, &context).await;
    let rows = [
        (Wider::WorkspaceWrite, Sandbox::WorkspaceWrite),
        (Wider::Network, Sandbox::Network),
        (Wider::Off, Sandbox::Off),
    ];
    for (wider, to) in rows {
        let preparation = prepared(&wishing(Some(wider), Some(" to fetch a fixture\n"))).await;
        let wish = preparation.unwrap().escalation.unwrap();
        assert_eq!((wish.to, wish.justification.as_str()), (to, "to fetch a fixture"));
    }
    for unasked in [wishing(None, None), wishing(None, Some("why not"))] {
        assert_eq!(prepared(&unasked).await.unwrap().escalation, None);
    }
    let long = "é".repeat(513);
    for (sandbox, why) in [
        (Some(Wider::Off), None),
        (Some(Wider::Off), Some(" \n")),
        (Some(Wider::Off), Some(long.as_str())),
        (None, Some(long.as_str())),
    ] {
        let invalid = prepared(&wishing(sandbox, why)).await.unwrap_err();
        assert_eq!(invalid.pointer, "/justification", "{why:?}");
    }
}

/// A wish takes nothing from what is known of the line: the gate asks for the wish alone.
#[tokio::test]
async fn a_wish_changes_no_claim() {
    let tool = BashTool::new().unwrap();
    let wish = Input { sandbox: Some(Wider::Off), justification: Some("x".into()), ..input("ls") };
    let folder = tempfile::tempdir().unwrap();
    let preparation = tool.prepare(&wish, &context(folder.path())).await.unwrap();
    assert_eq!(preparation.safety, Safety::READ);
}

/// A repository that became hostile between the gate's look and the start is not read (GT-01).
#[test]
fn a_grant_to_read_runs_only_what_still_reads() {
    let roots = || vec![PathBuf::from("/w")];
    let reading = Scope { exec: true, read_roots: roots(), ..Scope::default() };
    let writing = Scope { write_roots: roots(), ..reading.clone() };
    let without_roots = Scope { exec: true, ..Scope::default() };
    assert!(check_granted(&reading, true).is_ok());
    let refused = format!("{:?}", check_granted(&reading, false).unwrap_err());
    assert!(refused.contains("not_granted"), "{refused}");
    assert!(check_granted(&writing, false).is_ok() && check_granted(&writing, true).is_ok());
    assert!(check_granted(&without_roots, false).is_ok());
    assert!(check_granted(&Scope::default(), true).is_err());
}

#[test]
fn the_title_is_the_description_or_the_first_line() {
    assert_eq!(title(&input("make\nmake test")), "make…");
    assert_eq!(
        title(&Input { description: Some("Run the tests".into()), ..input("x") }),
        "Run the tests"
    );
    assert_eq!(title(&input(&"x".repeat(200))).chars().count(), TITLE_CHARS_MAX + 1);
}

/// [TOOL-02], B056.
#[test]
fn the_schema_is_closed_and_bounds_the_timeout() {
    let schema = tollgate_sdk::schemars::schema_for!(Input).to_value();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["timeout"]["maximum"], TIMEOUT_SECONDS_MAX);
    assert_eq!(schema["properties"]["timeout"]["minimum"], 1);
    assert_eq!(schema["required"], tollgate_sdk::serde_json::json!(["command"]));
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["command", "description", "justification", "sandbox", "timeout"]);
    let wider = &schema["properties"]["sandbox"]["enum"];
    assert_eq!(*wider, serde_json::json!(["workspace-write", "network", "off", null]));
    // Every request to a model holds most of it (PERF-09).
    assert!(schema.to_string().len() < 850, "{} bytes: {schema}", schema.to_string().len());
}

fn ended_in(last_cwd: Option<PathBuf>) -> Finished {
    Finished {
        ending: Some(Ending::Code(0)),
        stop: Stop::Itself,
        duration: Duration::ZERO,
        output: Captured::default(),
        passed_on: 0,
        background: 0,
        survivors: 0,
        last_cwd,
        pipe: None,
    }
}

/// [SHELL-01]
#[test]
fn the_directory_goes_on_inside_the_roots_only() {
    let base = tempfile::tempdir().unwrap();
    let real = base.path().canonicalize().unwrap().join("real");
    std::fs::create_dir_all(real.join("sub")).unwrap();
    let link = base.path().join("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let roots = [link.clone()];
    let next = |last: Option<PathBuf>| {
        let mut notes = Vec::new();
        (next_directory(&ended_in(last), &roots, &link, &mut notes), notes.len())
    };
    assert_eq!(next(None), (link.clone(), 0));
    assert_eq!(next(Some(real.clone())), (link.clone(), 0));
    assert_eq!(next(Some(real.join("sub"))), (link.join("sub"), 0));
    assert_eq!(next(Some("/".into())), (link.clone(), 1));
    assert_eq!(next(Some(real.join("gone"))), (link.clone(), 0));
}

/// B055.
#[test]
fn a_directory_that_is_gone_gives_way_to_the_workspace() {
    let base = tempfile::tempdir().unwrap();
    let gone = Context { cwd: base.path().join("gone"), ..context(base.path()) };
    let (cwd, notes) = working_directory(&gone).unwrap();
    assert_eq!((cwd.as_path(), notes.len()), (base.path(), 1));
    let nowhere = Context { roots: vec![base.path().join("gone")], ..gone };
    assert!(working_directory(&nowhere).is_err());
}
