//! When a program has ended, and what it left behind (`[CODE-12]`, `[CODE-15]`, B116, CM-10, Q5).

use std::time::Duration;

use super::world::{check, check_fault, echo, ended, program};

/// B116: calls that were not awaited run to their end before the result; their failures are told.
#[test]
fn calls_that_were_not_awaited_are_drained() {
    let ran = program("['a', 'nope'].forEach(async (p) => { await tools.call('read', {path: p}) }); return 'done'")
        .answering(|call| if call.arguments.contains("nope") { ended("failed", "no such file") } else { echo(call) })
        .run();
    assert_eq!((ran.value(), ran.calls.len()), (r#""done""#, 2));
    let notes = ran.notes();
    assert!(notes.contains("2 calls (read, read) had not ended when the program did"), "{notes}");
    assert!(
        notes.contains(
            r#"a call was not awaited, and the call of "read" failed: no such file (line 1)"#
        ),
        "{notes}"
    );
    assert_eq!(ran.outcome.notes.len(), 2, "{notes}");

    // What they go on to do runs too, and what they leave in the returned value is in it.
    let ran = program("const out = []; [1, 2].forEach(async (n) => { await tools.a({n}); out.push((await tools.b({n})).content.n) }); return out").run();
    assert_eq!((ran.value(), ran.calls.len()), ("[1,2]", 4));
    assert_eq!(check("await tools.a(); return 1", "1"), "");
}

/// B116: a rejection that nothing caught is told, whatever it was.
#[test]
fn a_lost_rejection_is_told() {
    for (body, note) in [
        (
            "Promise.reject(new Error('lost')); return 1",
            "a promise was rejected (line 1) and nothing caught it: Error: lost",
        ),
        ("(async () => { throw 7 })(); return 1", "nothing caught it: the program threw 7"),
        ("queueMicrotask(() => { Promise.reject(new Error('late')) }); return 1", "Error: late"),
        ("Promise.all([tools.bad('no object')]); return 1", "as in tools.call"),
    ] {
        let notes = check(body, "1");
        assert!(notes.contains(note) && notes.lines().count() == 1, "{body}\n{notes}");
    }
    for body in [
        "Promise.reject(1).catch(() => 0); return 1",
        "const p = Promise.reject(1); await null; p.catch(() => 0); return 1",
        "try { await Promise.reject(1) } catch {} return 1",
        "await Promise.allSettled([Promise.reject(1)]); return 1",
    ] {
        assert_eq!(check(body, "1"), "", "{body}");
    }
    let notes = check("for (let i = 0; i < 1000; i++) Promise.reject(i); return 1", "1");
    assert!(notes.contains("992 more promises were rejected"), "{notes}");
    // A program that threw is told once.
    let ran = program("const p = Promise.reject(new Error('one')); await p").run();
    assert_eq!((ran.fault().message.as_str(), ran.notes().as_str()), ("Error: one", ""));
}

/// CM-10: a program that threw starts nothing more; what runs is waited for, what waits is not sent.
#[test]
fn a_program_that_threw_starts_nothing_more() {
    let mut held = Vec::new();
    let ran = program(
        "for (let i = 0; i < 100; i++) tools.slow({i}).then(() => tools.more());
         await tools.last().catch(() => 0); throw new Error('over')",
    )
    .limited(|limits| limits.calls_in_flight = 101)
    .when(move |call| {
        if call.name == "last" {
            return vec![(call.id, ended("failed", "no"))]
                .into_iter()
                .chain(held.drain(..))
                .collect();
        }
        if call.name == "slow" {
            held.push((call.id, echo(call)));
            return Vec::new();
        }
        vec![(call.id, echo(call))]
    })
    .run();
    assert_eq!(ran.fault().message, "Error: over");
    assert!(ran.calls.len() <= 101 + 64, "{}", ran.calls.len());
    assert!(!ran.notes().contains("the program has ended"), "{}", ran.notes());

    let ran =
        program("for (let i = 0; i < 100; i++) tools.slow({i}); throw new Error('over')").run();
    assert_eq!((ran.fault().message.as_str(), ran.calls.len()), ("Error: over", 32));
}

/// Q5: waiting for nothing is told at once.
#[test]
fn a_promise_that_nothing_settles_is_told_at_once() {
    for body in [
        "await new Promise(() => {})",
        "await tools.a(); await new Promise(() => {})",
        "await {then() {}}",
    ] {
        check_fault(body, "never_settles", "nothing will settle");
        assert!(program(body).run().took < Duration::from_secs(1));
    }
}

/// `[CODE-15]`: what a program left behind cannot keep it from ending.
#[test]
fn an_endless_rest_does_not_keep_a_program_from_ending() {
    assert_eq!(check("(async () => { for (;;) await null })(); return 1", "1"), "");
    let ran = program("(async () => { for (;;) await tools.a() })(); return 1").run();
    assert_eq!((ran.value(), ran.calls.len()), ("1", 1000));
    assert!(ran.notes().contains("at most 1000 calls"), "{}", ran.notes());
}

/// A getter of the returned value cannot begin a call, for no one would wait for it.
#[test]
fn no_call_begins_while_the_value_is_read() {
    let ran = program("return {get x() { tools.a(); return 1 }}").run();
    assert_eq!((ran.value(), ran.calls.len()), (r#"{"x":1}"#, 0));
}

/// `[CODE-11]`: a stop says what was open, and where the program was.
#[test]
fn a_stop_says_what_was_open() {
    for (body, asks, says) in [
        ("await tools.slow()", 1, "stopped with 1 call (slow) open"),
        (
            "await Promise.all([1, 2, 3, 4, 5].map((n) => tools.slow({n})))",
            5,
            "5 calls (slow, slow, slow, slow, …)",
        ),
        ("console.log(1); for (;;);", 1, "while it ran"),
    ] {
        let ran = program(body)
            .when(|call| if call.name == "ok" { vec![(call.id, echo(call))] } else { Vec::new() })
            .stopped_at_ask(asks)
            .run();
        assert_eq!(ran.fault().class, "stopped");
        assert!(ran.fault().message.contains(says), "{:?}", ran.fault());
    }
    let ran = program("const a = 1;\n  for (;;) console.log(a)").stopped_at_ask(1).run();
    assert_eq!(ran.fault().line, 2);
    let ran = program("await null;\n\nfor (;;) console.log(1)").stopped_at_ask(1).run();
    assert_eq!(ran.fault().line, 3);
}
