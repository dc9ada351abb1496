//! The tool `move`.
//!
//! A link is moved itself. What is at the new path is never replaced.
//!
//! Metadata: `{"from", "to", "kind", "entries", "bytes", "copied": bool}`.

use serde_json::json;
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Effects, Failure, Invalid, JsonSchema, Observation,
    PathAccess, Preparation, Reply, Safety, Scope, Spec, Tool,
};

use crate::{
    failed::{Class, Failed},
    itself::{Itself, Sort},
    outcome::{as_shown, blocking, roots, touching_all, write_roots},
    previews,
    replace::alone,
    roots::{Place, Roots},
    transfer::{Spot, Stuck, Way, transfer},
    tree::{self, Extent},
    walk::counted,
};

/// Gives a file or directory another path.
#[derive(Debug)]
pub(crate) struct Move;

/// What to move.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct MoveInput {
    /// What is moved: absolute, or relative to the working directory.
    pub(crate) from: String,
    /// Its new path, with its name; nothing may be there yet.
    pub(crate) to: String,
}

impl Tool for Move {
    type Input = MoveInput;
    const NAME: &'static str = "move";
    const DESCRIPTION: &'static str = "Move or rename a file or directory. Missing directories of the new path \
        are created; what is there already is never replaced. A symbolic link is moved itself.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::WRITE)
            .title("Move a file")
            .search_hint("rename file directory folder mv path relocate")
            .argument_aliases(&[
                ("source", "from"),
                ("src", "from"),
                ("path", "from"),
                ("old_path", "from"),
                ("destination", "to"),
                ("dest", "to"),
                ("target", "to"),
                ("new_path", "to"),
            ])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .prepared()
    }

    async fn prepare(&self, input: &MoveInput, context: &Context) -> Result<Preparation, Invalid> {
        let (input, context) = (input.clone(), context.clone());
        let prepared = blocking(move || {
            let moving = plan(&roots(&context), &input)?;
            let Moving { from, to, entry } = &moving;
            let extent = extent(from, &|| false)?;
            previews::remember(&context.call_id, Some(entry.digest()));
            Ok(preparation(from, to, entry, extent))
        });
        Ok(prepared.await?)
    }

    async fn call(&self, input: MoveInput, call: Call) -> Result<Reply, Failure> {
        blocking(move || {
            let stopped = || call.cancelled.is_cancelled();
            Ok(run(&input, &call.context, &call.scope, &stopped))
        })
        .await?
    }
}

/// A move that can be done.
#[derive(Debug)]
struct Moving {
    from: Place,
    to: Place,
    entry: Itself,
}

/// Plans a move.
///
/// # Errors
/// Those of the paths; `exists`; `invalid_path` for a move into itself.
fn plan(roots: &Roots, input: &MoveInput) -> Result<Moving, Failed> {
    let from = roots.locate_itself(&input.from).map_err(|failed| failed.at("/from"))?;
    let entry = Itself::at(&from).map_err(|failed| failed.at("/from"))?;
    // The new name of a directory may be written as one.
    let wanted = if entry.is_directory() { input.to.trim_end_matches('/') } else { &input.to };
    let to = roots.locate_itself(wanted).map_err(|failed| failed.at("/to"))?;
    if to.absolute == from.absolute {
        let message = format!("{} is there already: both paths are the same", from.shown);
        return Err(Failed::new(Class::InvalidPath, message).at("/to"));
    }
    if entry.is_directory() && to.absolute.starts_with(&from.absolute) {
        let message = format!("{} cannot be moved into itself ({})", from.shown, to.shown);
        return Err(Failed::new(Class::InvalidPath, message).at("/to"));
    }
    match Itself::at(&to) {
        Err(failed) if failed.class == Class::NotFound => Ok(Moving { from, to, entry }),
        Err(failed) => Err(failed.at("/to")),
        Ok(there) => Err(taken(&from, &to, &there)),
    }
}

/// Something is at the new path: what it is, and what helps.
fn taken(from: &Place, to: &Place, there: &Itself) -> Failed {
    let helps = if there.is_directory() {
        format!(
            "to move it into that directory give its new path, {}/{}",
            to.shown.trim_end_matches('/'),
            from.name().display()
        )
    } else {
        "give another path, or first move or delete what is there".to_owned()
    };
    let bytes =
        if there.sort == Sort::File { format!(" of {} bytes", there.bytes) } else { String::new() };
    let message = format!(
        "{} is {}{bytes} already, and nothing is replaced: {helps}",
        to.shown,
        there.sort.noun()
    );
    Failed::new(Class::Exists, message).at("/to")
}

