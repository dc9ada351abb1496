//! A nested call's result as whoever asked for it gets it (`[CODE-09]`): always
//! `{content, metadata, truncated}`, one serialisation.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use tollgate_core::call::{Block, Truncated};

use crate::gate::CallResult;

#[derive(Serialize)]
struct Shape<'a> {
    content: Content<'a>,
    metadata: &'a Value,
    truncated: Option<Cut<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Value(&'a Value),
    Text(Cow<'a, str>),
    Blocks(&'a [Block]),
}

#[derive(Serialize)]
struct Cut<'a> {
    /// Size of the whole.
    original_bytes: u64,
    /// Of the whole, 64 hex digits; null: the whole is not kept.
    sha256: Option<&'a str>,
    /// `artifact:<sha256>`, to be read with a window.
    artifact: Option<&'a str>,
    /// Size of what is here.
    preview_bytes: usize,
}

/// The result as JSON text.
pub(super) fn shape(result: &CallResult) -> Bytes {
    let content = content(result);
    let preview_bytes = match &content {
        Content::Text(text) => text.len(),
        Content::Value(value) => value.to_string().len(),
        Content::Blocks(blocks) => serde_json::to_vec(blocks).map_or(0, |json| json.len()),
    };
    let truncated = result.truncated.as_ref().map(|Truncated { bytes, spill, .. }| Cut {
        original_bytes: *bytes,
        sha256: spill.as_deref().and_then(|id| id.strip_prefix("artifact:")),
        artifact: spill.as_deref(),
        preview_bytes,
    });
    let shape = Shape { content, metadata: &result.metadata, truncated };
    serde_json::to_vec(&shape).unwrap_or_default().into()
}

/// The text of a text result, the value of a structured one, the blocks of any other.
fn content(result: &CallResult) -> Content<'_> {
    if !result.structured.is_null() {
        return Content::Value(&result.structured);
    }
    match result.content.as_slice() {
        [] => Content::Text(Cow::Borrowed("")),
        [Block::Text { text }] => Content::Text(Cow::Borrowed(text)),
        [Block::Json { value }] => Content::Value(value),
        blocks => {
            let texts: Option<Vec<&str>> = blocks
                .iter()
                .map(|block| match block {
                    Block::Text { text } => Some(text.as_str()),
                    Block::Image { .. }
                    | Block::Audio { .. }
                    | Block::Resource { .. }
                    | Block::Json { .. } => None,
                })
                .collect();
            texts.map_or(Content::Blocks(blocks), |texts| Content::Text(texts.join("\n").into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(content: Vec<Block>, structured: Value, truncated: Option<Truncated>, want: Value) {
        let result = CallResult {
            content,
            structured,
            metadata: json!({ "n": 1 }),
            truncated,
            is_error: false,
            messages: Vec::new(),
            rendering: String::new(),
        };
        let shaped: Value = serde_json::from_slice(&shape(&result)).unwrap();
        assert_eq!(shaped, want);
    }

    fn text(text: &str) -> Block {
        Block::Text { text: text.to_owned() }
    }

    /// [CODE-09]
    #[test]
    fn a_result_always_has_three_fields() {
        let of = |content: Value| json!({ "content": content, "metadata": { "n": 1 }, "truncated": null });
        check(vec![text("hi")], Value::Null, None, of(json!("hi")));
        check(vec![], Value::Null, None, of(json!("")));
        check(vec![text("a"), text("b")], Value::Null, None, of(json!("a\nb")));
        check(vec![text("a")], json!({ "x": [1] }), None, of(json!({ "x": [1] })));
        check(vec![Block::Json { value: json!([1, 2]) }], Value::Null, None, of(json!([1, 2])));
        // Goose 9598: what is no text survives.
        let image = Block::Image { media_type: "image/png".to_owned(), data: "AA==".to_owned() };
        let blocks = json!([
            { "type": "text", "text": "a" },
            { "type": "image", "media_type": "image/png", "data": "AA==" },
        ]);
        check(vec![text("a"), image], Value::Null, None, of(blocks));
        let spill = Some("artifact:ab".to_owned());
        let cut = Truncated { bytes: 9, lines: Some(1), spill };
        let told = json!({ "original_bytes": 9, "sha256": "ab", "artifact": "artifact:ab", "preview_bytes": 2 });
        let want = json!({ "content": "hi", "metadata": { "n": 1 }, "truncated": told });
        check(vec![text("hi")], Value::Null, Some(cut), want);
    }
}
