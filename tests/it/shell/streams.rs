//! [SHELL-02] Output of any size and kind: memory stays bounded, every byte is counted, the end is shown, what was
//! kept and what was not is told, and the last line says how it ended.
//!
//! Not here: memory and time at 10 GB (`tests/bench`, PERF-13), the artifact of 20 MB (`output`), which lines are
//! kept (`capture` of the shell server).

use std::{fs, io::Write as _};

use serde_json::{Value, json};
use tollgate_tests::{
    Running, Script, World, events::content_text, eventually::eventually_true, processes::below,
};

const FULL: [&str; 2] = ["--posture", "full-access"];

/// What is kept of one call's output unless it is configured otherwise.
const QUOTA_BYTES: u64 = 256 * 1024 * 1024;

/// How much the kernel or the server may grow by one call, in KiB.
const GROWTH_KIB_MAX: u64 = 64 * 1024;

fn bash(world: &World, arguments: &Value) -> Value {
    world.call("bash", arguments).args(FULL).run().json()["result"].clone()
}

/// What the server itself says; behind it the kernel may say where the whole is.
fn own_text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

/// The last line of a result's text.
fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

/// The most memory that a process ever held, in KiB.
fn peak_kib(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}

/// Kernel and shell server.
fn pair(kernel: &Running) -> Vec<i32> {
    let below = below(kernel.pid).into_iter();
    let server =
        below.filter(|it| it.program() == "tollgate-shell" && !it.command.contains("__confine"));
    [kernel.pid].into_iter().chain(server.map(|it| it.pid)).collect()
}

/// Writes a line into a pipe for which a command waits.
fn let_go(world: &World, pipe: &str) {
    let mut pipe = fs::OpenOptions::new().write(true).open(world.workspace().join(pipe)).unwrap();
    pipe.write_all(b"go\n").unwrap();
}

/// Of more than the quota, as one line without an end: neither process grows with it, all of it is counted, the
/// end is shown, and what was kept is told and is the beginning.
#[test]
fn memory_is_bounded_beyond_the_quota() {
    const PIECES: u64 = 6;
    const PIECE_BYTES: u64 = 64 * 1024 * 1024;
    let world = World::new();
    let command = format!(
        "mkfifo first last; touch ready; read x <first; echo beginning
         for i in {{1..{PIECES}}}; do head -c {PIECE_BYTES} /dev/zero | tr '\\0' x; touch written-$i; done
         read x <last; printf END; exit 3"
    );
    let script =
        Script::new().call("bash", json!({ "command": command, "timeout": 600 })).text("done");
    let kernel = world.exec(&script, "go").args(FULL).spawn();
    eventually_true("the command waits", || world.has("ready"));
    let before: Vec<(i32, u64)> =
        pair(&kernel).into_iter().map(|pid| (pid, peak_kib(pid))).collect();
    assert_eq!(before.len(), 2, "kernel and server: {before:?}");
    let_go(&world, "first");
    for piece in 1..=PIECES {
        eventually_true("a piece is written", || world.has(&format!("written-{piece}")));
    }
    for (pid, kib) in before {
        let grown = peak_kib(pid).saturating_sub(kib);
        assert!(grown <= GROWTH_KIB_MAX, "process {pid} grew by {grown} KiB");
    }
    let_go(&world, "last");
    let events = kernel.finish().success().events().well_formed();
    let result = events.one("tool.result");
    let text = own_text(result);
    assert!(
        text.contains("xxxxEND\n") && last_line(text).starts_with("[exit code 3 after "),
        "{text:.300}"
    );
    assert!(text.contains("beginning\n") && text.chars().count() <= 30_000);
    let all = "beginning\n".len() as u64 + PIECES * PIECE_BYTES + 3;
    assert_eq!(result["metadata"]["bytes"], all);
    let told = format!(
        "the whole output has 2 lines, {all} bytes, and its first {QUOTA_BYTES} bytes were passed on to be kept as an \
         artifact; the {} after them are not kept",
        all - QUOTA_BYTES
    );
    assert!(text.contains(&told), "{text:.500}");
    // As much as is kept is the beginning.
    if let Some(id) = result["truncated"]["spill"].as_str() {
        let id = id.trim_start_matches("artifact:");
        let folder: String = id.chars().take(2).collect();
        let kept = fs::metadata(world.state("artifacts").join(folder).join(id)).unwrap();
        assert_eq!(kept.len(), QUOTA_BYTES);
    }
    world.receipts(Some(events.session())).sound(&world);
    world.is_quiet();
}

