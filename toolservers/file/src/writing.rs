//! What `write` would put in a file's place: its bytes, and what is to be said of them.
//!
//! | the file is        | last seen by the session | → |
//! |--------------------|--------------------------|---|
//! | not there          | –                        | created as the content is |
//! | there              | as it is                 | replaced, in its encoding, mark and line ending |
//! | there              | different                | refused: `stale` |
//! | there              | never                    | replaced, and the preview says so |
//!
//! Not here: the tool (`write`), the replacing (`replace`).

use crate::{
    diff::Diff,
    ending::{Endings, with_endings},
    failed::{Class, Failed},
    magic::{self, Content},
    roots::Place,
    snapshot::Snapshot,
    text::{Decoded, Encoding, Form},
};

/// A write that can be done.
#[derive(Debug)]
pub(crate) struct Writing {
    /// What is there now.
    pub(crate) before: Option<Snapshot>,
    /// What comes there.
    pub(crate) bytes: Vec<u8>,
    pub(crate) diff: Diff,
    /// What was kept of the old file beside its name.
    pub(crate) notes: Vec<String>,
    /// Whether the session replaces what it never read.
    pub(crate) is_unread: bool,
}

/// Plans a write; `seen` is the digest of what the session last saw of the file.
///
/// # Errors
/// Those of [`Snapshot::take`]; `stale`; `encoding`.
pub(crate) fn plan(
    place: &Place,
    content: &str,
    seen: Option<[u8; 32]>,
) -> Result<Writing, Failed> {
    let before = Snapshot::take(place)?;
    let Some(old) = &before else {
        let bytes = content.as_bytes().to_vec();
        let diff = Diff::new(&place.shown, &[], &bytes);
        return Ok(Writing { before, bytes, diff, notes: Vec::new(), is_unread: false });
    };
    if seen.is_some_and(|seen| seen != old.sha256) {
        let message = format!(
            "{} changed since it was last read in this session; nothing was written. Read it again, \
             then write what should be there now",
            place.shown
        );
        return Err(Failed::new(Class::Stale, message));
    }
    let is_text = magic::content(&old.bytes) == Content::Text;
    let form = if is_text { Form::of(&old.bytes) } else { Form::NEW };
    let old_text = Decoded::new(&old.bytes, form).text;
    let mut notes = Vec::new();
    let bytes = in_form(place, content, form, &old_text, &mut notes)
        .map_err(|failed| failed.at("/content"))?;
    let diff = if is_text {
        let new_form = Form::of(&bytes);
        Diff::new(&place.shown, &old_text, &Decoded::new(&bytes, new_form).text)
    } else {
        notes.push("the old content was binary".to_owned());
        Diff::new(&place.shown, &[], &bytes)
    };
    let is_unread = seen.is_none();
    Ok(Writing { bytes, diff, notes, is_unread, before })
}

/// The content in the old file's encoding, mark and line ending, unless it says otherwise itself.
fn in_form(
    place: &Place,
    content: &str,
    form: Form,
    old_text: &[u8],
    notes: &mut Vec<String>,
) -> Result<Vec<u8>, Failed> {
    if matches!(form.encoding, Encoding::Utf8 { faults } if faults > 0)
        && content.contains(char::REPLACEMENT_CHARACTER)
    {
        let message = format!(
            "{} has bytes that are not UTF-8, which read shows as \u{FFFD}; content with \u{FFFD} would \
             destroy them. Use edit, which leaves them as they are",
            place.shown
        );
        return Err(Failed::new(Class::Encoding, message));
    }
    let (content, has_mark) = match content.strip_prefix('\u{FEFF}') {
        Some(rest) => (rest, true),
        None => (content, false),
    };
    let keeps_crlf =
        Endings::of(old_text).mostly_crlf() && Endings::of(content.as_bytes()).crlf == 0;
    let text = if keeps_crlf && content.contains('\n') {
        notes.push("CRLF line endings were kept".to_owned());
        with_endings(content, |_| "\r\n")
    } else {
        content.to_owned()
    };
    let form = Form { bom: form.bom || has_mark, ..form };
    let mut bytes = form.mark().to_vec();
    if form.bom && !has_mark {
        notes.push(format!("the byte-order mark of {} was kept", form.name()));
    }
    if let Encoding::Guessed(_) = form.encoding {
        notes.push(format!("written as {}, which the old content seems to be", form.name()));
    }
    bytes.extend(form.encode(&text, &place.shown)?);
    Ok(bytes)
}

#[cfg(test)]
mod tests;
