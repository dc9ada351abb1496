//! [`Reader`]: a log line by line, in bounded memory, with damage told and passed.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead as _, BufReader, Read},
    path::Path,
};

use super::frame::{FrameFault, decode};
use crate::store::{
    FileError,
    limits::{LINE_BYTES_MAX, READ_BUFFER_BYTES},
};

/// One line as it stands in a log.
#[derive(Debug)]
pub struct Line<'a> {
    /// From 1.
    pub number: u64,
    /// Where it begins.
    pub offset: u64,
    /// Its bytes, with the newline.
    pub bytes: u64,
    /// It has a newline. Only the last line may lack it.
    pub is_ended: bool,
    /// The record, or why there is none.
    pub record: Result<&'a [u8], FrameFault>,
}

/// A line of a log that could not be used.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Damage {
    /// From 1.
    pub line: u64,
    /// Where the line begins.
    pub offset: u64,
    /// Its bytes, with the newline.
    pub bytes: u64,
    /// What is wrong.
    pub kind: DamageKind,
}

/// What is wrong with a line.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DamageKind {
    /// It is not what was written.
    #[error(transparent)]
    Frame(#[from] FrameFault),
    /// It is what was written, but no record that this version knows.
    #[error("its record cannot be used: {0}")]
    Record(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, offset, bytes, kind } = self;
        write!(f, "line {line} (byte {offset}, {bytes} bytes): {kind}")
    }
}

/// Reads a log line by line; holds one line.
#[derive(Debug)]
pub struct Reader<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    number: u64,
    offset: u64,
}

impl<R: Read> Reader<R> {
    /// A reader at the start of a log.
    pub fn new(input: R) -> Self {
        let input = BufReader::with_capacity(READ_BUFFER_BYTES, input);
        Self { input, line: Vec::new(), number: 0, offset: 0 }
    }

    /// The next line, or none at the end.
    ///
    /// # Errors
    /// The operating system's; damage is no error.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let limit = LINE_BYTES_MAX as u64;
        let mut bytes = (&mut self.input).take(limit).read_until(b'\n', &mut self.line)? as u64;
        if bytes == 0 {
            return Ok(None);
        }
        let mut is_ended = self.line.last() == Some(&b'\n');
        let is_too_long = !is_ended && bytes == limit;
        if is_too_long {
            (bytes, is_ended) = self.skip_rest(bytes)?;
        }
        let offset = self.offset;
        self.number += 1;
        self.offset += bytes;
        let record = if is_too_long {
            Err(FrameFault::TooLong)
        } else {
            decode(self.line.strip_suffix(b"\n").unwrap_or(&self.line))
        };
        Ok(Some(Line { number: self.number, offset, bytes, is_ended, record }))
    }

    /// Passes the rest of a line that is too long. Its bytes, and whether it has a newline.
    fn skip_rest(&mut self, mut bytes: u64) -> io::Result<(u64, bool)> {
        self.line = Vec::new();
        loop {
            let ahead = self.input.fill_buf()?;
            let newline = ahead.iter().position(|byte| *byte == b'\n');
            let passed = newline.map_or(ahead.len(), |at| at + 1);
            self.input.consume(passed);
            bytes += passed as u64;
            if newline.is_some() || passed == 0 {
                return Ok((bytes, newline.is_some()));
            }
        }
    }
}

/// Shows every line of a log to `each`, without changing the file. Blocking.
///
/// # Errors
/// [`FileError`], also for a missing file; damage is no error.
pub fn read(path: &Path, mut each: impl FnMut(Line<'_>)) -> Result<(), FileError> {
    let file = File::open(path).map_err(FileError::at("open", path))?;
    let mut reader = Reader::new(file);
    while let Some(line) = reader.next_line().map_err(FileError::at("read", path))? {
        each(line);
    }
    Ok(())
}
