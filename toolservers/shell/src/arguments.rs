//! The arguments of tools that have several actions: which action takes which.
//!
//! Invariant: an argument that the action does not take is an error that says which action does, and is
//! never ignored (`an_argument_of_another_action_is_refused` of each such tool). [TOOL-02]

use tollgate_sdk::Invalid;

/// Refuses an argument that is given and not one of this action; `rows`: its name, whether it is given, the
/// actions that take it.
///
/// # Errors
/// The first such argument, and where it belongs.
pub(crate) fn check_belonging(action: &str, rows: &[(&str, bool, &[&str])]) -> Result<(), Invalid> {
    let Some((name, _, actions)) =
        rows.iter().find(|(_, given, actions)| *given && !actions.contains(&action))
    else {
        return Ok(());
    };
    let actions = actions.join(", ");
    let message = format!("action '{action}' takes no '{name}'; it belongs to {actions}");
    Err(Invalid::new(format!("/{name}"), message))
}

/// An argument without which the action can do nothing.
///
/// # Errors
/// It is not given.
pub(crate) fn needed<T: Clone>(action: &str, name: &str, value: Option<&T>) -> Result<T, Invalid> {
    value.cloned().ok_or_else(|| {
        Invalid::new(format!("/{name}"), format!("action '{action}' needs '{name}'"))
    })
}
