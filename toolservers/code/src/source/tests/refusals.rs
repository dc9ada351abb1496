//! What is refused, in words that a model can act on, at the place (`[CODE-01]`, `[CODE-19]`, complaint 15).

use super::{BYTES_MAX, check, check_refused, prepare};

/// `[CODE-19]`, complaint 15: there are no modules.
#[test]
fn imports_are_not_available() {
    let message = "imports are not available";
    check_refused("import fs from \"node:fs\"\nreturn 1", "unsupported 1:1", message);
    check_refused("const a = 1;\n  import { x } from 'x';", "unsupported 2:3", message);
    check_refused("import 'x'", "unsupported 1:1", message);
    check_refused(
        "import type { A } from 'a';\nimport * as b from 'b'",
        "unsupported 2:1",
        message,
    );
    check_refused("const fs = await import('fs')", "unsupported 1:18", message);
    check_refused("const fs = require('fs');", "unsupported 1:12", message);
    check_refused("import fs = require('fs')", "unsupported 1:1", message);
    check_refused("return import.meta.url", "unsupported 1:8", "`import.meta` is not available");
    check("const require = (x) => x; return require('a')", "\"a\"");
}

/// A program's value is returned.
#[test]
fn named_exports_are_refused() {
    let message = "a program has no exports: `return` the value";
    for code in [
        "export const x = 1",
        "export { x }",
        "export * from 'x'",
        "export async function f() {}",
        "export = 1",
    ] {
        check_refused(code, "unsupported 1:1", message);
    }
    check_refused("export default 1\nexport default 2", "unsupported 2:1", "this is the second");
    check_refused("export default class {}", "unsupported 1:1", "a class is no program");
}

/// `[CODE-01]`: what is not only types is refused, never half run.
#[test]
fn typescript_that_is_not_only_types_is_refused() {
    check_refused("enum A { B }", "unsupported 1:1", "const Name = {");
    check_refused("return 1\nconst enum A { B }", "unsupported 2:1", "const Name = {");
    check_refused("namespace A { export const b = 1 }", "unsupported 1:1", "write an object");
    check_refused("module A { export const b = 1 }", "unsupported 1:1", "write an object");
    check_refused(
        "class A { constructor(private x: number) {} }",
        "unsupported 1:23",
        "declare the property",
    );
    check_refused("@dec class A {}", "unsupported 1:1", "decorators are not available");
    check_refused("class A { @dec x = 1 }", "unsupported 1:11", "decorators are not available");
    check_refused("return <div>hi</div>", "unsupported 1:8", "JSX is not available");
    check_refused("class A { accessor x = 1 }", "unsupported 1:11", "write a field");
    check_refused("using x = y()", "unsupported 1:1", "try … finally");
}

/// `[CODE-19]`, `B122`: the first error, where it is.
#[test]
fn a_syntax_error_has_its_place_and_a_hint() {
    check_refused("const fs = ... ;", "syntax 1:12", "`...` spreads inside");
    check_refused("return ...tools", "syntax 1:8", "`...` spreads inside");
    check_refused("let = ;", "syntax 1:7", "syntax error: ");
    check_refused("const x = ;", "syntax 1:11", "syntax error: ");
    check_refused("const é中 = '😀' + ;", "syntax 1:18", "syntax error: ");
    check_refused("const a = 1;\nfoo(1, 2", "syntax 2:9", "is not closed");
    check_refused("if (a) {\n  b()\n\n\n", "syntax 2:6", "");
    check_refused("return 'abc", "syntax 1:8", "or a template literal in backticks");
    check_refused("return `abc ${x", "syntax 1:16", "");
    check_refused("return `abc\n", "syntax 1:8", "");
    check_refused("x = “a”", "syntax 1:5", "write \" or '");
    check_refused("function f() {\n  await g()\n}", "syntax 2:3", "await");
    check_refused("// ...\nfoo(…)", "syntax 2:5", "write out the code");
    check_refused("return 1\0", "syntax 1:9", "NUL");
    check_refused("}", "syntax 1:1", "");
    check_refused("return 1 +", "syntax 1:11", "ends in the middle of a statement");
    check_refused("return /a(/.test('a')", "syntax 1:10", "Unterminated capturing group");
    check_refused("const re = /a/x;", "syntax 1:15", "unexpected flag x");
}

/// What only the engine finds has its place in the model's text all the same; at the end of it if it is
/// found after it.
#[test]
fn an_error_of_the_engine_is_mapped() {
    check(
        "let a = 1; let a = 2;",
        "threw SyntaxError: invalid redefinition of lexical identifier at 1:18",
    );
    check("1\nbreak\n\n", "threw SyntaxError: break must be inside loop or switch at 2:6");
    check("'é中'; await Promise.reject(new Error('a'))", "threw Error: a at 1:32");
    check(
        "'é'; f()\nasync function f() { null.x }",
        "threw TypeError: cannot read property 'x' of null at 2:22",
    );
    check(
        "async function main() {\n  'é'; x.y.z }",
        "threw ReferenceError: x is not defined at 2:8",
    );
    check(
        "const é: string = 'é' as any; (nope as number)",
        "threw ReferenceError: nope is not defined at 1:32",
    );
}

/// Python, and words around the program.
#[test]
fn what_is_no_javascript_is_named() {
    for code in [
        "def main():\n    return 1",
        "for x in y:\n    print(x)",
        "if x:\n  pass",
        "# a comment\nx = 1",
        "from os import path",
    ] {
        let error = prepare(code, BYTES_MAX).unwrap_err();
        assert!(error.message.contains("this looks like Python"), "{code:?}: {}", error.message);
    }
    check_refused("Here is the program you asked for", "syntax 1:5", "expected `;` or a new line");
}

/// One fence around the whole, or none.
#[test]
fn a_fence_that_is_not_around_the_whole_is_refused() {
    let message = "the program is only what is inside one fence";
    check_refused("Here it is:\n```js\nreturn 1\n```", "syntax 2:1", message);
    check_refused("Code:\n```js\nreturn 1\n```", "syntax 2:1", message);
    check_refused("```js\nreturn 1\n```\nHope this helps!", "syntax 4:1", "text after the fence");
    check_refused("```js\nreturn 1\n", "syntax 1:1", "never closed");
    check_refused("```js\nreturn 1\n```\n\n```js\nreturn 2\n```", "syntax 3:1", message);
    check_refused("```js\na\n```\nb\n```\nc\n```", "syntax 3:1", message);
    check_refused("```return 1```", "syntax 1:1", message);
    check_refused("return 1\n```", "syntax 2:1", message);
}

/// `[CODE-15]`: the number is in the message.
#[test]
fn a_text_over_the_limit_is_refused_by_its_size() {
    let error = prepare(&"a".repeat(11), 10).unwrap_err();
    assert_eq!((error.class, error.line), ("limit", 0));
    assert!(
        error.message.contains("11 bytes") && error.message.contains("limit is 10"),
        "{}",
        error.message
    );
    assert_eq!(error.render("x"), error.message);
}

/// `[CODE-19]`: message, line, caret.
#[test]
fn a_diagnostic_shows_the_models_own_line() {
    let code = "const a = 1;\n\tconst 中 = ;";
    let shown = prepare(code, BYTES_MAX).unwrap_err().render(code);
    let (message, drawn) = shown.split_once('\n').unwrap();
    assert!(message.ends_with(" (line 2, column 12)"), "{message}");
    assert_eq!(drawn, "  2 |     const 中 = ;\n    |                ^");
}
