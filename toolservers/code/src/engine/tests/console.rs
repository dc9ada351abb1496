//! The log (`[CODE-02]`, `[CODE-15]`).

use super::world::program;

#[track_caller]
fn logged(body: &str, lines: &[(&str, &str)]) {
    let ran = program(body).run();
    let logs: Vec<_> = ran.logs.iter().map(|(level, text)| (*level, text.as_str())).collect();
    assert_eq!(logs, lines, "{:?}", ran.outcome);
}

/// `[CODE-02]`: every level, in order.
#[test]
fn every_level_is_written() {
    logged(
        "console.log('a'); console.info('b'); console.warn('c'); console.error('d'); console.debug('e'); console.table(1)",
        &[("log", "a"), ("info", "b"), ("warn", "c"), ("error", "d"), ("debug", "e"), ("log", "1")],
    );
}

/// Texts are plain, values are compact.
#[test]
fn values_are_shown_as_a_user_expects() {
    for (arguments, line) in [
        ("", ""),
        ("'a', 1, true, null, undefined, 5n, Symbol('s')", "a 1 true null undefined 5n Symbol(s)"),
        ("{a: 1, 'b c': ['x', [2]], f() {}}", r#"{a: 1, "b c": ["x", [2]], f: [function]}"#),
        (
            "new Map([['a', {b: 1}]]), new Set([1, 'x'])",
            r#"Map(1) {"a" => {b: 1}} Set(2) {1, "x"}"#,
        ),
        (
            "new Date(0), /x/g, new Error('bad'), new Date(NaN)",
            "1970-01-01T00:00:00.000Z /x/g Error: bad Invalid Date",
        ),
        (
            "[new TypeError('no')], new Uint8Array([1, 2]), new Uint8Array([3]).buffer",
            "[TypeError: no] Uint8Array [1, 2] ArrayBuffer Uint8Array [3]",
        ),
        (
            "Promise.resolve(1), [].values(), new WeakMap(), {get x() { throw 1 }}",
            "Promise (not awaited) [iterator] WeakMap {x: [getter]}",
        ),
        ("(() => { const o = {}; o.o = [o]; return o })()", "{o: [[circular]]}"),
        ("[[[[[[[1]]]]]]]", "[[[[[[[…]]]]]]]"),
        ("'%s has %d of %j, 100%', 'x', 2, {a: 1}, 'rest'", "x has 2 of {a: 1}, 100% rest"),
        ("'50% of %d%%', 4", "50% of 4%"),
        ("'%s'", "%s"),
        ("'\\ud800'", "\u{fffd}"),
        ("new Proxy({}, {ownKeys() { throw 1 }})", "[a value that cannot be shown]"),
        ("Array(150).fill(7)", &format!("[{}… 50 more]", "7, ".repeat(100))),
    ] {
        logged(&format!("console.log({arguments})"), &[("log", line)]);
    }
}

/// `[CODE-15]`: a log has a size; what does not fit is cut or dropped, and counted.
#[test]
fn a_log_is_bounded() {
    let ran = program("for (let i = 0; i < 1e5; i++) console.log('line ' + i)").run();
    let bytes: usize = ran.logs.iter().map(|(_, text)| text.len() + 1).sum();
    assert!(bytes <= 64 * 1024 && bytes > 63 * 1024, "{bytes}");
    assert!(
        ran.notes().contains("from the log: a program logs at most 65536 bytes"),
        "{}",
        ran.notes()
    );

    let ran = program("console.log('é'.repeat(1e6)); console.log(2); console.log(3)").run();
    assert_eq!(ran.logs.len(), 1);
    assert!(ran.notes().contains("3 lines were cut or dropped"), "{}", ran.notes());

    // A value of a million fields is shown in part.
    let ran = program("const o = {}; for (let i = 0; i < 1e5; i++) o['k' + i] = 'x'.repeat(9); console.log(o, [o, o])").run();
    assert!(ran.logs[0].1.len() < 9000 && ran.logs[0].1.contains("99900 more"), "{:?}", ran.logs);

    let ran = program("for (;;) console.log('')").stopped_at_ask(64 * 1024).run();
    assert_eq!((ran.fault().class, ran.logs.len()), ("stopped", 64 * 1024));
}