/// B044 B046 Floods of every kind: bytes and lines are counted, what is shown is plain text that ends with the end.
#[test]
fn output_of_any_kind_is_counted_and_ends_with_its_end() {
    let world = World::new();
    // Command, bytes, lines, and the last line of it.
    let rows = [
        ("seq -f $'\\rframe %.0f' -s '' 1000000", 12_888_897, 1, "frame 1000000"),
        ("head -c 8000000 /dev/zero", 8_000_000, 1, r"\x00\x00"),
        ("head -c 4000000 /dev/zero | tr '\\0' '\\377'; printf 'é'", 4_000_002, 1, r"\xFF\xFFé"),
        ("yes $'\\e[31mred\\e[0m\\e]0;title\\a' | head -n 200000", 4_600_000, 200_000, "red"),
        ("yes '' | head -n 10000000; printf last", 10_000_004, 10_000_001, "last"),
        ("yes 你好 | head -n 2000000; printf '\\xe4\\xbd'", 14_000_002, 2_000_001, r"\xE4\xBD"),
        ("seq 1000000 >&2", 6_888_896, 1_000_000, "1000000"),
        ("printf '\\e]0;never ended'; yes x | head -n 100000", 200_015, 100_000, "x"),
    ];
    for (command, bytes, lines, end) in rows {
        let result = bash(&world, &json!({ "command": format!("{command}; exit 4") }));
        let text = own_text(&result);
        let metadata = &result["metadata"];
        assert_eq!(
            (&metadata["bytes"], &metadata["lines"]),
            (&json!(bytes), &json!(lines)),
            "{command}"
        );
        assert!(
            last_line(text).starts_with("[exit code 4 after "),
            "{command}: {}",
            last_line(text)
        );
        let shown = text.rsplit_once('\n').unwrap().0;
        assert!(last_line(shown).ends_with(end), "{command}: {shown:.400}");
        assert!(text.chars().count() <= 30_000, "{command}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{command}");
    }
    world.is_quiet();
}

/// [SHELL-03] Output without end is stopped by the clock, with its end, and the server goes on.
#[test]
fn endless_output_is_stopped_by_the_clock() {
    let world = World::new();
    let script = Script::new()
        .call("bash", json!({ "command": "yes", "timeout": 1 }))
        .call("bash", json!({ "command": "echo again" }))
        .text("done");
    let events = world.exec(&script, "go").args(FULL).run().success().events().well_formed();
    let results = events.results();
    let text = own_text(results[0]);
    assert!(last_line(text).starts_with("[timed out after "), "{}", last_line(text));
    assert!(text.starts_with("y\ny\n") && text.contains("\ny\n[timed out"));
    assert!(own_text(results[1]).starts_with("again\n"));
    assert_eq!(results[0]["receipt"]["instance"], results[1]["receipt"]["instance"]);
    world.is_quiet();
}

/// The place for artifacts is full, which a limit on the size of files stands for: the call has its result with
/// its end, and is told that the whole is not kept.
#[test]
fn a_full_disk_loses_the_artifact_and_says_so() {
    let world = World::new();
    world.warm();
    let arguments = json!({ "command": "seq 1000000; exit 5" }).to_string();
    // 4 MiB, in units of 512 or 1024 bytes.
    let limited = "trap '' XFSZ; ulimit -f 4096; exec \"$@\"";
    let call = world.tollgate(["call", "bash", &arguments, "--json"]).args(FULL);
    let ran = call.under("bash", ["-c", limited, "limited"]).run();
    let printed = ran.json();
    let result = &printed["result"];
    let text = content_text(result);
    assert!(text.contains("could not be kept"), "{text}");
    assert!(text.contains("\n1000000\n[exit code 5 after "), "{text:.400}");
    assert_eq!(result["truncated"]["spill"], Value::Null, "{result}");
    assert_eq!(
        (&result["metadata"]["bytes"], &result["metadata"]["exit_code"]),
        (&json!(6_888_896), &json!(5))
    );
    assert_eq!(printed["receipt"]["end"]["status"], "failed");
    world.receipts(None).sound(&world);
    world.is_quiet();
}
