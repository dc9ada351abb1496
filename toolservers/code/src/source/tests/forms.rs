//! The forms in which a model writes a program, and what each is worth (`[CODE-01]`, complaints 9, 19, 22).

use super::{BYTES_MAX, check, prepare};

/// `[CODE-01]`: the body of an async function.
#[test]
fn a_program_may_await_and_return_at_its_top() {
    check("return 1", "1");
    check(
        "const r = await tools.call('read', {path: 'a'});\nreturn r.content",
        r#"["read",{"path":"a"}]"#,
    );
    check("if (true) { return 'early' }\nthrow new Error('late')", "\"early\"");
    check("for await (const x of [Promise.resolve(1)]) return x", "1");
    check("return await Promise.all([1, tools.call('a', 2)])", r#"[1,{"content":["a",2]}]"#);
    check(
        "const [a, ...rest] = [1, 2, 3]; return {a, rest, at: rest.at(-1)}",
        r#"{"a":1,"rest":[2,3],"at":3}"#,
    );
    check("return [3,1,2].toSorted().findLast(x => x < 3) ?? 0", "2");
    check(
        "class A { #x = 1; static { A.y = 2 } get x() { return this.#x } } return [new A().x, A.y]",
        "[1,2]",
    );
    check("label: for (;;) { break label }\nreturn 1_000n.toString()", "\"1000\"");
}

/// A program that returns nothing has no value; saying so is the engine's.
#[test]
fn a_program_without_a_value_is_a_program() {
    for code in [
        "",
        " \n\t\n",
        "// only a comment",
        "/* only\na comment */",
        ";",
        "{}",
        "const x = 1",
        "\"use strict\"",
        "type A = 1",
    ] {
        check(code, "undefined");
    }
}

/// Complaint 22: a bare last expression is what is returned.
#[test]
fn a_last_expression_is_the_value() {
    check("1 + 1", "2");
    check("const x = 2\nx * 21", "42");
    check("const x = 2; x * 21;", "42");
    check("const x = 1\n;[x, x]", "[1,1]");
    check("await tools.call('a', {})", r#"{"content":["a",{}]}"#);
    check("tools.call('a', {})", r#"{"content":["a",{}]}"#);
    check("({ok: true})", r#"{"ok":true}"#);
    check("1, 2", "2");
    check("x()\nfunction x() { return 'hoisted' }", "\"hoisted\"");
    check("const a = 1; a; type T = string; ;", "1");
    check("\"only a text\"", "\"only a text\"");
    check("'use strict'; 'two texts'", "\"two texts\"");
    check("`a\n  b`", r#""a\n  b""#);
    check("5 // five", "5");
    check("5 /* five\n*/\n// and more", "5");
    check("/re/.test('re')", "true");
    check("(function () { return 7 })()", "7");
    check("!function () { return 7 }()", "false");
    check("new Date(0).toISOString()", "\"1970-01-01T00:00:00.000Z\"");
}

/// Complaint 9: endings that rewriting of the last line broke.
#[test]
fn endings_over_several_lines_stay_whole() {
    check("const a = [1, 2];\nconsole.log(JSON.stringify({\n  a,\n  b: `x\n}`,\n}));", "undefined");
    check(
        "[1, 2]\n  .map(x => x * 2)\n  .filter(x => {\n    return x > 2;\n  }) // the end\n",
        "[4]",
    );
    check(
        "const t = `\n```js\nnot a fence\n```\n`;\nt.length".replace("```", "'''").as_str(),
        "23",
    );
    check("const f = '`';\n`${f}${`${f}`}`", "\"``\"");
    check("({\n  a: 1, // }\n  b: '}' /* { */\n})", r#"{"a":1,"b":"}"}"#);
    check("if (true) {\n  1;\n}", "undefined");
}

/// What changes something is done, and is no value.
#[test]
fn an_assignment_at_the_end_is_no_value() {
    check("let x; x = 5", "undefined");
    check("let x = 1; x++", "undefined");
    check("let x = {a: 1}; delete x.a;", "undefined");
    check("void tools.call('a', {})", "undefined");
    check("const o = {}; o.x ??= 3", "undefined");
    check("console.log('hi')", "undefined");
}

/// A `return` anywhere at the top says what the value is; the last expression is then none.
#[test]
fn a_return_at_the_top_rules_out_the_last_expression() {
    check("if (false) return 1\n[2].length", "undefined");
    check("try { return 1 } finally { 2 }\n3", "1");
    check("const f = () => { return 1 }\nf()", "1");
}

/// Complaint 19: every form of `export default`.
#[test]
fn a_default_export_is_the_program() {
    check("export default async function () { return {ok: true}; }", r#"{"ok":true}"#);
    check("export default async function main() { return 1 }", "1");
    check("export default function () { return 1 }", "1");
    check("export default function f() { return f.name }", "\"f\"");
    check(
        "export default async () => { return await tools.call('a', 1) }",
        r#"{"content":["a",1]}"#,
    );
    check("export default () => 5;", "5");
    check("export default (async () => 5)", "5");
    check("export default async (): Promise<number> => 5", "5");
    check("export default { a: 1 }", r#"{"a":1}"#);
    check("export default { a: 1 };\n", r#"{"a":1}"#);
    check("export default await tools.call('a', 1)", r#"{"content":["a",1]}"#);
    check("const main = async () => 3;\nexport default main;", "3");
    check("const x = 3\nexport default x", "3");
    check("async function main() { return 4 }\nexport default main", "4");
    check("export\ndefault\nasync function () { return 1 }\nconst late = 2", "1");
    check("export default function main() { return late }\nconst late = 2", "2");
    check("export /* a */ default // b\n() => 9", "9");
    check("const a = 1\nexport default [a].length as number", "1");
    check("const defaultExport = 1; export default defaultExport + 1", "2");
    check("await main();\nexport default async function main() { return 6 }", "6");
    check(
        "export default function f(a: number): number;\nexport default function f(a?: any) { return 8 }",
        "8",
    );
}

/// A function that a model only declares is meant to be run.
#[test]
fn a_function_that_is_only_declared_is_called() {
    check("async function run() { return 1 }", "1");
    check("function main() { return 1 }", "1");
    check("const run = async () => { return 1 }", "1");
    check("const run = async function () { return 1 };", "1");
    check("const run: () => Promise<number> = async () => 1", "1");
    check("function anything() { return anything.name }", "\"anything\"");
    check(
        "const limit = 2;\nfunction helper(x) { return x * limit }\nasync function main() { return helper(4) }",
        "8",
    );
    check(
        "interface A { b: number }\nasync function go(): Promise<A> { return { b: 1 } }",
        r#"{"b":1}"#,
    );
    check("async () => { return 3 }", "3");
    check("async () => {\n  return 3\n};", "3");
    check("async function () { return 3 }", "3");
    check("function () { return 3 };", "3");
    check("() => ({a: 1})", r#"{"a":1}"#);
    check("const x = 4;\n() => x", "4");
}

/// It takes what every program has, if that is what it asks for.
#[test]
fn a_function_that_takes_the_tools_gets_them() {
    check("async function run(tools) { return tools.call('a', 1) }", r#"{"content":["a",1]}"#);
    check("export default async ({ tools }) => tools.call('a', 1)", r#"{"content":["a",1]}"#);
    check(
        "export default async function ({ tools, console }: Globals) { console.log(1); return typeof tools }",
        "\"object\"",
    );
    check("async (limit = 5, more?: number) => limit", "5");
}

/// A program that calls its function itself, or cannot have meant it, is left alone.
#[test]
fn a_function_that_is_called_or_needs_arguments_is_left_alone() {
    check("let n = 0; function run() { n++ }\nrun();\nreturn n", "1");
    check("let n = 0; const run = async () => { n++; return n };\nawait run()", "1");
    check("async function main() { return 2 }\nmain()", "2");
    check("async function main() { return 2 }\nmain().then(x => x + 1)", "3");
    check("async function main() { return 2 }\nawait main().catch(console.error)", "2");
    check("function add(a, b) { return a + b }", "undefined");
    check("function a() { return 1 }\nfunction b() { return 2 }", "undefined");
    check("function* main() { yield 1 }", "undefined");
    check("(async () => { return 2 })()", "2");
    check("(async () => { return 2 })();", "2");
    check("await (async () => { return 2 })()", "2");
    let prepared = prepare("function add(a, b) { return a + b }", BYTES_MAX).unwrap();
    assert!(prepared.notes[0].contains("return await add(…)"), "{:?}", prepared.notes);
    let prepared = prepare("function run() {}", BYTES_MAX).unwrap();
    assert!(
        prepared.notes[0].contains("`run` was declared and not called"),
        "{:?}",
        prepared.notes
    );
}

/// A text that is a program only as an expression is one.
#[test]
fn an_object_as_the_whole_text_is_a_value() {
    check("{a: 1, b: 2}", r#"{"a":1,"b":2}"#);
    check("{\n  \"a\": 1,\n  \"b\": [2]\n}\n", r#"{"a":1,"b":[2]}"#);
    check("{ ...{a: 1}, b: 2 };", r#"{"a":1,"b":2}"#);
    check("{a: 1 as number, b: 2}", r#"{"a":1,"b":2}"#);
    check("// the answer\n{a: 1, b: 2} // that is it", r#"{"a":1,"b":2}"#);
    check("{a: 1}", "undefined");
    let prepared = prepare("{ok: true}", BYTES_MAX).unwrap();
    assert!(prepared.notes[0].contains("read as a block"), "{:?}", prepared.notes);
    check("{\n a: 1,\n b: nope\n}", "threw ReferenceError: nope is not defined at 3:5");
}

/// One fence around the whole text is not part of it; its lines still count.
#[test]
fn one_fence_around_the_whole_is_taken_off() {
    for fence in
        ["```js", "```ts", "```typescript", "```javascript", "```", "``` js title=\"a\"", "````"]
    {
        let close = fence.trim_end_matches(|each| each != '`');
        check(&format!("{fence}\nreturn 1\n{close}"), "1");
        check(&format!("\n\n  {fence}  \nreturn 1\n{close}\n\n"), "1");
    }
    check("~~~js\n1\n~~~", "1");
    check("```js\r\nreturn `a\r\nb`\r\n```\r\n", r#""a\nb""#);
    check("```\n```", "undefined");
    check("```js\nnope()\n```", "threw ReferenceError: nope is not defined at 2:1");
    check(
        "```js\nconst t = '```';\nconst u = `\\`\\`\\`js\n${t}`;\nreturn u\n```",
        r#""```js\n```""#,
    );
    check("return '```js'", "\"```js\"");
    check("```js\n#!/usr/bin/env node\nreturn 1\n```", "1");
}

/// Marks and line ends of files.
#[test]
fn what_files_start_and_end_with_does_no_harm() {
    check("\u{feff}return 1", "1");
    check("#!/usr/bin/env node\nreturn 1", "1");
    check("return 1\r\n", "1");
    check("const a = 1\rreturn a", "1");
    check("return '\u{2028}'.length", "1");
    check("return 'a\\\r\nb'", "\"ab\"");
    check("return '\\ud800'.length", "1");
    check("return '\\0'", r#""\u0000""#);
    check("return 1 // \u{2028} + 1", "2");
}
