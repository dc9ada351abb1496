//! [SHELL-02] [TOOL-03] [STORE-02] Much output: the tail in the conversation, the whole as an artifact.

use serde_json::json;
use tollgate_tests::{World, events::content_text};

/// Lines of 64 bytes.
const LINES: usize = 20 * 1024 * 1024 / 64;

fn full(world: &World, command: &str) -> tollgate_tests::Ran {
    world.call("bash", &json!({ "command": command })).args(["--posture", "full-access"]).run()
}

/// 20 MB of a command's output.
#[test]
fn twenty_megabytes_of_output() {
    let world = World::new();
    let line = "x".repeat(55);
    let command = format!("seq -f '%07.0f {line}' 1 {LINES}");
    let ran = full(&world, &command).success();
    let printed = ran.json();
    let text = content_text(&printed["result"]);
    assert!(text.chars().count() <= 30_000, "{} characters", text.chars().count());
    let last = format!("{LINES:07} {line}\n[exit code 0");
    assert!(text.contains(&last), "the tail is kept: {}", text.lines().last().unwrap());
    let metadata = &printed["result"]["metadata"];
    assert_eq!((&metadata["bytes"], &metadata["lines"]), (&json!(LINES * 64), &json!(LINES)));
    let truncated = &printed["result"]["truncated"];
    assert_eq!(truncated["bytes"], LINES * 64);
    let id = truncated["spill"].as_str().unwrap_or_else(|| panic!("no artifact: {truncated}"));
    let whole = world.tollgate(["artifacts", "show", id]).run().success();
    assert_eq!(whole.stdout.len(), LINES * 64, "the artifact is whole");
    for (index, shown) in whole.stdout.chunks(64).enumerate() {
        assert_eq!(shown, format!("{:07} {line}\n", index + 1).as_bytes(), "line {index}");
    }
    world.is_quiet();
}

/// [SHELL-02] Bytes that are no text are intact in the artifact and shown by escapes; no control sequence
/// reaches the model.
#[test]
fn bytes_that_are_no_text() {
    let world = World::new();
    let command = r#"for i in $(seq 3000); do printf '\033[31m%d\377\376\n' $i; done"#;
    let printed = full(&world, command).success().json();
    let text = content_text(&printed["result"]);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{fffd}'), "{text}");
    if let Some(id) = printed["result"]["truncated"]["spill"].as_str() {
        let whole = world.tollgate(["artifacts", "show", id]).run().success();
        assert!(whole.stdout.starts_with(b"\x1b[31m1\xff\xfe\n"), "bytes are intact");
    }
}

/// [SHELL-02] Exit codes and signals are an error result with the output; the last line says how it ended.
#[test]
fn the_last_line_says_how_a_command_ended() {
    let world = World::new();
    for (command, part, code) in [
        ("echo out; echo err >&2; exit 3", "exit code 3", json!(3)),
        ("echo out; echo err >&2; kill -TERM $$", "SIGTERM", json!(null)),
    ] {
        let ran = full(&world, command).code(1);
        let printed = ran.json();
        let text = content_text(&printed["result"]);
        assert!(text.starts_with("out\nerr\n"), "one ordered stream: {text}");
        assert!(text.lines().last().unwrap().contains(part), "{text}");
        assert_eq!(printed["result"]["metadata"]["exit_code"], code);
        assert_eq!(printed["receipt"]["end"]["status"], "failed");
    }
}

/// [CLI-05] An artifact that is not there, and an id that is none.
#[test]
fn an_unknown_artifact_is_told() {
    let world = World::new();
    let none = "0".repeat(64);
    let ran = world.tollgate(["artifacts", "show", &none]).run();
    assert_ne!(ran.code, 0, "{ran}");
    assert!(ran.stderr.contains(&none) || ran.stderr.contains("artifact"), "{ran}");
    world.tollgate(["artifacts", "show", "../../etc/passwd"]).run().code(2);
}

/// [SHELL-02] No more is kept than the quota, and that is told.
#[test]
fn output_beyond_its_quota_is_told() {
    let world = World::new().config("[limits]\noutput_bytes = 100000");
    let printed = full(&world, "seq 100000").success().json();
    let text = content_text(&printed["result"]);
    assert!(text.contains("100000\n[exit code 0"), "the tail is kept: {text:.200}");
    let truncated = &printed["result"]["truncated"];
    if let Some(id) = truncated["spill"].as_str() {
        let kept = world.tollgate(["artifacts", "show", id]).run().success();
        assert!(kept.stdout.len() <= 100_000, "{} bytes", kept.stdout.len());
    }
    assert!(
        text.contains("100000 bytes") || text.contains("100,000") || text.contains("kept"),
        "not told: {text:.400}"
    );
}
