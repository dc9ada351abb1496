//! [`Pieces`]: a stream whose pieces may cut a value in two.
//!
//! Held back is only what may be the beginning of a value: never as much as the longest one, and
//! usually nothing, so that a person sees text as it comes.

use std::borrow::Cow;

use super::Redactor;

/// A stream without known values.
#[derive(Debug)]
pub struct Pieces {
    redactor: Redactor,
    held: Vec<u8>,
}

impl Pieces {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self { redactor, held: Vec::new() }
    }

    /// Takes a piece; gives what can be told now.
    pub fn push<'a>(&mut self, piece: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(known) = self.redactor.0.as_deref() else { return Cow::Borrowed(piece) };
        let mut all = Cow::Borrowed(piece);
        if !self.held.is_empty() {
            let mut joined = std::mem::take(&mut self.held);
            joined.extend_from_slice(piece);
            all = Cow::Owned(joined);
        }
        let (mut told, mut at) = (Vec::new(), 0);
        let hold = known.may_begin_at(&all);
        for found in known.finder.find_iter(&all[..]) {
            if found.start() >= hold {
                break;
            }
            told.extend_from_slice(all.get(at..found.start()).unwrap_or_default());
            told.extend_from_slice(known.stand(found.pattern().as_usize()));
            at = found.end();
        }
        if at == 0 && hold == all.len() {
            return all;
        }
        let hold = hold.max(at);
        told.extend_from_slice(all.get(at..hold).unwrap_or_default());
        self.held = all.get(hold..).unwrap_or_default().to_vec();
        Cow::Owned(told)
    }

    /// The same for text. What is held back begins where a value would, so no character is cut.
    pub fn push_text(&mut self, piece: String) -> String {
        if self.redactor.is_empty() {
            return piece;
        }
        String::from_utf8_lossy(&self.push(piece.as_bytes())).into_owned()
    }

    /// The end of the stream: what was held back is no whole value.
    pub fn finish(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        self.redactor.bytes(&held).into_owned()
    }

    /// The same for text.
    pub fn finish_text(&mut self) -> String {
        String::from_utf8_lossy(&self.finish()).into_owned()
    }
}
