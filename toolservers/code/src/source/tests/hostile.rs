//! Texts that are made to break the reader: depth, escape from the function around the program, prefixes of
//! programs (`B112`, `CM-06` before the interpreter).

use super::{BYTES_MAX, check, check_lines, check_script, prepare};

/// A text cannot close the function around it: it is one complete program or none.
#[test]
fn no_text_breaks_out_of_its_function() {
    for code in [
        "}) ; evil(); (async () => {",
        "}); evil(); (() => {",
        "return 1 }) || evil(); (async () => {",
        "1); } evil(); { (1",
        "a) + (b",
        "a }, b: {",
        "/*",
        "`",
        "`${",
        "{a: 1}); evil(); ({b: 1, c: 2}",
        "1 <!-- {\n}); evil(); (async () => {",
        "{ x <!--y; {\n} } evil(); {",
        "export default 1); evil(); (1",
        "\u{2028}}); evil(); (async () => {",
        "//\u{2028}}); evil(); (async () => {",
    ] {
        assert!(prepare(code, BYTES_MAX).is_err(), "{code:?}");
    }
    // Read as a comment by a script, as code by the parser: the braces must be counted the same way.
    check("let y = 2, x = 1; { x <!--y; {\n} }\nreturn y", "1");
    check("return 1 // }); evil(); (async () => {", "1");
    check("return `}); evil(); (async () => {`", r#""}); evil(); (async () => {""#);
    check("return 1 /*\n--> 2 */", "1");
}

/// Deep texts end with a diagnostic, in every shape, however deep: the parser has no bound of its own.
#[test]
fn deep_texts_are_refused_and_never_overflow_the_stack() {
    let shapes = [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("{", "", "}"),
        ("({a:", "1", "})"),
        ("`${", "1", "}`"),
        ("a?b:", "1", ""),
        ("a?", "1", ":b"),
        ("!", "1", ""),
        ("- ", "1", ""),
        ("typeof ", "1", ""),
        ("await ", "1", ""),
        ("new ", "a", ""),
        ("x=>", "1", ""),
        ("a=", "1", ""),
        ("a**", "1", ""),
        ("if(a)", "1", ""),
        ("if(a);else ", "1", ""),
        ("for(;;)", "1", ""),
        ("a:", "1", ""),
        ("f(", "1", ")"),
        ("function f(){", "", "}"),
        ("(function(){", "", "})"),
        ("(class{a=", "1", "})"),
        ("(a=", "1", ")=>1"),
        ("async(", "1", ")"),
        ("switch(a){default:", "", "}"),
        ("try{", "", "}finally{}"),
        ("class A extends ", "B", "{}"),
        ("<T>", "a", ""),
        ("import(", "1", ")"),
        ("/*(*/(/*)*/", "1", ")"),
    ];
    for (open, middle, close) in shapes {
        for levels in [600, 3000, 200_000] {
            let levels = levels.min(BYTES_MAX / (open.len() + close.len() + 1));
            for close in [close, ""] {
                let code = format!("{}{middle}{}", open.repeat(levels), close.repeat(levels));
                let found = prepare(&code, BYTES_MAX);
                assert!(found.is_err(), "{open} {levels}");
            }
        }
    }
    let types = [
        ("A<", "T", ">"),
        ("[", "T", "]"),
        ("keyof ", "T", ""),
        ("()=>", "T", ""),
        ("(", "T", ")"),
        ("{a:", "T", "}"),
        ("A extends B?C:", "T", ""),
        ("`${", "T", "}`"),
        ("?", "T", ""),
    ];
    for (open, middle, close) in types {
        let levels = 200_000.min(BYTES_MAX / (open.len() + close.len() + 1));
        let code = format!("let x: {}{middle}{}", open.repeat(levels), close.repeat(levels));
        drop(prepare(&code, BYTES_MAX));
    }
}

/// Long is not deep: chains and lists have no limit but the text's.
#[test]
fn long_texts_are_read() {
    check(&format!("return 0{}", "+1".repeat(60_000)), "60000");
    check(&format!("return [{}].length", "[1],".repeat(50_000)), "50000");
    check(&format!("return [0]{}", ".map(x => x)".repeat(2_000)), "[0]");
    check(&format!("{}return 1", "let x;".replace("let x;", "{let x}\n").repeat(20_000)), "1");
    check(&format!("return '{}'.length", "(".repeat(80_000)), "80000");
    check(&format!("return `{}`.length", "[".repeat(999)), "999");
    check(&format!("let x = 0;{}return x", "if (x) {x++} else ".repeat(400) + "x = 7;"), "7");
    check(&format!("return {}1{}", "(".repeat(300), ")".repeat(300)), "1");
    check(&format!("let x: any = 1; return x{}", "!".repeat(10_000)), "1");
    check(&format!("let x: {}T{} = 1; return x", "A<".repeat(400), ">".repeat(400)), "1");
}

const SAMPLE: &str = "```ts
#!/usr/bin/env node
import type { A } from 'é';
interface B<T> extends A { readonly [k: string]: T; m?(x: number): void }
declare const 中: string
abstract class C<T> extends Array<T> implements E { private readonly x?: number = 1 as any
  public static *['g']<U>(this: C<U>, a?: U, ...b: U[]): Generator<U> { yield a! } }
const f = async <
  T,
>(x: T, { y = `a${`b${1 as number}`}` }: { y?: string } = {}): Promise<
  T
> => { return <T>x }
function g(a: string): void
function g(a: any) { try { return /[/`'\"]+\\//u.test(a) ? <any>{ a } : a satisfies 'x' } catch (e: unknown) { } }
label: for (const [i, v] of [...new Map<string, number>()] as const) { if (i! < 1) continue label; else break }
export default async function main() { return await f<number>(0x1F + 1_0 as any) // end
}
```";

/// Whatever of a program arrives, it is read or refused, and its places stay.
#[test]
fn every_part_of_a_program_is_read_or_refused() {
    let inside = SAMPLE.trim_start_matches("```ts\n").trim_end_matches("\n```");
    for whole in [SAMPLE, inside] {
        let starts = whole.char_indices().map(|(at, _)| at).chain([whole.len()]);
        for at in starts {
            let (start, end) = whole.split_at(at);
            for part in [start, end] {
                match prepare(part, BYTES_MAX) {
                    Ok(prepared) => {
                        check_lines(part, &prepared);
                        check_script(part, &prepared);
                    }
                    Err(error) => {
                        let lines = u32::try_from(part.split('\n').count()).unwrap();
                        assert!((1..=lines).contains(&error.line), "{part}: {error:?}");
                        assert!(error.render(part).contains('^'), "{part}: {error:?}");
                    }
                }
            }
        }
    }
    check(SAMPLE, "41");
}

/// Single characters are taken out, doubled, and replaced by what opens and closes things.
#[test]
fn a_program_with_one_character_changed_is_read_or_refused() {
    for (at, character) in SAMPLE.char_indices() {
        let (before, after) = SAMPLE.split_at(at);
        let after = after.strip_prefix(character).unwrap();
        for other in
            ["", "(", ")", "<", ">", "`", "'", "/", "\n", ";", "!", "?", "as ", "é", "\u{2028}"]
        {
            let code = format!("{before}{other}{after}");
            if let Ok(prepared) = prepare(&code, BYTES_MAX) {
                check_lines(&code, &prepared);
                check_script(&code, &prepared);
            }
        }
    }
}
