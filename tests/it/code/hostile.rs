//! Programs that will not end, or take too much: each ends with a clear error, the kernel lives, and the next
//! program runs; in the same process where the program could be stopped, in a fresh one where not.

use std::fs;

use super::*;
use tollgate_tests::{kernel::Kernel, processes::below};

/// Time of a program that is meant to run out of it.
const SHORT_MS: u64 = 150;
/// A bound that only a hang exceeds; how soon it really is stands in the benches.
const GENEROUS_MS: u64 = 5_000;
/// Deaths in one session that the kernel bears without a word.
const DEATHS: usize = 4;

/// How long it took, from its receipt.
fn took_ms(ended: &Ended) -> u64 {
    let begun = ended.receipt["started_unix_ms"].as_u64().unwrap();
    ended.receipt["end"]["ended_unix_ms"].as_u64().unwrap() - begun
}

/// Runs the programs, and a harmless one behind each.
#[track_caller]
fn each_and_next(programs: &[&str], ms: u64) -> Vec<(Ended, Ended)> {
    let world = world();
    let next = "return (await tools.read({ path: 'a.txt' })).content";
    let both = programs.iter().flat_map(|code| [(*code, ms), (next, 60_000)]);
    let ended = turn(&world, both);
    world.is_quiet();
    assert_eq!(ended.len(), 2 * programs.len(), "{ended:#?}");
    let pairs = ended.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone()));
    let pairs: Vec<_> = pairs.collect();
    for ((ended, next), code) in pairs.iter().zip(programs) {
        assert!(took_ms(ended) < ms + GENEROUS_MS, "{code}: {} ms", took_ms(ended));
        assert!(next.text.starts_with("hello\n"), "after {code}: {}", next.text);
    }
    pairs
}

/// [CODE-15] [CODE-12] CM-01, B110, Q1, Q3, Q4, Q5: loops, promises that swallow a stop, waits for nothing.
#[test]
fn an_endless_program_ends_at_its_deadline() {
    let programs = [
        "while (true) {}",
        "try { for (;;); } finally { for (;;); }",
        "for (;;) { try { for (;;); } catch {} finally { continue } }",
        "while (true) { await Promise.resolve() }",
        "await null; for (;;) {}",
        "(async () => { while (true) { await null } })(); for (;;) {}",
        "new Promise(() => { while (1) {} })",
        "async function loop() { for (;;); } for (;;) await loop().catch(() => {})",
        "async function loop() { for (;;) await null } for (;;) await loop().catch(() => {})",
        "await tools.bash({ command: 'sleep 100' })",
        "await Promise.race([tools.bash({ command: 'sleep 100' }), new Promise(() => {})])",
        "return /(a+)+$/.test('a'.repeat(40) + 'b')",
        "for (;;) try { await tools.read({ path: 'nope' }) } catch {}",
        "for (;;) try { tools.call() } catch {}",
        "const kept = []; for (;;) { try { for (;;) kept.push(new Array(1000).fill({})) } catch {} }",
        "return { toJSON() { for (;;); } }",
    ];
    let mut ended_processes = Vec::new();
    for ((ended, next), code) in each_and_next(&programs, SHORT_MS).iter().zip(programs) {
        ended.clone().failed("timeout", "more than 0.15 s");
        if ended.instance() != next.instance() {
            ended_processes.push(code);
        }
    }
    // They are stopped where they are. A machine with too much to do may not give one its time to stop.
    assert!(ended_processes.len() < 3, "processes were ended for {ended_processes:#?}");
}

/// [CODE-15] [CODE-18] CM-02, B112, Q2: a native operation that does not yield is given up, and its process replaced.
#[test]
fn an_operation_that_does_not_yield_ends_with_its_process() {
    let programs = [
        "return new Array(1e9).join().length",
        "return (new Array(1_000_000_000) + '').length",
        "const a = []; a.length = 2 ** 32 - 1; a.reverse()",
        "return [].concat.apply([], Array(100).fill(Array(1e7))).length",
        "return new Array(2 ** 31).join('x').length",
        "return Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)",
        "const a = []; a.length = 2 ** 32 - 1; return a.flat().length",
        "return ('a'.repeat(5e6) + 'b').indexOf('a'.repeat(2e6) + 'c')",
    ];
    for programs in programs.chunks(DEATHS) {
        for ((ended, next), code) in each_and_next(programs, SHORT_MS).iter().zip(programs) {
            ended.clone().failed("timeout", "one native operation that does not yield");
            assert_ne!(ended.instance(), next.instance(), "it went on: {code}");
        }
    }
}

/// [CODE-15] CM-03, B112, B113, Q6: memory has its bound, of which the error tells; the kernel holds none of it.
#[test]
fn memory_is_bounded_and_told() {
    let programs = [
        ("let a = []; for (;;) a.push(new Array(1000).fill({}))", "memory"),
        ("return 'x'.repeat(2 ** 30 - 1)", "memory"),
        ("return 'a'.repeat(2 ** 29).replace(/a/g, 'bb').length", "memory"),
        ("return Array(1e8).fill(0).sort(() => Math.random() - .5).length", "memory"),
        ("return new Float64Array(5e7).map(() => Math.random()).sort().length", "memory"),
        ("return Array(500).fill('x'.repeat(2 ** 20)).join('').length", "memory"),
        ("const o = {}; for (let i = 0; i < 1e6; i++) o['k' + i] = i; return o", "memory"),
        ("return JSON.parse('[' + '1,'.repeat(2e7) + '1]').length", "memory"),
        ("let s = 'x'; for (;;) s += s", "string too long"),
        ("new ArrayBuffer(2 ** 40)", "array buffer"),
        ("return String(BigInt('9'.repeat(1e6)) ** 5n).length", "BigInt is too large"),
    ];
    let codes = programs.map(|(code, _)| code);
    let mut replaced = 0;
    for ((ended, next), (_, part)) in each_and_next(&codes, 30_000).iter().zip(programs) {
        let class = if part == "memory" { "memory" } else { "threw" };
        let part = if part == "memory" { "its memory of 65536 KiB" } else { part };
        ended.clone().failed(class, part);
        replaced += usize::from(ended.instance() != next.instance());
    }
    // Runtimes whose memory ran out may have to be left behind; with five of them the idle process is replaced.
    assert!(replaced <= 1, "{replaced} processes were ended");
}

