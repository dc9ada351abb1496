//! What a program may look like, and what is said of one that is none or goes wrong, so that whoever wrote it
//! can mend it.

use super::*;

/// [CODE-01] [CODE-02] Every form in which models send a program, each with the value that they mean.
/// CP-09, CP-19, CP-22.
#[test]
fn every_form_of_a_program_gives_its_value() {
    let world = world();
    for (code, value) in [
        ("return 1", json!(1)),
        ("1 + 1", json!(2)),
        ("const a = 2;\na * 3;\n// the end\n", json!(6)),
        ("```js\nreturn 'fenced'\n```", json!("fenced")),
        ("```typescript\nconst x: number = 1;\nreturn x as number\n```", json!(1)),
        ("export default async function () { return { ok: true }; }", json!({ "ok": true })),
        ("export default async () => ({ ok: true })", json!({ "ok": true })),
        (
            "async function run() { return (await tools.read({ path: 'a.txt' })).content }",
            json!("hello\n"),
        ),
        ("async function main() { return 'main' }\nmain();", json!("main")),
        ("(async () => { return 'iife' })()", json!("iife")),
        (
            "interface A { a: string }\ntype B = A | null;\nconst b: B = { a: 'x' };\nreturn b!.a",
            json!("x"),
        ),
        ("return tools.call('read', { path: 'a.txt' }).then((r) => r.content)", json!("hello\n")),
        ("console.log(JSON.stringify({\n  a: 1,\n}));", json!(null)),
        ("console.log(`a\n${1}\n`);\n/* over */", json!(null)),
        ("tools.read({ path: 'a.txt' })", json!({ "content": "hello\n" })),
    ] {
        let ended = run(&world, code);
        let mut got = ended.value().clone();
        if value.get("content").is_some() {
            got = json!({ "content": got["content"] });
        }
        assert_eq!(got, value, "{code}: {}", ended.text);
    }
}

/// [CODE-12] A result that says nothing says how to say something. CP-22.
#[test]
fn an_empty_result_says_how_to_return_something() {
    let world = world();
    let ended = run(&world, "const a = 1;");
    assert!(ended.text.contains("return"), "{}", ended.text);
}

/// [CODE-19] B122, CP-15: what is no program is told with line, column and caret, and nothing ran.
#[test]
fn a_text_that_is_no_program_is_told_with_its_place() {
    let world = world();
    for (code, line, part) in [
        ("const a = 1;\nconst fs = ... ;", 2, "syntax error"),
        ("await tools.write({ path: 'x', content: '' });\nlet = ;", 2, "syntax error"),
        ("import fs from 'node:fs'\nreturn 1", 1, "imports are not available"),
        ("return ...tools", 1, "syntax error"),
        ("const fs = await import('node:fs')", 1, "import"),
        ("enum A { B }\nreturn A.B", 1, "enum"),
        ("return 'x", 1, "syntax error"),
        ("}", 1, "syntax error"),
    ] {
        let ended = run(&world, code);
        assert_eq!(ended.status(), "failed", "{code}: {}", ended.text);
        let error = &ended.structured["error"];
        assert_eq!(error["line"], line, "{code}: {}", ended.structured);
        assert!(ended.text.to_lowercase().contains(part), "{code}: no {part:?} in {}", ended.text);
        let shown = code.lines().nth(line - 1).unwrap();
        assert!(ended.text.contains(&format!("{line} | {shown}")), "{code}: {}", ended.text);
        assert!(ended.text.lines().any(|line| line.trim_end().ends_with('^')), "{}", ended.text);
    }
    assert!(!world.has("x"));
    let ended = run(&world, "").status().to_owned();
    assert_ne!(ended, "");
}

/// [CODE-19] B122: whatever a program throws, it has failed; errors and exit codes say so everywhere.
#[test]
fn a_program_that_threw_has_failed() {
    let world = world();
    for (code, class, part) in [
        ("throw new Error('boom')", "threw", "Error: boom"),
        ("throw undefined", "threw", "undefined"),
        ("throw null", "threw", "null"),
        ("throw { code: 7 }", "threw", "7"),
        ("throw 'text'", "threw", "text"),
        ("await Promise.reject(new Error('late'))", "threw", "late"),
        ("null.x", "threw", "null"),
        ("throw new Proxy({}, { get() { throw 1 } })", "threw", ""),
    ] {
        let ran = world.tollgate(["run", "-", "--json"]).args(FULL).stdin(code).run().code(1);
        assert_eq!(ran.json()["result"]["is_error"], true, "{ran}");
        Ended::printed(&ran).failed(class, part);
    }
    // In a turn the model is told so, and the front sees it.
    let script = Script::new()
        .call("execute_tools", json!({ "code": "throw new Error('boom')" }))
        .text("{{last.content}}");
    let events = world.exec(&script, "go").run().events().well_formed();
    assert_eq!(events.results()[0]["status"], "failed");
    assert!(events.one("turn.completed")["text"].as_str().unwrap().contains("Error: boom"));
}

/// [CODE-12] [CODE-19] B115: a promise that was not awaited is named with its place in the value.
#[test]
fn a_forgotten_await_is_named() {
    let world = world();
    let read = "tools.call('read', { path: 'a.txt' })";
    let whole = run(&world, &format!("return {read}"));
    assert_eq!(whole.value()["content"], "hello\n");
    for (code, place) in [
        (format!("return [{read}, {read}]"), "[0]"),
        (format!("return {{ r: {read} }}"), "r"),
        (format!("return {{ a: {{ b: [1, {read}] }} }}"), "a.b[1]"),
    ] {
        let ended = run(&world, &code).failed("not_awaited", "await");
        assert!(ended.text.contains(&format!("`{place}`")), "{code}: {}", ended.text);
        assert!(ended.calls().iter().all(|call| call == "read auto ok"), "{:?}", ended.calls());
    }
}

/// [CODE-12] B116: `forEach(async …)`, lost rejections and unawaited calls are drained and told.
#[test]
fn calls_that_nobody_awaited_are_drained_and_told() {
    let world = world();
    let code =
        "['a.txt', 'nope'].forEach(async (path) => { await tools.read({ path }) }); return 'done'";
    let ended = run(&world, code);
    assert_eq!((ended.value(), ended.calls().len()), (&json!("done"), 2));
    let notes = ended.structured["notes"].to_string();
    for part in ["2 calls (read, read) had not ended", "not awaited", "nope"] {
        assert!(notes.contains(part), "no {part:?} in {notes}");
    }
    let ended = run(&world, "Promise.reject(new Error('lost')); return 1");
    assert_eq!(ended.value(), &json!(1));
    assert!(ended.text.contains("nothing caught it: Error: lost"), "{}", ended.text);
    run(&world, "setTimeout(() => { throw 1 }, 0)").failed("threw", "setTimeout is not defined");
}

/// [CODE-03] CP-17: the first rejection of `Promise.all` wins at once; its siblings keep their receipts.
#[test]
fn the_first_rejection_wins_and_siblings_go_on() {
    let world = world();
    let code = "
        const bad = tools.read({ path: 'nope' });
        const slow = tools.bash({ command: 'sleep 0.3; touch made' }).then(() => console.log('sibling'));
        await Promise.all([slow, bad]).catch((error) => console.log(error.code));
        return 'over'";
    let ended = run(&world, code);
    assert_eq!(
        (ended.value(), &ended.structured["logs"]),
        (&json!("over"), &json!("failed\nsibling"))
    );
    assert_eq!(ended.calls(), ["read auto failed", "bash auto ok"]);
    assert!(world.has("made"));
}
