//! What `read` sees of a file.
//!
//! A file of at most [`WHOLE_BYTES_MAX`] is read to its end: its lines are counted, its encoding
//! judged by all of it, its content hashed. Of a larger one only what leads to the window is read.

use std::{
    fs::{File, Metadata},
    io::{self, Read, Seek, SeekFrom},
};

use sha2::{Digest, Sha256};

use crate::{
    failed::{Class, Failed},
    index::{self, LineIndex, Version},
    limits::{BLOCK_BYTES, HEAD_BYTES, WHOLE_BYTES_MAX},
    magic::{self, Content},
    pass::Pass,
    roots::Place,
    text::Form,
    view::{TextView, View, binary, check_image},
    window::Wanted,
};

/// Looks at a file through a window. `stopped` is asked after each block.
///
/// # Errors
/// Those of [`Place::open`]; `binary`, `too_large` for an image, `past_end`, `cancelled`.
pub(crate) fn view(
    place: &Place,
    wanted: Wanted,
    stopped: &dyn Fn() -> bool,
) -> Result<(View, Metadata), Failed> {
    let (mut file, metadata) = place.open()?;
    let size = metadata.len();
    let failed = |error: io::Error| Failed::io("read", &place.shown, &error);
    let mut head = Vec::new();
    more(&mut file, HEAD_BYTES as u64, &mut head).map_err(failed)?;
    let view = match magic::content(&head) {
        Content::Binary(kind) => return Err(binary(&place.shown, kind, size)),
        Content::Image(media_type) => {
            check_image(&place.shown, media_type, size)?;
            more(&mut file, size.saturating_sub(head.len() as u64), &mut head).map_err(failed)?;
            View::image(media_type, head)
        }
        Content::Text => {
            let text = text(&mut file, &metadata, &head, wanted, stopped).map_err(failed)?;
            let Some(text) = text else {
                let message = format!("reading {} was stopped", place.shown);
                return Err(Failed::new(Class::Cancelled, message));
            };
            View::text(text, wanted, &place.shown)?
        }
    };
    Ok((view, metadata))
}

/// Reads until the window is known and, of a file of at most [`WHOLE_BYTES_MAX`], all of it is;
/// `None` if stopped.
fn text(
    file: &mut File,
    metadata: &Metadata,
    head: &[u8],
    wanted: Wanted,
    stopped: &dyn Fn() -> bool,
) -> io::Result<Option<TextView>> {
    let (size, version) = (metadata.len(), Version::of(metadata));
    let is_whole = size <= WHOLE_BYTES_MAX;
    // Places in the text of UTF-16 are not places in the file.
    let is_utf8 = Form::marked(head).is_none_or(|form| form.encoding.other().is_none());
    let is_indexed = !is_whole && is_utf8;
    let mut index = if is_indexed { index::recall(version) } else { LineIndex::default() };
    let start = index.before(wanted.offset);
    let mut pass = Pass::new(wanted, head, start);
    let mut hash = is_whole.then(Sha256::new);
    file.seek(SeekFrom::Start(start.1))?;
    // No further than the file was long at first, so that one that grows has an end.
    let mut rest = file.take(size.saturating_sub(start.1));
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    loop {
        block.clear();
        more(&mut rest, BLOCK_BYTES as u64, &mut block)?;
        pass.feed(&block);
        if let Some(hash) = &mut hash {
            hash.update(&block);
        }
        if is_indexed {
            index.mark(pass.line_start());
        }
        if pass.is_ended() || !is_whole && pass.is_done() {
            break;
        }
        if stopped() {
            return Ok(None);
        }
    }
    index.total = pass.total().or(index.total);
    let total = index.total;
    if is_indexed {
        index::keep(version, index);
    }
    let is_torn = !file.metadata().is_ok_and(|now| Version::of(&now) == version);
    let sha256 = hash.filter(|_| !is_torn).map(|hash| hash.finalize().into());
    Ok(Some(TextView { sha256, is_torn, ..pass.finish(size, total) }))
}

/// Appends the next bytes of a stream: `count`, or fewer at its end.
fn more(stream: &mut impl Read, count: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    stream.take(count).read_to_end(bytes).map(drop)
}

#[cfg(test)]
mod tests;
