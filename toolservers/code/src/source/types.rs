//! TypeScript becomes JavaScript by blanking: every character that stays keeps its line and column.
//!
//! Where a type held two lines apart or together, what it did is done otherwise: a statement that ended
//! with a type ends with `;`, a declaration of types alone becomes `;`, and parentheses move to where the
//! line end is no longer between them and what they belong to. The cases are those that the documentation
//! of ts-blank-space lists.
//!
//! What is not only types (enums, namespaces, parameter properties) is refused, as are imports, exports and
//! syntax after ES2023: never half run.
//!
//! Not here: members of classes ([`super::members`]), the value of the program ([`super::shape`]).

use oxc_ast::ast::{
    ArrowFunctionExpression, BinaryExpression, CallExpression, Class, ClassElement, Declaration,
    Decorator, ExportDefaultDeclarationKind, Expression, FormalParameter, ImportDeclaration,
    ImportDeclarationSpecifier, ImportExpression, ImportMeta, Statement, TSAsExpression,
    TSEnumDeclaration, TSNonNullExpression, TSSatisfiesExpression, TSThisParameter, TSType,
    TSTypeAnnotation, TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    TaggedTemplateExpression, VariableDeclaration, VariableDeclarationKind, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::BinaryOperator;

use super::{
    Diagnostic,
    edits::{Edits, Order, offset},
    members::{self, Member},
    parse::Parsed,
    text,
};

const NO_IMPORTS: &str = "imports are not available: a program has `tools` and `console`, and no modules; \
    `await tools.call(name, args)` does what a module would, `await tools.search(query)` finds the tool";

const NO_EXPORTS: &str =
    "a program has no exports: `return` the value, or `export default` a function";

const NO_ENUMS: &str = "enums are not only types and are not available: write \
    `const Name = { A: \"a\", B: \"b\" }`";

const NO_NAMESPACES: &str = "namespaces are not only types and are not available: write an object";

const NO_PROPERTIES: &str = "a parameter that declares a property is not available: declare the property \
    in the class and assign it in the constructor";

/// Blanks what is TypeScript in a program.
///
/// # Errors
/// Class `unsupported`, at the first piece that is not available and cannot be blanked.
pub(super) fn erase(
    parsed: &Parsed<'_>,
    edits: &mut Edits<'_>,
    has_require: bool,
) -> Result<(), Diagnostic> {
    let mut types = Types { edits, refusal: None, has_require };
    types.visit_program(&parsed.program);
    match types.refusal {
        None => Ok(()),
        Some((class, at, message)) => Err(Diagnostic::at(class, message, parsed.text, offset(at))),
    }
}

/// Is a statement nothing but types, so that nothing of it runs?
pub(super) fn is_type_only(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ImportDeclaration(it) => imports_types(it),
        Statement::ExportNamedDeclaration(it) => {
            it.export_kind.is_type() || it.specifiers.is_empty()
        }
        Statement::ExportFromDeclaration(it) => it.export_kind.is_type(),
        Statement::ExportAllDeclaration(it) => it.export_kind.is_type(),
        Statement::ExportDeclaration(it) => declares_types(&it.declaration),
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => it.body.is_none(),
            _ => false,
        },
        _ => statement.as_declaration().is_some_and(declares_types),
    }
}

fn imports_types(it: &ImportDeclaration<'_>) -> bool {
    let is_type = |name: &ImportDeclarationSpecifier<'_>| match name {
        ImportDeclarationSpecifier::ImportSpecifier(name) => name.import_kind.is_type(),
        ImportDeclarationSpecifier::ImportDefaultSpecifier(_)
        | ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => false,
    };
    it.import_kind.is_type()
        || it
            .specifiers
            .as_ref()
            .is_some_and(|names| !names.is_empty() && names.iter().all(is_type))
}

fn declares_types(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare,
        Declaration::TSExternalModuleDeclaration(it) => it.declare,
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind.is_type(),
    }
}

struct Types<'e, 't> {
    edits: &'e mut Edits<'t>,
    refusal: Option<(&'static str, u32, &'static str)>,
    /// The program declares its own `require`.
    has_require: bool,
}

impl Types<'_, '_> {
    fn refuse(&mut self, span: Span, message: &'static str) {
        self.refusal.get_or_insert(("unsupported", span.start, message));
    }

    fn has_line_end(&self, from: u32, to: u32) -> bool {
        let text = self.edits.text().get(offset(from)..offset(to)).unwrap_or_default();
        text.contains(['\n', '\u{2028}', '\u{2029}'])
    }

    /// `x as T` and `x satisfies T`.
    fn keep_only(&mut self, kept: &Expression<'_>, all: Span) {
        self.edits.blank(kept.span().end, all.end);
    }

