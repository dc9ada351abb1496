//! The mounts that this process sees, as `/proc/self/mountinfo` tells them (proc(5)).

use std::{ffi::OsString, fs, io, os::unix::ffi::OsStringExt as _, path::PathBuf};

use nix::mount::MsFlags;
use rustix::{
    fs::{AtFlags, CWD, StatxFlags, statx},
    io::Errno,
};

/// Where the kernel tells them.
pub(super) const PLACE: &str = "/proc/self/mountinfo";

/// Restrictions that a remount must repeat, by their words. The last is newer than the library's names.
const RESTRICTIONS: [(&str, MsFlags); 4] = [
    ("nosuid", MsFlags::MS_NOSUID),
    ("nodev", MsFlags::MS_NODEV),
    ("noexec", MsFlags::MS_NOEXEC),
    ("nosymfollow", MsFlags::from_bits_retain(256)),
];

/// One mount.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Entry {
    id: u64,
    /// Where it is, without links.
    pub(super) place: PathBuf,
    options: String,
}

impl Entry {
    /// Whether nothing can be changed by way of it.
    pub(super) fn is_read_only(&self) -> bool {
        self.has("ro")
    }

    /// What restricts it. The kernel itself keeps what is said of access times.
    pub(super) fn flags(&self) -> MsFlags {
        let is = RESTRICTIONS.iter().filter(|(word, _)| self.has(word));
        is.map(|(_, flag)| *flag).collect()
    }

    /// Whether its place leads to it, as far as can be told.
    pub(super) fn is_seen(&self) -> bool {
        match statx(CWD, &self.place, AtFlags::NO_AUTOMOUNT, StatxFlags::MNT_ID) {
            Ok(found)
                if StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::MNT_ID) =>
            {
                found.stx_mnt_id == self.id
            }
            Err(Errno::NOENT | Errno::ACCESS | Errno::NOTDIR | Errno::LOOP) => false,
            Ok(_) | Err(_) => true,
        }
    }

    fn has(&self, option: &str) -> bool {
        self.options.split(',').any(|word| word == option)
    }
}

/// Reads them all, in the order in which they were mounted.
pub(super) fn read() -> io::Result<Vec<Entry>> {
    // A place of the table may be no UTF-8.
    let bytes = fs::read(PLACE)?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| entry(line).ok_or_else(|| unclear(line))).collect()
}

/// One that cannot be read may be one that stays writable.
fn unclear(line: &[u8]) -> io::Error {
    io::Error::other(format!("a line of it has another form: {}", line.escape_ascii()))
}

/// The first, fifth and sixth field of a line.
fn entry(line: &[u8]) -> Option<Entry> {
    let mut fields = line.split(|byte| *byte == b' ');
    let id = str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let place = unescaped(fields.nth(3)?);
    let options = str::from_utf8(fields.next()?).ok()?.to_owned();
    Some(Entry { id, place, options })
}

/// In which `\040` is a blank.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..3).and_then(|it| str::from_utf8(it).ok());
        let byte = code.filter(|_| *first == b'\\').and_then(|it| u8::from_str_radix(it, 8).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests;
