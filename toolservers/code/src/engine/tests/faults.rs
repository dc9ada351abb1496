//! What a program threw (`[CODE-11]`, `[CODE-19]`, B113, B122).

use super::world::{check, check_fault, ended, program};
use crate::engine::runtimes_left_behind;

/// B122: each is a fault, and says what was thrown.
#[test]
fn a_program_that_threw_says_what() {
    for (body, says) in [
        ("throw new Error('boom')", "Error: boom"),
        ("throw new RangeError('far')", "RangeError: far"),
        ("throw new Error('')", "Error"),
        (
            "await Promise.any([Promise.reject(new Error('a')), Promise.reject(1)])",
            "AggregateError: [Error: a, 1]",
        ),
        ("await Promise.reject(new Error('later'))", "Error: later"),
        ("throw undefined", "the program threw undefined, which is no Error"),
        ("throw null", "the program threw null"),
        ("throw {a: 1}", "the program threw {a: 1}"),
        ("throw 'text'", "the program threw text"),
        ("throw Symbol('x')", "the program threw Symbol(x)"),
        (
            "throw {get message() { throw 1 }, toString() { throw 2 }}",
            "the program threw {message: [getter], toString: [function]}",
        ),
        ("throw Object.assign(new Error('x'), {message: {}})", "Error"),
        ("throw Object.defineProperty(new Error('x'), 'message', {get() { throw 1 }})", "Error"),
        ("throw Object.defineProperty(new Error('x'), 'stack', {get() { throw 1 }})", "Error: x"),
        ("throw new Proxy(new Error('x'), {get() { throw 1 }})", "the program threw"),
        ("throw new Error('\\ud800')", "Error: \u{fffd}"),
    ] {
        check_fault(body, "threw", says);
    }
    let ran = program("throw new Error('é'.repeat(1e6))").run();
    assert!(ran.fault().message.len() <= 4096 && ran.fault().message.ends_with('…'));
}

/// `[CODE-11]`: line and column are those of the model's own text.
#[test]
fn a_fault_has_its_place_in_the_models_text() {
    for (body, line, column) in [
        ("throw new Error('x')", 1, 11),
        ("const a = 1;\n  nope()", 2, 3),
        ("await null;\n\nundefined.x", 3, 1),
        ("/* é中😀 */ nope()", 1, 11),
        ("const f = () => {\n  throw new Error('in f') };\n[1].map(f)", 2, 13),
        ("await tools.echo({});\n  await tools.bad({})", 2, 15),
        ("const p = tools.bad();\nawait p", 1, 17),
        ("await tools.read('x')", 1, 13),
        ("const r = await tools.echo();\nreturn r.stdout", 2, 8),
        ("JSON.parse('{')", 1, 6),
        ("eval('1;\\n2;\\nnope')", 1, 1),
        ("throw 1", 0, 0),
    ] {
        let ran = program(body)
            .answering(|call| {
                if call.name == "bad" { ended("failed", "no") } else { super::world::echo(call) }
            })
            .run();
        let fault = ran.fault();
        assert_eq!((fault.line, fault.column), (line, column), "{body}\n{fault:?}");
    }
}

/// A stack is a text like any other: one that a program made up names no place outside its own text.
#[test]
fn a_made_up_stack_names_no_place_outside_the_text() {
    for stack in [
        "at f (program.js:9999:1)",
        "at f (program.js:1:1)",
        "program.js:2:99999999999999999999",
        "program.js",
        "\\ud800",
    ] {
        let ran = program(&format!("const e = new Error('x'); e.stack = '{stack}'; throw e")).run();
        assert_eq!(ran.fault().message, "Error: x");
        assert!(ran.fault().line <= 1, "{:?}", ran.fault());
    }
}

/// `[CODE-19]`: an unknown name says what there is instead.
#[test]
fn an_unknown_name_says_what_there_is() {
    for (body, says) in [
        (
            "nope()",
            "nope is not defined; the globals are tools, console and the language's own, and a tool is called as tools.NAME({…})",
        ),
        ("await read({path: 'a'})", "tools.NAME({…})"),
        ("const fs = require('fs')", "modules are not available"),
        ("process.exit(1)", "no process"),
        ("await fetch('x')", "there is no network"),
        ("setTimeout(() => { throw 1 }, 0)", "there are no timers"),
        ("fs.readFileSync('x')", "files are read and written by tools"),
        ("Buffer.from('x')", "bytes are Uint8Array"),
        ("window.x", "no browser"),
        ("structuredClone({})", "JSON.parse"),
        ("new URL('https://a')", "encodeURIComponent"),
        ("await import('fs')", "imports are not available"),
    ] {
        check_fault(body, "threw", says);
    }
}

