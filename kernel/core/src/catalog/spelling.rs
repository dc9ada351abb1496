//! The ladder of spelling variants (spec 30, layer 1): `BASH`, `bash-tool`, `ToolSearch`.
//!
//! A rung that fits exactly one name decides, one that fits several decides nothing. What later layers
//! see is always the canonical name.

/// The name that `asked` is a variant of; `known`: the names of a [`joined`] spelling.
pub(crate) fn variant<'a, I>(asked: &str, known: impl Fn(&str) -> I) -> Option<&'a str>
where
    I: Iterator<Item = &'a str>,
{
    if asked.is_empty() || asked.len() > 128 || !asked.is_ascii() {
        return None;
    }
    let asked = asked.trim();
    let spelling = joined(asked);
    only(known(&spelling).filter(|name| name.eq_ignore_ascii_case(asked)))
        .or_else(|| only(known(&spelling)))
        .or_else(|| only(known(without_suffix(&spelling))))
}

/// Lower case without separators: one text for `tool_search`, `tool-search` and `ToolSearch`. Anything
/// else stays: `../read` and `read;` are names of nothing (G-11).
pub(crate) fn joined(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

fn without_suffix(name: &str) -> &str {
    name.strip_suffix("tool").unwrap_or(name)
}

fn only<'a>(mut found: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}
