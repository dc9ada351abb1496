//! The tool `write`.
//!
//! Metadata: `{"path", "bytes", "lines", "created": bool, "added", "removed", "diff"}`.

use std::os::unix::fs::MetadataExt;

use serde_json::json;
use sha2::{Digest, Sha256};
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Failure, Invalid, JsonSchema, PathAccess, Preparation,
    Rendering, Reply, Safety, Scope, Spec, Tool,
};

use crate::{
    ending::Endings,
    failed::Failed,
    limits::PREVIEW_BYTES_MAX,
    outcome::{as_previewed, blocking, last_seen, prepared, roots, with_observation, write_roots},
    previews,
    replace::{alone, other_links, replace},
    roots::Place,
    snapshot::as_expected,
    writing::{self, Writing},
};

/// Creates or replaces a whole file.
#[derive(Debug)]
pub(crate) struct Write;

/// What to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct WriteInput {
    /// Absolute, or relative to the working directory.
    path: String,
    /// All of it, to the letter.
    content: String,
}

impl Tool for Write {
    type Input = WriteInput;
    const NAME: &'static str = "write";
    const DESCRIPTION: &'static str = "Create a file or replace a whole one; missing directories are created. \
        Refused if the file changed since it was last read here. To change a part use edit.";

    fn spec(&self) -> Spec {
        Spec::new(Safety { destructive: true, ..Safety::WRITE })
            .title("Write a file")
            .search_hint("create new file replace overwrite save content")
            .argument_aliases(&[
                ("file", "path"),
                ("file_path", "path"),
                ("contents", "content"),
                ("text", "content"),
            ])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .eager()
            .prepared()
    }

    async fn prepare(&self, input: &WriteInput, context: &Context) -> Result<Preparation, Invalid> {
        Ok(prepare(input.path.clone(), input.content.clone(), None, context).await?)
    }

    async fn call(&self, input: WriteInput, call: Call) -> Result<Reply, Failure> {
        let WriteInput { path, content } = input;
        Ok(blocking(move || run(&path, &content, None, &call.context, &call.scope)).await?)
    }
}

/// Judges a write before it runs; `expected` is what the file must be.
///
/// # Errors
/// Those of the path and the plan; `stale`.
pub(crate) async fn prepare(
    path: String,
    content: String,
    expected: Option<[u8; 32]>,
    context: &Context,
) -> Result<Preparation, Failed> {
    let (roots, context) = (roots(context), context.clone());
    blocking(move || {
        let place = roots.locate(&path)?;
        let writing = writing::plan(&place, &content, last_seen(&context, &place))?;
        as_expected(&place, writing.before.as_ref(), expected)?;
        previews::remember(&context.call_id, writing.before.as_ref().map(|old| old.sha256));
        Ok(preparation(&place, &writing))
    })
    .await
}

/// Writes, within what the grant lets the call reach; `expected` is what the file must be.
///
/// # Errors
/// Those of the path, the plan and the replacing; `stale`.
pub(crate) fn run(
    path: &str,
    content: &str,
    expected: Option<[u8; 32]>,
    context: &Context,
    scope: &Scope,
) -> Result<Reply, Failed> {
    let _alone = alone();
    let place = write_roots(context, scope).locate(path)?;
    let writing = writing::plan(&place, content, last_seen(context, &place))?;
    as_expected(&place, writing.before.as_ref(), expected)?;
    let shown = previews::take(&context.call_id);
    if writing.is_unread {
        as_previewed(&place, writing.before.as_ref().map(|old| old.sha256), shown)?;
    }
    let put = replace(&place, &writing.bytes, writing.before.as_ref())?;
    let sha256 = Sha256::digest(&writing.bytes).into();
    let reply = reply(&place, &writing, content, &put.notes);
    Ok(with_observation(reply, &place, sha256, &put.metadata))
}

fn preparation(place: &Place, writing: &Writing) -> Preparation {
    let creates = writing.before.is_none();
    let access = if creates { PathAccess::Create } else { PathAccess::Write };
    let warning = if writing.is_unread {
        "This replaces a file that was not read in this session.\n"
    } else {
        ""
    };
    let verb = if creates { "Create" } else { "Replace" };
    prepared(Safety { destructive: writing.is_unread, ..Safety::WRITE }, place, access)
        .title(format!("{verb} {}", place.shown))
        .preview(format!("{warning}{}", writing.diff.bounded(PREVIEW_BYTES_MAX)))
}

fn reply(place: &Place, writing: &Writing, content: &str, lost: &[String]) -> Reply {
    let endings = Endings::of(content.as_bytes());
    let unended = !content.is_empty() && !content.ends_with('\n');
    let lines = endings.lf + endings.crlf + u64::from(unended);
    let bytes = writing.bytes.len();
    let created = writing.before.is_none();
    let diff = &writing.diff;
    let mut sentences = vec![if created {
        format!("Created {}: {bytes} bytes, {lines} lines", place.shown)
    } else {
        let counts = format!("+{} -{}", diff.added, diff.removed);
        format!("Replaced {}: {bytes} bytes, {lines} lines ({counts})", place.shown)
    }];
    if writing.is_unread {
        sentences.push("its old content was not read in this session".to_owned());
    }
    sentences.extend(writing.notes.iter().cloned());
    let links = writing.before.as_ref().map_or(1, |old| old.metadata.nlink());
    if links > 1 {
        sentences.push(other_links(links));
    }
    sentences.extend(lost.iter().cloned());
    Reply::text(format!("{}.", sentences.join("; ")))
        .metadata(json!({
            "path": place.relative.display().to_string(),
            "bytes": bytes,
            "lines": lines,
            "created": created,
            "added": diff.added,
            "removed": diff.removed,
            "diff": diff.for_metadata(),
        }))
        .rendering(Rendering::Diff(diff.bounded(PREVIEW_BYTES_MAX)))
}

#[cfg(test)]
mod tests;
