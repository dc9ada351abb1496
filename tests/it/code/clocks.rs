//! The two clocks of a program, with real processes. Their arithmetic is tested with a made clock
//! (`kernel/core/src/program/clock`).

use super::*;

/// [CODE-08] [CODE-15] The clock of its own computing stands while a tool runs, and runs while it computes.
#[test]
fn the_clock_of_computing_stands_while_a_tool_runs() {
    let world = world().config("[code]\ncpu_ms = 300\n");
    let ended = run(&world, "await tools.bash({ command: 'sleep 1' }); return 'in time'");
    assert_eq!(ended.value(), &json!("in time"));
    let many =
        "for (let i = 0; i < 4; i++) await tools.bash({ command: 'sleep 0.2' }); return 'in time'";
    assert_eq!(run(&world, many).value(), &json!("in time"));
    run(&world, "for (;;);").failed("timeout", "more than 0.3 s of computing");
    let ended = run(&world, "await tools.bash({ command: 'sleep 1' }); for (;;);");
    let ended = ended.failed("timeout", "more than 0.3 s of computing");
    assert_eq!(ended.calls(), ["bash auto ok"]);
}

/// [CODE-08] The other clock counts the tools, too; a call may lower it and not raise it.
#[test]
fn the_clock_of_the_whole_counts_tools_and_is_only_lowered() {
    let world = world().config("[code]\ntimeout_ms = 700\n");
    let code = "await tools.bash({ command: 'sleep 100' })";
    run(&world, code).failed("timeout", "more than 0.7 s to finish");
    let options = ["--posture", "full-access", "--timeout-ms", "200"];
    run_with(&world, code, &options).failed("timeout", "more than 0.2 s to finish");
    let options = ["--posture", "full-access", "--timeout-ms", "600000"];
    run_with(&world, code, &options).failed("timeout", "more than 0.7 s to finish");
    assert_eq!(run(&world, "return 'in time'").value(), &json!("in time"));
    world.is_quiet();
}

/// [CODE-15] Each limit of `[code]` is the machine owner's, and is told by its own number.
#[test]
fn every_limit_can_be_lowered_and_is_told() {
    let world = world().config(
        "[code]\nmemory_mib = 4\nstack_kib = 128\ncalls_max = 3\ncode_kib = 1\nlog_kib = 1\nvalue_kib = 1\n",
    );
    let read = "await tools.read({ path: 'a.txt' })";
    for (code, class, part) in [
        (
            "const a = []; for (;;) a.push(new Array(1000).fill({}))".to_owned(),
            "memory",
            "4096 KiB",
        ),
        ("const f = () => f() + 1; f()".to_owned(), "stack", "128 KiB"),
        (format!("for (;;) {read}"), "threw", "at most 3 calls"),
        (format!("// {}\nreturn 1", "x".repeat(2000)), "limit", "1024"),
    ] {
        let ended = run(&world, &code);
        assert_eq!((ended.status(), ended.class()), ("failed", class), "{}", ended.text);
        assert!(ended.text.contains(part), "no {part:?} in {}", ended.text);
    }
    let ended = run(&world, "console.log('x'.repeat(5000)); return 1");
    assert!(ended.structured["logs"].as_str().unwrap().len() < 1300, "{}", ended.structured);
    let ended = run(&world, "return 'x'.repeat(200_000)");
    assert!(ended.text.contains("kept as an artifact"), "{:.200}", ended.text);
    // What is no limit is told before anything starts.
    for line in ["memory_mib = 0", "calls_max = -1", "cpu_ms = \"x\"", "nothing = 1"] {
        let world = World::new().config(&format!("[code]\n{line}\n"));
        let ran = world.tollgate(["run", "-"]).stdin("return 1").run().code(2);
        assert!(ran.stderr.contains("code."), "{line}: {ran}");
    }
}
