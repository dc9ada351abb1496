//! The tool `restore`: what is in the trash, and back to where it was.
//!
//! A thing goes back to its own path only, so that nothing is read under another name than the one that
//! rules know. What is beneath no root of the call is neither listed nor restored.
//!
//! Metadata of a list: `{"items": [{"id", "path", "kind", "bytes", "deleted_unix_ms"}], "total"}`; else
//! `{"path", "id", "kind", "entries", "bytes"}`.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Effects, Failure, Invalid, JsonSchema, PathAccess,
    Preparation, Reply, Safety, Scope, Spec, Tool,
};

use crate::{
    delete::bin,
    failed::{Class, Failed},
    itself::Itself,
    limits::TRASH_LISTED_MAX,
    names,
    outcome::{blocking, read_roots, roots, touching_all, write_roots},
    replace::alone,
    roots::{Place, Roots, shown},
    transfer::{Spot, Stuck},
    trash::{Note, Trash, is_id},
    walk::counted,
};

/// Lists the trash, or puts something in it back.
#[derive(Debug)]
pub(crate) struct Restore(pub(crate) Option<Arc<Trash>>);

/// What to restore.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct RestoreInput {
    /// As `delete` gave it; left out, the trash is listed and nothing restored.
    #[serde(default)]
    id: Option<String>,
}

impl Tool for Restore {
    type Input = RestoreInput;
    const NAME: &'static str = "restore";
    const DESCRIPTION: &'static str = "Put back what `delete` took away, to where it was; what is there by now is \
        never replaced. Without `id`, list what can be put back, the newest first.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WRITE)
            .title("Restore a deleted file")
            .search_hint("undelete recover trash undo deleted file list")
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .prepared()
    }

    async fn prepare(
        &self,
        input: &RestoreInput,
        context: &Context,
    ) -> Result<Preparation, Invalid> {
        let trash = bin(self.0.as_ref())?;
        let Some(id) = input.id.clone() else {
            return Ok(Preparation::new(Safety::READ).title("List the trash"));
        };
        let context = context.clone();
        let prepared = blocking(move || {
            let (note, place) = plan(&trash, &id, &roots(&context))?;
            let said = Preparation::new(Safety::WRITE);
            let said = touching_all(said, &place, PathAccess::Create, note.kind == "directory");
            Ok(said.title(format!("Restore {}", names::told_path(&note.path))).preview(format!(
                "Restore {} ({}, {}), deleted {}",
                names::told_path(&note.path),
                note.kind,
                counted(note.bytes, "byte", "bytes"),
                ago(&note)
            )))
        });
        Ok(prepared.await?)
    }

    async fn call(&self, input: RestoreInput, call: Call) -> Result<Reply, Failure> {
        let trash = bin(self.0.as_ref())?;
        blocking(move || {
            let stopped = || call.cancelled.is_cancelled();
            Ok(match &input.id {
                None => list(&trash, &call.context, &call.scope).map_err(Failure::from),
                Some(id) => run(&trash, id, &call.context, &call.scope, &stopped),
            })
        })
        .await?
    }
}

/// What is meant, and where it goes.
///
/// # Errors
/// `not_found` for an id of nothing that these roots hold; `exists`; `outside_roots` if the way there leads
/// elsewhere by now.
fn plan(trash: &Trash, id: &str, roots: &Roots) -> Result<(Note, Place), Failed> {
    let unknown = || {
        let message = format!(
            "nothing in the trash has the id {}: it was restored, went for good, or is of another workspace. \
             Without `id`, restore lists what there is",
            shown(id)
        );
        Failed::new(Class::NotFound, message).at("/id")
    };
    if !is_id(id) {
        return Err(unknown());
    }
    let notes = trash.notes()?;
    let note = notes.into_iter().find(|note| note.id == id).ok_or_else(unknown)?;
    let Some(path) = note.path.to_str() else { return Err(unknown()) };
    let place = roots.locate_itself(path).map_err(|failed| {
        if failed.class == Class::OutsideRoots { unknown() } else { failed.at("/id") }
    })?;
    if place.absolute != note.path {
        let message = format!(
            "the way to {} leads through a symbolic link by now; nothing was restored. Remove the link first",
            names::told_path(&note.path)
        );
        return Err(Failed::new(Class::OutsideRoots, message).at("/id"));
    }
    match Itself::at(&place) {
        Err(failed) if failed.class == Class::NotFound => Ok((note, place)),
        Err(failed) => Err(failed.at("/id")),
        Ok(there) => {
            let message = format!(
                "{} is {} by now, and nothing is replaced: first move or delete what is there",
                names::told_path(&note.path),
                there.sort.noun()
            );
            Err(Failed::new(Class::Exists, message).at("/id"))
        }
    }
}

