//! What a program can reach (`[CODE-02]`, CM-07, Q9).

use super::world::{check, check_fault, program};

/// CM-07: the globals, exactly.
#[test]
fn the_globals_are_these() {
    let ran = program(
        "return [...Object.getOwnPropertyNames(globalThis), ...Object.getOwnPropertySymbols(globalThis).map(String)].sort().join(' ')",
    )
    .run();
    assert_eq!(
        ran.value().trim_matches('"'),
        "AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean \
         DOMException DataView Date DisposableStack Error EvalError Float16Array Float32Array Float64Array \
         Function Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN Number \
         Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol \
         Symbol(Symbol.toStringTag) SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array \
         Uint8ClampedArray WeakMap WeakSet atob btoa console decodeURI decodeURIComponent encodeURI \
         encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt performance \
         queueMicrotask tools undefined unescape"
    );
}

/// CM-07: no loader, no timers, nothing of a host; `eval` is the language's own and reaches no further.
#[test]
fn nothing_of_a_host_is_there() {
    for name in [
        "require",
        "process",
        "fetch",
        "setTimeout",
        "setInterval",
        "std",
        "os",
        "bjson",
        "scriptArgs",
        "print",
        "load",
        "WebAssembly",
        "Worker",
        "gc",
        "navigator",
        "Deno",
        "Buffer",
        "host",
        "settle",
    ] {
        check(
            &format!(
                "return [typeof {name}, name(() => {name})]; function name(f) {{ try {{ return f() }} catch (e) {{ return e.name }} }}"
            ),
            r#"["undefined","ReferenceError"]"#,
        );
        check(
            &format!("return [(0, eval)('typeof {name}'), Function('return typeof {name}')()]"),
            r#"["undefined","undefined"]"#,
        );
    }
    check_fault("await import('std')", "threw", "imports are not available");
    check_fault("await (0, eval)(\"import('os')\")", "threw", "imports are not available");
}

/// CM-07: no function of the prelude or the host comes out by a stack, a caller or a constructor.
#[test]
fn the_host_cannot_be_reached_through_a_stack() {
    check(
        "Error.prepareStackTrace = (_, frames) => frames; const e = new Error('x');
         const inside = {}; await tools.echo({get a() { inside.stack = new Error('y').stack; return 1 }});
         let caller; try { caller = tools.call.caller } catch (e) { caller = e.name }
         return [typeof e.stack, typeof inside.stack, caller ?? 'none', Object.getOwnPropertyNames(tools.call).sort()]",
        r#"["string","string","TypeError",["length","name","prototype"]]"#,
    );
    check(
        "return [tools.call.constructor === Function, typeof tools.call.constructor('return globalThis.host')()]",
        r#"[true,"undefined"]"#,
    );
}

/// Q9: neither `tools` nor `console` can be replaced, and neither can what is in them.
#[test]
fn tools_and_console_are_fixed() {
    for (body, value) in [
        ("tools = 1; console = 1; return [typeof tools, typeof console]", r#"["object","object"]"#),
        (
            "tools.call = console.log = 1; return [typeof tools.call, typeof console.log]",
            r#"["function","function"]"#,
        ),
        ("delete globalThis.tools; return typeof tools", r#""object""#),
        (
            "return [Object.isFrozen(tools), Object.isFrozen(console), Object.keys(tools)]",
            r#"[true,true,["call","search"]]"#,
        ),
        ("return Object.getPrototypeOf(tools)", "null"),
        (
            "try { Object.defineProperty(globalThis, 'tools', {value: 1}); return 1 } catch (e) { return e.name }",
            r#""TypeError""#,
        ),
        (
            "try { Object.defineProperty(tools, 'call', {value: 1}); return 1 } catch (e) { return e.name }",
            r#""TypeError""#,
        ),
        (
            "'use strict'; try { tools.read = 1; return 1 } catch (e) { return e.name }",
            r#""TypeError""#,
        ),
        ("globalThis.tools = 1; var tools; return [typeof globalThis.tools]", r#"["object"]"#),
    ] {
        check(body, value);
    }
}

/// `[CODE-02]`: a program that looks at `tools` as at any object makes no call.
#[test]
fn looking_at_tools_calls_nothing() {
    let ran = program("console.log(tools); const t = await tools; return [`${t}`, t === tools, typeof tools.toJSON, String(tools[Symbol.iterator])]").run();
    assert_eq!(ran.value(), r#"["[object Object]",true,"undefined","undefined"]"#);
    assert_eq!(ran.calls, []);
    assert_eq!(ran.logs[0].1, "{call: [function], search: [function]}");
}

/// What is kept of the language works.
#[test]
fn the_language_is_there() {
    check(
        "const n = Math.random(), now = Date.now(); undeclared = 3; await null; queueMicrotask(() => 1);
         return [n >= 0 && n < 1, now > 1e12, undeclared, [3, 1, 2].toSorted(), Object.groupBy([1, 2], (x) => x % 2 ? 'odd' : 'even'),
                 'a-b'.replaceAll('-', '+'), [1, [2]].flat(), btoa('x'), new Set([1]).union(new Set([2])).size, (x => x?.y ?? 'z')(null)]",
        r#"[true,true,3,[1,2,3],{"odd":[1],"even":[2]},"a+b",[1,2],"eA==",2,"z"]"#,
    );
}
