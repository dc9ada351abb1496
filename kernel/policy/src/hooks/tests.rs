//! Goal: hooks are read as they are meant, and a guard that would not guard is told (`[GATE-40]`).

use std::{path::Path, time::Duration};

use tollgate_core::stance::Mode;

use super::{Hook, HookCommand, parse};
use crate::testing::World;

#[track_caller]
fn hook(keys: &str) -> Hook {
    let text = format!("[[hook]]\n{keys}\n");
    let mut file = parse(Path::new("hooks.toml"), &text, Some(Path::new("/home/ada"))).unwrap();
    assert_eq!(file.hooks.len(), 1);
    file.hooks.remove(0)
}

#[track_caller]
fn check_fault(keys: &str, expected: &str) {
    let text = format!("[[hook]]\n{keys}\n");
    let error = parse(Path::new("hooks.toml"), &text, None).map(|file| file.hooks).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
}

/// `[GATE-40]`
#[test]
fn a_hook_has_its_defaults() {
    let read = hook("event = \"tool_call_before\"\ncommand = \"exit 2\"");
    assert_eq!(read.command, HookCommand::Shell("exit 2".to_owned()));
    assert_eq!(
        (read.timeout, read.strict, read.background),
        (Duration::from_secs(30), true, false)
    );
    assert!(read.tool.is_none() && read.modes.is_empty());
    assert_eq!(read.origin, "hooks.toml:1");
    assert!(hook("event = \"message_submit\"\ncommand = \"x\"").strict);
    assert!(!hook("event = \"turn_end\"\ncommand = \"x\"").strict);
}

/// `[GATE-40]`
#[test]
fn every_key_is_read() {
    let read = hook(
        "event = \"tool_call_before\"\ncommand = [\"~/guard\", \"--all\"]\nmatch = { tool = [\"bash\", \"mcp_{a,b}_*\"], mode = \"work\" }\ntimeout_s = 600\nstrict = false",
    );
    let argv = vec!["/home/ada/guard".to_owned(), "--all".to_owned()];
    assert_eq!(read.command, HookCommand::Argv(argv));
    let tool = read.tool.unwrap();
    assert!(["bash", "mcp_a_x", "mcp_b_y"].iter().all(|name| tool.matches(name)));
    assert!(!tool.matches("write") && !tool.matches("mcp_c_x"));
    assert_eq!(read.modes, [Mode::Work]);
    assert_eq!((read.timeout, read.strict), (Duration::from_secs(600), false));
    let read = hook(
        "event = \"turn_end\"\ncommand = \"x\"\nbackground = true\nmatch = { mode = [\"plan\", \"operate\"] }",
    );
    assert!(read.background);
    assert_eq!(read.modes, [Mode::Plan, Mode::Operate]);
}

/// `[GATE-40]` `[THR-03]`: every mistake that would leave a guard without effect.
#[test]
fn a_guard_that_would_not_guard_is_a_fault() {
    let before = "event = \"tool_call_before\"\ncommand = \"x\"";
    let rows = [
        ("command = \"x\"".to_owned(), "hooks.toml:1: hook: 'event' is missing"),
        ("event = \"error\"".to_owned(), "hook: 'command' is missing"),
        (
            "event = \"tool_call_befor\"\ncommand = \"x\"".to_owned(),
            "did you mean 'tool_call_before'?",
        ),
        (
            "event = \"before\"\ncommand = \"x\"".to_owned(),
            "\"session_start\", \"session_end\", \"message_submit\"",
        ),
        (
            format!("{before}\nbackground = true"),
            "hook.background: a tool_call_before hook decides",
        ),
        (
            "event = \"message_submit\"\ncommand = \"x\"\nbackground = true".to_owned(),
            "a message_submit hook decides",
        ),
        (
            "event = \"turn_end\"\ncommand = \"x\"\nstrict = true".to_owned(),
            "hook.strict: a turn_end hook only observes",
        ),
        (
            "event = \"turn_end\"\ncommand = \"x\"\nmatch = { tool = \"bash\" }".to_owned(),
            "hook.match.tool: no tool belongs to turn_end",
        ),
        (format!("{before}\nmatch = {{ tool = [] }}"), "hook.match.tool: the list is empty"),
        (
            format!("{before}\nmatch = {{ tol = \"bash\" }}"),
            "hook.match.tol: there is no such key; did you mean 'tool'?",
        ),
        (format!("{before}\nmatch = {{ mode = \"wrok\" }}"), "did you mean 'work'?"),
        (format!("{before}\nmatch = {{ tool = \"bash[\" }}"), "'bash[' is no usable pattern"),
        (format!("{before}\nmatch = \"bash\""), "hook.match: must be a table"),
        (
            format!("{before}\ntimeout_s = 0"),
            "hook.timeout_s: must be a whole number from 1 to 600",
        ),
        (format!("{before}\ntimeout_s = 601"), "must be a whole number from 1 to 600"),
        (format!("{before}\ntimeout = 5"), "did you mean 'timeout_s'?"),
        ("event = \"error\"\ncommand = []".to_owned(), "hook.command: the list is empty"),
        ("event = \"error\"\ncommand = \"\"".to_owned(), "hook.command: the text is empty"),
        ("event = \"error\"\ncommand = [\"~/x\"]".to_owned(), "no home folder is known"),
    ];
    for (keys, expected) in rows {
        check_fault(&keys, expected);
    }
}

#[test]
fn a_file_without_hooks_has_none() {
    for text in ["", "# nothing yet\n"] {
        assert!(parse(Path::new("hooks.toml"), text, None).unwrap().hooks.is_empty());
    }
    parse(Path::new("hooks.toml"), "[hooks]\n", None).unwrap_err();
}

/// `[THR-05]`: what a hook would run is known, so that it can be protected and shown.
#[test]
fn the_programs_of_a_hook_are_its_files() {
    let world = World::new();
    world.put("work/guard.sh", "").put("work/lib.py", "");
    let programs = |command: &str| {
        let read = hook(&format!("event = \"error\"\ncommand = {command}"));
        let found = read.programs(&world.at("work"));
        let short = found.iter().map(|path| world.short(&path.display().to_string()));
        short.collect::<Vec<_>>()
    };
    assert_eq!(programs("[\"python3\", \"lib.py\", \"--x\"]"), ["work/lib.py"]);
    assert_eq!(programs("[\"./guard.sh\", \"work\"]"), ["work/./guard.sh"]);
    assert_eq!(programs("[\"./absent\"]"), ["work/./absent"]);
    assert_eq!(
        programs("\"cd . && sh 'guard.sh'; cat <lib.py\""),
        ["work/guard.sh", "work/lib.py"]
    );
    assert_eq!(programs("\"echo x >/dev/null\""), [""; 0]);
}
