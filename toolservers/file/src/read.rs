//! The tool `read`.
//!
//! The result's text is the file's lines as they are, with LF for each break; what was left out, or
//! how the bytes were decoded, stands after it in square brackets. Metadata:
//! `{"path", "from", "lines", "total_lines": int|null, "bytes", "encoding", "bom", "line_ending",
//! "truncated": bool}`. Of a document the lines are those of the text that is made of it, and there is
//! also `{"document": "pdf", "pages", "first_page", "last_page"}` (0: before the first page) or
//! `{"document": "notebook", "cells", "language"}`. Of an image:
//! `{"path", "bytes", "media_type", "width", "height", "shown": {"bytes", "media_type", "width", "height"}}`.
//! Of a window that the agent has already (`unchanged`) there is also `{"unchanged_since_step"}`.

use serde_json::{Value, json};
use tollgate_sdk::{
    Call, Caller, Context, Deserialize, Failure, HostService, Invalid, JsonSchema, PathAccess,
    Preparation, Reply, Safety, Scope, Spec, Tool, Truncated,
};

use crate::{
    artifact::{Artifact, ArtifactId},
    failed::Failed,
    notices::{Source, notices},
    outcome::{blocking, prepared, read_roots, roots, with_observation},
    picture::Picture,
    reading, unchanged,
    view::{TextView, View},
    window::Wanted,
};

/// Reads a window of a text, or an image.
#[derive(Debug)]
pub(crate) struct Read;

/// What to read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct ReadInput {
    /// Absolute, or relative to the working directory.
    path: String,
    /// The first line, from 1.
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    /// Lines; default 2000.
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

impl Tool for Read {
    type Input = ReadInput;
    const NAME: &'static str = "read";
    const DESCRIPTION: &'static str = "Read a text file, an image, a PDF, a notebook or an artifact \
        (`artifact:ID`). Shows at most 2000 lines and 50 KiB, without line numbers; a notice in square \
        brackets after them says what was left out and the next offset.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ)
            .title("Read a file")
            .search_hint("open show view content text image pdf notebook cat head")
            .argument_aliases(&[("file", "path"), ("file_path", "path")])
            .host_services(&[HostService::ReadArtifact])
            .callers(&[Caller::Program, Caller::Server, Caller::Client])
            .eager()
            .prepared()
            .cancellable()
            .result_bytes_max(0)
    }

    async fn prepare(&self, input: &ReadInput, context: &Context) -> Result<Preparation, Invalid> {
        Ok(prepare(&input.path, context).await?)
    }

    async fn call(&self, input: ReadInput, call: Call) -> Result<Reply, Failure> {
        let wanted = input.wanted();
        run(input.path, wanted, call).await
    }
}

/// Judges a read before it runs.
///
/// # Errors
/// Those of the path.
pub(crate) async fn prepare(path: &str, context: &Context) -> Result<Preparation, Failed> {
    if let Some(id) = ArtifactId::of_path(path)? {
        return Ok(Preparation::new(Safety::READ).title(format!("Read {}", id.path())));
    }
    let (roots, path) = (roots(context), path.to_owned());
    let place = blocking(move || roots.locate(&path)).await?;
    Ok(prepared(Safety::READ, &place, PathAccess::Read).title(format!("Read {}", place.shown)))
}

/// Reads a window of a file or an artifact, within what the grant lets the call reach.
///
/// # Errors
/// Those of the path, of opening and of the window.
pub(crate) async fn run(path: String, wanted: Wanted, call: Call) -> Result<Reply, Failure> {
    let Some(id) = ArtifactId::of_path(&path)? else {
        let reply = blocking(move || {
            let stopped = || call.cancelled.is_cancelled();
            read_file(&path, wanted, &call.context, &call.scope, &stopped)
        });
        return Ok(reply.await?);
    };
    let (id, call) = (&id, &call);
    let piece = |start, count| async move {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        Ok(call.read_artifact(id.digits(), start, count).await?.into())
    };
    let cancelled = call.cancelled.clone();
    let view = Artifact { id, piece, cancelled }.view(wanted).await?;
    Ok(reply(Source::Artifact(id), view))
}

impl ReadInput {
    fn wanted(&self) -> Wanted {
        Wanted { offset: self.offset.unwrap_or(1).max(1), limit: self.limit }
    }
}

