//! What a patch makes of the files: all changes planned, then all done, or none.
//!
//! First every section is judged against the files as they are, and all faults are told together.
//! Then all new content is written beside its place and made durable, and looked at once more; what
//! is left are renames and removals. Should one of them fail, those before it are undone
//! ([`undo`]).
//!
//! Not here: reading a patch (`patch`), placing its hunks (`hunks`), the tool (`apply_patch`).

mod undo;

use std::{collections::HashSet, path::Path};

use nix::{fcntl::AtFlags, sys::stat};

use crate::{
    diff::Diff,
    editing,
    failed::{Class, Failed},
    hunks,
    limits::{FAULTS_TOLD_MAX, WHOLE_BYTES_MAX},
    magic::{self, Content},
    matching::NOTHING_WRITTEN,
    nearest,
    patch::{Action, Section},
    replace::{Put, Staged, remove, unchanged},
    roots::{Place, Roots, shown},
    snapshot::Snapshot,
    writing::{self, Writing},
};

/// One file that is to change.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) kind: Kind,
    /// Where the file is, or comes to be.
    pub(crate) place: Place,
    /// Where it goes to.
    pub(crate) to: Option<Place>,
    /// What is there; nothing for a new file.
    pub(crate) before: Option<Snapshot>,
    /// What comes there; nothing for one that goes.
    pub(crate) bytes: Vec<u8>,
    pub(crate) diff: Diff,
    pub(crate) notes: Vec<String>,
    /// Whether it replaces the whole of a file that the session never read.
    pub(crate) is_unread: bool,
    /// Whether the session knows all of what comes there.
    pub(crate) is_seen: bool,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Added,
    Updated,
    Moved,
    Deleted,
}

impl Kind {
    /// For metadata and messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Moved => "moved",
            Self::Deleted => "deleted",
        }
    }
}

impl Change {
    /// Where the content is afterwards.
    pub(crate) fn target(&self) -> &Place {
        self.to.as_ref().unwrap_or(&self.place)
    }

    /// Whether the whole content of a file goes that may not be known.
    pub(crate) fn destroys(&self) -> bool {
        self.kind == Kind::Deleted || self.is_unread
    }
}

/// Plans all sections; `seen` is the digest of what the session last saw of a file.
///
/// # Errors
/// The class of the first fault, and a message with each.
pub(crate) fn plan(
    roots: &Roots,
    sections: &[Section],
    seen: &dyn Fn(&Place) -> Option<[u8; 32]>,
) -> Result<Vec<Change>, Failed> {
    let (mut changes, mut faults) = (Vec::new(), Vec::new());
    let mut taken = HashSet::new();
    let mut bytes = 0;
    for section in sections {
        let change = change(roots, section, seen).and_then(|change| {
            let places = [Some(&change.place), change.to.as_ref()];
            let again = places.into_iter().flatten().find(|it| !taken.insert(it.absolute.clone()));
            again.map_or(Ok(()), |place| Err(twice(place)))?;
            bytes += change.bytes.len() + change.before.as_ref().map_or(0, |old| old.bytes.len());
            if bytes as u64 > 2 * WHOLE_BYTES_MAX {
                return Err(too_much());
            }
            Ok(change)
        });
        match change {
            Ok(change) => changes.push(change),
            Err(failed) if failed.class == Class::TooLarge => return Err(failed.at("/patch")),
            Err(failed) => faults.push((section, failed)),
        }
    }
    if faults.is_empty() { Ok(changes) } else { Err(together(&faults)) }
}

fn too_much() -> Failed {
    let message = format!(
        "the files of the patch have more than {WHOLE_BYTES_MAX} bytes together; make several patches"
    );
    Failed::new(Class::TooLarge, message)
}

fn twice(place: &Place) -> Failed {
    let message = format!(
        "{} is in another section too; put all hunks for a file into one section, in the order of the \
         file",
        place.shown
    );
    Failed::new(Class::InvalidPatch, message)
}

