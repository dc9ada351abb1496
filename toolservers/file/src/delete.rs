//! The tool `delete`: into the trash, from where `restore` puts it back.
//!
//! A link is deleted itself. Metadata: `{"path", "id", "kind", "entries", "bytes"}`.

use std::sync::Arc;

use serde_json::json;
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Effects, Failure, Invalid, JsonSchema, PathAccess,
    Preparation, Reply, Safety, Scope, Spec, Tool,
};

use crate::{
    failed::{Class, Failed},
    itself::{Itself, Sort},
    kind,
    limits::NAMES_TOLD_MAX,
    moving::told,
    names,
    outcome::{as_shown, blocking, roots, touching_all, write_roots},
    previews,
    replace::alone,
    roots::{Place, Roots},
    transfer::{Spot, Stuck},
    trash::{Note, Trash},
    tree::{self, Extent},
    walk::counted,
};

/// Puts a file or directory into the trash.
#[derive(Debug)]
pub(crate) struct Delete(pub(crate) Option<Arc<Trash>>);

/// What to delete.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct DeleteInput {
    /// Absolute, or relative to the working directory.
    path: String,
}

impl Tool for Delete {
    type Input = DeleteInput;
    const NAME: &'static str = "delete";
    const DESCRIPTION: &'static str = "Delete a file, or a directory with all in it. It goes to a trash, and the \
        result has the id by which `restore` puts it back. A symbolic link is deleted itself.";

    fn spec(&self) -> Spec {
        Spec::new(Safety { destructive: true, ..Safety::WRITE })
            .title("Delete a file")
            .search_hint("remove file directory folder rm trash unlink")
            .argument_aliases(&[("file", "path"), ("file_path", "path"), ("dir", "path")])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .prepared()
    }

    async fn prepare(
        &self,
        input: &DeleteInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        let trash = bin(self.0.as_ref())?;
        let (path, context) = (input.path.clone(), context.clone());
        let prepared = blocking(move || {
            let deleting = plan(&roots(&context), &path, &|| false)?;
            let displaced = trash.displaced(deleting.extent.bytes, &deleting.place.shown)?;
            previews::remember(&context.call_id, Some(deleting.entry.digest()));
            Ok(preparation(&deleting, &displaced))
        });
        Ok(prepared.await?)
    }

    async fn call(&self, input: DeleteInput, call: Call) -> Result<Reply, Failure> {
        let trash = bin(self.0.as_ref())?;
        blocking(move || {
            let stopped = || call.cancelled.is_cancelled();
            Ok(run(&trash, &input.path, &call.context, &call.scope, &stopped))
        })
        .await?
    }
}

/// The trash, if there is one.
///
/// # Errors
/// `unavailable`.
pub(crate) fn bin(trash: Option<&Arc<Trash>>) -> Result<Arc<Trash>, Failed> {
    trash.cloned().ok_or_else(|| {
        let message = "there is no trash: this server has no folder that lasts. Start it with --state DIR, or \
                       delete with bash, for good";
        Failed::new(Class::Unavailable, message)
    })
}

/// A deletion that can be done.
#[derive(Debug)]
struct Deleting {
    place: Place,
    entry: Itself,
    extent: Extent,
}

fn plan(roots: &Roots, path: &str, stopped: &dyn Fn() -> bool) -> Result<Deleting, Failed> {
    let place = roots.locate_itself(path)?;
    let entry = Itself::at(&place)?;
    if entry.sort == Sort::Special {
        return Err(kind::special(&place.shown, "a FIFO, socket or device"));
    }
    if place.absolute.to_str().is_none() {
        let message = format!("the path of {} is not UTF-8; use bash for it", place.shown);
        return Err(Failed::new(Class::InvalidPath, message));
    }
    let extent = tree::extent(&place.parent(false)?, place.name(), &place.shown, stopped)?;
    Ok(Deleting { place, entry, extent })
}

fn preparation(deleting: &Deleting, displaced: &[Note]) -> Preparation {
    let Deleting { place, entry, extent } = deleting;
    let safety = Safety { destructive: !displaced.is_empty(), ..Safety::WRITE };
    let said = Preparation::new(safety);
    let said = touching_all(said, place, PathAccess::Delete, entry.is_directory());
    let mut lines = vec![format!("Delete {} ({})", place.absolute.display(), told(entry, *extent))];
    if entry.is_directory() {
        let held = place.names(&place.relative, NAMES_TOLD_MAX);
        lines.extend(held.iter().map(|name| format!("  {}", names::told(name.as_ref()))));
    }
    lines.push("It goes to the trash, and can be restored.".to_owned());
    lines.extend(displaced_told(displaced));
    said.title(format!("Delete {}", place.shown)).preview(lines.join("\n"))
}

/// What goes for good, to make room.
fn displaced_told(displaced: &[Note]) -> Option<String> {
    let count = displaced.len();
    let first = displaced.iter().take(NAMES_TOLD_MAX);
    let paths: Vec<String> = first.map(|note| names::told_path(&note.path)).collect();
    (count > 0).then(|| {
        let things = counted(count as u64, "thing", "things");
        let more = if count > paths.len() { " …" } else { "" };
        format!(
            "The trash is full: to make room its oldest {things} went for good: {}{more}",
            paths.join(", ")
        )
    })
}

/// Deletes, within what the grant lets the call reach.
///
/// # Errors
/// Those of the plan and of the trash; partial effects if a copy is there and not all of the rest gone.
pub(crate) fn run(
    trash: &Trash,
    path: &str,
    context: &Context,
    scope: &Scope,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failure> {
    let _alone = alone();
    let Deleting { place, entry, extent } = plan(&write_roots(context, scope), path, stopped)?;
    as_shown(&context.call_id, &place, &entry)?;
    let directory = place.parent(false)?;
    let note = Note {
        id: String::new(),
        path: place.absolute.clone(),
        kind: entry.sort.word().to_owned(),
        entries: extent.entries,
        bytes: extent.bytes,
        deleted: 0,
    };
    let held = trash.hold()?;
    let displaced = trash.displaced(extent.bytes, &place.shown)?;
    let taken = held.take(Spot::of(&directory, &place), &entry, note, stopped);
    let (note, _) = taken.map_err(|stuck| match stuck {
        Stuck::Unmoved(failed) => Failure::from(failed),
        Stuck::Doubled(failed) => {
            let message = format!(
                "all of {} is in the trash, but not all of it is gone where it was: {}",
                place.shown, failed.message
            );
            Failure::new(failed.class.word(), message).effects(Effects::Partial)
        }
    })?;
    let mut lines = vec![format!(
        "Deleted {}: {}. It is in the trash; to put it back: restore with id {}.",
        place.shown,
        told(&entry, extent),
        note.id
    )];
    if entry.links > 1 && entry.sort == Sort::File {
        lines.push(format!(
            "Its content has {} other names (hard links), which stay.",
            entry.links - 1
        ));
    }
    lines.extend(displaced_told(&displaced));
    Ok(Reply::text(lines.join("\n")).metadata(json!({
        "path": place.relative.display().to_string(),
        "id": note.id,
        "kind": note.kind,
        "entries": note.entries,
        "bytes": note.bytes,
    })))
}

#[cfg(test)]
pub(crate) mod tests;
