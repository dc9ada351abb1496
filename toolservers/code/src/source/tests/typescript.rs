//! TypeScript that is erased (`[CODE-01]`, complaint 15).

use super::check;

/// Types of variables, parameters and results.
#[test]
fn annotations_vanish() {
    check("const x: number = 1; return x", "1");
    check("const x: { a: string; b?: number[] } = { a: '1' }; return x", r#"{"a":"1"}"#);
    check("let x: string; x = 'a'; return x", "\"a\"");
    check("let x!: number; x = 1; return x", "1");
    check("let x ! : number; x = 1; return x", "1");
    check("const { a, b }: { a: number; b: number } = { a: 1, b: 2 }; return a + b", "3");
    check("const [a, b]: [number, string] = [1, 'b']; return b", "\"b\"");
    check("const f = (a: number, b?: string, ...c: any[]): number => a; return f(1)", "1");
    check(
        "function f(a: number = 1, { b }: { b?: number } = {}): asserts a is number { return a }; return f()",
        "1",
    );
    check(
        "function f(this: { x: number }, a: number) { return this.x + a } return f.call({ x: 1 }, 2)",
        "3",
    );
    check("function f(this: any) { return this } return f.call(1)", "1");
    check(
        "const o = { f(this: any, a?: number): void { return a }, get x(): number { return 1 } }; return o.x",
        "1",
    );
    check("try { throw 1 } catch (e: unknown) { return e }", "1");
    check("for (const x of [1] as number[]) return x", "1");
    check("const f = function <T>(x: T): T { return x }; return f(1)", "1");
    check("const f: (a: number) => string = String; return f(1)", "\"1\"");
    check("const x: unique symbol = Symbol(), y: typeof x = x; return typeof y", "\"symbol\"");
    check(
        "const a: `x${string}` = 'xy', b: 1 | -2 | 'c' = 1, c: [a?: number, ...b: string[]] = []; return b",
        "1",
    );
    check(
        "async function f(): Promise<Array<Map<string, number[]>>> { return [] } return f()",
        "[]",
    );
    check("const x: import('fs').Stats = 1; return x", "1");
    check("const f = (x: any): x is string => true; return f(1)", "true");
}

/// Types that are said of an expression.
#[test]
fn assertions_vanish() {
    check("return 1 as number", "1");
    check("return (1 as any as string)", "1");
    check("const o = { a: 1 } as const; return o.a", "1");
    check("const o = { a: 1 } satisfies Record<string, number>; return o", r#"{"a":1}"#);
    check("const o: any = { a: { b: 1 } }; return o!.a!.b!", "1");
    check(
        "const o: any = {}; o!.x = 1; (o as any).y = 2; o!['z']! = 3; return o",
        r#"{"x":1,"y":2,"z":3}"#,
    );
    check("let x: any = 1; (x as number)++; x!++; return x", "3");
    check("const o: any = undefined; return o?.a!.b ?? 1", "1");
    check("return <number>1", "1");
    check("return <any>{ a: 1 }", r#"{"a":1}"#);
    check("const f = <any>function () { return 1 }; return f()", "1");
    check("<any>{ a: 1 }", r#"{"a":1}"#);
    check("return (<any>[1]).length + <number><unknown>2", "3");
    check("const f = () => <any>{}; return f()", "{}");
    check("return `${1 as number}${(2 as any)!}`", "\"12\"");
    check("const [a = 1 as number] = []; return a!", "1");
    check("for (let i = 0 as number; i! < 1; i++) return i as number", "0");
    check("return [1, 2].map((x) => x as number).filter(Boolean as any)", "[1,2]");
    check("return { a: 1 as number, ['b' as string]: 2 }", r#"{"a":1,"b":2}"#);
}

/// Types said of what is assigned to.
#[test]
fn assertions_on_targets_vanish() {
    check("let a: any, b: any; [a as any, b!] = [1, 2]; return [a, b]", "[1,2]");
    check(
        "let a: any, b: any; ({ a: a as any, b: <any>b = 3 } = { a: 1 } as any); return [a, b]",
        "[1,3]",
    );
    check("let a: any; for (a as any of [1, 2]); return a", "2");
    check("let a: any = {}; for (a!.k in { x: 1 }); return a", r#"{"k":"x"}"#);
    check("const o: any = { n: 1 }; (<any>o).n += 2; o!.n!++; return o.n as number", "4");
}

/// Type parameters and arguments.
#[test]
fn generics_vanish() {
    check("return new Set<string>(['a']).size", "1");
    check("return new Map<string, number>([['a', 1]]).get('a')", "1");
    check("const r = await tools.call<{ content: any }>('a', 1); return r.content", r#"["a",1]"#);
    check("const f = <T,>(x: T): T => x; return f<number>(1)", "1");
    check(
        "const f = async <T extends object = {}>(x: T): Promise<T> => x; return f({ a: 1 })",
        r#"{"a":1}"#,
    );
    check(
        "function f<T, U extends keyof T>(a: T, b: U): T[U] { return a[b] } return f({ a: 1 }, 'a')",
        "1",
    );
    check("const f = String<number>; return f(1)", "\"1\"");
    check("const t = (s: any) => s[0]; return t<string>`a`", "\"a\"");
    check(
        "return [1].reduce<Record<string, number>>((a, x) => ({ ...a, [x]: x }), {})",
        r#"{"1":1}"#,
    );
    check("const f: any = null; return f?.<number>(1) ?? 2", "2");
    check("return Promise.all<number>([1])", "[1]");
    check("return new Array<Array<number>>", "[]");
}

/// Declarations that are only types.
#[test]
fn type_declarations_vanish() {
    check(
        "interface A extends B<C>, D { (x: number): string; new (): A; readonly [k: string]: any; m?(): void }\nreturn 1",
        "1",
    );
    check("type A<T> = T extends (infer U)[] ? { [K in keyof U]-?: U[K] } : never;\nreturn 1", "1");
    check(
        "declare const x: number; declare function f(): void; declare class C { a: number }\nreturn 1",
        "1",
    );
    check(
        "declare enum E { A } declare namespace N { const x = 1 } declare global { interface W {} }\nreturn 1",
        "1",
    );
    check("declare module 'x' { export const a: number }\nreturn 1", "1");
    check(
        "function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: any) { return a }\nreturn f(1)",
        "1",
    );
    check(
        "import type { A } from './a';\nimport { type B } from './b';\nexport type { A };\nexport type C = A;\nexport interface D {}\nexport {};\nreturn 1",
        "1",
    );
    check("type type = 1; const type: type = 1; return type", "1");
    check(
        "const as = 1, satisfies = 2, declare = 3, of = 4; return as + satisfies + declare + of",
        "10",
    );
}

/// Classes.
#[test]
fn the_types_of_classes_vanish() {
    check(
        "abstract class A<T> { abstract a: T; abstract m(): void; protected readonly x: number = 1; static readonly s = 2; get y(): number { return this.x } }
         class B extends A<string> implements I, J<K> { private override z?: string; declare w: number; [k: string]: any; a = 'a'; constructor(a: string); constructor(a?: any) { super() } public async m(): Promise<void> {} q!: number; o?(): void; 'r'?: string; ['t'!]!: number }
         const b = new B();
         return [b.a, b.y, A.s, Object.keys(b)]",
        r#"["a",1,2,["x","z","a","q","r","t"]]"#,
    );
    check(
        "abstract class A { abstract get x(): number; abstract set x(v: number) }\nreturn typeof A",
        "\"function\"",
    );
    check(
        "class A<const T, in out U> { m<K extends keyof T>(k: K): k is K { return true } }\nreturn new A().m('a')",
        "true",
    );
    check(
        "class A { constructor(); constructor(a?: any) {} static m(): void; static m(a?: any) { return 1 } }\nreturn A.m()",
        "1",
    );
    check(
        "class A { public static async *m(): AsyncGenerator<number> { yield 1 } }\nfor await (const x of A.m()) return x",
        "1",
    );
    check("class A implements B {}\nreturn new A()", "{}");
    check("const A = class implements B<C> { x: number = 1 };\nreturn new A()", r#"{"x":1}"#);
    check("const A = class<T> { x?: T };\nreturn new A<number>()", "{}");
    check(
        "class A { readonly = 1; public = 2; declare = 3; static abstract = 4; get = 5 }\nreturn [new A(), A.abstract]",
        r#"[{"readonly":1,"public":2,"declare":3,"get":5},4]"#,
    );
    check(
        "class A { private readonly() { return 1 } public get get(): number { return this.readonly() } }\nreturn new A().get",
        "1",
    );
    check(
        "class A { static #x: number = 1; static get x() { return A.#x } static { A.#x = 2 as number } }\nreturn A.x",
        "2",
    );
}

/// `f(a < b, c > (d))`: JavaScript if the program's own values are compared, a type argument otherwise.
#[test]
fn comparisons_of_values_stay_comparisons() {
    check(
        "const a = 1, b = 2, c = 4, d = 3; const f = (...x) => x; return f(a < b, c > (d))",
        "[true,true]",
    );
    check("const f = (x) => x; class T {}; return f<T>(1)", "1");
}
