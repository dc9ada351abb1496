//! The tool `read`.
//!
//! The result's text is the file's lines as they are, with LF for each break; what was left out, or
//! how the bytes were decoded, stands after it in square brackets. Metadata:
//! `{"path", "from", "lines", "total_lines": int|null, "bytes", "encoding", "bom", "line_ending",
//! "truncated": bool}`, for an image `{"path", "bytes", "media_type", "width", "height"}`.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tollgate_sdk::{
    Call, Context, Deserialize, Failure, Invalid, JsonSchema, PathAccess, Preparation, Reply,
    Safety, Scope, Spec, Tool, Truncated,
};

use crate::{
    failed::Failed,
    limits::{READ_BYTES_MAX, READ_LINES_MAX},
    outcome::{blocking, invalid, prepared, read_roots, roots, with_observation},
    roots::Place,
    view::{TextView, View, view},
    window::{Cut, Wanted},
};

/// Reads a window of a text file, or an image.
#[derive(Debug)]
pub(crate) struct Read;

/// What to read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "tollgate_sdk::schemars")]
pub(crate) struct ReadInput {
    /// The file, absolute or relative to the working directory.
    path: String,
    /// The first line to show, from 1 (default 1).
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    /// How many lines to show (default and maximum 2000).
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

impl Tool for Read {
    type Input = ReadInput;
    const NAME: &'static str = "read";
    const DESCRIPTION: &'static str = "Read a text file or an image (PNG, JPEG, GIF, WebP). Shows \
        at most 2000 lines and 50 KiB of whole lines from `offset` on, as they are, without line \
        numbers; a notice in square brackets after the text says what was left out and the next \
        offset. Binary files, directories and special files are refused.";

    fn spec(&self) -> Spec {
        Spec::new(Safety::READ)
            .title("Read a file")
            .search_hint("open show view file content text lines image cat head")
            .eager()
            .prepared()
            .cancellable()
            .result_bytes_max(0)
    }

    async fn prepare(&self, input: &ReadInput, context: &Context) -> Result<Preparation, Invalid> {
        let (roots, path) = (roots(context), input.path.clone());
        let place = blocking(move || roots.locate(&path)).await;
        let place = place.map_err(|failed| invalid("/path", failed))?;
        Ok(prepared(Safety::READ, &place, PathAccess::Read).title(format!("Read {}", place.shown)))
    }

    async fn call(&self, input: ReadInput, call: Call) -> Result<Reply, Failure> {
        let reply = blocking(move || {
            let stopped = || call.cancelled.is_cancelled();
            run(&input, &call.context, &call.scope, &stopped)
        });
        Ok(reply.await?)
    }
}

fn run(
    input: &ReadInput,
    context: &Context,
    scope: &Scope,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failed> {
    let wanted = Wanted { offset: input.offset.unwrap_or(1).max(1), limit: input.limit };
    let place = read_roots(context, scope).locate(&input.path)?;
    let (view, metadata) = view(&place, wanted, stopped)?;
    Ok(match view {
        View::Text(text) => {
            let reply = text_reply(&place, &text);
            match text.sha256 {
                Some(sha256) => with_observation(reply, &place, sha256, &metadata),
                None => reply,
            }
        }
        View::Image { media_type, data, pixels } => {
            let sha256 = Sha256::digest(&data).into();
            let reply = image_reply(&place, media_type, data, pixels);
            with_observation(reply, &place, sha256, &metadata)
        }
    })
}

fn text_reply(place: &Place, view: &TextView) -> Reply {
    let reply = Reply::text(text(place, view)).metadata(metadata(place, view));
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
fn text(place: &Place, view: &TextView) -> String {
    let mut text = view.shown.text.clone();
    let notices = notices(place, view);
    if !notices.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let lines: Vec<String> = notices.iter().map(|notice| format!("[{notice}]")).collect();
        text.push_str(&lines.join("\n"));
    }
    text
}

fn metadata(place: &Place, view: &TextView) -> Value {
    json!({
        "path": place.relative.display().to_string(),
        "from": view.shown.from,
        "lines": view.shown.lines,
        "total_lines": view.total,
        "bytes": view.size,
        "encoding": view.form.name(),
        "bom": view.form.bom,
        "line_ending": view.endings.word(),
        "truncated": view.shown.cut.is_some(),
    })
}

/// What a reader must know beside the text, in the order of weight.
fn notices(place: &Place, view: &TextView) -> Vec<String> {
    let mut notices = Vec::new();
    if view.size == 0 {
        notices.push("the file is empty".to_owned());
    }
    if view.is_torn {
        notices
            .push("another program changed the file while it was read; read it again".to_owned());
    }
    notices.extend(view.form.said());
    notices.extend(view.shown.cut.map(|cut| cut_notice(place, view, cut)));
    notices
}

fn cut_notice(place: &Place, view: &TextView, cut: Cut) -> String {
    let shown = &view.shown;
    let last = shown.from + shown.lines.saturating_sub(1);
    let next = last + 1;
    let total = match view.total {
        Some(total) => format!("of {total}"),
        None => format!("of a file of {} bytes, lines not counted", view.size),
    };
    let lines = format!("lines {}-{last} {total}", shown.from);
    match cut {
        Cut::Limit => format!("{lines}: `limit` reached; go on with offset={next}"),
        Cut::Lines => format!(
            "{lines}: {READ_LINES_MAX} lines are the most that one read shows; go on with offset={next}"
        ),
        Cut::Bytes => format!(
            "{lines}: {READ_BYTES_MAX} bytes are the most that one read shows; go on with offset={next}"
        ),
        Cut::Line { length, shown_to } => {
            let file = quoted(&place.absolute.display().to_string());
            let more = match shown_to {
                Some(byte) => format!("tail -c +{} {file} | head -c {READ_BYTES_MAX}", byte + 1),
                None => format!("sed -n {last}p {file}"),
            };
            let after = match view.total {
                Some(total) if total == last => String::new(),
                _ => format!("; the next line with offset={next}"),
            };
            let least = if view.total.is_none() { "at least " } else { "" };
            format!(
                "line {last} {total} has {least}{length} bytes, too long to show whole: its start, {} bytes, is \
                 shown. The rest with bash: {more}{after}",
                shown.text.len()
            )
        }
    }
}

/// A path as one word of a shell.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}

fn image_reply(
    place: &Place,
    media_type: &'static str,
    data: Vec<u8>,
    pixels: Option<(u32, u32)>,
) -> Reply {
    let size = match pixels {
        Some((width, height)) => format!("{width}×{height} pixels, "),
        None => String::new(),
    };
    let bytes = data.len();
    Reply::text(format!("{}: {media_type}, {size}{bytes} bytes, not scaled", place.shown))
        .image(media_type, data)
        .metadata(json!({
            "path": place.relative.display().to_string(),
            "bytes": bytes,
            "media_type": media_type,
            "width": pixels.map(|(width, _)| width),
            "height": pixels.map(|(_, height)| height),
        }))
}

#[cfg(test)]
mod tests;
