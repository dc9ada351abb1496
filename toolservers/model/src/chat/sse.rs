//! Cuts the bytes of an event stream into events, whatever the places at which they were split.
//!
//! After the WHATWG standard "Server-sent events", with three additions that real servers need:
//! bytes that are no UTF-8 are replaced and flagged, the field `error` (llama.cpp) is an event
//! named `error`, and a last event without its blank line is given by [`Decoder::finish`].
//!
//! Not here: what the data means (`stream.rs`).

use crate::limits::SSE_EVENT_BYTES_MAX;

#[cfg(test)]
mod tests;

/// One event.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct SseEvent {
    /// The field `event`, or empty.
    pub(crate) name: String,
    /// The lines of the field `data`, joined by newlines.
    pub(crate) data: String,
}

/// An event is longer than [`SSE_EVENT_BYTES_MAX`].
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct TooLong;

/// The state between two pieces of a stream.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    line: Vec<u8>,
    after_cr: bool,
    after_first_line: bool,
    name: String,
    data: Option<String>,
    replaced: bool,
}

impl Decoder {
    /// Takes the next bytes, and gives the events that they complete.
    ///
    /// # Errors
    ///
    /// [`TooLong`].
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_cr = std::mem::replace(&mut self.after_cr, byte == b'\r');
            match byte {
                // The second half of CRLF.
                b'\n' if after_cr => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.data.as_ref().map_or(0, String::len) > SSE_EVENT_BYTES_MAX {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    /// Ends the stream; gives an event that lacks only its end.
    pub(crate) fn finish(&mut self) -> Option<SseEvent> {
        let ended = self.end_line();
        ended.or_else(|| self.end_event())
    }

    /// Whether bytes that are no UTF-8 were replaced by U+FFFD.
    pub(crate) fn has_replaced(&self) -> bool {
        self.replaced
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        self.replaced |= matches!(text, std::borrow::Cow::Owned(_));
        let first = !std::mem::replace(&mut self.after_first_line, true);
        let line = if first { text.trim_start_matches('\u{feff}') } else { &text };
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add(value),
            "event" => value.clone_into(&mut self.name),
            "error" => {
                "error".clone_into(&mut self.name);
                self.add(value);
            }
            // A comment (its field is empty), `id`, `retry`, and what nobody knows.
            _ => {}
        }
        None
    }

    fn add(&mut self, value: &str) {
        match &mut self.data {
            None => self.data = Some(value.to_owned()),
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
        }
    }

    /// An event without data is none.
    fn end_event(&mut self) -> Option<SseEvent> {
        let name = std::mem::take(&mut self.name);
        self.data.take().map(|data| SseEvent { name, data })
    }
}
