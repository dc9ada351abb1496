//! `permissions.toml`: what the user allows, asks for and denies. [`append()`] stores "always" answers.
//!
//! ```toml
//! allow = ["bash(cargo test *)", "read(~/notes/**)"]
//!
//! [[rule]]
//! action = "deny"
//! tool = "bash"
//! command = ["git", "push"]
//! reason = "pushing is mine"
//! ```
//!
//! What a `[[rule]]` can say: [`crate::rule`].

mod append;

use std::path::Path;

use tollgate_core::authority::rules::{Action, Source};

use crate::{
    PolicyError,
    read::table,
    rule::{Read, Reader},
};

pub(crate) use append::append;

#[cfg(test)]
mod tests;

/// Reads the text of a file that is called `path`.
///
/// # Errors
/// Every fault.
pub(crate) fn parse(path: &Path, text: &str, home: Option<&Path>) -> Result<Read, PolicyError> {
    let reader = Reader {
        source: Source::User,
        actions: &[Action::Allow, Action::Ask, Action::Deny],
        why_not: "",
        home,
    };
    table::parse(path, text, |root| {
        root.only(&["allow", "ask", "deny", "rule"]);
        reader.rules(root)
    })
}