/// A call that nobody caught is told as the call it was.
#[test]
fn a_failed_call_is_told_as_one() {
    for (code, says) in [
        ("failed", r#"the call of "read" failed: no such file"#),
        ("refused", r#"the call of "read" was refused: no such file"#),
        ("denied", r#"the call of "read" was denied: no such file"#),
    ] {
        let ran = program("await tools.read({path: 'a'})")
            .answering(move |_| ended(code, "no such file"))
            .run();
        assert_eq!((ran.fault().class, ran.fault().message.as_str()), ("threw", says));
    }
}

/// B113, CM-03: memory ends the program, not the process.
#[test]
fn out_of_memory_is_a_fault_of_its_own() {
    for body in [
        "let a = []; for (;;) a.push(new Array(1000).fill({}))",
        "globalThis.a = []; for (;;) a.push({})",
        "globalThis.a = []; await null; for (;;) a.push('x' + a.length)",
        "const a = []; try { for (;;) a.push({}) } catch { for (;;) a.push({x: 1}) }",
        "const a = []; for (;;) { try { a.push(new Array(1e6).fill(a.length)) } catch (e) { a.push(e); throw e } }",
        "globalThis.a = []; for (let i = 0; i < 5; i++) (async () => { for (;;) { a.push({}); if (a.length % 1000 == 0) await null } })(); await new Promise(() => {})",
        "const s = 'x'.repeat(2 ** 29)",
        "let s = 'x'; while (s.length < 4e8) s += s; s.indexOf('y')",
        "const a = new Uint8Array(5e7).fill(1).sort(); const b = new Uint8Array(5e7); return [a[0], b[0]]",
    ] {
        check_fault(body, "memory", "more than its memory of 65536 KiB");
    }
    check_fault("new ArrayBuffer(2 ** 40)", "threw", "RangeError");
    check_fault("let s = 'x'; for (;;) s += s", "threw", "string too long");
    check(
        "try { const a = []; for (;;) a.push({}) } catch (e) { return e.message }",
        r#""out of memory""#,
    );
}

/// Q6: wherever memory runs out, in the start, in the program, or where its value is read, the process and
/// the next program live, and the channel to the world is closed.
#[test]
fn memory_that_runs_out_anywhere_harms_nothing_else() {
    for body in [
        "const a = []; for (;;) a.push({})",
        "const a = []; try { for (;;) a.push({}) } catch {} return a",
        "globalThis.a = []; for (;;) { console.log(a); a.push(new Map([[1, a.length]])) }",
    ] {
        for kib in (1..1200).step_by(13) {
            let ran = program(body).limited(|limits| limits.memory_bytes = kib * 1024).run();
            let class = ran.outcome.ended.as_ref().map_err(|fault| fault.class);
            assert!(matches!(class, Ok(_) | Err("memory")), "{kib}: {:?}", ran.outcome);
        }
    }
    assert!(runtimes_left_behind() > 0);
    check("return 1", "1");
}

/// Q7: recursion ends in an error that a program can catch.
#[test]
fn deep_recursion_is_a_fault_of_its_own() {
    for body in [
        "function f() { f() } f()",
        "async function f() { await f() } await f()",
        "const o = {get x() { return this.x }}; o.x",
        "let o = []; for (let i = 0; i < 1e5; i++) o = [o]; JSON.stringify(o)",
        "JSON.parse('['.repeat(1e6))",
    ] {
        check_fault(body, "stack", "deeper than its stack of 1024 KiB");
    }
    check("function f() { f() } try { f() } catch (e) { return e.name }", r#""RangeError""#);
}

/// A script that the engine does not take is a fault with its place.
#[test]
fn a_script_that_does_not_parse_is_a_fault() {
    let ran = program("const a = 1;\nlet = ;").run();
    assert_eq!((ran.fault().class, ran.fault().line), ("threw", 2));
    assert!(ran.fault().message.starts_with("SyntaxError: "), "{:?}", ran.fault());
}
