//! Types between which a line ends: without them, two statements could become one, or one two.

use super::check;

/// A statement that a type ended still ends there.
#[test]
fn statements_that_end_with_a_type_stay_apart() {
    check("const f = (x) => 'called';\nconst a = f as any\n(1)\nreturn typeof a", "\"function\"");
    check("let a = [5] as number[]\n[0].length\nreturn a", "[5]");
    check("let a = 1 as any\n`x`\nreturn a", "1");
    // Here TypeScript goes on, too.
    check("let a = 4 satisfies number\n/2\nreturn a", "2");
    check("let a = 4 as any\n+1\nreturn a", "5");
    check("let x: number\n(1)\nreturn 2", "2");
    check("let x: any\n[1].length\nreturn 2", "2");
    check("const f = String<number>\n;(1)\nreturn f(2)", "\"2\"");
    check("const f = (x: any) => x as any\n(1)\nreturn f(2)", "2");
    check("const g = () => { return 1 as any\n}\nreturn g()", "1");
    check("let y = 0; if (true) y = 1 as any\nelse y = 2\nreturn y", "1");
    check("let y = 0; do y++ as any\nwhile (y < 2)\nreturn y", "2");
    check("let x: any = 1\nlet y = x!\nreturn y", "1");
    check("const f = () => <any>1!;\nconst g = () => { return <any>f! }\nreturn g()()", "1");
    check("const f = (x: any) => x\nlet a = <any>f as any\n(3)\nreturn typeof a", "\"function\"");
    check("let x: Array<number>/* c */\n(2)\nreturn 1", "1");
    check("let x: 'é'\n(2)\nreturn 1", "1");
}

/// A declaration that is gone still stands between its neighbours.
#[test]
fn statements_around_a_type_declaration_stay_apart() {
    check("let a = 1\ntype T = 2\n;(3)\nreturn a", "1");
    check(
        "const f = (x: any) => 'called'\nlet a = f\ninterface T {}\n(3)\nreturn typeof a",
        "\"function\"",
    );
    check(
        "const f = (x: any) => 'called'\nlet a = f\ndeclare const y: number\n(3)\nreturn typeof a",
        "\"function\"",
    );
    check("let a = 1\ndeclare function g(): void\n[0]\nreturn a", "1");
}

/// Members of classes likewise.
#[test]
fn fields_that_end_with_a_type_stay_apart() {
    check("class A { a = 1 as any\n['b'] = 2 }\nreturn new A()", r#"{"a":1,"b":2}"#);
    check("class A { a = 1\n public ['b'] = 2 }\nreturn new A()", r#"{"a":1,"b":2}"#);
    check("class A { a = 1\n private *b() {} }\nreturn new A()", r#"{"a":1}"#);
    check("class A { get: any\n foo() { return 1 } }\nreturn new A().foo()", "1");
    check("class A { static: number\n foo() { return 1 } }\nreturn new A().foo()", "1");
    check("class A { a = 1;\n [k: string]: any\n ['b'] = 2 }\nreturn new A()", r#"{"a":1,"b":2}"#);
    check("class A { a = 1\n declare c: any\n ['b'] = 2 }\nreturn new A()", r#"{"a":1,"b":2}"#);
    check(
        "class A { a = 1\n readonly b = 2\n static readonly c: number\n d!: any\n ['e'] = 3 }\nreturn new A()",
        r#"{"a":1,"b":2,"e":3}"#,
    );
    check(
        "abstract class A { abstract x: any\n ['y'] = 1; abstract m(): void\n *g() {} }\nclass B extends A { m() {} }\nreturn new B()",
        r#"{"y":1}"#,
    );
}

/// No line may end where JavaScript forbids it.
#[test]
fn arrows_whose_types_take_lines_stay_whole() {
    check("const f = async <\n  T,\n>(x: T): Promise<\n  T\n> => x;\nreturn f(1)", "1");
    check("const f = (x: number):\n  number => x\nreturn f(1)", "1");
    check("const f = (x: number): {\n  a: number\n} => ({ a: x })\nreturn f(1)", r#"{"a":1}"#);
    check(
        "const f = (\n  x: number,\n): Promise<\n number\n> => Promise.resolve(x)\nreturn f(1)",
        "1",
    );
    check("const f = () => {\n return <\n T\n >(x: T) => x\n}\nreturn f()(1)", "1");
    check("const f = () => {\n return <\n any\n >1\n}\nreturn f()", "1");
    check("const f = () => {\n return <any>\n 1\n}\nreturn f()", "1");
    check("function f<\n T\n>(x: T): T {\n return x\n}\nreturn f<\n number\n>(1)", "1");
    check("return new Map<\n string,\n number\n>([['a', 1]]).size", "1");
    check(
        "const a = true, b = 1, d: any = (x: any) => x;\nreturn a ? (b) : (c: any): any => d",
        "1",
    );
    check(
        "const a = false;\nreturn (a ? (x: any) : any => 1 : (y: any): string => 'y')(0)",
        "\"y\"",
    );
}

/// `<!--` is an operator and two more in a module, and a comment in a script.
#[test]
fn an_old_comment_is_no_comment() {
    check("let b = 1; return 5 <!--b", "false");
    check("let b = 1; const x = [0 <!--b, 2]; return x", "[true,2]");
    check(
        "let b = 1; return (0 <!--b) + nope",
        "threw ReferenceError: nope is not defined at 1:31",
    );
}
