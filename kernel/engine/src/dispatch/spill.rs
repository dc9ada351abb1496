//! The one owner of a result's size (`[TOOL-03]`): what is too large for the conversation is kept whole
//! as an artifact, and the conversation gets a preview that says so.

use tollgate_core::{
    call::{Block, Truncated},
    catalog::Entry,
    limits::PREVIEW_BYTES,
};

use super::output::Collected;
use crate::{
    servers::wire,
    store::{Artifacts, artifacts::Durability},
};

/// A tool that bounds itself may bring this much; beyond it the kernel bounds it all the same.
const SELF_BOUNDED_BYTES_MAX: usize = 512 * 1024;

pub(super) fn fit(
    artifacts: &Artifacts,
    entry: &Entry,
    ended: &mut wire::Ended,
    collected: Collected,
) {
    if ended.whole_in_output
        && let Some(cut) = &mut ended.outcome.truncated
    {
        match collected.keep(artifacts) {
            Ok(id) => cut.spill = Some(id),
            Err(why) => ended
                .outcome
                .content
                .push(Block::Text { text: format!("[the whole output could not be kept: {why}]") }),
        }
    }
    let max = match entry.result_bytes_max {
        0 => SELF_BOUNDED_BYTES_MAX,
        max => max as usize,
    };
    let size: usize = ended.outcome.content.iter().map(text_bytes).sum();
    if size <= max {
        return;
    }
    let whole = ended.outcome.content.iter().map(text_of).collect::<Vec<_>>().join("\n");
    let kept = artifacts.put(whole.as_bytes(), Durability::Process).map(|id| id.to_string());
    let preview = wire::bounded(whole.clone(), PREVIEW_BYTES);
    let (spill, how) = match &kept {
        Ok(id) => (Some(id.clone()), format!("the whole is {id}; read it with a window")),
        Err(error) => {
            (None, format!("the whole could not be kept: {}", crate::servers::chain(error)))
        }
    };
    let notice = format!(
        "\n[the result has {size} bytes, more than the {max} that fit here; these are its first {}; {how}]",
        preview.len()
    );
    ended.outcome.content = vec![Block::Text { text: preview + &notice }];
    ended.outcome.truncated =
        Some(Truncated { bytes: size as u64, lines: Some(whole.lines().count() as u64), spill });
}

fn text_bytes(block: &Block) -> usize {
    match block {
        Block::Text { text } | Block::Resource { text, .. } => text.len(),
        Block::Json { value } => value.to_string().len(),
        // Pictures and sounds are bounded by the wire and counted by models in their own way.
        Block::Image { .. } | Block::Audio { .. } => 0,
    }
}

fn text_of(block: &Block) -> String {
    match block {
        Block::Text { text } | Block::Resource { text, .. } => text.clone(),
        Block::Json { value } => value.to_string(),
        Block::Image { media_type, .. } | Block::Audio { media_type, .. } => {
            format!("[{media_type}]")
        }
    }
}
