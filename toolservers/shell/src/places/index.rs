//! The names in a git index (gitformat-index(5), versions 2 to 4), and nothing else of it.
//!
//! Invariant: what is not understood is an error, never an index with fewer names (test
//! `hostile_indexes_are_errors`); no byte is read twice but those of names.

use super::limits::GIT_INDEX_ENTRIES_MAX;

#[cfg(test)]
mod tests;

/// An index that may have names which were not seen: it is broken, or refers to something else.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Unsure;

/// Bytes of an entry before its object's id: times, device, inode, mode, owner, size.
const STAT_BYTES: usize = 40;
/// Where its mode is.
const MODE_AT: usize = 24;
/// Of a sparse index: a folder whose files are not listed.
const FOLDER_MODE: u32 = 0o040_000;
/// The entry has 16 further flags.
const EXTENDED: u16 = 0x4000;
/// Bytes of a name: what a file system has room for, and more.
const NAME_BYTES_MAX: usize = 64 * 1024;

/// Calls `each` for every name, in order. `id_bytes`: 20 (SHA-1) or 32 (SHA-256).
///
/// # Errors
/// There may be others.
pub(super) fn names(
    bytes: &[u8],
    id_bytes: usize,
    each: &mut dyn FnMut(&[u8]),
) -> Result<(), Unsure> {
    let body = bytes.len().checked_sub(id_bytes).and_then(|end| bytes.get(..end)).ok_or(Unsure)?;
    let mut reader = Reader { rest: body };
    if reader.take(4)? != b"DIRC" {
        return Err(Unsure);
    }
    let version = reader.number()?;
    let count = reader.number()?;
    if !(2..=4).contains(&version) || count > GIT_INDEX_ENTRIES_MAX {
        return Err(Unsure);
    }
    let mut name = Vec::new();
    for _ in 0..count {
        reader.entry(version, id_bytes, &mut name)?;
        each(&name);
    }
    reader.extensions()
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Unsure> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Unsure)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, Unsure> {
        let bytes = self.take(4)?.try_into().map_err(|_| Unsure)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn flags(&mut self) -> Result<u16, Unsure> {
        let bytes = self.take(2)?.try_into().map_err(|_| Unsure)?;
        Ok(u16::from_be_bytes(bytes))
    }

    /// Reads one entry; `name` is that of the one before.
    fn entry(&mut self, version: u32, id_bytes: usize, name: &mut Vec<u8>) -> Result<(), Unsure> {
        let before = self.rest.len();
        let mut stat = Reader { rest: self.take(STAT_BYTES)? };
        stat.take(MODE_AT)?;
        if stat.number()? == FOLDER_MODE {
            return Err(Unsure);
        }
        self.take(id_bytes)?;
        if self.flags()? & EXTENDED != 0 {
            if version < 3 {
                return Err(Unsure);
            }
            self.flags()?;
        }
        let kept =
            if version == 4 { name.len().checked_sub(self.offset()?).ok_or(Unsure)? } else { 0 };
        name.truncate(kept);
        let end = self.rest.iter().position(|byte| *byte == 0).ok_or(Unsure)?;
        name.extend_from_slice(self.take(end)?);
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Err(Unsure);
        }
        if version == 4 {
            self.take(1)?;
            return Ok(());
        }
        // One to eight NULs, to a multiple of eight.
        let read = before - self.rest.len();
        let padding = self.take(8 - read % 8)?;
        if padding.iter().all(|byte| *byte == 0) { Ok(()) } else { Err(Unsure) }
    }

    /// A number of seven bits a byte, as offsets in a pack have it.
    fn offset(&mut self) -> Result<usize, Unsure> {
        let mut value = 0_usize;
        loop {
            let byte = *self.take(1)?.first().ok_or(Unsure)?;
            value = value.checked_shl(7).ok_or(Unsure)? | usize::from(byte & 0x7f);
            if value > NAME_BYTES_MAX {
                return Err(Unsure);
            }
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            value += 1;
        }
    }

    /// Those that begin with a small letter must be understood: "link" (entries are in another file), "sdir"
    /// (folders stand for files).
    fn extensions(&mut self) -> Result<(), Unsure> {
        while !self.rest.is_empty() {
            let signature = self.take(4)?;
            let length = self.number()?;
            self.take(usize::try_from(length).map_err(|_| Unsure)?)?;
            if !signature.first().is_some_and(u8::is_ascii_uppercase) {
                return Err(Unsure);
            }
        }
        Ok(())
    }
}
