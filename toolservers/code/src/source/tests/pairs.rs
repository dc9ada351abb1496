//! Every line that ends with a type before every line that starts with what could go on with it: what
//! TypeScript reads as two must stay two, and what it reads as one must stay one.

use std::mem::discriminant;

use oxc_allocator::Allocator;
use oxc_ast::ast::{ClassElement, Expression, Statement};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use super::{BYTES_MAX, prepare};
use crate::source::types::is_type_only;

const ENDS: [&str; 34] = [
    "a",
    "a as T",
    "a as T[]",
    "a as any as { b: c }",
    "a satisfies T",
    "a!",
    "a!!",
    "<T>a",
    "<T>a!",
    "<T>a as U",
    "f<T>",
    "f<T>()",
    "let x: T",
    "let x!: T",
    "let x: T = a",
    "let x: T = a as T",
    "let x = a!, y: U",
    "let x = f<T>",
    "let x = (y: T): U => y as V",
    "let x = async <T>(y) => <T>y",
    "type X = T",
    "type X<T> =\n  | T\n  | U",
    "interface X {}",
    "declare const x: T",
    "declare function x(): T",
    "function x(): T",
    "if (a) b as T",
    "if (a) b; else c!",
    "do a as T\nwhile (b)",
    "x: a as T",
    "throw a as T",
    "import type { X } from 'x'",
    "export {}",
    "class X { y: T }",
];

const STARTS: [&str; 24] = [
    "(a)()",
    "[a]",
    "`a`",
    "/a/g",
    "+a",
    "-a",
    "++a",
    "--a",
    "a",
    "<T>(a)",
    "!a",
    "* a",
    ". a",
    "?. a",
    "? a : b",
    "as T",
    "satisfies T",
    "instanceof T",
    "in b",
    "=> a",
    "{ a }",
    "function g() {}",
    "async () => {}",
    "type Y = T",
];

/// Statements.
#[test]
fn two_lines_stay_as_many_statements_as_in_typescript() {
    let mut compared = 0;
    for end in ENDS {
        for start in STARTS {
            let code = format!("{end}\n{start}\nreturn 0");
            let Some(meant) = statements(&code, SourceType::ts().with_module(true)) else {
                continue;
            };
            let prepared =
                prepare(&code, BYTES_MAX).unwrap_or_else(|error| panic!("{}", error.render(&code)));
            let body =
                prepared.script.replace("(async () => {\"use strict\";\n", "").replace("\n})", "");
            let became = statements(&body, SourceType::mjs());
            assert_eq!(became, Some(meant), "{code}\n--- became ---\n{body}");
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

const MEMBERS: [&str; 24] = [
    "a",
    "a: T",
    "a?: T",
    "a!: T",
    "a = b as T",
    "a = b!",
    "a = <T>b",
    "private a",
    "readonly a: T",
    "static a: T",
    "get: T",
    "set: T",
    "static: T",
    "async: T",
    "declare a: T",
    "[k: string]: T",
    "abstract a: T",
    "abstract m(): T",
    "m(): T",
    "override a: T = 1",
    "get a(): T { return b as T }",
    "a = (b): T => b as T",
    "m?(): T {}",
    "public static readonly a = f<T>",
];

const NEXT: [&str; 12] = [
    "b() {}",
    "['b'] = 1",
    "*b() {}",
    "private ['b'] = 1",
    "private *b() {}",
    "public async b() {}",
    "static b = 1",
    "get b() { return 1 }",
    "readonly b: T",
    "[k: number]: T",
    "in = 1",
    "instanceof: T",
];

/// Members of classes.
#[test]
fn two_lines_stay_as_many_members_as_in_typescript() {
    let mut compared = 0;
    for member in MEMBERS {
        for next in NEXT {
            let code = format!("abstract class C {{\n{member}\n{next}\n}}\nreturn 0");
            let Some(meant) = members(&code, SourceType::ts().with_module(true)) else { continue };
            let prepared =
                prepare(&code, BYTES_MAX).unwrap_or_else(|error| panic!("{}", error.render(&code)));
            let body =
                prepared.script.replace("(async () => {\"use strict\";\n", "").replace("\n})", "");
            assert_eq!(
                members(&body, SourceType::mjs()),
                Some(meant),
                "{code}\n--- became ---\n{body}"
            );
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}

/// Kinds of the statements that are more than types, and how their expressions are built. None: no program.
fn statements(code: &str, kind: SourceType) -> Option<Vec<String>> {
    read(code, kind, |statement| match statement {
        Statement::ExpressionStatement(it) => Some(format!("expression {}", inner(&it.expression))),
        Statement::VariableDeclaration(it) => {
            let values = it.declarations.iter().map(|each| each.init.as_ref().map(inner));
            Some(format!("variables {:?}", values.collect::<Vec<_>>()))
        }
        other => Some(format!("{:?}", discriminant(other))),
    })
}

/// The kind of an expression without types and parentheses.
fn inner(expression: &Expression<'_>) -> String {
    format!("{:?}", discriminant(expression.get_inner_expression()))
}

fn members(code: &str, kind: SourceType) -> Option<Vec<String>> {
    read(code, kind, |statement| match statement {
        Statement::ClassDeclaration(it) => {
            Some(format!("{:?}", it.body.body.iter().filter_map(member).collect::<Vec<_>>()))
        }
        _ => None,
    })
}

/// Kind and value of a member that is more than types.
fn member(it: &ClassElement<'_>) -> Option<String> {
    let is_type = it.is_typescript_syntax()
        || matches!(it, ClassElement::PropertyDefinition(it) if it.declare);
    let value = match it {
        ClassElement::PropertyDefinition(it) => it.value.as_ref().map(inner),
        ClassElement::MethodDefinition(it) => Some(format!("{:?} {}", it.kind, it.value.generator)),
        _ => None,
    };
    (!is_type).then(|| {
        format!(
            "{:?} {:?} {value:?}",
            discriminant(it),
            it.property_key().and_then(|key| key.static_name())
        )
    })
}

fn read(
    code: &str,
    kind: SourceType,
    show: impl Fn(&Statement<'_>) -> Option<String>,
) -> Option<Vec<String>> {
    let allocator = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let read = Parser::new(&allocator, code, kind).with_options(options).parse();
    let runs =
        |it: &&Statement<'_>| !is_type_only(it) && !matches!(it, Statement::EmptyStatement(_));
    let is_program = read.diagnostics.is_empty() && !read.panicked;
    is_program.then(|| read.program.body.iter().filter(runs).filter_map(show).collect())
}
