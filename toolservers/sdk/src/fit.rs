//! Makes a result fit its frame: large blocks become blobs, and a result that cannot fit is told as a
//! failure, never sent: a frame over its bound would end the session and every call in it.

use std::cmp::Reverse;

use bytes::Bytes;
use prost::Message;
use tollgate_proto::{
    limits::INLINE_BYTES_MAX,
    tool::v1::{Completed, ContentBlock, completed::Outcome, content_block::Block, media},
};

use crate::{
    blobs::Blobs,
    limits::{
        CONTENT_BLOCKS_MAX, IMAGE_INLINE_BYTES_MAX, MESSAGES_MAX, METADATA_BYTES_MAX,
        OBSERVATIONS_MAX,
    },
    wire,
};

/// In place of a block that no blob could be made of: the session's room is used up.
const NO_ROOM: &str =
    "[left out: the result is larger than what the server can keep for this session]";
/// A block that is smaller gains nothing by becoming a reference.
const MOVED_BYTES_MIN: usize = 1024;

/// The result, at most [`INLINE_BYTES_MAX`] long.
pub(crate) fn into_frame(mut completed: Completed, blobs: &Blobs, session: &str) -> Completed {
    completed.observations.truncate(OBSERVATIONS_MAX);
    if let Some(why) = over_bounds(&completed) {
        return too_large(completed, why);
    }
    for block in blocks(&mut completed) {
        if matches!(block, Block::Image(_)) && inline_bytes(block) > IMAGE_INLINE_BYTES_MAX {
            move_out(block, blobs, session);
        }
    }
    let mut excess = completed.encoded_len().saturating_sub(INLINE_BYTES_MAX);
    if excess > 0 {
        let mut largest: Vec<&mut Block> = blocks(&mut completed).collect();
        largest.sort_by_key(|block| Reverse(inline_bytes(block)));
        for block in largest {
            let bytes = inline_bytes(block);
            if excess == 0 || bytes < MOVED_BYTES_MIN {
                break;
            }
            move_out(block, blobs, session);
            excess = excess.saturating_sub(bytes - MOVED_BYTES_MIN);
        }
    }
    if completed.encoded_len() > INLINE_BYTES_MAX {
        return too_large(completed, "it is longer than 256 KiB without its large blocks");
    }
    completed
}

fn over_bounds(completed: &Completed) -> Option<&'static str> {
    let crowded = |content: &[ContentBlock]| content.len() > CONTENT_BLOCKS_MAX;
    if crowded(&completed.content)
        || completed.messages.iter().any(|message| crowded(&message.content))
    {
        Some("it has more than 64 blocks of content")
    } else if completed.messages.len() > MESSAGES_MAX {
        Some("it injects more than 8 messages")
    } else if completed.metadata.len() > METADATA_BYTES_MAX {
        Some("its metadata are longer than 64 KiB")
    } else {
        None
    }
}

/// The call as it ended, with a sentence in place of all that it gave back.
fn too_large(completed: Completed, why: &str) -> Completed {
    let outcome = match completed.outcome() {
        Outcome::Succeeded | Outcome::Unspecified | Outcome::Failed => Outcome::Failed,
        other @ (Outcome::Cancelled | Outcome::Rejected) => other,
    };
    let text = format!(
        "The tool ended, but its result cannot be sent: {why}. This is a fault of the tool."
    );
    Completed {
        outcome: outcome.into(),
        effects: completed.effects,
        context_changes: completed.context_changes,
        error_class: "result_too_large".into(),
        content: vec![wire::text(text)],
        call_id: completed.call_id,
        ..Completed::default()
    }
}

fn blocks(completed: &mut Completed) -> impl Iterator<Item = &mut Block> {
    let injected = completed.messages.iter_mut().flat_map(|message| &mut message.content);
    completed.content.iter_mut().chain(injected).filter_map(|block| block.block.as_mut())
}

/// Bytes of a block that a blob could hold.
fn inline_bytes(block: &Block) -> usize {
    match block {
        Block::Text(text) => text.len(),
        Block::Json(json) => json.len(),
        Block::Image(image) => match &image.content {
            Some(media::Content::Data(data)) => data.len(),
            Some(media::Content::Blob(_)) | None => 0,
        },
        Block::Audio(_) | Block::Resource(_) | Block::Blob(_) => 0,
    }
}

fn move_out(block: &mut Block, blobs: &Blobs, session: &str) {
    let keep = |data: Bytes, media_type: &str| blobs.offer(session, data, media_type);
    let moved = match block {
        Block::Text(text) => {
            keep(std::mem::take(text).into(), "text/plain; charset=utf-8").map(Block::Blob)
        }
        Block::Json(json) => keep(std::mem::take(json), "application/json").map(Block::Blob),
        Block::Image(image) => match image.content.take() {
            Some(media::Content::Data(data)) => keep(data, &image.media_type).map(|blob| {
                image.content = Some(media::Content::Blob(blob));
                Block::Image(std::mem::take(image))
            }),
            // Nothing of it is inline.
            other @ (Some(media::Content::Blob(_)) | None) => {
                image.content = other;
                return;
            }
        },
        Block::Audio(_) | Block::Resource(_) | Block::Blob(_) => return,
    };
    *block = moved.unwrap_or_else(|| Block::Text(NO_ROOM.to_owned()));
}

#[cfg(test)]
mod tests;
