//! The tool `edit`.
//!
//! Metadata: `{"path", "bytes", "places", "added", "removed", "diff"}`.

use std::os::unix::fs::MetadataExt;

use serde_json::json;
use sha2::{Digest, Sha256};
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Failure, Invalid, JsonSchema, PathAccess, Preparation,
    Rendering, Reply, Safety, Scope, Spec, Tool,
};

use crate::{
    editing::{self, Editing},
    failed::{Class, Failed},
    limits::{DIFF_BYTES_MAX, PREVIEW_BYTES_MAX},
    matching::{self, Edit as Replacement},
    outcome::{
        blocking, last_seen, prepared, read_roots, roots, touching, with_observation, write_roots,
    },
    replace::{alone, other_links, replace},
    roots::Place,
    snapshot::as_expected,
};

/// Replaces pieces of a file's text.
#[derive(Debug)]
pub(crate) struct Edit;

/// What to change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct EditInput {
    /// Absolute, or relative to the working directory.
    path: String,
    /// All apply, or none.
    #[schemars(length(min = 1, max = 256))]
    edits: Vec<EditItem>,
}

/// One replacement.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
pub(crate) struct EditItem {
    /// Exact text of the file, long enough to occur once.
    old: String,
    /// Its replacement.
    new: String,
    /// Change every occurrence.
    #[serde(default)]
    all: bool,
}

impl Tool for Edit {
    type Input = EditInput;
    const NAME: &'static str = "edit";
    const DESCRIPTION: &'static str = "Replace exact pieces of text in a file, all or none. Every `old` must \
        occur exactly once in the file as it is now (or set `all`); edits must not overlap.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WRITE)
            .title("Edit a file")
            .search_hint("change modify replace text in file patch substitute")
            .argument_aliases(&[
                ("file", "path"),
                ("file_path", "path"),
                ("oldText", "old"),
                ("old_string", "old"),
                ("newText", "new"),
                ("new_string", "new"),
                ("replace_all", "all"),
            ])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .eager()
            .prepared()
    }

    async fn prepare(&self, input: &EditInput, context: &Context) -> Result<Preparation, Invalid> {
        Ok(prepare(input.path.clone(), replacements(&input.edits), None, context).await?)
    }

    async fn call(&self, input: EditInput, call: Call) -> Result<Reply, Failure> {
        let edits = replacements(&input.edits);
        Ok(blocking(move || run(&input.path, &edits, None, &call.context, &call.scope)).await?)
    }
}

/// Judges an edit before it runs; `expected` is what the file must be.
///
/// # Errors
/// Those of the path and the plan; `stale`.
pub(crate) async fn prepare(
    path: String,
    edits: Vec<Replacement>,
    expected: Option<[u8; 32]>,
    context: &Context,
) -> Result<Preparation, Failed> {
    let (roots, context) = (roots(context), context.clone());
    blocking(move || {
        let place = roots.locate(&path)?;
        let editing = match editing::plan(&place, &edits, last_seen(&context, &place)) {
            Err(failed) if quotes(&failed) => {
                let said = prepared(Safety::READ, &place, PathAccess::Read);
                return Ok(said.title(format!("Edit {}: it does not apply", place.shown)));
            }
            planned => planned?,
        };
        as_expected(&place, Some(&editing.before), expected)?;
        let said = prepared(Safety::WRITE, &place, PathAccess::Write);
        Ok(touching(said, &place, PathAccess::Read)
            .title(format!("Edit {}", place.shown))
            .preview(editing.diff.bounded(PREVIEW_BYTES_MAX)))
    })
    .await
}

/// Whether a failure tells what is in a file. Before the gate knows of the call nobody may be told that: such
/// a call is said to read, and fails when it may.
pub(crate) fn quotes(failed: &Failed) -> bool {
    matches!(failed.class, Class::NoMatch | Class::Ambiguous | Class::Overlap | Class::InvalidEdit)
        && failed.message.starts_with(matching::NOTHING_WRITTEN)
}

/// What is said of a call that could not work when it was judged, and could by now.
pub(crate) fn works_by_now(shown: &str) -> Failed {
    let message = format!(
        "{shown} changed since the call was judged, when it did not apply; nothing was written. Try again"
    );
    Failed::new(Class::Stale, message)
}

/// Edits, within what the grant lets the call reach; `expected` is what the file must be.
///
/// # Errors
/// Those of the path, the plan and the replacing; `stale`.
pub(crate) fn run(
    path: &str,
    edits: &[Replacement],
    expected: Option<[u8; 32]>,
    context: &Context,
    scope: &Scope,
) -> Result<Reply, Failed> {
    let _alone = alone();
    if scope.write_roots.is_empty() {
        // It was judged as one that only tells why it does not apply.
        let place = read_roots(context, scope).locate(path)?;
        editing::plan(&place, edits, last_seen(context, &place))?;
        return Err(works_by_now(&place.shown));
    }
    let place = write_roots(context, scope).locate(path)?;
    let seen = last_seen(context, &place);
    let editing = editing::plan(&place, edits, seen)?;
    as_expected(&place, Some(&editing.before), expected)?;
    let put = replace(&place, &editing.bytes, Some(&editing.before))?;
    let reply = reply(&place, &editing, &put.notes);
    // A session that did not see the rest of the file still has not: a later write must not take it
    // for read.
    if !editing.is_seen {
        return Ok(reply);
    }
    let sha256 = Sha256::digest(&editing.bytes).into();
    Ok(with_observation(reply, &place, sha256, &put.metadata))
}

fn replacements(edits: &[EditItem]) -> Vec<Replacement> {
    let edits = edits.iter().cloned();
    edits.map(|EditItem { old, new, all }| Replacement { old, new, all }).collect()
}

fn reply(place: &Place, editing: &Editing, lost: &[String]) -> Reply {
    let diff = &editing.diff;
    let places = match editing.places {
        1 => "1 place".to_owned(),
        places => format!("{places} places"),
    };
    let mut lines =
        vec![format!("Edited {}: {places}, +{} -{} lines.", place.shown, diff.added, diff.removed)];
    lines.extend(editing.notes.iter().cloned());
    let links = editing.before.metadata.nlink();
    if links > 1 {
        lines.push(format!("Note: {}.", other_links(links)));
    }
    lines.extend(lost.iter().map(|lost| format!("Note: {lost}.")));
    lines.push(diff.bounded(DIFF_BYTES_MAX));
    Reply::text(lines.join("\n"))
        .metadata(json!({
            "path": place.relative.display().to_string(),
            "bytes": editing.bytes.len(),
            "places": editing.places,
            "added": diff.added,
            "removed": diff.removed,
            "diff": diff.for_metadata(),
        }))
        .rendering(Rendering::Diff(diff.bounded(PREVIEW_BYTES_MAX)))
}

#[cfg(test)]
mod tests;
