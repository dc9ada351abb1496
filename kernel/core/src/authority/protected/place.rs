//! [`Place`]: an absolute place as its folded names, so that spellings which some file system takes for
//! the same file are equal (FS-06): `.GIT`, `.g\u{200c}it`, `.git.`, `．git`, `git~1`, `.git:stream`.
//!
//! Invariant: folding is linear, and borrows names that are folded already (nearly all).
//!
//! Not here: symbolic links, which servers resolve; letters that only look alike name other files.

use std::{
    borrow::Cow,
    path::{Component, Path, PathBuf},
};

/// An absolute place by its names, each folded, without `.` and `..`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(in crate::authority) struct Place<'a> {
    names: Vec<Cow<'a, str>>,
}

impl<'a> Place<'a> {
    /// The place of an absolute path.
    pub(in crate::authority) fn of(path: &'a Path) -> Self {
        let mut place = Self::default();
        for part in path.components() {
            match part {
                Component::Normal(name) => match name.to_str() {
                    Some(name) => place.names.push(fold(name)),
                    None => place.names.push(fold(&name.to_string_lossy()).into_owned().into()),
                },
                Component::ParentDir => drop(place.names.pop()),
                Component::CurDir | Component::Prefix(_) | Component::RootDir => {}
            }
        }
        place
    }

    /// Goes from here as a text says: from the root if it is absolute.
    pub(in crate::authority) fn go(&mut self, text: &'a str) {
        if text.starts_with('/') {
            self.names.clear();
        }
        for name in text.split('/') {
            match name {
                "" | "." => {}
                ".." => drop(self.names.pop()),
                name => self.names.push(fold(name)),
            }
        }
    }

    /// Becomes another place, with what it has of room.
    pub(in crate::authority) fn reset(&mut self, to: &Self) {
        self.names.clone_from(&to.names);
    }

    /// Its names, from the root.
    pub(in crate::authority) fn names(&self) -> &[Cow<'a, str>] {
        &self.names
    }

    /// The folded path.
    pub(in crate::authority) fn to_path(&self) -> PathBuf {
        let mut path = String::with_capacity(64);
        for name in &self.names {
            path.push('/');
            path.push_str(name);
        }
        if path.is_empty() {
            path.push('/');
        }
        path.into()
    }

    /// Whether it is the other or lies below it.
    pub(in crate::authority) fn is_in(&self, other: &Place<'_>) -> bool {
        self.below(other).is_some()
    }

    /// Its names below the other place; empty: it is that place.
    pub(in crate::authority) fn below(&self, other: &Place<'_>) -> Option<&[Cow<'a, str>]> {
        let (above, below) = self.names.split_at_checked(other.names.len())?;
        (above == other.names.as_slice()).then_some(below)
    }
}

/// A name without what file systems and eyes pass over: case, ignorable characters, wide forms, dots and
/// blanks at its end, a stream behind `:`.
pub(in crate::authority) fn fold(name: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && byte != b':';
    let is_folded = name.bytes().all(|byte| plain(byte) || byte == b' ')
        && !name.ends_with(['.', ' '])
        && name != SHORT_GIT;
    if is_folded {
        return Cow::Borrowed(name);
    }
    let mut folded = String::with_capacity(name.len());
    for c in name.chars().filter(|c| !is_ignorable(*c)) {
        folded.extend(narrow(c).to_lowercase());
    }
    let stream = folded.find(':').filter(|place| *place > 0).unwrap_or(folded.len());
    folded.truncate(stream);
    let end = folded.trim_end_matches(['.', ' ']).len();
    if end > 0 {
        folded.truncate(end);
    }
    if folded == SHORT_GIT { Cow::Borrowed(".git") } else { Cow::Owned(folded) }
}

/// What FAT and NTFS also call `.git`.
const SHORT_GIT: &str = "git~1";

/// The ASCII character of a wide or compatible form.
fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => {
            u32::from(c).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(c)
        }
        '\u{2024}' | '\u{fe52}' | '\u{3002}' | '\u{ff61}' => '.',
        '\u{17f}' => 's',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        c => c,
    }
}

/// Control characters and those that Unicode calls default ignorable.
fn is_ignorable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
