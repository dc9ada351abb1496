//! What the log and the conversation keep of a model's calls. The call itself is made with the exact
//! arguments; in what is kept, and sent to the model again, secret ones are marked and left out.

use tollgate_core::catalog::Catalog;

use super::Redactor;
use crate::store::session::ToolCall;

/// A model's calls as the log and the conversation keep them: without secret arguments.
pub(crate) fn kept(redactor: &Redactor, catalog: &Catalog, calls: &[ToolCall]) -> Vec<ToolCall> {
    let kept = calls.iter().map(|call| {
        let mut call = call.clone();
        if let Some(entry) = catalog.find(&call.name, call.arguments.as_bytes())
            && entry.has_secrets()
        {
            call.arguments = entry.veil(call.arguments.as_bytes()).shown.to_string();
        }
        redactor.hide(&mut call.arguments);
        call
    });
    kept.collect()
}
