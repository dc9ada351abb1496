//! What git itself puts into held places of a new repository, and what runs nothing: `git init` and
//! `git clone` work.
//!
//! Invariant: judged by content, never by who made it (test `a_new_repository_that_runs_something_is_caught`).

use std::{ffi::OsString, fs::File, io::Read as _, os::unix::ffi::OsStrExt as _, path::Path};

use super::{
    entry::{Entry, open_file, open_folder},
    folder::names_in,
    limits::PLACES_SPLIT_MAX,
};
use crate::{limits::GIT_CONFIG_BYTES_MAX, repo::is_plain_config};

/// Keys beside those of plain repositories that start nothing in one that commands made: reading such a
/// repository may fetch, and asks.
const KEYS: &[&str] = &[
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "extensions.partialclone",
    "index.sparse",
    "lfs.repositoryformatversion",
    "remote.*.mirror",
    "remote.*.partialclonefilter",
    "remote.*.promisor",
    "submodule.active",
    "submodule.*.active",
    "submodule.*.url",
];

/// A key of a plain section that names a program, which git runs when it tidies up.
const STARTS: &str = "recentobjectshook";

/// Of a submodule, whose working tree is elsewhere.
const MODULE_KEYS: &[&str] = &["core.worktree"];

/// Whether a place is git's own and starts nothing. `real` is without links.
pub(super) fn is_harmless(real: &Path) -> bool {
    let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else { return false };
    let in_module = folder.ancestors().any(|it| it.ends_with(".git/modules"));
    if !folder.ends_with(".git") && !in_module {
        return false;
    }
    match name.to_str() {
        Some("config" | "config.worktree") => {
            let more = if in_module { [KEYS, MODULE_KEYS].concat() } else { KEYS.to_vec() };
            let starts = |text: &str| text.to_ascii_lowercase().contains(STARTS);
            text(real).is_some_and(|text| is_plain_config(&text, &more) && !starts(&text))
        }
        Some("hooks") => has_only_samples(real),
        Some(_) | None => false,
    }
}

fn text(file: &Path) -> Option<String> {
    let file = open_file(file).ok()?;
    let entry = Entry::of_open(&file).ok()?;
    if !entry.is_file() || entry.stamp.bytes() > GIT_CONFIG_BYTES_MAX {
        return None;
    }
    let mut text = String::new();
    File::from(file).take(GIT_CONFIG_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Git runs no sample.
fn has_only_samples(hooks: &Path) -> bool {
    let Ok(opened) = open_folder(hooks) else { return false };
    let Ok((names, true)) = names_in(&opened, PLACES_SPLIT_MAX) else { return false };
    let is_sample = |name: &OsString| {
        name.as_bytes().ends_with(b".sample")
            && Entry::at(&opened, name).is_ok_and(|entry| entry.is_file())
    };
    names.iter().all(is_sample)
}
