//! Texts of a bounded length.

/// `text`, or its start and "…" when it is longer than `bytes`.
pub(super) fn shortened(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let kept = text.floor_char_boundary(bytes.saturating_sub('…'.len_utf8()));
    format!("{}…", text.get(..kept).unwrap_or_default())
}
