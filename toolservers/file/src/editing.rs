//! What `edit` would make of a file: its new bytes, from one snapshot.
//!
//! The edits are matched in the decoded text, and cut into the file's own bytes, so that what they do
//! not touch stays as it was to the byte, valid or not.
//!
//! Not here: the tool (`edit`), the matching (`matching`), the replacing (`replace`).

use crate::{
    diff::Diff,
    failed::{Class, Failed},
    limits::{DECODED_BYTES_MAX, EDITS_MAX},
    magic::{self, Content},
    matching::{self, Edit, Plan},
    nearest,
    roots::Place,
    snapshot::Snapshot,
    text::{Decoded, Encoding, Form},
    view::binary,
};

/// An edit that can be done.
#[derive(Debug)]
pub(crate) struct Editing {
    pub(crate) before: Snapshot,
    /// What comes there.
    pub(crate) bytes: Vec<u8>,
    pub(crate) diff: Diff,
    /// Places that change.
    pub(crate) places: usize,
    pub(crate) notes: Vec<String>,
    /// Whether the session last saw exactly this file.
    pub(crate) is_seen: bool,
}

/// Plans all edits of one call; `seen` is the digest of what the session last saw of the file.
///
/// # Errors
/// Those of [`planned`] and [`matching::plan`].
pub(crate) fn plan(
    place: &Place,
    edits: &[Edit],
    seen: Option<[u8; 32]>,
) -> Result<Editing, Failed> {
    if edits.is_empty() || edits.len() > EDITS_MAX {
        let message = format!("edits must have 1 to {EDITS_MAX} edits, not {}", edits.len());
        return Err(Failed::new(Class::InvalidEdit, message).at("/edits"));
    }
    planned(place, seen, |text| matching::plan(text, edits)).map_err(|failed| {
        // What is wrong with the file is its path's fault.
        if failed.pointer == TEXT { failed.at("/edits") } else { failed }
    })
}

/// The pointer of a fault that is not the file's, until its caller names the argument.
pub(crate) const TEXT: &str = "";

/// Plans a change of a file's decoded text.
///
/// # Errors
/// Those of [`Snapshot::take`]; `binary`; `too_large`; and at [`TEXT`] `encoding` and those of `plan`.
pub(crate) fn planned(
    place: &Place,
    seen: Option<[u8; 32]>,
    plan: impl FnOnce(&[u8]) -> Result<Plan, Failed>,
) -> Result<Editing, Failed> {
    let Some(before) = Snapshot::take(place)? else { return Err(nearest::not_found(place)) };
    if let Content::Image(kind) | Content::Binary(kind) = magic::content(&before.bytes) {
        return Err(binary(&place.shown, kind, before.metadata.len()));
    }
    let form = Form::of(&before.bytes);
    let is_utf8 = matches!(form.encoding, Encoding::Utf8 { .. });
    if !is_utf8 && before.bytes.len() > DECODED_BYTES_MAX {
        let message = format!(
            "{} is {} and has {} bytes; more than {DECODED_BYTES_MAX} are edited in UTF-8 only",
            place.shown,
            form.name(),
            before.bytes.len()
        );
        return Err(Failed::new(Class::TooLarge, message));
    }
    let is_stale = seen.is_some_and(|seen| seen != before.sha256);
    let decoded = Decoded::new(&before.bytes, form);
    let plan = plan(&decoded.text).map_err(|failed| explained(failed, form, is_stale))?;
    let encode = |text: &str| form.encode(text, &place.shown).map_err(|failed| failed.at(TEXT));
    let bytes = plan.apply(&before.bytes, |at| decoded.byte(at), encode)?;
    let text = plan.apply(&decoded.text, |at| at, |text| Ok(text.as_bytes().to_vec()))?;
    let diff = Diff::new(&place.shown, &decoded.text, &text);
    let mut notes = plan.notes;
    if is_stale {
        notes.push(
            "The file had changed since this session last read it; the edits were applied to it as it \
             is now."
                .to_owned(),
        );
    }
    if let Encoding::Guessed(_) = form.encoding {
        notes.push(format!("The file is not UTF-8; it was edited as {} (detected).", form.name()));
    }
    let places = plan.spans.len();
    let is_seen = seen == Some(before.sha256);
    Ok(Editing { bytes, diff, places, notes, is_seen, before })
}

/// The faults of a plan, with what of the file may be their cause.
fn explained(failed: Failed, form: Form, is_stale: bool) -> Failed {
    let mut lines = vec![failed.message];
    if is_stale {
        lines.push("The file changed since this session last read it: read it again.".to_owned());
    }
    lines.extend(form.said().map(|said| format!("The file is {said}.")));
    Failed::new(failed.class, lines.join("\n")).at(TEXT)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
