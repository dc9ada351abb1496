//! Public reports of defects in other agents' shell tools (B037 to B059), each through the real kernel and the
//! real server: what went wrong there does not go wrong here.
//!
//! Not here: whole trees of processes (`orphans`), much output (`streams`), the same at the place where it is
//! done (unit tests of the shell server).

use std::fs;

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tollgate_tests::{
    Script, World,
    events::content_text,
    eventually::eventually_true,
    processes::{Process, all},
};

const FULL: [&str; 2] = ["--posture", "full-access"];

/// What a call came back with.
struct Ran {
    /// Its text without the last line.
    output: String,
    /// How it ended.
    last: String,
    result: Value,
    status: Value,
}

impl Ran {
    fn of(printed: &Value) -> Self {
        let result = printed["result"].clone();
        // Behind what the server says the kernel may say where the whole is.
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let (output, last) = text.rsplit_once('\n').unwrap_or(("", text));
        Self {
            output: output.to_owned(),
            last: last.to_owned(),
            status: printed["receipt"]["end"]["status"].clone(),
            result,
        }
    }

    fn code(&self) -> &Value {
        &self.result["metadata"]["exit_code"]
    }
}

fn called(world: &World, arguments: &Value) -> Ran {
    Ran::of(&world.call("bash", arguments).args(FULL).run().json())
}

fn bash(world: &World, command: &str) -> Ran {
    called(world, &json!({ "command": command }))
}

/// The output and the exit code of a command, which is an error unless it is 0.
#[track_caller]
fn check(world: &World, command: &str, output: &str, code: i32) {
    let ran = bash(world, command);
    assert_eq!(
        (ran.output.as_str(), ran.code()),
        (output, &json!(code)),
        "{command}: {}",
        ran.result
    );
    assert_eq!(ran.status, if code == 0 { "ok" } else { "failed" }, "{command}");
    assert!(ran.last.starts_with(&format!("[exit code {code} after ")), "{command}: {}", ran.last);
}

/// Processes with this in their command.
fn with(mark: &str) -> Vec<Process> {
    all().into_iter().filter(|process| process.command.contains(mark)).collect()
}

/// B037: a child in another session holds the pipe, and the result comes all the same.
#[test]
fn b037_a_child_that_holds_the_pipe_holds_no_result() {
    let world = World::new();
    let ran = bash(&world, "setsid sleep 6037 & echo hi");
    let lines: Vec<&str> = ran.output.lines().collect();
    let goes_on = "[1 process goes on in the background until this session ends]";
    assert_eq!((lines, ran.code()), (vec!["hi", goes_on], &json!(0)), "{}", ran.result);
    assert_eq!(ran.result["metadata"]["background"], 1);
    world.is_quiet();
    let ran = bash(&world, "head -c 200000 /dev/zero | tr '\\0' e >&2; echo out");
    assert!(ran.output.ends_with("eeout"), "both streams through one pipe");
    assert_eq!((ran.code(), &ran.result["metadata"]["bytes"]), (&json!(0), &json!(200_004)));
}

/// B038: a timeout ends the children too, also one that eats memory, and what was printed stays.
#[test]
fn b038_a_timeout_ends_the_children() {
    let world = World::new();
    let mark = world.folder().join("mark").display().to_string();
    let eater = "import time\nx=[]\nwhile 1: x.append(b'0'*1000000); time.sleep(.05)";
    for command in [
        format!("echo partial; sh -c 'sleep 300 & sleep 301; : {mark}'; true"),
        format!("echo partial; python3 -c \"{eater}\" {mark}"),
    ] {
        let ran = called(&world, &json!({ "command": command, "timeout": 1 }));
        assert_eq!(ran.result["metadata"]["timed_out"], true, "{}", ran.result);
        assert!(ran.output.starts_with("partial"), "{}", ran.output);
        assert!(ran.last.starts_with("[timed out after "), "{}", ran.last);
        assert_eq!(
            (&ran.status, &ran.result["is_error"]),
            (&json!("failed"), &json!(true)),
            "{}",
            ran.result
        );
        eventually_true("nothing of it is left", || with(&mark).is_empty());
    }
    world.is_quiet();
}

/// B040: an interrupted command line leaves neither the command nor a server. (Killed kernels and servers:
/// `orphans`.)
#[test]
fn b040_an_interrupt_leaves_nothing() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let world = World::new();
        let command = "touch runs; setsid sleep 987 & sleep 987";
        let kernel = world.call("bash", &json!({ "command": command })).args(FULL).spawn();
        eventually_true("the command runs", || world.has("runs"));
        kernel.signal(signal);
        let ran = kernel.finish();
        assert_ne!(ran.code, 0, "{signal}: {ran}");
        world.is_quiet();
    }
}

