//! One line: a record with its length and checksum.

use std::io::Write as _;

use tollgate_core::digest::Digest;

use crate::store::limits::FRAME_BYTES_MAX;

/// What stands between a frame's header and its record.
const RECORD_KEY: &[u8] = b",\"record\":";

/// Why a line is not the record that was written.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FrameFault {
    /// It does not have the form of a line of a log.
    #[error("it is no line of a log")]
    NoFrame,
    /// Length or checksum do not fit the record.
    #[error("its length or checksum does not fit")]
    Changed,
    /// It is longer than any line that is written.
    #[error("it is too long")]
    TooLong,
}

/// Puts the line of a record with its digest into `line`, with its newline.
pub(super) fn encode(record: &[u8], digest: Digest, line: &mut Vec<u8>) {
    line.clear();
    line.reserve(record.len() + FRAME_BYTES_MAX);
    header(record, digest, line);
    line.extend_from_slice(RECORD_KEY);
    line.extend_from_slice(record);
    line.extend_from_slice(b"}\n");
}

/// The record in a line without its newline.
pub(super) fn decode(line: &[u8]) -> Result<&[u8], FrameFault> {
    let search = line.get(..FRAME_BYTES_MAX).unwrap_or(line);
    let key = search.windows(RECORD_KEY.len()).position(|window| window == RECORD_KEY);
    let (given, record) = key
        .and_then(|at| line.split_at_checked(at))
        .and_then(|(given, rest)| Some((given, rest.strip_prefix(RECORD_KEY)?.strip_suffix(b"}")?)))
        .ok_or(FrameFault::NoFrame)?;
    let mut right = Vec::with_capacity(FRAME_BYTES_MAX);
    header(record, Digest::of(record), &mut right);
    if given == right { Ok(record) } else { Err(FrameFault::Changed) }
}

/// `{"len":N,"sum":"…"`: what a record's line begins with.
fn header(record: &[u8], digest: Digest, line: &mut Vec<u8>) {
    let [a, b, c, d, e, f, g, h, ..] = digest.0;
    let sum = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
    // Writing to a vector cannot fail.
    write!(line, "{{\"len\":{},\"sum\":\"{sum:016x}\"", record.len()).ok();
}