    /// Blanks a mark after `from` that belongs to a type: `?` or `!`.
    fn blank_mark(&mut self, from: u32) {
        let at = self.edits.next_token(from);
        self.edits.blank(at, at + 1);
    }
}

impl<'a> Visit<'a> for Types<'_, '_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        let span = it.span();
        if is_type_only(it) {
            self.edits.blank_statement(span);
            return;
        }
        match it {
            Statement::ImportDeclaration(_) | Statement::TSImportEqualsDeclaration(_) => {
                self.refuse(span, NO_IMPORTS);
            }
            Statement::ExportDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::TSExportAssignment(_)
            | Statement::TSNamespaceExportDeclaration(_) => self.refuse(span, NO_EXPORTS),
            Statement::TSNamespaceDeclaration(_)
            | Statement::TSExternalModuleDeclaration(_)
            | Statement::TSGlobalDeclaration(_) => self.refuse(span, NO_NAMESPACES),
            _ => {
                walk::walk_statement(self, it);
                self.edits.end_statement(span.end);
            }
        }
    }

    // === types that are a span of their own ===

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.edits.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.edits.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.edits.blank(it.span.start, it.span.end);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        let next = self.edits.next_token(it.span.end);
        let is_comma = self.edits.text().as_bytes().get(offset(next)) == Some(&b',');
        self.edits.blank(it.span.start, if is_comma { next + 1 } else { it.span.end });
    }

    fn visit_ts_type(&mut self, _: &TSType<'a>) {}

    // === expressions ===

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        walk::walk_ts_as_expression(self, it);
        self.keep_only(&it.expression, it.span);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        walk::walk_ts_satisfies_expression(self, it);
        self.keep_only(&it.expression, it.span);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        walk::walk_ts_non_null_expression(self, it);
        self.edits.blank(it.span.end - 1, it.span.end);
    }

    /// `<T>x` becomes `(x)`: without the parentheses an object or a function would become a statement.
    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        walk::walk_ts_type_assertion(self, it);
        let kept = it.expression.span();
        self.edits.blank(it.span.start, kept.start);
        self.edits.replace(it.span.start, b'(');
        self.edits.insert(kept.end, Order::Inner, ")");
    }

    /// No line may end before the `(` of an async arrow, after `return`, or before `=>`: the parenthesis
    /// moves to the far end of the type.
    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk::walk_arrow_function_expression(self, it);
        if let Some(types) = &it.type_parameters
            && self.has_line_end(types.span.start, it.params.span.start)
        {
            self.edits.blank(it.params.span.start, it.params.span.start + 1);
            self.edits.replace(types.span.start, b'(');
        }
        if let Some(returned) = &it.return_type
            && self.has_line_end(it.params.span.end, returned.span.end)
        {
            self.edits.blank(it.params.span.end - 1, it.params.span.end);
            self.edits.replace(returned.span.end - 1, b')');
        }
    }

    /// In a script, `<!--` would start a comment.
    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        let right = it.right.span().start;
        let text = self.edits.text().get(offset(right.saturating_sub(1))..).unwrap_or_default();
        if it.operator == BinaryOperator::LessThan && text.starts_with("<!--") {
            self.edits.insert(right, Order::Before, " ");
        }
        walk::walk_binary_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if !self.has_require && it.callee.is_specific_id("require") {
            self.refuse(it.span, NO_IMPORTS);
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.refuse(it.span, NO_IMPORTS);
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        self.refuse(it.span, "`import.meta` is not available: a program is no module");
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        let quasi = offset(it.quasi.span.start);
        let before = self.edits.text().get(quasi.saturating_sub(2)..=quasi);
        if before == Some("```") {
            // A fence reads as an empty template and the start of another.
            let fence = it.quasi.span.start.saturating_sub(2);
            self.refusal.get_or_insert(("syntax", fence, text::FENCE_INSIDE));
        }
        walk::walk_tagged_template_expression(self, it);
    }

    // === declarations ===

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if matches!(it.kind, VariableDeclarationKind::Using | VariableDeclarationKind::AwaitUsing) {
            self.refuse(it.span, "`using` is not available: write `const`, and `try … finally`");
        }
        walk::walk_variable_declaration(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.blank_mark(it.id.span().end);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.refuse(it.span, NO_PROPERTIES);
        }
        if it.optional {
            self.blank_mark(it.pattern.span().end);
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        self.refuse(it.span, NO_ENUMS);
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(it.span, "decorators are not available: call the function yourself");
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        members::head(self.edits, it);
        walk::walk_class(self, it);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        match members::member(self.edits, it) {
            Member::Gone => {}
            Member::Refused(message) => self.refuse(it.span(), message),
            Member::Kept => {
                walk::walk_class_element(self, it);
                if matches!(it, ClassElement::PropertyDefinition(_)) {
                    self.edits.end_statement(it.span().end);
                }
            }
        }
    }
}
