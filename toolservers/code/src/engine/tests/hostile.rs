//! Programs that will not end (`[CODE-15]`, CM-01, B110, B112, Q1, Q3, Q4, Q5).

use std::time::Duration;

use super::world::{echo, program};

/// From the stop to the end of the thread, on a machine with other work.
const SOON: Duration = Duration::from_millis(100);

/// Runs a program whose calls are never answered, but those of `echo`, until it is stopped.
///
/// A run on a busy machine may be slow once; a program that does not end is slow every time.
#[track_caller]
fn ends_soon(body: &str, after_ms: u64) {
    let mut took = Duration::ZERO;
    for _ in 0..3 {
        let ran = program(body)
            .when(|call| if call.name == "echo" { vec![(call.id, echo(call))] } else { Vec::new() })
            .stopped_after(after_ms)
            .run();
        let class = ran.outcome.ended.as_ref().map_err(|fault| fault.class);
        assert_eq!(class, Err("stopped"), "{body}");
        took = ran.took;
        if took <= SOON {
            return;
        }
    }
    panic!("{body}: {took:?}");
}

/// CM-01: loops, caught and not.
#[test]
fn endless_loops_end_at_the_stop() {
    for body in [
        "for (;;);",
        "try { for (;;); } finally { for (;;); }",
        "for (;;) { try { for (;;); } catch {} finally { continue } }",
        "function f() { try { f() } finally { f() } } f()",
        "const g = (function* () { for (;;) yield 1 })(); for (const x of g);",
        "(function* () { try { for (;;) yield 1 } finally { for (;;); } })().return?.call; for (const x of [1]) for (;;);",
        "for (;;) tools.call('slow', {})",
        "for (;;) try { tools.call() } catch {}",
        "for (;;) console.log({a: [1, 2, 3]})",
        "new Proxy({}, {get: function f(t, k) { for (;;); }}).x",
        "({get x() { for (;;); }}).x",
        "`${{toString() { for (;;); }}}`",
        "[1, 2, 3].sort(() => { for (;;); })",
        "eval('for (;;);')",
        "new Function('for (;;);')()",
        "for (const x of {[Symbol.iterator]: () => ({next() { for (;;); }})});",
        "class A { static { for (;;); } }",
        "return {toJSON() { for (;;); }}",
        "return {get x() { for (;;); }}",
        "throw {get message() { for (;;); }, get [Symbol.toStringTag]() { for (;;); }}",
        "throw Object.defineProperty(new Error('x'), 'message', {get() { for (;;); }})",
        "await tools.call('x', {get a() { for (;;); }})",
        "console.log({get [Symbol.toStringTag]() { for (;;); }})",
    ] {
        ends_soon(body, 20);
    }
}

/// CM-01, B112: native operations that look at the stop.
#[test]
fn native_operations_that_yield_end_at_the_stop() {
    for body in [
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "Array(1e5).fill(0).sort(() => Math.random() - .5); for (;;);",
        "for (;;) 'abc'.repeat(1000).replace(/b/g, () => 'x')",
        "for (;;) JSON.parse('[1,2,3]', (k, v) => v)",
        "Array.from({length: 1e9}, (_, i) => 0)",
    ] {
        ends_soon(body, 20);
    }
}

/// CM-01, B110, Q1, Q3, Q4, Q5: promises that swallow a stop, and promises that wait.
#[test]
fn promise_machinery_cannot_swallow_a_stop() {
    for body in [
        "while (true) { await Promise.resolve() }",
        "await null; for (;;);",
        "(async () => { while (true) { await null } })(); for (;;);",
        "new Promise(() => { while (1) {} })",
        "new Promise(() => new Promise(() => { while (1) {} }))",
        "async function loop() { for (;;) await null } for (;;) await loop().catch(() => {})",
        "async function loop() { for (;;); } for (;;) await loop().catch(() => {})",
        "const again = () => Promise.resolve().then(() => { for (;;); }).catch(again).finally(again); await again()",
        "const f = () => queueMicrotask(f); f(); await new Promise(() => {})",
        "const f = () => Promise.resolve().then(f).then(f); f(); await new Promise(() => {})",
        "await {then() { for (;;); }}",
        "await {then(ok) { ok({then(ok) { for (;;); }}) }}",
        "await tools.call('slow', {})",
        "try { await tools.call('slow', {}) } finally { for (;;); }",
        "await Promise.race([tools.slow(), new Promise(() => {})])",
        "for (;;) await tools.echo().catch(() => {})",
        "tools.echo().then(() => { for (;;); }); await tools.slow()",
        "tools.slow(); return 1",
        "for await (const x of (async function* () { for (;;) yield 1 })());",
        "await Promise.all(Array.from({length: 100}, async () => { for (;;) await null }))",
    ] {
        ends_soon(body, 20);
    }
}

/// B110: the same two hundred times, with a stop at any moment.
#[test]
fn a_promise_loop_ends_two_hundred_times() {
    for round in 0..200 {
        let body = if round % 2 == 0 {
            "while (true) { await Promise.resolve() }"
        } else {
            "await null; (async () => { while (true) { await null } })(); for (;;);"
        };
        let ran = program(body).stopped_after(round % 7).run();
        assert_eq!(ran.fault().class, "stopped");
    }
}

/// Q4: once the flag is set, nothing of the program runs, not even its `finally`.
#[test]
fn nothing_runs_after_the_stop() {
    for body in [
        "try { for (;;); } finally { console.log('ran'); tools.call('late', {}) }",
        "try { await new Promise(() => { for (;;); }) } catch { console.log('ran') } finally { await tools.late() }",
        "Promise.resolve().then(() => { for (;;); }).finally(() => tools.late()); await tools.slow()",
    ] {
        let ran = program(body).when(|_| Vec::new()).stopped_after(20).run();
        assert_eq!(ran.fault().class, "stopped");
        assert!(
            ran.logs.is_empty() && ran.calls.iter().all(|call| call.name == "slow"),
            "{body}: {ran:?}"
        );
    }
}

/// A heap at its limit does not hold up the end.
#[test]
fn a_full_heap_ends_soon() {
    ends_soon(
        "const a = []; try { for (;;) a.push({}) } catch {} a.length = a.length >> 1; for (;;);",
        300,
    );
}