/// What is moved, counted.
fn extent(from: &Place, stopped: &dyn Fn() -> bool) -> Result<Extent, Failed> {
    let directory = from.parent(false)?;
    tree::extent(&directory, from.name(), &from.shown, stopped).map_err(|failed| failed.at("/from"))
}

fn preparation(from: &Place, to: &Place, entry: &Itself, extent: Extent) -> Preparation {
    let is_directory = entry.is_directory();
    let said = Preparation::new(Safety::WRITE);
    let said = touching_all(said, from, PathAccess::Delete, is_directory);
    let said = touching_all(said, to, PathAccess::Create, is_directory);
    // Under its new name its content is another file's to rules: who may not read it does not move it.
    touching_all(said, from, PathAccess::Read, is_directory)
        .title(format!("Move {} to {}", from.shown, to.shown))
        .preview(format!(
            "Move {} ({})\nto   {}\n",
            from.absolute.display(),
            told(entry, extent),
            to.absolute.display()
        ))
}

/// "a directory with 3 files, 1200 bytes".
pub(crate) fn told(entry: &Itself, extent: Extent) -> String {
    let bytes = counted(extent.bytes, "byte", "bytes");
    match entry.sort {
        Sort::File => format!("a file, {bytes}"),
        Sort::Directory => {
            let entries = counted(extent.entries.saturating_sub(1), "entry", "entries");
            let files = counted(extent.files, "file", "files");
            format!("a directory with {entries}, {files} among them, {bytes}")
        }
        Sort::Link | Sort::Special => entry.sort.noun().to_owned(),
    }
}

/// Moves, within what the grant lets the call reach.
///
/// # Errors
/// Those of the plan and of the transfer; partial effects if a copy is there and not all of the rest gone.
pub(crate) fn run(
    input: &MoveInput,
    context: &Context,
    scope: &Scope,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failure> {
    let _alone = alone();
    let Moving { from, to, entry } = plan(&write_roots(context, scope), input)?;
    as_shown(&context.call_id, &from, &entry)?;
    let extent = extent(&from, stopped)?;
    let (source, target) = (from.parent(false)?, to.parent(true)?);
    let spot = |directory, place| Spot::of(directory, place);
    let way = transfer(spot(&source, &from), spot(&target, &to), &entry, stopped);
    let way = way.map_err(|stuck| match stuck {
        Stuck::Unmoved(failed) => Failure::from(failed),
        Stuck::Doubled(failed) => doubled(&from, &to, &failed),
    })?;
    Ok(with_moved_observations(reply(&from, &to, &entry, extent, way), context, &from, &to))
}

fn doubled(from: &Place, to: &Place, failed: &Failed) -> Failure {
    let message = format!(
        "{} was copied whole to {} on another file system, but not all of what it was is gone: {}. \
         Look at both, and delete what is left",
        from.shown, to.shown, failed.message
    );
    Failure::new(failed.class.word(), message).effects(Effects::Partial)
}

/// A file that the session knows it knows under its new name, as what it last saw.
fn with_moved_observations(reply: Reply, context: &Context, from: &Place, to: &Place) -> Reply {
    let known = context.observations.iter().filter_map(|seen| {
        let rest = seen.path.strip_prefix(&from.absolute).ok()?;
        let path =
            if rest.as_os_str().is_empty() { to.absolute.clone() } else { to.absolute.join(rest) };
        Some(Observation { path, ..seen.clone() })
    });
    known.fold(reply, Reply::observed)
}

fn reply(from: &Place, to: &Place, entry: &Itself, extent: Extent, way: Way) -> Reply {
    let mut sentences =
        vec![format!("Moved {} to {}: {}", from.shown, to.shown, told(entry, extent))];
    if let Way::Copied(bytes) = way {
        sentences.push(format!(
            "it is another file system, so that {bytes} bytes were copied and the old ones deleted"
        ));
    }
    if entry.sort == Sort::Link {
        sentences.push(
            "what the link leads to stays; a relative link may lead elsewhere now".to_owned(),
        );
    }
    Reply::text(format!("{}.", sentences.join("; "))).metadata(json!({
        "from": from.relative.display().to_string(),
        "to": to.relative.display().to_string(),
        "kind": entry.sort.word(),
        "entries": extent.entries,
        "bytes": extent.bytes,
        "copied": matches!(way, Way::Copied(_)),
    }))
}

#[cfg(test)]
mod tests;
