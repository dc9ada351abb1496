//! The tool `notebook_edit`.
//!
//! Cells have the numbers that `read` shows. As with `write`, a notebook that changed since the session
//! last read it is refused: a number may mean another cell by then.
//!
//! Metadata: `{"path", "action", "cell", "type", "cells", "added", "removed", "diff"}`, the diff being that
//! of the cell's source.

use serde_json::json;
use sha2::{Digest, Sha256};
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Failure, Invalid, JsonSchema, PathAccess, Preparation,
    Rendering, Reply, Safety, Scope, Spec, Tool,
};

use crate::{
    cells::{self, Change, Changed, Kind},
    diff::Diff,
    failed::{Class, Failed},
    limits::{DIFF_BYTES_MAX, PREVIEW_BYTES_MAX},
    nearest,
    outcome::{
        as_previewed, blocking, last_seen, prepared, roots, touching, with_observation, write_roots,
    },
    previews,
    replace::{alone, replace},
    roots::Place,
    snapshot::Snapshot,
    walk::counted,
};

/// Changes one cell of a notebook.
#[derive(Debug)]
pub(crate) struct NotebookEdit;

/// What to change.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct NotebookInput {
    /// A `.ipynb` file: absolute, or relative to the working directory.
    path: String,
    /// Number of the cell, from 1, as `read` shows it; for `insert` the number that the new one gets.
    #[schemars(range(min = 1))]
    cell: usize,
    /// `replace` unless given.
    #[serde(default)]
    action: Action,
    /// All of the cell's new source; for `replace` and `insert`.
    #[serde(default)]
    source: Option<String>,
    /// The cell's type; `insert` makes code unless given, `replace` keeps it.
    #[serde(default, rename = "type")]
    kind: Option<CellType>,
}

/// What happens to the cell.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "snake_case")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
enum Action {
    #[default]
    Replace,
    Insert,
    Delete,
}

/// What a cell is.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", rename_all = "snake_case")]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
enum CellType {
    Code,
    Markdown,
    Raw,
}

impl From<CellType> for Kind {
    fn from(kind: CellType) -> Self {
        match kind {
            CellType::Code => Self::Code,
            CellType::Markdown => Self::Markdown,
            CellType::Raw => Self::Raw,
        }
    }
}

impl NotebookInput {
    fn change(&self) -> Result<Change, Failed> {
        let kind = self.kind.map(Kind::from);
        match (self.action, &self.source) {
            (Action::Replace, None) if kind.is_none() => Err(wrong(
                "/source",
                "replace needs the cell's new `source`, a new `type`, or both",
            )),
            (Action::Replace, source) => Ok(Change::Replace { source: source.clone(), kind }),
            (Action::Insert, None) => Err(wrong("/source", "insert needs the new cell's `source`")),
            (Action::Insert, Some(source)) => {
                let kind = kind.unwrap_or(Kind::Code);
                Ok(Change::Insert { source: source.clone(), kind })
            }
            (Action::Delete, None) if kind.is_none() => Ok(Change::Delete),
            (Action::Delete, _) => Err(wrong(
                "/action",
                "delete takes no `source` and no `type`; to change a cell use replace",
            )),
        }
    }

    fn verb(&self) -> (&'static str, &'static str) {
        match self.action {
            Action::Replace => ("Replace", "Replaced"),
            Action::Insert => ("Insert", "Inserted"),
            Action::Delete => ("Delete", "Deleted"),
        }
    }

    fn word(&self) -> &'static str {
        match self.action {
            Action::Replace => "replace",
            Action::Insert => "insert",
            Action::Delete => "delete",
        }
    }
}

fn wrong(pointer: &'static str, message: &str) -> Failed {
    Failed::new(Class::InvalidArguments, message).at(pointer)
}

impl Tool for NotebookEdit {
    type Input = NotebookInput;
    const NAME: &'static str = "notebook_edit";
    const DESCRIPTION: &'static str = "Replace, insert or delete one cell of a Jupyter notebook (.ipynb). The rest of \
        the file stays as it is; outputs of a code cell that is replaced are cleared.";

    fn spec(&self) -> Spec {
        Spec::new(Safety { destructive: true, ..Safety::WRITE })
            .title("Edit a notebook")
            .search_hint("jupyter ipynb cell change insert delete code markdown")
            .argument_aliases(&[
                ("file", "path"),
                ("notebook_path", "path"),
                ("cell_number", "cell"),
                ("new_source", "source"),
                ("cell_type", "type"),
                ("edit_mode", "action"),
            ])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .prepared()
    }

    async fn prepare(
        &self,
        input: &NotebookInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        let (input, context) = (input.clone(), context.clone());
        let prepared = blocking(move || {
            let place = roots(&context).locate(&input.path)?;
            let editing = plan(&place, &input, last_seen(&context, &place))?;
            previews::remember(&context.call_id, Some(editing.before.sha256));
            Ok(preparation(&place, &input, &editing))
        });
        Ok(prepared.await?)
    }

