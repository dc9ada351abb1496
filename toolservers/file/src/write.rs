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
    failed::{Class, Failed},
    limits::PREVIEW_BYTES_MAX,
    outcome::{blocking, last_seen, prepared, roots, with_observation, write_roots},
    previews,
    replace::{alone, other_links, replace},
    roots::Place,
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
    /// The file, absolute or relative to the working directory.
    path: String,
    /// The whole new content.
    content: String,
}

impl Tool for Write {
    type Input = WriteInput;
    const NAME: &'static str = "write";
    const DESCRIPTION: &'static str = "Create a file, or replace a whole one, with `content` to the \
        letter; missing directories are created. An existing file keeps its mode, and its encoding, \
        byte-order mark and CRLF line endings if `content` does not say otherwise. Refused if the \
        file changed since this session last read it. To change a part of a file use edit.";

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
        let (roots, path, content) = (roots(context), input.path.clone(), input.content.clone());
        let context = context.clone();
        let preparation = blocking(move || {
            let place = roots.locate(&path)?;
            let writing = writing::plan(&place, &content, last_seen(&context, &place))?;
            previews::remember(&context.call_id, writing.before.as_ref().map(|old| old.sha256));
            Ok(preparation(&place, &writing))
        });
        Ok(preparation.await?)
    }

    async fn call(&self, input: WriteInput, call: Call) -> Result<Reply, Failure> {
        Ok(blocking(move || run(&input, &call.context, &call.scope)).await?)
    }
}

fn run(input: &WriteInput, context: &Context, scope: &Scope) -> Result<Reply, Failed> {
    let _alone = alone();
    let place = write_roots(context, scope).locate(&input.path)?;
    let writing = writing::plan(&place, &input.content, last_seen(context, &place))?;
    as_previewed(&place, &writing, &context.call_id)?;
    let metadata = replace(&place, &writing.bytes, writing.before.as_ref())?;
    let sha256 = Sha256::digest(&writing.bytes).into();
    Ok(with_observation(reply(&place, &writing, &input.content), &place, sha256, &metadata))
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

/// Refuses if the file that the session never read is another one than the preview showed.
fn as_previewed(place: &Place, writing: &Writing, call_id: &str) -> Result<(), Failed> {
    let now = writing.before.as_ref().map(|old| old.sha256);
    match previews::take(call_id) {
        Some(shown) if writing.is_unread && shown != now => {
            let message = format!(
                "{} changed between the preview of this call and now; nothing was written. Read it, \
                 then write what should be there",
                place.shown
            );
            Err(Failed::new(Class::Stale, message))
        }
        Some(_) | None => Ok(()),
    }
}

fn reply(place: &Place, writing: &Writing, content: &str) -> Reply {
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
