//! The one owner of a result's size (`[TOOL-03]`): what is too large for the conversation is kept whole
//! as an artifact, and the conversation gets a preview that says so.

use tollgate_core::{
    call::{Block, Caller, Classified, Outcome, Truncated},
    limits::PREVIEW_BYTES,
};

use super::output::Collected;
use crate::{
    servers::wire,
    store::{ArtifactId, Artifacts, artifacts::Durability},
};

/// Bytes of one result that a program gets whole; nothing of it goes into the conversation by itself.
const PROGRAM_RESULT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of a program's result for a person or a client; the code server itself keeps its value below.
const VALUE_BYTES_MAX: usize = 32 * 1024 * 1024 + 64 * 1024;
/// A tool that bounds itself may bring this much; beyond it the kernel bounds it all the same.
const SELF_BOUNDED_BYTES_MAX: usize = 512 * 1024;

pub(super) fn fit(
    artifacts: &Artifacts,
    call: &Classified,
    ended: &mut wire::Ended,
    collected: Collected,
) {
    let for_program = call.raw().caller == Caller::Program;
    let is_whole = ended.whole_in_output;
    if let Some(cut) = &mut ended.outcome.truncated
        && (is_whole || !collected.is_empty())
    {
        let kept = collected.keep(artifacts);
        let text = match &kept {
            Ok(id) if is_whole => format!("[the whole output: {id}]"),
            Ok(id) => format!("[the beginning of the output, as much as is kept: {id}]"),
            Err(why) => format!("[the output could not be kept: {why}]"),
        };
        cut.spill = kept.ok();
        ended.outcome.content.push(Block::Text { text });
        if for_program && is_whole {
            whole(artifacts, &mut ended.outcome);
        }
    }
    let max = match call.entry().result_bytes_max {
        _ if for_program => PROGRAM_RESULT_BYTES_MAX,
        // What a person or a client asked for is in no conversation.
        _ if call.entry().runs_programs() && call.raw().caller != Caller::Model => VALUE_BYTES_MAX,
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

/// A result as those who watch get it: one that is whole for a program only is shown by its beginning.
pub(crate) fn shown(content: &[Block]) -> Vec<Block> {
    let size: usize = content.iter().map(text_bytes).sum();
    if size <= SELF_BOUNDED_BYTES_MAX {
        return content.to_vec();
    }
    let beginning = content.first().map(text_of).unwrap_or_default();
    let preview = wire::bounded(beginning, PREVIEW_BYTES);
    vec![Block::Text {
        text: format!("{preview}\n[the result has {size} bytes; a program has it whole]"),
    }]
}

/// A program gets the whole output in place of a preview, if it takes that much (`[CODE-15]`).
fn whole(artifacts: &Artifacts, outcome: &mut Outcome) {
    let spill = outcome.truncated.as_ref().and_then(|cut| cut.spill.as_ref());
    let Some(id) = spill.and_then(|id| id.parse::<ArtifactId>().ok()) else { return };
    if let Ok(bytes) = artifacts.read(id, PROGRAM_RESULT_BYTES_MAX as u64) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        outcome.content = vec![Block::Text { text }];
        outcome.truncated = None;
    }
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
