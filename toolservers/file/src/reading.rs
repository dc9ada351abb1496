//! What `read` sees of a file.
//!
//! A file of at most [`WHOLE_BYTES_MAX`] is read to its end: its lines are counted, its encoding
//! judged by all of it, its content hashed. Of a larger one only what leads to the window is read, and
//! of that no hole. Images and documents are read whole, or refused.
//!
//! Its first bytes say what a file is, not its name; but for a notebook, whose JSON begins as any does.

use std::{
    fs::{File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    sync::Arc,
};

use nix::unistd::{Whence, lseek};
use sha2::{Digest, Sha256};

use crate::{
    failed::{Class, Failed},
    index::{self, LineIndex, Version},
    limits::{BLOCK_BYTES, HEAD_BYTES, WHOLE_BYTES_MAX},
    made::{self, Kept, Made},
    magic::{self, Content},
    notebook,
    pass::Pass,
    pdf,
    picture::picture,
    roots::Place,
    text::Form,
    view::{TextView, View, binary, check_whole},
    window::Wanted,
};

/// Looks at a file through a window. `stopped` is asked after each block.
///
/// # Errors
/// Those of [`Place::open`]; `binary`, `unreadable` and `too_large` for an image or a document,
/// `past_end`, `cancelled`.
pub(crate) fn view(
    place: &Place,
    wanted: Wanted,
    stopped: &dyn Fn() -> bool,
) -> Result<(View, Metadata), Failed> {
    let (file, metadata) = place.open()?;
    let mut reader = Reader { file, metadata, place, wanted, stopped, head: Vec::new() };
    let view = reader.view()?;
    Ok((view, reader.metadata))
}

/// An open file on its way to a view.
struct Reader<'a> {
    file: File,
    metadata: Metadata,
    place: &'a Place,
    wanted: Wanted,
    stopped: &'a dyn Fn() -> bool,
    /// The first bytes.
    head: Vec<u8>,
}

