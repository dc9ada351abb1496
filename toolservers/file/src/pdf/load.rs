//! From the bytes of a PDF to the texts of its pages, within bounds.
//!
//! Memory: the parser keeps about 100 bytes for each token (a number, a name, a container), so tokens
//! are counted in the file before it is parsed and in each object stream before it is taken apart; a
//! stream may inflate to [`PDF_STREAM_BYTES_MAX`]. Pictures are dropped as they are met. An encrypted
//! document is not parsed at all: the parser does not ask for each of its objects.
//!
//! Not here: what a page shows (`page`).

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId, Stream};

use super::{Fault, Pages, Watch, fonts::Fonts, page};
use crate::limits::{
    PDF_CONTENT_TOKENS_MAX, PDF_PAGES_MAX, PDF_STREAM_BYTES_MAX, PDF_TEXT_BYTES_MAX, PDF_TOKENS_MAX,
};

/// What the parser may still use; it is asked at each object.
struct Budget {
    watch: Watch,
    tokens: usize,
}

thread_local! {
    /// The parser takes a plain function, so the budget of its thread stands here.
    static BUDGET: RefCell<Option<Budget>> = const { RefCell::new(None) };
}

/// The texts of the pages of a PDF.
///
/// # Errors
/// See [`Fault`].
pub(super) fn pages(bytes: &[u8], watch: &Watch) -> Result<Pages, Fault> {
    let document = load(bytes, watch)?;
    let count = document.page_iter().count();
    if count == 0 {
        return Err(Fault::Broken("it has no pages".to_owned()));
    }
    let mut fonts = Fonts::new(&document);
    let (mut texts, mut bytes) = (Vec::new(), 0);
    for id in document.page_iter().take(PDF_PAGES_MAX) {
        if bytes > PDF_TEXT_BYTES_MAX || !texts.is_empty() && watch.is_over() {
            break;
        }
        let text = catch_unwind(AssertUnwindSafe(|| page::text(&document, id, &mut fonts, watch)));
        let text = text.ok().flatten();
        bytes += text.as_ref().map_or(0, String::len);
        texts.push(text);
    }
    Ok(Pages { count, texts })
}

fn load(bytes: &[u8], watch: &Watch) -> Result<Document, Fault> {
    if is_encrypted(bytes) {
        return Err(Fault::Encrypted);
    }
    let tokens = PDF_TOKENS_MAX.checked_sub(tokens(bytes)).ok_or(Fault::TooManyTokens)?;
    let options = LoadOptions {
        filter: Some(look),
        max_decompressed_size: Some(PDF_STREAM_BYTES_MAX),
        ..LoadOptions::default()
    };
    BUDGET.set(Some(Budget { watch: watch.clone(), tokens }));
    let loaded = catch_unwind(|| Document::load_mem_with_options(bytes, options));
    BUDGET.set(None);
    let document = match loaded {
        Ok(Ok(document)) => document,
        Ok(Err(error)) => return Err(Fault::Broken(error.to_string())),
        Err(panic) => {
            return Err(match panic.downcast::<Fault>() {
                Ok(fault) => *fault,
                Err(_) => Fault::Broken("its parser failed".to_owned()),
            });
        }
    };
    Ok(document)
}

/// Whether a name of the file is `Encrypt`, however it is written (ISO 32000-1, 7.3.5): the trailer, which
/// has it, is never compressed.
fn is_encrypted(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'/', bytes).any(|at| {
        let name = bytes.get(at + 1..).unwrap_or_default();
        let mut rest = name.iter().copied();
        let same = b"Encrypt".iter().all(|letter| match rest.next() {
            Some(b'#') => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next()), digit(rest.next()));
                high.zip(low).map(|(high, low)| high * 16 + low) == Some(u32::from(*letter))
            }
            byte => byte == Some(*letter),
        });
        // The next byte is none of a name.
        same && rest.next().is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'#')
    })
}

/// Looks at each object as it is parsed. The parser has no other way to be ended than to unwind.
fn look(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let fault = BUDGET.with_borrow_mut(|budget| match budget {
        Some(budget) => budget.spend(object).err(),
        None => None,
    });
    if let Some(fault) = fault {
        resume_unwind(Box::new(fault));
    }
    // Of an object that stands for itself only the first half counts; one of an object stream is taken.
    let kept = if let Object::Stream(_) = object { Object::Null } else { object.clone() };
    Some((id, kept))
}

impl Budget {
    fn spend(&mut self, object: &mut Object) -> Result<(), Fault> {
        if self.watch.is_over() {
            return Err(Fault::TimeOver);
        }
        let Object::Stream(stream) = object else { return Ok(()) };
        if is(&stream.dict, b"Subtype", b"Image") {
            stream.content = Vec::new();
        } else if is(&stream.dict, b"Type", b"ObjStm") {
            let inflated = inflated(stream).unwrap_or_default();
            self.tokens = self.tokens.checked_sub(tokens(&inflated)).ok_or(Fault::TooManyTokens)?;
        }
        Ok(())
    }
}

/// What a stream holds, its filters undone; `None`: over the bound, or broken.
pub(super) fn inflated(stream: &Stream) -> Option<Vec<u8>> {
    stream.decompressed_content_with_limit(PDF_STREAM_BYTES_MAX).ok()
}

/// Content that can be read operator by operator; `None`: it has too many tokens.
pub(super) fn content(bytes: Vec<u8>) -> Option<Vec<u8>> {
    (tokens(&bytes) <= PDF_CONTENT_TOKENS_MAX).then_some(bytes)
}

/// Whether an entry is this name.
pub(super) fn is(dictionary: &Dictionary, key: &[u8], name: &[u8]) -> bool {
    dictionary.get(key).and_then(Object::as_name).is_ok_and(|found| found == name)
}

/// Beginnings of what the parser makes objects of.
pub(super) fn tokens(bytes: &[u8]) -> usize {
    let (mut count, mut is_inside) = (0, false);
    for byte in bytes {
        match byte {
            b'\0' | b'\t' | b'\n' | b'\x0C' | b'\r' | b' ' | b')' | b'>' | b']' | b'}' => {
                is_inside = false;
            }
            b'(' | b'<' | b'[' | b'{' => {
                count += 1;
                is_inside = false;
            }
            b'/' => {
                count += 1;
                is_inside = true;
            }
            _ => {
                count += usize::from(!is_inside);
                is_inside = true;
            }
        }
    }
    count
}
