//! Opening a log for append: reads it whole, and mends its end.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Seek as _, SeekFrom, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use super::{
    FramedError,
    reader::{Damage, DamageKind, Line, Reader},
};
use crate::store::{
    FileError,
    limits::{DAMAGE_LISTED_MAX, FILE_MODE, TORN_COPIES_MAX},
};

/// What was found and mended when a log was opened.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Repairs {
    /// The last line was torn and is cut off.
    pub torn: Option<Torn>,
    /// The last record was whole and only its newline was missing.
    pub is_completed: bool,
    /// Damaged lines that stay where they are, the first [`DAMAGE_LISTED_MAX`].
    pub damage: Vec<Damage>,
    /// Damaged lines beyond those.
    pub unlisted: u64,
}

/// A torn last line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Torn {
    /// Where it began.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
    /// The file that has it now.
    pub copy: PathBuf,
}

impl Repairs {
    /// Whether the log was as it should be.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(in crate::store) fn add(&mut self, damage: Damage) {
        if self.damage.len() < DAMAGE_LISTED_MAX {
            self.damage.push(damage);
        } else {
            self.unlisted += 1;
        }
    }
}

/// One line a finding; empty when there is none.
impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Torn { offset, bytes, copy }) = &self.torn {
            let copy = copy.display();
            writeln!(
                f,
                "the last line (byte {offset}, {bytes} bytes) was torn; it is kept in {copy}"
            )?;
        }
        if self.is_completed {
            writeln!(f, "the last line lacked its newline; nothing is lost")?;
        }
        for damage in &self.damage {
            writeln!(f, "{damage}")?;
        }
        if self.unlisted > 0 {
            writeln!(f, "and {} more damaged lines", self.unlisted)?;
        }
        Ok(())
    }
}

/// Reads a log, shows its records, mends its end. The bytes of whole lines, and what was mended.
pub(super) fn load(
    file: &File,
    path: &Path,
    mut each: impl FnMut(u64, &[u8]) -> Result<(), String>,
) -> Result<(u64, Repairs), FramedError> {
    let mut repairs = Repairs::default();
    let mut end = 0;
    let mut reader = Reader::new(file);
    while let Some(line) = reader.next_line().map_err(FileError::at("read", path))? {
        let Line { number, offset, bytes, is_ended, record } = line;
        let kind = match record {
            Err(_) if !is_ended => {
                repairs.torn = Some(set_aside(file, path, offset, bytes)?);
                break;
            }
            Err(fault) => Some(fault.into()),
            Ok(record) => each(number, record).err().map(DamageKind::Record),
        };
        if let Some(kind) = kind {
            repairs.add(Damage { line: number, offset, bytes, kind });
        }
        end = offset + bytes;
        if !is_ended {
            (&*file).write_all(b"\n").map_err(FileError::at("complete", path))?;
            repairs.is_completed = true;
            end += 1;
            break;
        }
    }
    Ok((end, repairs))
}

/// Moves a torn last line to a file of its own.
fn set_aside(log: &File, path: &Path, offset: u64, bytes: u64) -> Result<Torn, FramedError> {
    let (copy, mut file) = new_copy(path)?;
    if let Err(reason) = copy_from(log, offset, &mut file) {
        // Half a copy is worth nothing; the log still has the whole.
        fs::remove_file(&copy).ok();
        return Err(FileError::at("keep a torn line in", &copy)(reason).into());
    }
    log.set_len(offset).map_err(FileError::at("cut a torn line off", path))?;
    Ok(Torn { offset, bytes, copy })
}

fn copy_from(mut log: &File, offset: u64, copy: &mut File) -> io::Result<()> {
    log.seek(SeekFrom::Start(offset))?;
    io::copy(&mut log, copy)?;
    // Before the log is cut: the bytes are never on neither of the two.
    copy.sync_data()
}

/// A new file `<log>.torn-<n>`.
fn new_copy(path: &Path) -> Result<(PathBuf, File), FramedError> {
    for n in 1..=TORN_COPIES_MAX {
        let mut copy = path.as_os_str().to_owned();
        copy.push(format!(".torn-{n}"));
        let copy = PathBuf::from(copy);
        match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&copy) {
            Ok(file) => return Ok((copy, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(FileError::at("keep a torn line in", &copy)(error).into()),
        }
    }
    Err(FramedError::TornCopies { path: path.to_owned() })
}
