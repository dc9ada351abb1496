//! What a program returned, as JSON (`[CODE-12]`, CM-13, B115, Q8).

use super::world::{check, check_fault, program};

/// `[CODE-12]`: JSON itself is given as it is.
#[test]
fn json_is_given_compact_and_unchanged() {
    for (body, value) in [
        ("return 1", "1"),
        ("return null", "null"),
        ("return 'é中😀\\u0000'", r#""é中😀\u0000""#),
        ("return {b: [1, 2.5, -0, 1e21], a: true}", r#"{"b":[1,2.5,0,1e+21],"a":true}"#),
        ("return {['__proto__']: 1, constructor: 2}", r#"{"__proto__":1,"constructor":2}"#),
        ("return JSON.parse('{\"__proto__\": {\"x\": 1}}')", r#"{"__proto__":{"x":1}}"#),
        ("return Object.create(null)", "{}"),
        ("return [new String('s'), new Number(1), new Boolean(false)]", r#"["s",1,false]"#),
        ("return {toJSON() { return [1] }}", "[1]"),
        ("const o = {x: 1}; return [o, o]", r#"[{"x":1},{"x":1}]"#),
    ] {
        assert_eq!(check(body, value), "", "{body}");
    }
}

/// `[CODE-12]`: what is not JSON becomes what a user expects.
#[test]
fn collections_dates_and_bytes_are_given_as_a_user_would_expect() {
    for (body, value) in [
        ("return new Map([['a', 1], [{k: 1}, new Set([2])]])", r#"[["a",1],[{"k":1},[2]]]"#),
        ("return {s: new Set(['x', 'y'])}", r#"{"s":["x","y"]}"#),
        ("return [new Date(0)]", r#"["1970-01-01T00:00:00.000Z"]"#),
        ("return new Uint8Array([1, 2, 255])", "[1,2,255]"),
        ("return new Float64Array([0.5])", "[0.5]"),
        ("return new Uint8Array([7, 8]).buffer", "[7,8]"),
        ("return new DataView(new Uint8Array([7, 8, 9]).buffer, 1)", "[8,9]"),
        ("return {e: new TypeError('bad')}", r#"{"e":{"name":"TypeError","message":"bad"}}"#),
        ("return /a+/gi", r#""/a+/gi""#),
        (
            "class Point { constructor() { this.x = 1 } get y() { return 2 } } return new Point()",
            r#"{"x":1}"#,
        ),
    ] {
        assert_eq!(check(body, value), "", "{body}");
    }
}

/// `[CODE-12]`: what changes on the way is told, once for each kind, with its path.
#[test]
fn what_json_cannot_hold_is_told() {
    for (body, value, note) in [
        ("1 + 1", "null", "returned nothing"),
        ("return undefined", "null", "`return value`"),
        (
            "return {a: {b: undefined}, c: undefined}",
            r#"{"a":{}}"#,
            "`a.b` of the returned value is undefined and was left out",
        ),
        (
            "return [1, undefined, undefined]",
            "[1,null,null]",
            "`[1]` of the returned value is undefined and became null",
        ),
        (
            "return {n: 12345678901234567890n}",
            r#"{"n":"12345678901234567890"}"#,
            "`n` of the returned value is a BigInt",
        ),
        (
            "return ['\\ud800x']",
            "[\"\u{fffd}x\"]",
            "`[0]` of the returned value held half of a character",
        ),
        ("return Object(5n)", r#""5""#, "the returned value is a BigInt"),
        ("return [NaN, Infinity]", "[null,null]", "`[0]` of the returned value is NaN"),
        (
            "return {'a key': [-Infinity]}",
            r#"{"a key":[null]}"#,
            r#"`["a key"][0]` of the returned value is -Infinity"#,
        ),
        (
            "return {d: new Date(NaN)}",
            r#"{"d":null}"#,
            "`d` of the returned value is an invalid date",
        ),
        ("return new Date(NaN)", "null", "the returned value is an invalid date"),
        ("return new BigInt64Array([1n])", r#"["1"]"#, "BigInt"),
    ] {
        let notes = check(body, value);
        assert!(notes.contains(note) && notes.lines().count() == 1, "{body}\n{notes}");
    }
}

/// `[CODE-12]`: what has no sensible form is refused, by its path.
#[test]
fn cycles_functions_and_symbols_are_refused_by_path() {
    for (body, says) in [
        ("return () => 1", "the returned value is a function"),
        ("return {a: [{f() {}}]}", "`a[0].f` of the returned value is a function"),
        ("return {s: Symbol('x')}", "`s` of the returned value is a symbol"),
        ("const o = {x: {}}; o.x.back = o; return o", "`x.back` of the returned value refers back"),
        (
            "const m = new Map(); m.set('m', m); return {m}",
            "`m[0][1]` of the returned value refers back",
        ),
        ("const a = []; a[0] = a; return a", "`[0]` of the returned value refers back"),
        ("return new Map([[1, 2]]).values()", "is an iterator"),
        ("return (function* () {})()", "is an iterator"),
        ("return {w: new WeakMap()}", "`w` of the returned value is a WeakMap"),
        ("return {t: tools.read}", "`t` of the returned value is a function"),
        ("let o = 1; for (let i = 0; i < 65; i++) o = [o]; return o", "deeper than 64 levels"),
        ("let o = 1; for (let i = 0; i < 1e5; i++) o = {o}; return o", "deeper than 64 levels"),
        ("return {toJSON() { return {again: this} }}", "deeper than 64 levels"),
    ] {
        check_fault(body, "value", says);
    }
    check("let o = 1; for (let i = 0; i < 64; i++) o = [o]; return o.flat(63)", "[1]");
}

/// B115: a promise at the top is awaited; one inside is named with what helps.
#[test]
fn a_forgotten_await_is_named_by_its_path() {
    let got = r#"{"content":{"path":"a"},"metadata":{"n":0},"truncated":null}"#;
    assert_eq!(check("return tools.call('read', {path: 'a'})", got), "");
    for (body, path) in [
        ("return [tools.call('read', {}), tools.call('read', {})]", "`[0]`"),
        ("return {r: tools.call('read', {})}", "`r`"),
        ("return {a: {b: Promise.resolve(1)}}", "`a.b`"),
        ("return [1, 2].map(async (x) => x)", "`[0]`"),
    ] {
        check_fault(body, "not_awaited", path);
        check_fault(body, "not_awaited", "await");
    }
    check_fault(
        "await tools.call('write', {text: tools.call('read')})",
        "threw",
        "`text` of the argument",
    );
}

/// CM-13: what is too large is refused or meets the limit of memory; both end soon.
#[test]
fn a_large_value_is_bounded() {
    let ran =
        program("return 'x'.repeat(2000)").limited(|limits| limits.value_bytes_max = 1000).run();
    assert_eq!(ran.fault().class, "value");
    assert!(ran.fault().message.contains("more than 1000 bytes"), "{:?}", ran.fault());
    let ran =
        program("return 'é'.repeat(900)").limited(|limits| limits.value_bytes_max = 1000).run();
    assert!(ran.fault().message.contains("1802 bytes"), "{:?}", ran.fault());

    check_fault("return 'x'.repeat(2 ** 29)", "memory", "memory of 65536 KiB");
    check_fault("let s = 'x'; while (s.length < 5e8) s += s; return s", "memory", "memory");
    let ran = program("const o = {}; for (let i = 0; i < 1e5; i++) o['k' + i] = i; return o").run();
    assert_eq!(ran.value().len(), 1_477_781);
}

/// CM-04: a value is read once, whatever it is.
#[test]
fn getters_and_proxies_are_read_once() {
    check("let n = 0; const o = {get x() { return ++n }}; return o", r#"{"x":1}"#);
    check(
        "let n = 0; return new Proxy({a: 0}, {get: (t, k) => k === 'a' ? ++n : undefined})",
        r#"{"a":1}"#,
    );
    check_fault("return {get x() { throw new Error('no') }}", "threw", "Error: no");
}