/// B041: no input, no terminal.
#[test]
fn b041_nothing_waits_for_input() {
    let world = World::new();
    check(&world, "cat", "(no output)", 0);
    check(&world, "read x; echo \"[$x]\"", "[]", 0);
    check(&world, "(: </dev/tty) 2>/dev/null || echo none", "none", 0);
    let asked = bash(&world, "python3 -c 'print(input())'");
    assert!(asked.output.contains("EOFError"), "{}", asked.output);
    // What is typed at the command line is the kernel's, not the command's.
    let call = world.call("bash", &json!({ "command": "cat; read x; echo \"[$x]\"" }));
    let ran = Ran::of(&call.args(FULL).stdin("typed\n").run().success().json());
    assert_eq!(ran.output, "[]");
}

/// B043: a silent command has a result that says so.
#[test]
fn b043_a_silent_command_has_a_result() {
    let world = World::new();
    for (command, code) in [("true", 0), ("mkdir -p d", 0), (":", 0), ("false", 1)] {
        check(&world, command, "(no output)", code);
    }
}

/// B044: of a long output the end is shown, and the whole is kept.
#[test]
fn b044_the_end_of_a_long_output_is_shown() {
    let world = World::new();
    let ran = bash(&world, "seq 1 200000; echo 'E: last line failed' >&2; exit 2");
    assert!(ran.output.ends_with("\n200000\nE: last line failed"), "{}", ran.output);
    assert!(content_text(&ran.result).chars().count() <= 30_000);
    let whole = "the whole output has 200001 lines, 1288915 bytes, and all of it";
    assert!(ran.output.contains(whole), "{}", ran.output);
    let cut = &ran.result["truncated"];
    assert_eq!(
        (&cut["lines"], &cut["bytes"], ran.code()),
        (&json!(200_001), &json!(1_288_915), &json!(2))
    );
    let id = cut["spill"].as_str().unwrap();
    let kept = world.tollgate(["artifacts", "show", id]).run().success();
    assert_eq!(kept.text().lines().count(), 200_001);
}

/// B046: frames of a progress bar fold to the last one.
#[test]
fn b046_a_progress_bar_is_its_last_frame() {
    let world = World::new();
    let command =
        "for i in $(seq 1 5000); do printf '\\r\\033[2Kprogress %d' $i; done; printf '\\nDONE'";
    check(&world, command, "progress 5000\nDONE", 0);
}

/// B047: no character breaks at the border of two reads, in the result and in what streams.
#[test]
fn b047_characters_do_not_break() {
    let world = World::new();
    let many = bash(&world, "python3 -c \"import sys;sys.stdout.write('你'*50000)\"");
    let shown = many.output.lines().last().unwrap();
    assert!(shown.len() > 60_000 && shown.chars().all(|c| c == '你'), "{shown:.100}");
    let slow = json!({ "command": "mkfifo never; for b in '\\xe4' '\\xbd' '\\xa0'; do printf $b; read -t 0.1 <> never; done" });
    let script = Script::new().call("bash", slow).text("done");
    let ran = world.exec(&script, "go").args(FULL).run().success();
    let events = ran.events().well_formed();
    assert!(content_text(events.one("tool.result")).starts_with("你\n"), "{ran}");
    assert!(!ran.text().contains('\u{fffd}'), "{ran}");
}

/// B049: a death by signal is an error that names it.
#[test]
fn b049_a_signal_is_an_error() {
    let world = World::new();
    for (command, output, name, number) in [
        ("printf x; kill -KILL $$", "x", "SIGKILL", 9),
        ("kill -SEGV $$", "(no output)", "SIGSEGV", 11),
    ] {
        let ran = bash(&world, command);
        assert_eq!(
            (ran.output.as_str(), &ran.status),
            (output, &json!("failed")),
            "{}",
            ran.result
        );
        assert_eq!((ran.code(), &ran.result["metadata"]["signal"]), (&Value::Null, &json!(name)));
        assert!(
            ran.last.starts_with(&format!("[ended by {name}, signal {number}, after ")),
            "{}",
            ran.last
        );
    }
    check(&world, "{ sh -c 'kill -9 $$'; } 2>/dev/null; echo rc=$?", "rc=137", 0);
}

/// B050: a pipe's exit code is that of its last command, and no word is said of success.
#[test]
fn b050_an_exit_code_is_told_and_not_judged() {
    let world = World::new();
    check(&world, "false | cat", "(no output)", 0);
    check(&world, "exit 3 | tee f", "(no output)", 0);
    check(&world, "yes | head -1", "y", 0);
    let text = content_text(&bash(&world, "false | cat").result).to_lowercase();
    assert!(!text.contains("succe") && !text.contains("fail"), "{text}");
}

/// B052: the shell gets the very bytes.
#[test]
fn b052_nothing_is_quoted_again() {
    let world = World::new();
    let literal = "a\\\\\\\\b $HOME `x` !bang {1,2} $$ 'q' \"d\"";
    check(
        &world,
        &format!("cat <<'E-O_F'\n{literal}\nE-O_F\necho hi!"),
        &format!("{literal}\nhi!"),
        0,
    );
    let dumped =
        bash(&world, &format!("od -An -v -tx1 <<'E-O_F' | tr -d ' \\n'\n{literal}\nE-O_F"));
    let hex: String = format!("{literal}\n").bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(dumped.output, hex);
}

