//! What the program's value is (`[CODE-01]`): which of its forms it has, and what makes that a `return`.
//!
//! | the program | its value |
//! |---|---|
//! | has `return` outside functions | as it says |
//! | `export default` a function, or the name of one | what it returns when called |
//! | `export default` an expression | the expression |
//! | declares one function and nothing else; or only declares, and one is `main` or `run` | what it returns when called, unless it is mentioned elsewhere |
//! | ends with an expression | the expression; called if it is a function |
//! | ends with an assignment, `x++`, `void` or `delete` | none |
//!
//! Declarations of types, and functions after the last expression, do not count.
//!
//! Not here: waiting for it: the function around the program is async, so a promise is waited for.

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind,
    Expression, FormalParameters, ObjectPattern, Statement, UnaryOperator, VariableDeclarator,
};
use oxc_span::{GetSpan, Span};

use super::{
    Diagnostic,
    edits::{Edits, Order, offset},
    parse::Parsed,
    survey::Survey,
    types::is_type_only,
};

/// What follows the program, and what to tell the model.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// Empty, or a line with its end.
    pub(super) last_line: String,
    pub(super) notes: Vec<String>,
}

/// A function that the program declares or writes.
struct Callable<'p, 'a> {
    name: &'p str,
    params: &'p FormalParameters<'a>,
    span: Span,
}

/// What functions may be named that are called although other declarations stand beside them.
const ENTRIES: [&str; 2] = ["main", "run"];

/// Finds the form, and edits the text so that the value is returned.
///
/// # Errors
/// Class `unsupported`: two default exports, or a class.
pub(super) fn shape(
    parsed: &Parsed<'_>,
    survey: &Survey<'_>,
    edits: &mut Edits<'_>,
) -> Result<Shape, Diagnostic> {
    let runs: Vec<&Statement<'_>> = parsed
        .program
        .body
        .iter()
        .filter(|it| !is_type_only(it) && !matches!(it, Statement::EmptyStatement(_)))
        .collect();
    let mut exports = runs.iter().filter_map(|it| match it {
        Statement::ExportDefaultDeclaration(export) => Some(&**export),
        _ => None,
    });
    if let Some(export) = exports.next() {
        if let Some(second) = exports.next() {
            return Err(refused(
                "a program has one default export; this is the second",
                parsed,
                second.span,
            ));
        }
        if let Some(shape) = default_export(parsed, survey, edits, export, &runs)? {
            return Ok(shape);
        }
    }
    if let Some(shape) = entry(survey, &runs) {
        return Ok(shape);
    }
    if !survey.returns {
        last_expression(parsed, edits, &runs);
    }
    Ok(Shape { last_line: String::new(), notes: block_note(&runs) })
}

fn refused(message: &str, parsed: &Parsed<'_>, span: Span) -> Diagnostic {
    Diagnostic::at("unsupported", message, parsed.text, offset(span.start))
}

/// None: the program calls its export itself.
fn default_export(
    parsed: &Parsed<'_>,
    survey: &Survey<'_>,
    edits: &mut Edits<'_>,
    export: &ExportDefaultDeclaration<'_>,
    runs: &[&Statement<'_>],
) -> Result<Option<Shape>, Diagnostic> {
    let exported = export.declaration.span();
    edits.blank(export.span.start, exported.start);
    let call = match &export.declaration {
        ExportDefaultDeclarationKind::ClassDeclaration(_) => {
            let message = "a class is no program: export a function, or `return` a value";
            return Err(refused(message, parsed, export.span));
        }
        ExportDefaultDeclarationKind::FunctionDeclaration(it) => {
            let arguments = arguments(&it.params).unwrap_or_default();
            if let Some(id) = &it.id {
                let name = id.name.as_str();
                let is_called = survey.is_mentioned_outside(name, exported.start, exported.end);
                return Ok((!is_called).then(|| Shape::returning(&format!("{name}({arguments})"))));
            }
            format!("({arguments})")
        }
        other => other.as_expression().and_then(|it| call_of(it, runs)).unwrap_or_default(),
    };
    // A name that no text of the program has, so that it can neither be meant nor be taken.
    let mut name = "defaultExport".to_owned();
    while parsed.text.contains(&name) {
        name.push('_');
    }
    edits.insert(exported.start, Order::Before, format!("const {name} = ("));
    edits.insert(exported.end, Order::Outer, ");");
    Ok(Some(Shape::returning(&format!("{name}{call}"))))
}

/// `(…)` with arguments if an expression is a function, or the name of one that the program declares.
fn call_of(expression: &Expression<'_>, runs: &[&Statement<'_>]) -> Option<String> {
    let params = match expression.get_inner_expression() {
        Expression::Identifier(id) => {
            let name = id.name.as_str();
            runs.iter().flat_map(|it| callables(it)).find(|it| it.name == name)?.params
        }
        inner => function(inner)?,
    };
    Some(format!("({})", arguments(params).unwrap_or_default()))
}

