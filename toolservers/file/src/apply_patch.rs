//! The tool `apply_patch`.
//!
//! Metadata: `{"files": [{"path", "action", "added", "removed"}], "added", "removed", "diff"}`.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Effects, Failure, Invalid, JsonSchema, PathAccess,
    Preparation, Rendering, Reply, Safety, Scope, Spec, Tool,
};

use crate::{
    diff::Diff,
    edit::works_by_now,
    failed::{Class, Failed},
    limits::{DIFF_BYTES_MAX, PATCH_PATH_BYTES_MAX, PREVIEW_BYTES_MAX},
    matching::NOTHING_WRITTEN,
    outcome::{blocking, last_seen, read_roots, roots, touching, with_observation, write_roots},
    patch::{self, Section},
    patching::{self, Broken, Change, Kind},
    previews,
    replace::{Put, alone},
    roots::Roots,
    snapshot::as_expected,
    walk::counted,
    window::head,
};

/// Changes several files at once.
#[derive(Debug)]
pub(crate) struct ApplyPatch;

/// What to change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct PatchInput {
    /// The patch, from `*** Begin Patch` to `*** End Patch`, or a unified diff.
    patch: String,
}

impl Tool for ApplyPatch {
    type Input = PatchInput;
    const NAME: &'static str = "apply_patch";
    const DESCRIPTION: &'static str = "Change, add, delete and move several text files at once: all of \
        the patch applies, or nothing. Between `*** Begin Patch` and `*** End Patch` stand sections \
        `*** Add File: PATH` (each line after it with `+`), `*** Update File: PATH` (with hunks, and \
        before them `*** Move to: PATH` if it moves) and `*** Delete File: PATH`; one a file. A hunk \
        begins with `@@`, or `@@ LINE` with a line of the file above it; its lines begin with ` ` \
        (stays), `-` (goes) or `+` (comes), with about 3 lines that stay on each side.";

    fn spec(&self) -> Spec {
        Spec::new(Safety { destructive: true, ..Safety::WRITE })
            .title("Apply a patch")
            .search_hint("diff hunks edit many files move rename delete unified")
            .argument_aliases(&[("input", "patch"), ("diff", "patch"), ("patch_text", "patch")])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .prepared()
    }

    async fn prepare(&self, input: &PatchInput, context: &Context) -> Result<Preparation, Invalid> {
        let sections = patch::parse(&input.patch).map_err(|failed| failed.at("/patch"))?;
        Ok(prepare(sections, None, context).await?)
    }

    async fn call(&self, input: PatchInput, call: Call) -> Result<Reply, Failure> {
        let sections = patch::parse(&input.patch).map_err(|failed| failed.at("/patch"))?;
        apply(sections, None, call).await
    }
}

/// Judges the sections of a patch before anybody is asked; `expected` is what the only file must be.
///
/// # Errors
/// Those of the plan.
pub(crate) async fn prepare(
    sections: Vec<Section>,
    expected: Option<[u8; 32]>,
    context: &Context,
) -> Result<Preparation, Failed> {
    let context = context.clone();
    blocking(move || {
        let roots = roots(&context);
        let changes = match plan(&roots, &sections, expected, &context) {
            Err(failed) if failed.message.starts_with(NOTHING_WRITTEN) => {
                return doomed(&roots, &sections).ok_or(failed);
            }
            planned => planned?,
        };
        previews::remember(&context.call_id, destroyed(&changes));
        Ok(preparation(&changes))
    })
    .await
}

/// Applies the sections of a patch; `expected` is what the only file must be.
///
/// # Errors
/// Those of the plan and of the files; partial effects only if what was done could not be undone.
pub(crate) async fn apply(
    sections: Vec<Section>,
    expected: Option<[u8; 32]>,
    call: Call,
) -> Result<Reply, Failure> {
    blocking(move || Ok(run(&sections, expected, &call.context, &call.scope))).await?
}

/// The same, in the thread for blocking work.
///
/// # Errors
/// Those of [`apply`].
pub(crate) fn run(
    sections: &[Section],
    expected: Option<[u8; 32]>,
    context: &Context,
    scope: &Scope,
) -> Result<Reply, Failure> {
    let _alone = alone();
    if scope.write_roots.is_empty() {
        // It was judged as one that only tells why it does not apply.
        plan(&read_roots(context, scope), sections, expected, context)?;
        return Err(works_by_now("a file of the patch").into());
    }
    let changes = plan(&write_roots(context, scope), sections, expected, context)?;
    as_previewed(&changes, &context.call_id)?;
    let came = patching::apply(&changes).map_err(broken)?;
    let mut reply = reply(&changes, &came);
    for (change, came) in changes.iter().zip(came) {
        if let (Some(came), true) = (came, change.is_seen) {
            let sha256 = Sha256::digest(&change.bytes).into();
            reply = with_observation(reply, change.target(), sha256, &came.metadata);
        }
    }
    Ok(reply)
}

/// Plans the sections; `expected` is what the only file must be.
fn plan(
    roots: &Roots,
    sections: &[Section],
    expected: Option<[u8; 32]>,
    context: &Context,
) -> Result<Vec<Change>, Failed> {
    let changes = patching::plan(roots, sections, &|place| last_seen(context, place))?;
    if expected.is_some() {
        let [only] = changes.as_slice() else {
            let message = "a digest is for one file, and the patch is for several";
            return Err(Failed::new(Class::InvalidPatch, message).at("/expected_hash"));
        };
        as_expected(&only.place, only.before.as_ref(), expected)?;
    }
    Ok(changes)
}