    async fn call(&self, input: NotebookInput, call: Call) -> Result<Reply, Failure> {
        Ok(blocking(move || run(&input, &call.context, &call.scope)).await?)
    }
}

/// A change that can be made.
#[derive(Debug)]
struct Editing {
    before: Snapshot,
    bytes: Vec<u8>,
    changed: Changed,
    diff: Diff,
    /// Whether the session never read the file.
    is_unread: bool,
}

/// Plans the change; `seen` is the digest of what the session last saw of the file.
///
/// # Errors
/// Those of [`Snapshot::take`] and [`cells::changed`]; `stale`; `encoding`; `invalid_arguments`.
fn plan(place: &Place, input: &NotebookInput, seen: Option<[u8; 32]>) -> Result<Editing, Failed> {
    let change = input.change()?;
    let Some(before) = Snapshot::take(place)? else { return Err(nearest::not_found(place)) };
    if seen.is_some_and(|seen| seen != before.sha256) {
        let message = format!(
            "{} changed since it was last read in this session; nothing was written. Read it again: a number \
             may mean another cell by now",
            place.shown
        );
        return Err(Failed::new(Class::Stale, message));
    }
    let text = std::str::from_utf8(&before.bytes).map_err(|_| {
        let message =
            format!("{} is not UTF-8, as JSON must be; convert it with bash", place.shown);
        Failed::new(Class::Encoding, message)
    })?;
    let (mark, json) = match text.strip_prefix('\u{FEFF}') {
        Some(json) => ("\u{FEFF}", json),
        None => ("", text),
    };
    let changed = cells::changed(json, input.cell, &change).map_err(|failed| {
        if failed.class != Class::Unreadable {
            return failed;
        }
        let message = format!("{}: {}", place.shown, failed.message);
        Failed { message, ..failed }
    })?;
    let bytes = format!("{mark}{}", changed.text).into_bytes();
    let name = format!("{} cell {}", place.shown, input.cell);
    let diff = Diff::new(&name, changed.before.as_bytes(), changed.after.as_bytes());
    Ok(Editing { is_unread: seen.is_none(), before, bytes, changed, diff })
}

fn preparation(place: &Place, input: &NotebookInput, editing: &Editing) -> Preparation {
    let safety = Safety { destructive: editing.is_unread, ..Safety::WRITE };
    let said = touching(prepared(safety, place, PathAccess::Write), place, PathAccess::Read);
    let mut lines = Vec::new();
    if editing.is_unread {
        lines.push("The notebook was not read in this session.".to_owned());
    }
    lines.extend(outputs_told(editing));
    lines.push(editing.diff.bounded(PREVIEW_BYTES_MAX));
    said.title(format!("{} cell {} of {}", input.verb().0, input.cell, place.shown))
        .preview(lines.join("\n"))
}

fn outputs_told(editing: &Editing) -> Option<String> {
    let outputs = editing.changed.outputs;
    (outputs > 0).then(|| format!("Its {} go.", counted(outputs as u64, "output", "outputs")))
}

/// Changes the cell, within what the grant lets the call reach.
///
/// # Errors
/// Those of the path, the plan and the replacing; `stale`.
fn run(input: &NotebookInput, context: &Context, scope: &Scope) -> Result<Reply, Failed> {
    let _alone = alone();
    let place = write_roots(context, scope).locate(&input.path)?;
    let editing = plan(&place, input, last_seen(context, &place))?;
    let shown = previews::take(&context.call_id);
    if editing.is_unread {
        as_previewed(&place, Some(editing.before.sha256), shown)?;
    }
    let put = replace(&place, &editing.bytes, Some(&editing.before))?;
    let reply = reply(&place, input, &editing, &put.notes);
    if editing.is_unread {
        return Ok(reply);
    }
    let sha256 = Sha256::digest(&editing.bytes).into();
    Ok(with_observation(reply, &place, sha256, &put.metadata))
}

fn reply(place: &Place, input: &NotebookInput, editing: &Editing, lost: &[String]) -> Reply {
    let Editing { changed, diff, .. } = editing;
    let cells = counted(changed.cells as u64, "cell", "cells");
    let mut lines = vec![format!(
        "{} cell {} ({}) of {}, which has {cells} now.",
        input.verb().1,
        input.cell,
        changed.kind,
        place.shown
    )];
    lines.extend(outputs_told(editing));
    lines.extend(lost.iter().map(|lost| format!("Note: {lost}.")));
    lines.push(diff.bounded(DIFF_BYTES_MAX));
    Reply::text(lines.join("\n"))
        .metadata(json!({
            "path": place.relative.display().to_string(),
            "action": input.word(),
            "cell": input.cell,
            "type": changed.kind,
            "cells": changed.cells,
            "added": diff.added,
            "removed": diff.removed,
            "diff": diff.for_metadata(),
        }))
        .rendering(Rendering::Diff(diff.bounded(PREVIEW_BYTES_MAX)))
}

#[cfg(test)]
mod tests;