/// Reads a window of a file.
///
/// # Errors
/// Those of the path, of opening and of the window.
pub(crate) fn read_file(
    path: &str,
    wanted: Wanted,
    context: &Context,
    scope: &Scope,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failed> {
    let place = read_roots(context, scope).locate(path)?;
    let (view, metadata) = reading::view(&place, wanted, stopped)?;
    let (sha256, bytes) = match &view {
        View::Text(text) => (text.sha256, text.shown.text.len()),
        // A picture is always sent: whether a model still has one cannot be told.
        View::Image(picture) => (Some(picture.sha256), 0),
    };
    let since =
        sha256.and_then(|digest| unchanged::since(context, &place.absolute, wanted, digest, bytes));
    let reply = match (since, view) {
        (Some(step), View::Text(text)) => unchanged_reply(Source::File(&place), &text, step),
        (_, view) => reply(Source::File(&place), view),
    };
    Ok(match sha256 {
        Some(sha256) => with_observation(reply, &place, sha256, &metadata),
        None => reply,
    })
}

fn reply(source: Source<'_>, view: View) -> Reply {
    match view {
        View::Text(text) => text_reply(source, &text),
        View::Image(picture) => image_reply(source, picture),
    }
}

fn unchanged_reply(source: Source<'_>, view: &TextView, step: u32) -> Reply {
    let mut metadata = metadata(source, view);
    if let Value::Object(metadata) = &mut metadata {
        metadata.insert("unchanged_since_step".to_owned(), json!(step));
    }
    Reply::text(unchanged::sentence(source.shown(), step)).metadata(metadata)
}

fn text_reply(source: Source<'_>, view: &TextView) -> Reply {
    let reply = Reply::text(text(source, view)).metadata(metadata(source, view));
    match view.shown.cut {
        None => reply,
        Some(_) => reply.truncated(Truncated {
            bytes: view.size,
            lines: view.total.unwrap_or(0),
            in_output: false,
        }),
    }
}

/// What the model reads: the lines, then the notices.
fn text(source: Source<'_>, view: &TextView) -> String {
    let mut text = view.shown.text.clone();
    let notices = notices(source, view);
    if !notices.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let lines: Vec<String> = notices.iter().map(|notice| format!("[{notice}]")).collect();
        text.push_str(&lines.join("\n"));
    }
    text
}

fn metadata(source: Source<'_>, view: &TextView) -> Value {
    let mut metadata = json!({
        "path": source.path(),
        "from": view.shown.from,
        "lines": view.shown.lines,
        "total_lines": view.total,
        "bytes": view.size,
        "encoding": view.form.name(),
        "bom": view.form.bom,
        "line_ending": view.endings.word(),
        "truncated": view.shown.cut.is_some(),
    });
    if let (Value::Object(metadata), Some(made)) = (&mut metadata, &view.made) {
        metadata.extend(made.facts.clone());
    }
    metadata
}

fn image_reply(source: Source<'_>, picture: Picture) -> Reply {
    let metadata = json!({
        "path": source.path(),
        "bytes": picture.bytes,
        "media_type": picture.media_type,
        "width": picture.size.0,
        "height": picture.size.1,
        "shown": {
            "bytes": picture.shown.data.len(),
            "media_type": picture.shown.media_type,
            "width": picture.shown.size.0,
            "height": picture.shown.size.1,
        },
    });
    let text = image_text(source, &picture);
    Reply::text(text).image(picture.shown.media_type, picture.shown.data).metadata(metadata)
}

/// What the model reads beside an image.
fn image_text(source: Source<'_>, picture: &Picture) -> String {
    let Picture { shown, bytes, media_type, size: (width, height), .. } = picture;
    let whole = format!("{}: {media_type}, {width}×{height} pixels, {bytes} bytes", source.shown());
    if !picture.is_scaled() {
        return format!("{whole}, not scaled");
    }
    let (shown_width, shown_height) = shown.size;
    let factor = f64::from((*width).max(*height)) / f64::from(shown_width.max(shown_height).max(1));
    format!(
        "{whole}; shown as {}, {shown_width}×{shown_height} pixels, {} bytes: {}. Places in the image shown, times \
         {factor:.2}, are places in the file's",
        shown.media_type,
        shown.data.len(),
        picture.notices.join("; "),
    )
}

#[cfg(test)]
mod tests;
