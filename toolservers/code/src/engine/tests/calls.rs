//! Calls and their results (`[CODE-02]`, `[CODE-03]`, `[CODE-09]`, `[CODE-19]`, CM-04, CM-08, CM-09, Q8, Q10).

use super::world::{check, check_fault, echo, ended, ok, program, text};

/// `[CODE-02]`: three forms, one surface.
#[test]
fn every_form_of_a_call_asks_for_the_same() {
    let ran = program(
        "await tools.call('read', {path: 'a'}); await tools.read({path: 'b'}); await tools.mcp_fs_read();
         await tools['odd name']({}); await tools.search('x', {format: 'types'}); await tools.search({query: 'y'});
         const {read} = tools; await read({path: 'c'}); return (await Promise.all([{path: 'd'}].map(tools.read))).length",
    )
    .run();
    assert_eq!(ran.value(), "1");
    let asked: Vec<_> =
        ran.calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
    assert_eq!(
        asked,
        [
            r#"read {"path":"a"}"#,
            r#"read {"path":"b"}"#,
            "mcp_fs_read {}",
            "odd name {}",
            r#"tool_search {"format":"types","query":"x"}"#,
            r#"tool_search {"query":"y"}"#,
            r#"read {"path":"c"}"#,
            r#"read {"path":"d"}"#,
        ]
    );
}

