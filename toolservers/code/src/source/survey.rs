//! What a program consists of, found in one walk over its tree: the names it declares and mentions, whether
//! it returns, how deep it goes.
//!
//! Names are compared as texts, without scopes: a name that is mentioned anywhere counts as used, so that a
//! program is rather left as it is than changed.
//!
//! Not here: what follows from it.

use std::collections::HashSet;

use oxc_ast::{
    AstKind,
    ast::{
        ArrowFunctionExpression, BindingIdentifier, Class, Function, IdentifierReference,
        ReturnStatement, TSInterfaceDeclaration, TSType, TSTypeAliasDeclaration, TSTypeAnnotation,
        TSTypeName, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    },
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::{
    Diagnostic,
    edits::offset,
    nesting::{LEVELS_MAX, TOO_DEEP},
    parse::Parsed,
};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    /// Names of variables, parameters and functions, not of classes.
    values: HashSet<&'a str>,
    /// Every mention of a name outside types, with its offset.
    mentions: Vec<(&'a str, u32)>,
    /// Names that stand alone as type arguments, as in `f<Name>()`.
    type_arguments: Vec<&'a str>,
    /// A `return` that is not inside a function of the program's.
    pub(super) returns: bool,
    functions: usize,
    /// The nodes from the root to here: where each starts, and whether that makes it a level.
    path: Vec<(u32, bool)>,
    levels: u32,
    too_deep: Option<u32>,
}

/// Walks a program.
///
/// # Errors
/// Class `limit`: more than [`LEVELS_MAX`] levels.
pub(super) fn survey<'a>(parsed: &Parsed<'a>) -> Result<Survey<'a>, Diagnostic> {
    let mut survey = Survey::default();
    survey.visit_program(&parsed.program);
    match survey.too_deep {
        Some(at) => Err(Diagnostic::at("limit", TOO_DEEP, parsed.text, offset(at))),
        None => Ok(survey),
    }
}

impl Survey<'_> {
    /// `f(a < b, c > (d))` reads as a call with type arguments; it compares if one of them is a variable.
    pub(super) fn compares_values(&self) -> bool {
        self.type_arguments.iter().any(|name| self.values.contains(name))
    }

    /// Is `name` mentioned outside `from..to`, or declared by anything but a class?
    pub(super) fn is_mentioned_outside(&self, name: &str, from: u32, to: u32) -> bool {
        self.mentions.iter().any(|(each, at)| *each == name && !(from..to).contains(at))
    }

    /// Does the program declare a variable, a parameter or a function of this name?
    pub(super) fn declares(&self, name: &str) -> bool {
        self.values.contains(name)
    }

    fn inside_function(&mut self, walk: impl FnOnce(&mut Self)) {
        self.functions += 1;
        walk(self);
        self.functions -= 1;
    }
}

impl<'a> Visit<'a> for Survey<'a> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        let start = kind.span().start;
        // A node that starts where the one around it starts is no level of its own: of `a + b + c + d`,
        // `a.b().c()` and `f()()` parsers make a deep tree without going deep.
        let is_level = self.path.last().is_none_or(|(above, _)| *above != start);
        self.levels += u32::from(is_level);
        if self.levels > LEVELS_MAX && self.too_deep.is_none() {
            self.too_deep = Some(start);
        }
        self.path.push((start, is_level));
    }

    fn leave_node(&mut self, _: AstKind<'a>) {
        if let Some((_, is_level)) = self.path.pop() {
            self.levels -= u32::from(is_level);
        }
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.values.insert(it.name.as_str());
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.mentions.push((it.name.as_str(), it.span.start));
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let name = it.id.as_ref().map(|id| id.name.as_str());
        let is_value = name.is_some_and(|name| self.values.contains(name));
        walk::walk_class(self, it);
        if let Some(name) = name.filter(|_| !is_value) {
            self.values.remove(name);
        }
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.inside_function(|survey| walk::walk_function(survey, it, flags));
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.inside_function(|survey| walk::walk_arrow_function_expression(survey, it));
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        self.returns |= self.functions == 0;
        walk::walk_return_statement(self, it);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        for each in &it.params {
            if let TSType::TSTypeReference(reference) = each
                && let TSTypeName::IdentifierReference(name) = &reference.type_name
                && reference.type_arguments.is_none()
            {
                self.type_arguments.push(name.name.as_str());
            }
        }
    }

    // What is in a type is no mention of a value.
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
    fn visit_ts_type_annotation(&mut self, _: &TSTypeAnnotation<'a>) {}
    fn visit_ts_type_parameter_declaration(&mut self, _: &TSTypeParameterDeclaration<'a>) {}
    fn visit_ts_interface_declaration(&mut self, _: &TSInterfaceDeclaration<'a>) {}
    fn visit_ts_type_alias_declaration(&mut self, _: &TSTypeAliasDeclaration<'a>) {}
}
