//! The TypeScript of classes: heads, members that are only types, modifiers.
//!
//! Not here: types inside members; the walk meets them.

use oxc_ast::ast::{
    Class, ClassElement, MethodDefinition, MethodDefinitionType, PropertyDefinition,
    PropertyDefinitionType, PropertyKey,
};
use oxc_span::{GetSpan, Span};

use super::edits::{Edits, offset};

/// What became of a member.
pub(super) enum Member {
    /// It was only types.
    Gone,
    /// It stays, without its modifiers.
    Kept,
    /// It cannot be had; why.
    Refused(&'static str),
}

const MODIFIERS: [&str; 7] =
    ["public", "private", "protected", "readonly", "override", "abstract", "declare"];

/// Blanks `abstract` and `implements …`.
pub(super) fn head(edits: &mut Edits<'_>, it: &Class<'_>) {
    if it.r#abstract {
        let at = it.decorators.last().map_or(it.span.start, |last| edits.next_token(last.span.end));
        edits.blank_word(at, "abstract");
    }
    let Some(last) = it.implements.last() else { return };
    let before = [
        it.id.as_ref().map(|id| id.span.end),
        it.type_parameters.as_ref().map(|types| types.span.end),
        it.heritage.as_ref().map(|heritage| heritage.span().end),
    ];
    let class_end = it.span.start.saturating_add(5);
    edits.blank(before.into_iter().flatten().max().unwrap_or(class_end), last.span.end);
}

/// Blanks a member that is only types, or the modifiers and marks of one that stays.
pub(super) fn member(edits: &mut Edits<'_>, it: &ClassElement<'_>) -> Member {
    match it {
        ClassElement::StaticBlock(_) => Member::Kept,
        ClassElement::TSIndexSignature(it) => gone(edits, it.span),
        ClassElement::AccessorProperty(it) if it.r#type.is_abstract() => gone(edits, it.span),
        ClassElement::AccessorProperty(_) => {
            Member::Refused("`accessor` is not available: write a field, or `get` and `set`")
        }
        ClassElement::MethodDefinition(it) => method(edits, it),
        ClassElement::PropertyDefinition(it) => property(edits, it),
    }
}

fn method(edits: &mut Edits<'_>, it: &MethodDefinition<'_>) -> Member {
    if it.r#type == MethodDefinitionType::TSAbstractMethodDefinition || it.value.body.is_none() {
        return gone(edits, it.span);
    }
    modifiers(edits, it.span, &it.key);
    if it.optional {
        mark(edits, &it.key, it.computed);
    }
    Member::Kept
}

fn property(edits: &mut Edits<'_>, it: &PropertyDefinition<'_>) -> Member {
    if it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition || it.declare {
        return gone(edits, it.span);
    }
    modifiers(edits, it.span, &it.key);
    if it.optional || it.definite {
        mark(edits, &it.key, it.computed);
    }
    Member::Kept
}

fn gone(edits: &mut Edits<'_>, span: Span) -> Member {
    edits.blank_statement(span);
    Member::Gone
}

/// Blanks the modifiers before a key. One that the member starts with becomes `;`: what follows may be `[`
/// or `*`, which would go on with a field before it that has no `;`.
fn modifiers(edits: &mut Edits<'_>, member: Span, key: &PropertyKey<'_>) {
    let mut at = member.start;
    while at < key.span().start {
        let word = edits.word(at);
        let Ok(length) = u32::try_from(word.len()) else { return };
        if length == 0 {
            return;
        }
        if MODIFIERS.contains(&word) {
            edits.blank(at, at + length);
            if at == member.start {
                edits.replace(at, b';');
            }
        }
        at = edits.next_token(at + length);
    }
}

/// Blanks the `?` or `!` after a key.
fn mark(edits: &mut Edits<'_>, key: &PropertyKey<'_>, computed: bool) {
    let mut at = edits.next_token(key.span().end);
    if computed && edits.text().as_bytes().get(offset(at)) == Some(&b']') {
        at = edits.next_token(at + 1);
    }
    edits.blank(at, at + 1);
}