/// `[CODE-09]`: a result has one shape, and a failed call throws with it.
#[test]
fn a_call_gives_its_result_or_throws() {
    check(
        "const r = await tools.echo({a: [1]}); return [r.content, r.metadata, r.truncated, Object.keys(r)]",
        r#"[{"a":[1]},{"n":0},null,["content","metadata","truncated"]]"#,
    );
    for code in ["failed", "refused", "denied"] {
        let ran = program(
            "try { await tools.call('read', {}) } catch (e) {
               return [e instanceof Error, e.code, e.tool, e.message, e.result && e.result.content, e.name] }",
        )
        .answering(move |_| {
            let mut answer = ended(code, "it is gone");
            if code == "failed" {
                answer.result = br#"{"content":"part","metadata":{},"truncated":null}"#.to_vec();
            }
            answer
        })
        .run();
        let part = if code == "failed" { r#""part""# } else { "null" };
        assert_eq!(ran.value(), format!(r#"[true,"{code}","read","it is gone",{part},"Error"]"#));
    }
}

/// `[CODE-03]`: calls run side by side, answers come in any order, the first rejection wins at once.
#[test]
fn promise_all_keeps_its_meaning() {
    let mut held = Vec::new();
    let ran = program("const rs = await Promise.all([3, 2, 1].map((n) => tools.echo({n}))); return rs.map((r) => r.content.n)")
        .when(move |call| {
            held.push((call.id, echo(call)));
            if held.len() == 3 { held.drain(..).rev().collect() } else { Vec::new() }
        })
        .run();
    assert_eq!(ran.value(), "[3,2,1]");

    // The second call fails while the first is open; the first is answered only when the program goes on.
    let ran = program(
        "let first; try { await Promise.all([tools.slow().then(() => { first = 1 }), tools.bad()]) }
         catch (e) { await tools.next(); return [e.message, first ?? 'open'] }",
    )
    .when(|call| match call.name.as_str() {
        "bad" => vec![(call.id, ended("failed", "no"))],
        "next" => vec![(call.id, text("")), (0, text(""))],
        _ => Vec::new(),
    })
    .run();
    assert_eq!(ran.value(), r#"["no","open"]"#);
    assert_eq!(ran.calls.len(), 3);
}

/// CM-09, Q10: as many calls as are allowed go, a few at a time and in order; the others are told the number.
#[test]
fn ten_thousand_calls_are_bounded() {
    let mut open = 0_usize;
    let mut most = 0;
    let ran = program(
        "const rs = await Promise.allSettled(Array.from({length: 10000}, (_, i) => tools.echo({i})));
         const bad = rs.filter((r) => r.status === 'rejected').map((r) => r.reason);
         return [rs.filter((r) => r.value?.content.i >= 0).length, bad.length, bad[0].code, bad[0].message]",
    )
    .when({
        let mut held = Vec::new();
        move |call| {
            held.push((call.id, echo(call)));
            open += 1;
            most = most.max(open);
            assert!(most <= 32);
            if open == 32 || call.id > 990 {
                open = 0;
                std::mem::take(&mut held)
            } else {
                Vec::new()
            }
        }
    })
    .run();
    assert!(
        ran.value().starts_with(r#"[1000,9000,"limit","a program makes at most 1000 calls"#),
        "{}",
        ran.value()
    );
    assert_eq!(
        ran.calls.iter().map(|call| call.id).collect::<Vec<_>>(),
        (0..1000).collect::<Vec<_>>()
    );

    let ran =
        program("await Promise.all(Array.from({length: 10000}, (_, i) => tools.echo({i})))").run();
    assert_eq!(ran.fault().class, "threw");
    assert!(ran.fault().message.contains("at most 1000 calls"), "{:?}", ran.fault());
}

/// CM-08: retrying a denied call is bounded by the number of calls.
#[test]
fn a_denied_call_is_not_retried_for_ever() {
    let ran = program(
        "let last; for (let i = 0; i < 10000; i++) { try { await tools.call('write', {}) } catch (e) { last = e.code } }
         return last",
    )
    .answering(|_| ended("denied", "no"))
    .run();
    assert_eq!((ran.value(), ran.calls.len()), (r#""limit""#, 1000));
}

/// `[CODE-15]`: arguments have a size.
#[test]
fn large_arguments_throw() {
    let body = "try { await tools.write({text: 'é'.repeat(600)}) } catch (e) { return [e.code, e.message] }";
    let ran = program(body).limited(|limits| limits.arguments_bytes = 1000).run();
    assert!(ran.value().contains("more than 1000 bytes"), "{}", ran.value());
    assert_eq!(ran.calls.len(), 0);
    // In flight at once there is no more of them than one call may have.
    let ran = program("return (await Promise.all([1, 2, 3].map((n) => tools.write({text: 'x'.repeat(600)})))).length")
        .limited(|limits| limits.arguments_bytes = 1000)
        .run();
    assert_eq!((ran.value(), ran.calls.len()), ("3", 3));
}

/// CM-04, Q8: arguments are serialised once, before the gate sees them, and `__proto__` is data.
#[test]
fn arguments_are_read_once() {
    for (arguments, sent) in [
        ("{get path() { return n++ ? 'secret.txt' : 'f.txt' }}", r#"{"path":"f.txt"}"#),
        (
            "new Proxy({path: 1}, {get: (_, k) => k === 'path' ? (n++ ? 'secret.txt' : 'f.txt') : undefined})",
            r#"{"path":"f.txt"}"#,
        ),
        ("{toJSON() { return {path: n++ ? 'secret.txt' : 'f.txt'} }}", r#"{"path":"f.txt"}"#),
        (
            "JSON.parse('{\"__proto__\": {\"a\": 1}, \"constructor\": 2}')",
            r#"{"__proto__":{"a":1},"constructor":2}"#,
        ),
        (
            "{a: undefined, n: NaN, d: new Date(0), big: 10n}",
            r#"{"n":null,"d":"1970-01-01T00:00:00.000Z","big":"10"}"#,
        ),
        ("undefined", "{}"),
        ("Object.assign(Object.create(null), {x: 1})", r#"{"x":1}"#),
    ] {
        let ran =
            program(&format!("let n = 0; await tools.call('read', {arguments}); return n <= 1"))
                .run();
        assert_eq!(
            ran.calls.first().map(|call| call.arguments.as_str()),
            Some(sent),
            "{arguments}"
        );
        assert_eq!(ran.value(), "true", "{arguments}");
    }
}

/// B119: what is no call names the form that is.
#[test]
fn a_wrong_form_is_told_the_right_one() {
    for call in [
        "tools.call()",
        "tools.call(1)",
        "tools.call({name: 'read'})",
        "tools.call('read', 'a.txt')",
        "tools.read('a.txt')",
        "tools.read(['a'])",
        "tools.read(null)",
        "tools.read(new Map())",
        "tools.read(1)",
    ] {
        check_fault(&format!("await {call}"), "threw", r#"tools.call("read", {path: "a.txt"})"#);
    }
    for (arguments, says) in [
        ("{f: () => 1}", "`f` of the argument of \"read\" is a function"),
        (
            "(() => { const o = {}; o.o = o; return o })()",
            "`o` of the argument of \"read\" refers back",
        ),
        ("{get x() { throw new RangeError('own') }}", "RangeError: own"),
    ] {
        check_fault(&format!("await tools.read({arguments})"), "threw", says);
    }
}

/// `[CODE-19]`: a guessed field of a result names the fields that exist.
#[test]
fn a_guessed_field_names_those_that_exist() {
    for (field, content, says) in [
        ("stdout", r#""text""#, "content is a text: r.content"),
        ("text", r#"{"text": 1}"#, "content has it: r.content.text"),
        ("output", r#"{"a": 1, "b": 2}"#, r#"an object with the fields "a", "b""#),
        ("length", "[1, 2]", "content is a list of 2"),
        ("trim()", "null", "content is null"),
    ] {
        let result = format!(r#"{{"content":{content},"metadata":{{}},"truncated":null}}"#);
        let ran = program(&format!("const r = await tools.bash({{}});\nreturn r.{field}"))
            .answering(move |_| ok(&result))
            .run();
        let fault = ran.fault();
        assert!(
            fault.message.contains("only content, metadata and truncated")
                && fault.message.contains(says),
            "{fault:?}"
        );
        assert_eq!((fault.line, fault.column > 0), (2, true));
    }
}

/// `[CODE-09]`: what the language looks for on every object is answered as for every object.
#[test]
fn a_result_is_an_ordinary_object_otherwise() {
    check(
        "const r = await tools.echo({stdout: 1}); const same = await r; const copy = {...r, more: 1};
         r.own = 2; console.log(r, `${r}`);
         return [same === r, copy.more, r.own, r.content.stdout, JSON.stringify(r), r instanceof Object, 'stdout' in r,
                 r.then ?? 0, r.error ?? 0, r.hasOwnProperty('content'), structure(r)];
         function structure({content, truncated}) { return [content, truncated] }",
        r#"[true,1,2,1,"{\"content\":{\"stdout\":1},\"metadata\":{\"n\":0},\"truncated\":null,\"own\":2}",true,false,0,0,true,[{"stdout":1},null]]"#,
    );
}

/// CM-04, Q9: what a program does to the language does not change what comes back or what is sent.
#[test]
fn polluted_intrinsics_fool_nobody() {
    let ran = program(
        "Object.prototype.then = function (ok) { ok('fooled') };
         Object.defineProperty(Array.prototype, '0', {set() {}, configurable: true});
         Object.defineProperty(Object.prototype, 'text', {set() { throw new Error('set') }, configurable: true});
         Array.prototype[Symbol.iterator] = function* () { yield 'fooled' };
         Map.prototype.get = Map.prototype.set = () => 'fooled';
         JSON.stringify = JSON.parse = () => '{\"path\":\"secret.txt\"}';
         RegExp.prototype.exec = () => { throw new Error('exec') };
         String.prototype.slice = Function.prototype.call = Function.prototype.apply = () => 'fooled';
         Reflect.defineProperty = Object.defineProperty = () => { throw new Error('define') };
         globalThis.Promise = function () { throw new Error('promise') };
         globalThis.Error = globalThis.TypeError = null;
         const r = await tools.call('read', {path: 'a.txt', list: [1]});
         let code; try { await tools.call('bad', {}) } catch (e) { code = e.code }
         const out = [r.content, code]; delete Object.prototype.then; return {out, ['text']: 1}",
    )
    .answering(|call| if call.name == "bad" { ended("failed", "no") } else { echo(call) })
    .run();
    assert_eq!(
        ran.outcome.ended.as_deref(),
        Ok(r#"{"out":[{"path":"a.txt","list":[1]},"failed"],"text":1}"#)
    );
    assert_eq!(ran.calls[0].arguments, r#"{"path":"a.txt","list":[1]}"#);
}

/// Q8: a result is data, whatever its keys are.
#[test]
fn hostile_keys_of_a_result_are_data() {
    let ran = program("const {content} = await tools.x(); return [Object.keys(content), ({}).polluted ?? 'clean', content]")
        .answering(|_| ok(r#"{"content":{"__proto__":{"polluted":1},"then":"x","toJSON":1},"metadata":{},"truncated":null}"#))
        .run();
    assert_eq!(
        ran.value(),
        r#"[["__proto__","then","toJSON"],"clean",{"__proto__":{"polluted":1},"then":"x","toJSON":1}]"#
    );
}

/// Q7: a result is bounded by memory and depth, and its failure is the call's.
#[test]
fn a_result_that_does_not_fit_fails_its_call() {
    for (result, says) in [
        (format!(r#"{{"content":{}{}}}"#, "[".repeat(1_000_000), "]".repeat(1_000_000)), "stack"),
        (format!(r#"{{"content":"{}"}}"#, "中".repeat(4_000_000)), "memory"),
        ("{nonsense".to_owned(), "SyntaxError"),
    ] {
        let ran = program("try { await tools.x() } catch (e) { return [e.code, e.message] }")
            .answering(move |_| ok(&result))
            .limited(|limits| limits.memory_bytes = 6 * 1024 * 1024)
            .run();
        assert!(
            ran.value().starts_with(r#"["failed","the result does not fit"#),
            "{says}: {}",
            ran.value()
        );
        assert!(ran.value().contains(says), "{}", ran.value());
    }
    let large = format!(r#"{{"content":"{}"}}"#, "x".repeat(10_000_000));
    let ran =
        program("const r = await tools.x(); return [r.content.length, r.metadata, r.truncated]")
            .answering(move |_| ok(&large))
            .run();
    assert_eq!(ran.value(), "[10000000,{},null]");
}

/// Answers that nobody waits for, or that come twice, change nothing.
#[test]
fn stray_answers_are_ignored() {
    let ran = program(
        "const a = await tools.a(); const b = await tools.b(); return [a.content, b.content]",
    )
    .when(|call| {
        vec![
            (999, text("stray")),
            (u64::MAX, text("stray")),
            (call.id, text("right")),
            (call.id, text("twice")),
        ]
    })
    .run();
    assert_eq!(ran.value(), r#"["right","right"]"#);
}
