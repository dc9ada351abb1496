//! Records to JSON, such that what was written can be read back.

use serde::Serialize;

use super::limits::RECORD_DEPTH_MAX;

/// Room for a record to begin with: a receipt without large arguments.
const RECORD_BYTES_USUAL: usize = 4096;

/// A record that has no JSON form that could be read back.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// A value has no JSON form: a path that is not UTF-8.
    #[error("a record cannot be written as JSON: {reason}; give paths that are UTF-8")]
    Json {
        /// The encoder's sentence.
        reason: serde_json::Error,
    },
    /// The nesting is deeper than a reader follows.
    #[error("a record is nested deeper than {RECORD_DEPTH_MAX} levels; bound what it quotes")]
    Deep,
}

/// The JSON text of a record: one line, nested at most [`RECORD_DEPTH_MAX`].
pub(super) fn encode(record: &impl Serialize) -> Result<Vec<u8>, EncodeError> {
    let mut text = Vec::with_capacity(RECORD_BYTES_USUAL);
    serde_json::to_writer(&mut text, record).map_err(|reason| EncodeError::Json { reason })?;
    if is_deep(&text) { Err(EncodeError::Deep) } else { Ok(text) }
}

/// Whether well-formed JSON text nests deeper than [`RECORD_DEPTH_MAX`].
fn is_deep(text: &[u8]) -> bool {
    // Few levels need few brackets: most records are decided by their length or this count.
    let opening = text.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
    if opening <= RECORD_DEPTH_MAX {
        return false;
    }
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth -= 1,
            _ => {}
        }
        if depth > RECORD_DEPTH_MAX {
            return true;
        }
    }
    false
}
