//! What `read` says beside a text: what was left out, how to go on, how the bytes were decoded.

use std::{os::unix::ffi::OsStrExt, path::Path};

use crate::{
    artifact::ArtifactId,
    limits::{READ_BYTES_MAX, READ_LINES_MAX},
    names::is_plain,
    roots::Place,
    view::TextView,
    window::Cut,
};

/// What is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// A file.
    File(&'a Place),
    /// An artifact.
    Artifact(&'a ArtifactId),
}

impl<'a> Source<'a> {
    /// As metadata names it: relative to the root, or as the argument.
    pub(crate) fn path(self) -> String {
        match self {
            Self::File(place) => place.relative.display().to_string(),
            Self::Artifact(id) => id.path().to_owned(),
        }
    }

    /// As messages name it.
    pub(crate) fn shown(self) -> &'a str {
        match self {
            Self::File(place) => &place.shown,
            Self::Artifact(id) => id.path(),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Artifact(_) => "artifact",
        }
    }

    /// A shell line that gives the source's bytes to a program, which is named with its options.
    fn through(self, program: &str) -> String {
        match self {
            Self::File(place) => {
                format!("{program} {}", quoted(&place.absolute))
            }
            Self::Artifact(id) => format!("tollgate artifacts show {} | {program}", id.digits()),
        }
    }
}

/// What a reader must know beside the text, in the order of weight.
pub(crate) fn notices(source: Source<'_>, view: &TextView) -> Vec<String> {
    let mut notices = Vec::new();
    if view.size == 0 {
        notices.push(format!("the {} is empty", source.kind()));
    }
    if view.is_torn {
        notices
            .push("another program changed the file while it was read; read it again".to_owned());
    }
    if let Some(made) = &view.made {
        notices.extend(made.notices.iter().cloned());
    }
    notices.extend(view.notice.clone());
    notices.extend(view.form.said());
    notices.extend(view.shown.cut.map(|cut| cut_notice(source, view, cut)));
    notices
}

fn cut_notice(source: Source<'_>, view: &TextView, cut: Cut) -> String {
    let shown = &view.shown;
    let last = shown.from + shown.lines.saturating_sub(1);
    let next = last + 1;
    let total = match view.total {
        Some(total) => format!("of {total}"),
        None => {
            format!("of the {}'s {} bytes, lines not counted", source.kind(), view.size)
        }
    };
    let lines = format!("lines {}-{last} {total}", shown.from);
    match cut {
        Cut::Limit => format!("{lines}: `limit` reached; go on with offset={next}"),
        Cut::Lines => format!(
            "{lines}: {READ_LINES_MAX} lines are the most that one read shows; go on with offset={next}"
        ),
        Cut::Bytes => format!(
            "{lines}: {READ_BYTES_MAX} bytes are the most that one read shows; go on with offset={next}"
        ),
        Cut::Line { length, is_whole, shown_to } => {
            let more = match shown_to {
                Some(byte) => {
                    let rest = source.through(&format!("tail -c +{}", byte + 1));
                    format!("{rest} | head -c {READ_BYTES_MAX}")
                }
                None => source.through(&format!("sed -n {last}p")),
            };
            let after = match view.total {
                Some(total) if total == last => String::new(),
                _ => format!("; the next line with offset={next}"),
            };
            let least = if is_whole { "" } else { "at least " };
            format!(
                "line {last} {total} has {least}{length} bytes, too long to show whole: its start, {} bytes, is \
                 shown. The rest with bash: {more}{after}",
                shown.text.len()
            )
        }
    }
}

/// A path as one word of a shell, on one line: with `$'…'` of bash where it has other bytes than
/// characters that are seen.
fn quoted(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    if let Ok(text) = std::str::from_utf8(bytes)
        && text.chars().all(is_plain)
    {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let escaped = bytes.iter().map(|byte| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        other => format!("\\x{other:02x}"),
    });
    format!("$'{}'", escaped.collect::<String>())
}

#[cfg(test)]
mod tests;