/// A function that is only declared.
fn entry(survey: &Survey<'_>, runs: &[&Statement<'_>]) -> Option<Shape> {
    let declares = |it: &&Statement<'_>| {
        matches!(
            it,
            Statement::FunctionDeclaration(_)
                | Statement::VariableDeclaration(_)
                | Statement::ClassDeclaration(_)
        )
    };
    if !runs.iter().all(declares) {
        return None;
    }
    let is_alone = runs.len() == 1;
    let mut found = runs.iter().flat_map(|it| callables(it)).filter(|it| {
        (is_alone || ENTRIES.contains(&it.name))
            && !survey.is_mentioned_outside(it.name, it.span.start, it.span.end)
    });
    let (only, None) = (found.next()?, found.next()) else { return None };
    let name = only.name;
    let Some(arguments) = arguments(only.params) else {
        let note = format!(
            "`{name}` takes arguments, so it was not called; call it: `return await {name}(…)`"
        );
        return Some(Shape { last_line: String::new(), notes: vec![note] });
    };
    let mut shape = Shape::returning(&format!("{name}({arguments})"));
    shape.notes.push(format!(
        "`{name}` was declared and not called; it was called, and what it returns is the result"
    ));
    Some(shape)
}

fn last_expression(parsed: &Parsed<'_>, edits: &mut Edits<'_>, runs: &[&Statement<'_>]) {
    let is_function = |it: &&&Statement<'_>| {
        matches!(it, Statement::FunctionDeclaration(_) | Statement::ExportDefaultDeclaration(_))
    };
    let last = runs.iter().rev().find(|it| !is_function(it));
    let Some(last) = last else {
        // A text that is only a string is read as a directive.
        if let Some(directive) =
            parsed.program.directives.last().filter(|it| it.directive != "use strict")
        {
            give(edits, directive.expression.span, ")");
        }
        return;
    };
    let Statement::ExpressionStatement(last) = last else { return };
    let expression = &last.expression;
    let inner = expression.get_inner_expression();
    let has_no_value = match inner {
        Expression::AssignmentExpression(_) | Expression::UpdateExpression(_) => true,
        Expression::UnaryExpression(it) => {
            matches!(it.operator, UnaryOperator::Void | UnaryOperator::Delete)
        }
        _ => false,
    };
    if !has_no_value {
        let call =
            function(inner).map(|params| format!(")({})", arguments(params).unwrap_or_default()));
        give(edits, expression.span(), &call.unwrap_or_else(|| ")".to_owned()));
    }
}

fn give(edits: &mut Edits<'_>, value: Span, close: &str) {
    edits.insert(value.start, Order::Before, "return (");
    edits.insert(value.end, Order::Outer, close);
}

/// `{ok: true}` is a block with a label, and `true` is thrown away.
fn block_note(runs: &[&Statement<'_>]) -> Vec<String> {
    let [Statement::BlockStatement(block)] = runs else { return Vec::new() };
    let is_property = |it: &Statement<'_>| matches!(it, Statement::LabeledStatement(it) if matches!(it.body, Statement::ExpressionStatement(_)));
    if block.body.is_empty() || !block.body.iter().all(is_property) {
        return Vec::new();
    }
    vec!["the braces were read as a block, not as an object; write `return {…}`".to_owned()]
}

/// Functions that a statement gives a name to.
fn callables<'p, 'a>(statement: &'p Statement<'a>) -> Vec<Callable<'p, 'a>> {
    match statement.as_declaration() {
        Some(Declaration::FunctionDeclaration(it)) if !it.generator => {
            let name = it.id.as_ref().map(|id| id.name.as_str());
            name.map(|name| Callable { name, params: &it.params, span: it.span })
                .into_iter()
                .collect()
        }
        Some(Declaration::VariableDeclaration(it)) => {
            it.declarations.iter().filter_map(variable).collect()
        }
        _ => Vec::new(),
    }
}

fn variable<'p, 'a>(it: &'p VariableDeclarator<'a>) -> Option<Callable<'p, 'a>> {
    let BindingPattern::BindingIdentifier(id) = &it.id else { return None };
    let params = function(it.init.as_ref()?.get_inner_expression())?;
    Some(Callable { name: id.name.as_str(), params, span: it.span })
}

/// The parameters of an expression that is a function.
fn function<'p, 'a>(expression: &'p Expression<'a>) -> Option<&'p FormalParameters<'a>> {
    match expression {
        Expression::ArrowFunctionExpression(it) => Some(&it.params),
        Expression::FunctionExpression(it) if !it.generator => Some(&it.params),
        _ => None,
    }
}

/// What to call a function with: nothing, or what a program has, to one that takes it (`tools`,
/// `{ tools, console }`). None if it needs what nobody has.
fn arguments(params: &FormalParameters<'_>) -> Option<String> {
    let needed: Vec<_> =
        params.items.iter().filter(|it| !it.optional && it.initializer.is_none()).collect();
    match needed.as_slice() {
        [] => Some(String::new()),
        [only] => match &only.pattern {
            BindingPattern::BindingIdentifier(id) if id.name == "tools" => Some("tools".to_owned()),
            BindingPattern::ObjectPattern(it) if takes_globals(it) => {
                Some("{ tools, console }".to_owned())
            }
            _ => None,
        },
        _ => None,
    }
}

fn takes_globals(pattern: &ObjectPattern<'_>) -> bool {
    pattern.rest.is_none()
        && pattern
            .properties
            .iter()
            .all(|it| it.key.static_name().is_some_and(|name| name == "tools" || name == "console"))
}

impl Shape {
    fn returning(value: &str) -> Self {
        Self { last_line: format!("return {value};\n"), notes: Vec::new() }
    }
}