/// Puts a thing back, within what the grant lets the call reach.
///
/// # Errors
/// Those of the plan and of the trash; partial effects if a copy is there and not all of the rest gone.
pub(crate) fn run(
    trash: &Trash,
    id: &str,
    context: &Context,
    scope: &Scope,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failure> {
    let _alone = alone();
    let held = trash.hold()?;
    let (note, place) = plan(trash, id, &write_roots(context, scope))?;
    let target = place.parent(true)?;
    let given = held.give(&note, Spot::of(&target, &place), stopped);
    given.map_err(|stuck| match stuck {
        Stuck::Unmoved(failed) => Failure::from(failed),
        Stuck::Doubled(failed) => {
            let message = format!(
                "{} is restored, but not all of it could be taken from the trash: {}",
                place.shown, failed.message
            );
            Failure::new(failed.class.word(), message).effects(Effects::Partial)
        }
    })?;
    let what = format!("{}, {}", note.kind, counted(note.bytes, "byte", "bytes"));
    Ok(Reply::text(format!("Restored {} ({what}).", names::told_path(&note.path))).metadata(
        json!({
            "path": place.relative.display().to_string(),
            "id": note.id,
            "kind": note.kind,
            "entries": note.entries,
            "bytes": note.bytes,
        }),
    ))
}

/// What of the trash was beneath the roots of the call.
fn list(trash: &Trash, context: &Context, scope: &Scope) -> Result<Reply, Failed> {
    let roots = read_roots(context, scope);
    let notes = trash.notes()?;
    let notes: Vec<&Note> = notes.iter().filter(|note| roots.hold(&note.path)).collect();
    let listed = notes.get(..notes.len().min(TRASH_LISTED_MAX)).unwrap_or_default();
    let mut lines: Vec<String> = listed.iter().map(|note| line(note)).collect();
    match notes.len() - listed.len() {
        0 if lines.is_empty() => {
            lines.push("[nothing of this workspace is in the trash]".to_owned());
        }
        0 => {}
        more => lines.push(format!("[{more} older ones are not shown]")),
    }
    Ok(Reply::text(lines.join("\n")).metadata(json!({
        "items": listed.iter().map(|note| item(note)).collect::<Vec<Value>>(),
        "total": notes.len(),
    })))
}

/// "mhq3k2z1  2 minutes ago  file  120 bytes  /w/src/a.rs".
fn line(note: &Note) -> String {
    let bytes = counted(note.bytes, "byte", "bytes");
    format!("{}  {}  {}  {bytes}  {}", note.id, ago(note), note.kind, names::told_path(&note.path))
}

fn item(note: &Note) -> Value {
    json!({
        "id": note.id,
        "path": names::told_path(&note.path),
        "kind": note.kind,
        "bytes": note.bytes,
        "deleted_unix_ms": note.deleted,
    })
}

/// How long ago something was deleted, in its largest unit.
fn ago(note: &Note) -> String {
    let then = UNIX_EPOCH + Duration::from_millis(note.deleted);
    let seconds = SystemTime::now().duration_since(then).unwrap_or_default().as_secs();
    let (count, one, many) = match seconds {
        0..60 => (seconds, "second", "seconds"),
        60..3_600 => (seconds / 60, "minute", "minutes"),
        3_600..86_400 => (seconds / 3_600, "hour", "hours"),
        _ => (seconds / 86_400, "day", "days"),
    };
    format!("{} ago", counted(count, one, many))
}

#[cfg(test)]
mod tests;