fn together(faults: &[(&Section, Failed)]) -> Failed {
    let class = faults.first().map_or(Class::InvalidPatch, |(_, first)| first.class);
    let mut told = vec![format!("{NOTHING_WRITTEN}: all of the patch applies, or none.")];
    for (section, failed) in faults.iter().take(FAULTS_TOLD_MAX) {
        let (path, line) = (shown(&section.path), section.line);
        told.push(format!("{path} (line {line} of the patch): {}", failed.message));
    }
    if faults.len() > FAULTS_TOLD_MAX {
        told.push(format!("{} more faults are not shown.", faults.len() - FAULTS_TOLD_MAX));
    }
    Failed::new(class, told.join("\n")).at("/patch")
}

fn change(
    roots: &Roots,
    section: &Section,
    seen: &dyn Fn(&Place) -> Option<[u8; 32]>,
) -> Result<Change, Failed> {
    let place = roots.locate(&section.path)?;
    let created = section.created().filter(|_| !place.exists()).map(Action::Add);
    match created.as_ref().unwrap_or(&section.action) {
        Action::Write(content) => {
            let writing = writing::plan(&place, content, seen(&place))?;
            let kind = if writing.before.is_some() { Kind::Updated } else { Kind::Added };
            let Writing { before, bytes, diff, notes, is_unread } = writing;
            Ok(Change {
                kind,
                place,
                to: None,
                before,
                bytes,
                diff,
                notes,
                is_unread,
                is_seen: true,
            })
        }
        Action::Add(content) => {
            vacant(&place)?;
            let bytes = content.clone().into_bytes();
            let diff = Diff::new(&place.shown, &[], &bytes);
            let kind = Kind::Added;
            let (before, to, notes) = (None, None, Vec::new());
            Ok(Change {
                kind,
                place,
                to,
                before,
                bytes,
                diff,
                notes,
                is_unread: false,
                is_seen: true,
            })
        }
        Action::Delete => {
            no_link(roots, &section.path)?;
            let before = present(&place)?;
            fresh(&place, &before, seen(&place))?;
            let is_text = magic::content(&before.bytes) == Content::Text;
            let diff = Diff::new(&place.shown, if is_text { &before.bytes } else { &[] }, &[]);
            let (kind, to, before) = (Kind::Deleted, None, Some(before));
            let (bytes, notes) = (Vec::new(), Vec::new());
            let (is_unread, is_seen) = (false, true);
            Ok(Change { kind, place, to, before, bytes, diff, notes, is_unread, is_seen })
        }
        Action::Update(hunks, to) => {
            let to = to.as_ref().map(|to| roots.locate(to)).transpose()?;
            if let Some(to) = &to {
                no_link(roots, &section.path)?;
                vacant(to)?;
            }
            let seen = seen(&place);
            let (before, bytes, diff, notes, is_seen) = if hunks.is_empty() {
                let before = present(&place)?;
                let is_seen = seen == Some(before.sha256);
                let bytes = before.bytes.clone();
                (before, bytes, Diff::default(), Vec::new(), is_seen)
            } else {
                let edited = editing::planned(&place, seen, |text| hunks::plan(text, hunks))?;
                (edited.before, edited.bytes, edited.diff, edited.notes, edited.is_seen)
            };
            let kind = if to.is_some() { Kind::Moved } else { Kind::Updated };
            let (before, is_unread) = (Some(before), false);
            Ok(Change { kind, place, to, before, bytes, diff, notes, is_unread, is_seen })
        }
    }
}

/// The file at a place.
fn present(place: &Place) -> Result<Snapshot, Failed> {
    Snapshot::take(place)?.ok_or_else(|| nearest::not_found(place))
}

