//! Whether rules and hooks name tools that there are (`[GATE-20]`): a rule for no tool is a rule that its
//! writer believes in and that never holds.

use tollgate_core::authority::rules::NamePattern;

use crate::{
    PolicyError, PolicyFault,
    read::table::{hint, shorten},
    rule::Named,
};

/// Checks each pattern against the known names. Tools of MCP servers may come later.
///
/// # Errors
/// Every pattern that names none.
pub(super) fn check<'a>(
    named: impl IntoIterator<Item = &'a Named>,
    known: &[String],
) -> Result<(), PolicyError> {
    let faults: Vec<PolicyFault> = named
        .into_iter()
        .filter_map(|named| {
            let what = fault(&named.pattern, known)?;
            Some(PolicyFault { what, ..named.place.clone() })
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(PolicyError(faults)) }
}

fn fault(pattern: &NamePattern, known: &[String]) -> Option<String> {
    let text = pattern.as_str();
    let may_come = if pattern.exact().is_some() { "mcp_" } else { "mcp" };
    if text.starts_with(may_come) || known.iter().any(|name| pattern.matches(name)) {
        return None;
    }
    let shown = shorten(text);
    if pattern.exact().is_none() {
        return (text != "*").then(|| format!("no tool has a name like '{shown}'"));
    }
    let hint = hint(text, known.iter().map(String::as_str));
    Some(format!("there is no tool '{shown}'{hint}"))
}
