//! Keys and text as a terminal sends them to its program, and as what was typed.
//!
//! Invariant: text holds no control character but line feed and tab, so that no text presses a key that
//! nobody was shown (test `text_presses_no_hidden_key`).
//!
//! Not here: what may be typed (`typed`).

use tollgate_sdk::Invalid;

use crate::{limits::KEYS_MAX, subjects::bounded};

#[cfg(test)]
mod tests;

/// Keys that have a name alone, with what a terminal sends for them.
const NAMED: &[(&str, &str)] = &[
    ("enter", "\r"),
    ("tab", "\t"),
    ("shift-tab", "\x1b[Z"),
    ("escape", "\x1b"),
    ("space", " "),
    ("backspace", "\x7f"),
    ("delete", "\x1b[3~"),
    ("insert", "\x1b[2~"),
    ("page-up", "\x1b[5~"),
    ("page-down", "\x1b[6~"),
    ("ctrl-left", "\x1b[1;5D"),
    ("ctrl-right", "\x1b[1;5C"),
    ("ctrl-space", "\0"),
    ("ctrl-\\", "\x1c"),
    ("ctrl-]", "\x1d"),
    ("f1", "\x1bOP"),
    ("f2", "\x1bOQ"),
    ("f3", "\x1bOR"),
    ("f4", "\x1bOS"),
    ("f5", "\x1b[15~"),
    ("f6", "\x1b[17~"),
    ("f7", "\x1b[18~"),
    ("f8", "\x1b[19~"),
    ("f9", "\x1b[20~"),
    ("f10", "\x1b[21~"),
    ("f11", "\x1b[23~"),
    ("f12", "\x1b[24~"),
];

/// Keys that a program may want to be told of in its own way: the last character of what is sent.
const CURSOR: &[(&str, char)] =
    &[("up", 'A'), ("down", 'B'), ("right", 'C'), ("left", 'D'), ("end", 'F'), ("home", 'H')];

/// Other words for the same key.
const ALIASES: &[(&str, &str)] = &[
    ("return", "enter"),
    ("esc", "escape"),
    ("del", "delete"),
    ("pageup", "page-up"),
    ("pgup", "page-up"),
    ("pagedown", "page-down"),
    ("pgdn", "page-down"),
];

/// One key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Key {
    name: String,
    sends: Sends,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Sends {
    Bytes(String),
    Cursor(char),
}

/// What a key does to the line that is being typed, as far as shells go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Does {
    /// Ends it: the program reads it.
    Ends,
    /// Drops it, and interrupts what runs.
    Interrupts,
    /// Takes its last character.
    Erases,
    /// Adds a blank.
    Blank,
    /// What it holds then is not known.
    Edits,
}

impl Key {
    /// The key of that name.
    ///
    /// # Errors
    /// There is none: which there are.
    pub(super) fn named(given: &str) -> Result<Self, Invalid> {
        if let Some(key) = Self::alt(given) {
            return Ok(key);
        }
        let name = given.trim().to_ascii_lowercase().replace(['+', '_', ' '], "-");
        let alias = ALIASES.iter().find(|(other, _)| *other == name);
        let name = alias.map_or(name, |(_, canonical)| (*canonical).to_owned());
        let named = NAMED.iter().find(|(known, _)| *known == name);
        let cursor = CURSOR.iter().find(|(known, _)| *known == name);
        let sends = named.map(|(_, bytes)| Sends::Bytes((*bytes).to_owned()));
        let sends = sends.or_else(|| cursor.map(|(_, last)| Sends::Cursor(*last)));
        let Some(sends) = sends.or_else(|| control(&name)) else {
            let given = bounded(given, 64).escape_debug();
            let message = format!(
                "there is no key '{given}'; there are: enter, tab, shift-tab, escape, space, backspace, \
                 delete, insert, up, down, left, right, home, end, page-up, page-down, f1 to f12, ctrl-a to \
                 ctrl-z, ctrl-left, ctrl-right, ctrl-space, ctrl-\\, ctrl-], alt- with a character. \
                 Characters go into 'text'"
            );
            return Err(Invalid::new("/keys", message));
        };
        Ok(Self { name, sends })
    }

    /// "alt-x", in which the case counts.
    fn alt(given: &str) -> Option<Self> {
        let rest = given.strip_prefix("alt-").or_else(|| given.strip_prefix("alt+"))?;
        let mut chars = rest.chars();
        let char = chars.next().filter(|char| !char.is_control())?;
        let sends = Sends::Bytes(format!("\x1b{char}"));
        chars.next().is_none().then(|| Self { name: format!("alt-{char}"), sends })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What a terminal sends for it.
    fn bytes(&self, application_cursor: bool) -> String {
        match &self.sends {
            Sends::Bytes(bytes) => bytes.clone(),
            Sends::Cursor(last) if application_cursor => format!("\x1bO{last}"),
            Sends::Cursor(last) => format!("\x1b[{last}"),
        }
    }

    /// What it does to the line.
    pub(super) fn does(&self) -> Does {
        match self.name.as_str() {
            // Ctrl-O runs a line and fetches the next.
            "enter" | "ctrl-j" | "ctrl-m" | "ctrl-o" => Does::Ends,
            "ctrl-c" => Does::Interrupts,
            "backspace" | "ctrl-h" => Does::Erases,
            "space" => Does::Blank,
            _ => Does::Edits,
        }
    }
}

/// "ctrl-a" to "ctrl-z".
fn control(name: &str) -> Option<Sends> {
    let letter = name.strip_prefix("ctrl-")?;
    let [byte @ b'a'..=b'z'] = letter.as_bytes() else { return None };
    Some(Sends::Bytes(char::from(byte & 0x1f).to_string()))
}

/// The keys of those names.
///
/// # Errors
/// There are too many, or one is unknown.
pub(super) fn named(names: &[String]) -> Result<Vec<Key>, Invalid> {
    if names.len() > KEYS_MAX {
        let message = format!("{} keys were named, and a call takes {KEYS_MAX}", names.len());
        return Err(Invalid::new("/keys", message));
    }
    names.iter().map(|name| Key::named(name)).collect()
}

/// Whether a text is text.
///
/// # Errors
/// It holds control characters: which, and what to do.
pub(super) fn check(text: &str) -> Result<(), Invalid> {
    let Some(char) = text.chars().find(|char| char.is_control() && !matches!(char, '\n' | '\t'))
    else {
        return Ok(());
    };
    let message = format!(
        "the text holds the control character {}; name keys in 'keys' (escape, ctrl-c, backspace …), and end \
         a line with a line feed",
        char.escape_debug()
    );
    Err(Invalid::new("/text", message))
}

/// How the program at a terminal wants to be told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) application_cursor: bool,
    pub(super) bracketed_paste: bool,
}

/// What a terminal sends for a text and keys after it.
pub(super) fn bytes(text: &str, keys: &[Key], manner: Manner) -> Vec<u8> {
    let mut sent = String::new();
    // One text of several lines, or with tabs, is a paste where the program knows of such: it then neither
    // completes at a tab nor indents each line anew. Line ends at its end are pressed.
    let body = text.trim_end_matches('\n');
    if manner.bracketed_paste && body.contains(['\n', '\t']) {
        sent.push_str("\x1b[200~");
        sent.push_str(&body.replace('\n', "\r"));
        sent.push_str("\x1b[201~");
        sent.extend(std::iter::repeat_n('\r', text.len() - body.len()));
    } else {
        sent.push_str(&text.replace('\n', "\r"));
    }
    for key in keys {
        sent.push_str(&key.bytes(manner.application_cursor));
    }
    sent.into_bytes()
}