impl Reader<'_> {
    fn view(&mut self) -> Result<View, Failed> {
        let (shown, size) = (self.place.shown.as_str(), self.metadata.len());
        more(&mut self.file, HEAD_BYTES as u64, &mut self.head)
            .map_err(|error| self.failed(&error))?;
        match magic::content(&self.head) {
            Content::Binary(magic::PDF) => self.pdf(),
            Content::Binary(kind) => Err(binary(shown, kind, size)),
            Content::Image(media_type) => {
                check_whole(shown, &format!("an image ({media_type})"), size)?;
                let data = self.whole()?;
                Ok(View::Image(picture(shown, media_type, data, self.stopped)?))
            }
            Content::Text if magic::may_be_pdf(&self.head) && size <= WHOLE_BYTES_MAX => {
                match self.pdf() {
                    Err(failed) if failed.class == Class::Unreadable => self.text(None),
                    seen => seen,
                }
            }
            Content::Text if is_notebook(self.place) && size <= WHOLE_BYTES_MAX => self.notebook(),
            Content::Text => self.text(None),
        }
    }

    fn pdf(&mut self) -> Result<View, Failed> {
        let (shown, stopped) = (self.place.shown.as_str(), self.stopped);
        check_whole(shown, magic::PDF, self.metadata.len())?;
        self.document(|bytes| pdf::made(shown, bytes, stopped))
    }

    fn notebook(&mut self) -> Result<View, Failed> {
        let mut why = None;
        let seen = self.document(|bytes| {
            notebook::made(&bytes).map_err(|fault| {
                why = Some(fault);
                Failed::new(Class::Unreadable, String::new())
            })
        });
        match why {
            None => seen,
            Some(why) => self.text(Some(format!(
                "the name is that of a notebook, but {why}; shown as the text that it is"
            ))),
        }
    }

    /// The text made of the whole file, now or before.
    fn document(
        &mut self,
        make: impl FnOnce(Vec<u8>) -> Result<Made, Failed>,
    ) -> Result<View, Failed> {
        let version = Version::of(&self.metadata);
        let (kept, is_torn) = match made::recall(version) {
            Some(kept) => (kept, false),
            None => {
                let bytes = self.whole()?;
                let sha256 = Sha256::digest(&bytes).into();
                let kept = Kept { made: Arc::new(make(bytes)?), sha256 };
                let is_torn = self.is_torn(version);
                if !is_torn {
                    made::keep(version, kept.clone());
                }
                (kept, is_torn)
            }
        };
        let sha256 = (!is_torn).then_some(kept.sha256);
        let view = kept.made.view(self.wanted, self.metadata.len(), sha256);
        View::text(TextView { is_torn, ..view }, self.wanted, &self.place.shown)
    }

    fn text(&mut self, notice: Option<String>) -> Result<View, Failed> {
        let text = self.lines().map_err(|error| self.failed(&error))?;
        let Some(text) = text else {
            let message = format!("reading {} was stopped", self.place.shown);
            return Err(Failed::new(Class::Cancelled, message));
        };
        View::text(TextView { notice, ..text }, self.wanted, &self.place.shown)
    }

    /// Reads until the window is known and, of a file of at most [`WHOLE_BYTES_MAX`], all of it is;
    /// `None` if stopped.
    fn lines(&mut self) -> io::Result<Option<TextView>> {
        let (size, version) = (self.metadata.len(), Version::of(&self.metadata));
        let is_whole = size <= WHOLE_BYTES_MAX;
        // Places in the text of UTF-16 are not places in the file.
        let is_utf8 = Form::marked(&self.head).is_none_or(|form| form.encoding.other().is_none());
        let is_indexed = !is_whole && is_utf8;
        let mut index = if is_indexed { index::recall(version) } else { LineIndex::default() };
        let start = index.before(self.wanted.offset);
        let mut pass = Pass::new(self.wanted, &self.head, start);
        let mut hash = is_whole.then(Sha256::new);
        let mut position = start.1;
        self.file.seek(SeekFrom::Start(position))?;
        let mut block = Vec::with_capacity(BLOCK_BYTES);
        let mut is_stopped = false;
        loop {
            if is_indexed && pass.is_before_window() {
                position += self.pass_hole(&mut pass, position, size);
            }
            block.clear();
            // No further than the file was long at first, so that one that grows has an end.
            let rest = size.saturating_sub(position).min(BLOCK_BYTES as u64);
            more(&mut self.file, rest, &mut block)?;
            position += block.len() as u64;
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
            is_stopped = (self.stopped)();
            if is_stopped {
                break;
            }
        }
        let is_torn = self.is_torn(version);
        index.total = if is_torn { None } else { pass.total().or(index.total) };
        let total = index.total.or(pass.total());
        if is_indexed && !is_torn {
            index::keep(version, index);
        }
        let sha256 = hash.filter(|_| !is_torn).map(|hash| hash.finalize().into());
        Ok((!is_stopped).then(|| TextView { sha256, is_torn, ..pass.finish(size, total) }))
    }

    /// Passes over a hole, of which the file system knows that it has NULs and so no break; gives its
    /// bytes that were not read.
    fn pass_hole(&self, pass: &mut Pass, position: u64, size: u64) -> u64 {
        let Ok(from) = i64::try_from(position) else { return 0 };
        let after = match lseek(&self.file, from, Whence::SeekData) {
            Ok(after) => u64::try_from(after).unwrap_or(position),
            // No more content: a hole to the end.
            Err(nix::errno::Errno::ENXIO) => size,
            Err(_) => position,
        };
        let after = after.min(size).max(position);
        // The end is read, as it would be without the hole: that ends the pass.
        let skipped = (after - position).saturating_sub(BLOCK_BYTES as u64);
        let ahead = position + skipped;
        let moved = i64::try_from(ahead)
            .is_ok_and(|ahead| lseek(&self.file, ahead, Whence::SeekSet).is_ok());
        if !moved {
            return 0;
        }
        pass.skip_hole(skipped);
        skipped
    }

    /// All of the file, but no more than it was long at first.
    fn whole(&mut self) -> Result<Vec<u8>, Failed> {
        let size = self.metadata.len();
        let mut bytes = std::mem::take(&mut self.head);
        more(&mut self.file, size.saturating_sub(bytes.len() as u64), &mut bytes)
            .map_err(|error| self.failed(&error))?;
        self.head = bytes.iter().take(HEAD_BYTES).copied().collect();
        Ok(bytes)
    }

    fn is_torn(&self, version: Version) -> bool {
        !self.file.metadata().is_ok_and(|now| Version::of(&now) == version)
    }

    fn failed(&self, error: &io::Error) -> Failed {
        Failed::io("read", &self.place.shown, error)
    }
}

fn is_notebook(place: &Place) -> bool {
    Path::new(place.name()).extension().is_some_and(|end| end.eq_ignore_ascii_case("ipynb"))
}

/// Appends the next bytes of a stream: `count`, or fewer at its end.
fn more(stream: &mut impl Read, count: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    stream.take(count).read_to_end(bytes).map(drop)
}

#[cfg(test)]
mod tests;