/// CM-03: the kernel's own memory stays as it is, whatever programs take.
#[tokio::test]
async fn a_kernel_does_not_grow_with_its_programs() {
    let world = world();
    let kernel = Kernel::start(&world, []);
    let session = kernel.session(&world, &Script::new()).await;
    let peak_kib = || {
        let status = fs::read_to_string(format!("/proc/{}/status", kernel.process.pid)).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let program = async |code: &str| session.call("execute_tools", &json!({ "code": code })).await;
    program("return (await tools.read({ path: 'a.txt' })).content").await.unwrap();
    let before = peak_kib();
    for code in [
        "let a = []; for (;;) a.push(new Array(1000).fill({}))",
        "const kept = []; for (;;) { try { for (;;) kept.push('x'.repeat(1e6) + kept.length) } catch { return 1 } }",
        "return Array(500).fill('x'.repeat(2 ** 20)).join('').length",
        "for (let i = 0; i < 20000; i++) console.log('x'.repeat(1000)); return 1",
        "throw new Error('x'.repeat(1e7))",
    ] {
        program(code).await.unwrap();
    }
    let grown = peak_kib() - before;
    assert!(grown < 8 * 1024, "the kernel grew by {grown} KiB");
    assert!(!below(kernel.process.pid).is_empty());
}

/// [CODE-15] Q7, CM-03: depth of the stack, of JSON, of values and of arguments.
#[test]
fn depth_is_bounded_and_told() {
    let programs = [
        ("function f() { return f() + 1 } return f()", "stack", "its stack of 1024 KiB"),
        ("return JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))", "stack", "its stack of 1024 KiB"),
        ("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a", "value", "deeper than"),
        (
            "let a = {}; for (let i = 0; i < 100; i++) a = { a }; await tools.read(a)",
            "threw",
            "deeper",
        ),
        ("let a = 'x'; for (let i = 0; i < 1e4; i++) a = { a }; console.log(a); return 1", "", "1"),
    ];
    let codes = programs.map(|(code, ..)| code);
    for ((ended, next), (code, class, part)) in each_and_next(&codes, 30_000).iter().zip(programs) {
        assert_eq!(ended.class(), class, "{code}: {}", ended.text);
        assert!(ended.text.contains(part), "{code}: no {part:?} in {}", ended.text);
        assert_eq!(ended.instance(), next.instance(), "the process was ended for {code}");
    }
}

/// [CODE-15] Q10, CM-09: of ten thousand calls in one `Promise.all` a thousand are made, each with its receipt.
#[test]
fn ten_thousand_calls_at_once_are_bounded() {
    let world = world();
    let calls = "Array.from({ length: 10_000 }, () => tools.read({ path: 'a.txt' }))";
    let code = format!("return (await Promise.all({calls})).length");
    let ended = run(&world, &code).failed("threw", "at most 1000 calls");
    assert!(ended.calls().iter().all(|call| call == "read auto ok"), "{:?}", ended.calls());
    let code = format!(
        "const all = await Promise.allSettled({calls}); const count = {{}};
         for (const it of all) {{ const key = it.reason?.code ?? it.status; count[key] = (count[key] ?? 0) + 1 }}
         return count"
    );
    let ended = run(&world, &code);
    assert_eq!(ended.value(), &json!({ "fulfilled": 1000, "limit": 9000 }));
    assert_eq!(ended.calls(), vec!["read auto ok"; 1000]);
    world.receipts(None).sound(&world);
}

/// [CODE-12] Q5: a promise that nothing will settle is told at once, without a wait for the deadline.
#[test]
fn a_promise_that_nothing_settles_is_told_at_once() {
    let programs = ["await new Promise(() => {})", "await { then() {} }"];
    for (ended, next) in each_and_next(&programs, 60_000) {
        let ended = ended.failed("never_settles", "nothing will settle");
        assert_eq!(ended.instance(), next.instance());
    }
}

/// [CODE-15] A flood of logs is cut, counted, and stops nothing.
#[test]
fn a_flood_of_logs_is_cut_and_counted() {
    let world = world();
    let ended = run(&world, "for (let i = 0; i < 50_000; i++) console.log(`line ${i}`); return 1");
    assert_eq!(ended.value(), &json!(1));
    let logs = ended.structured["logs"].as_str().unwrap();
    assert!(logs.starts_with("line 0\nline 1\n"), "{logs:.100}");
    assert!(logs.len() <= 64 * 1024 + 200, "{} bytes of logs", logs.len());
    assert!(ended.text.contains("cut off") || ended.text.contains("dropped"), "nothing is said");
    for part in ["x", "\u{1b}[2J", "中"] {
        let code =
            format!("for (;;) console.log({part:?}.repeat(1e5))").replace("\\u{1b}", "\\x1b");
        run_with(&world, &code, &["--timeout-ms", "300"]).failed("timeout", "more than 0.3 s");
    }
}