/// One digest for all files whose whole content goes, to be the same in the preview and in the run.
fn destroyed(changes: &[Change]) -> Option<[u8; 32]> {
    let gone = changes.iter().filter(|change| change.destroys());
    let digests: Vec<u8> =
        gone.filter_map(|it| it.before.as_ref().map(|before| before.sha256)).flatten().collect();
    (!digests.is_empty()).then(|| Sha256::digest(&digests).into())
}

/// Refuses if a file that goes is another one than the preview showed.
fn as_previewed(changes: &[Change], call_id: &str) -> Result<(), Failed> {
    if previews::take(call_id).is_none_or(|shown| shown == destroyed(changes)) {
        return Ok(());
    }
    let message = "a file that the patch deletes or replaces changed between the preview of this call and now; \
                   nothing was written. Read it again";
    Err(Failed::new(Class::Stale, message))
}

/// A patch that does not apply only reads: why it does not is told when that may be read. `None`: it names
/// nothing that could be told of.
fn doomed(roots: &Roots, sections: &[Section]) -> Option<Preparation> {
    let places = sections.iter().filter_map(|section| roots.locate(&section.path).ok());
    let said = Preparation::new(Safety::READ).title("Apply a patch: it does not apply");
    let said = places.fold(said, |said, place| touching(said, &place, PathAccess::Read));
    (!said.subjects.is_empty()).then_some(said)
}

fn broken(broken: Broken) -> Failure {
    let Broken { failed, left } = broken;
    if left.is_empty() {
        let message = format!("{}. Nothing of the patch is left", failed.message);
        return Failed { message, ..failed }.into();
    }
    let message = format!(
        "{}. What was done before could not all be undone: {}",
        failed.message,
        left.join("; ")
    );
    Failure::new(failed.class.word(), message).effects(Effects::Partial)
}

fn preparation(changes: &[Change]) -> Preparation {
    let destructive = changes.iter().any(Change::destroys);
    let mut said = Preparation::new(Safety { destructive, ..Safety::WRITE });
    for change in changes {
        said = match change.kind {
            Kind::Added => touching(said, &change.place, PathAccess::Create),
            Kind::Updated => {
                let said = touching(said, &change.place, PathAccess::Write);
                touching(said, &change.place, PathAccess::Read)
            }
            Kind::Deleted => touching(said, &change.place, PathAccess::Delete),
            Kind::Moved => {
                let said = touching(said, &change.place, PathAccess::Delete);
                let said = touching(said, change.target(), PathAccess::Create);
                // Under its new name it is another file to rules.
                touching(said, &change.place, PathAccess::Read)
            }
        };
    }
    let title = match changes {
        [one] => line(one, false),
        many => format!("Patch {} files", many.len()),
    };
    let summary: Vec<String> = changes.iter().map(|change| line(change, true)).collect();
    let summary = summary.join("\n");
    let room = PREVIEW_BYTES_MAX.saturating_sub(summary.len() + 2);
    said.title(title).preview(format!("{summary}\n\n{}", together(changes).bounded(room)))
}

/// "Update src/a.rs (+2 -1)".
fn line(change: &Change, with_counts: bool) -> String {
    let place = head(&change.place.shown, 4 * PATCH_PATH_BYTES_MAX);
    let what = match (change.kind, &change.to) {
        (Kind::Added, _) => format!("Add {place}"),
        (Kind::Deleted, _) => format!("Delete {place}"),
        (Kind::Moved, Some(to)) => {
            format!("Move {place} to {}", head(&to.shown, 4 * PATCH_PATH_BYTES_MAX))
        }
        (Kind::Moved, None) | (Kind::Updated, _) => format!("Update {place}"),
    };
    let (added, removed) = (change.diff.added, change.diff.removed);
    if with_counts { format!("{what} (+{added} -{removed})") } else { what }
}

fn together(changes: &[Change]) -> Diff {
    let mut all = Diff::default();
    for Change { diff, .. } in changes {
        all.text.push_str(&diff.text);
        all.added += diff.added;
        all.removed += diff.removed;
    }
    all
}

fn reply(changes: &[Change], came: &[Option<Put>]) -> Reply {
    let diff = together(changes);
    let files = counted(changes.len() as u64, "file", "files");
    let mut lines = vec![format!("Patched {files}: +{} -{} lines.", diff.added, diff.removed)];
    for (change, came) in changes.iter().zip(came) {
        lines.push(line(change, true));
        let lost = came.iter().flat_map(|came| &came.notes);
        lines.extend(change.notes.iter().chain(lost).map(|note| format!("  {note}")));
    }
    lines.push(diff.bounded(DIFF_BYTES_MAX));
    Reply::text(lines.join("\n"))
        .metadata(json!({
            "files": changes.iter().map(file).collect::<Vec<Value>>(),
            "added": diff.added,
            "removed": diff.removed,
            "diff": diff.for_metadata(),
        }))
        .rendering(Rendering::Diff(diff.bounded(PREVIEW_BYTES_MAX)))
}

fn file(change: &Change) -> Value {
    let path = change.target().relative.display().to_string();
    json!({
        "path": head(&path, PATCH_PATH_BYTES_MAX),
        "action": change.kind.word(),
        "added": change.diff.added,
        "removed": change.diff.removed,
    })
}

#[cfg(test)]
mod tests;