/// B053: a word in the output makes no refusal of an ordinary exit.
#[test]
fn b053_a_word_is_no_refusal() {
    let world = World::new();
    check(
        &world,
        "echo 'Permission denied: sandbox test'; exit 1",
        "Permission denied: sandbox test",
        1,
    );
    world.write("f", "something\n");
    check(&world, "grep nothing f", "(no output)", 1);
    check(&world, "cat no-such-file 2>&1 | cut -d' ' -f3-; exit 1", "No such file or directory", 1);
}

/// B055: a command may remove the folder in which it stands; later ones start in the workspace.
#[test]
fn b055_a_folder_that_is_gone_stops_nothing() {
    let world = World::new();
    let workspace = world.workspace().display().to_string();
    let script = Script::new()
        .call("bash", json!({ "command": "mkdir -p t && cd t && rmdir ../t" }))
        .call("bash", json!({ "command": "pwd" }))
        .call("bash", json!({ "command": "mkdir u && cd u && echo in" }))
        .call("bash", json!({ "command": "rmdir ../u; echo out" }))
        .call("bash", json!({ "command": "pwd" }))
        .text("done");
    let events = world.exec(&script, "go").args(FULL).run().success().events().well_formed();
    let results = events.results();
    for (index, part) in [(1, workspace.as_str()), (2, "in"), (3, "out"), (4, &workspace)] {
        let text = content_text(results[index]);
        assert!(text.lines().any(|line| line == part), "call {index}: {text}");
        assert_eq!(results[index]["status"], "ok", "call {index}: {text}");
    }
}

/// B056: an argument that the tool does not have is an error that names it, and nothing runs.
#[test]
fn b056_an_unknown_argument_runs_nothing() {
    let world = World::new();
    world.write("x", "1\n");
    for (tool, arguments, part) in [
        ("bash", json!({ "command": "touch made; pwd", "cwd": "/tmp" }), "cwd"),
        ("bash", json!({ "command": "touch made; pwd", "timeoutMs": 5 }), "timeoutMs"),
        ("read", json!({ "path": "x", "lines": 3 }), "lines"),
        ("edit", json!({ "path": "x", "old_string": "1", "new_string": "2" }), "new_string"),
    ] {
        let ran = Ran::of(&world.call(tool, &arguments).args(FULL).run().json());
        let text = content_text(&ran.result);
        assert_ne!(ran.status, "ok", "{text}");
        assert!(text.contains(part), "{text}");
        assert!(!world.has("made"), "{text}");
    }
    assert_eq!(world.read("x"), "1\n");
    // What the one argument is called elsewhere is taken as what it means.
    world.call("read", &json!({ "file": "x" })).args(FULL).run().success();
}

/// B058: a cancelled command writes no more, and what it said is in the result.
#[test]
fn b058_a_cancelled_command_writes_no_more() {
    let world = World::new();
    let command = "mkfifo never; for i in $(seq 600); do echo $i >> tick; echo $i; read -t 0.1 <> never; done";
    let script = Script::new().call("bash", json!({ "command": command })).text("done");
    let kernel = world.exec(&script, "go").args(FULL).spawn();
    eventually_true("it ticks", || {
        fs::read_to_string(world.workspace().join("tick")).is_ok_and(|it| it.lines().count() > 2)
    });
    kernel.signal(Signal::SIGINT);
    let ran = kernel.finish().code(130);
    world.is_quiet();
    let events = ran.events().well_formed();
    let result = events.one("tool.result");
    let text = content_text(result);
    assert!(text.starts_with("1\n2\n"), "{text}");
    assert!(text.lines().last().unwrap().starts_with("[stopped on request after "), "{text}");
    assert_ne!(result["status"], "ok", "{result}");
    // Nobody is left who could write it.
    let ticks = world.read("tick").lines().count();
    assert!(ticks < 600, "{ticks}");
}

/// B059: nothing of a person's start-up files is seen.
#[test]
fn b059_start_up_files_are_not_read() {
    let world = World::new();
    let profile =
        "alias ls='echo ALIAS'; cd() { echo FN; }; ls() { echo FN; }; export -f ls; echo banner\n";
    for name in [".bashrc", ".profile", ".bash_profile", ".bash_env"] {
        fs::write(world.folder().join(name), profile).unwrap();
    }
    let call = world.call("bash", &json!({ "command": "cd / && ls -d /; alias" })).args(FULL);
    let call = call
        .env("BASH_ENV", world.folder().join(".bash_env"))
        .env("ENV", world.folder().join(".profile"));
    let call = call.env("BASH_FUNC_ls%%", "() { echo FN; }").env("PROMPT_COMMAND", "echo banner");
    let ran = Ran::of(&call.run().success().json());
    assert_eq!(ran.output.lines().next(), Some("/"), "{}", ran.output);
    for part in ["ALIAS", "FN", "banner"] {
        assert!(!ran.output.contains(part), "{}", ran.output);
    }
}