/// Refuses if something is at a place.
fn vacant(place: &Place) -> Result<(), Failed> {
    if place.is_directory()? {
        return Err(nearest::directory(place));
    }
    if place.exists() {
        let message = format!("{} exists already; to change it use an update", place.shown);
        return Err(Failed::new(Class::Exists, message));
    }
    Ok(())
}

/// Refuses to take away a file that another program changed since the session saw it.
fn fresh(place: &Place, now: &Snapshot, seen: Option<[u8; 32]>) -> Result<(), Failed> {
    if seen.is_none_or(|seen| seen == now.sha256) {
        return Ok(());
    }
    let message = format!(
        "{} changed since it was last read in this session; read it again before it is deleted",
        place.shown
    );
    Err(Failed::new(Class::Stale, message))
}

/// Refuses a link: to take it away, or what it leads to, are two things.
fn no_link(roots: &Roots, argument: &str) -> Result<(), Failed> {
    let path = Path::new(argument);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let parent = roots.locate(&parent.to_string_lossy())?;
    let Ok(directory) = parent.directory() else { return Ok(()) };
    let look = stat::fstatat(&directory, name, AtFlags::AT_SYMLINK_NOFOLLOW);
    let format =
        look.map(|look| stat::SFlag::from_bits_truncate(look.st_mode) & stat::SFlag::S_IFMT);
    if format != Ok(stat::SFlag::S_IFLNK) {
        return Ok(());
    }
    let message = format!("{} is a symbolic link; use bash to move or delete it", shown(argument));
    Err(Failed::new(Class::InvalidPath, message))
}

/// A patch that was not applied, and what is left of it.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) failed: Failed,
    /// What could not be undone, as sentences; empty: nothing changed.
    pub(crate) left: Vec<String>,
}

impl From<Failed> for Broken {
    fn from(failed: Failed) -> Self {
        Self { failed, left: Vec::new() }
    }
}

/// Makes all changes, and gives what came into place of each.
///
/// # Errors
/// `stale` or the operating system's error, and what could not be undone.
pub(crate) fn apply(changes: &[Change]) -> Result<Vec<Option<Put>>, Broken> {
    let mut staged = Vec::new();
    for change in changes {
        staged.push(stage(change)?);
    }
    for (change, staged) in changes.iter().zip(&staged) {
        staged.as_ref().map_or(Ok(()), Staged::check)?;
        if let (Some(before), true) = (&change.before, change.goes()) {
            unchanged(&change.place, before)?;
        }
    }
    let mut done = Vec::new();
    for (change, staged) in changes.iter().zip(staged) {
        match put(change, staged) {
            Ok(came) => done.push(came),
            Err(failed) => {
                let left = undo::undo(changes.get(..done.len()).unwrap_or_default());
                return Err(Broken { failed, left });
            }
        }
    }
    Ok(done)
}

impl Change {
    /// Whether a file ceases to be at its place.
    fn goes(&self) -> bool {
        matches!(self.kind, Kind::Deleted | Kind::Moved)
    }
}

fn stage(change: &Change) -> Result<Option<Staged<'_>>, Failed> {
    let like = change.before.as_ref();
    match change.kind {
        Kind::Deleted => Ok(None),
        Kind::Added => Staged::new(&change.place, &change.bytes, None, None).map(Some),
        Kind::Updated => Staged::new(&change.place, &change.bytes, like, like).map(Some),
        Kind::Moved => Staged::new(change.target(), &change.bytes, None, like).map(Some),
    }
}

fn put(change: &Change, staged: Option<Staged<'_>>) -> Result<Option<Put>, Failed> {
    let came = staged.map(Staged::put).transpose()?;
    let Some(before) = change.before.as_ref().filter(|_| change.goes()) else {
        return Ok(came);
    };
    remove(&change.place, before).inspect_err(|_| {
        if change.kind == Kind::Moved {
            // Not moved after all; should this fail, the copy is told by the next look at it.
            undo::forget(change).ok();
        }
    })?;
    Ok(came)
}

#[cfg(test)]
mod tests;
