//! Which workspaces the user trusts, and which files of theirs the user has seen (`[GATE-13]`).
//!
//! Trust belongs to a folder by its path without links, and holds while the folder's owner is the one of
//! that day: a folder that is made again by the same user (a new clone, a worktree, a mount) is the same
//! workspace, and its files must be the same too, or be seen again. Device and inode numbers would ask
//! again after each mount and prove nothing more.
//!
//! What could run or steer something counts file by file, by SHA-256: `.mcp.json`, `.tollgate/hooks.toml`
//! and the programs that it names in the project, law, configuration, skills. A file that changed, or that
//! came later, does not count until the user has seen it (CFG-06); the workspace's ordinary files stay
//! trusted.
//!
//! Invariants: a store that cannot be read trusts nothing (test `a_broken_store_trusts_nothing`); what is
//! granted is what was shown, not what lies there when the user says yes
//! (test `what_is_granted_is_what_was_shown`).

mod project;
mod store;

use std::{
    collections::BTreeMap,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use tollgate_core::digest::Digest;

use crate::{
    PolicyError, atomic,
    limits::WORKSPACES_MAX,
    read::{self, Content},
};

pub(crate) use project::{HOOKS, MCP, programs};
pub use project::{ProjectFile, State};
use store::{Entry, Store};

#[cfg(test)]
mod tests;

/// The trust store.
#[derive(Clone, Debug)]
pub struct Trust {
    path: PathBuf,
    read: Content,
    store: Store,
}

/// How a workspace stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Standing {
    /// The user has never trusted it, or took it back.
    Unknown,
    /// The folder belongs to another user now.
    OtherOwner,
    /// The user trusts it.
    Trusted,
}

impl Trust {
    /// Reads the store; none is an empty one.
    ///
    /// # Errors
    /// It is broken. Nothing may be trusted then.
    pub fn load(path: &Path) -> Result<Self, PolicyError> {
        let read = read::user_file(path);
        let store = Store::parse(path, &read)?;
        Ok(Self { path: path.to_owned(), read, store })
    }

    pub(crate) fn of(path: &Path, read: &Content) -> Result<Self, PolicyError> {
        let store = Store::parse(path, read)?;
        Ok(Self { path: path.to_owned(), read: read.clone(), store })
    }

    /// The trusted workspaces.
    pub fn list(&self) -> impl Iterator<Item = &Path> {
        self.store.workspaces.keys().map(PathBuf::as_path)
    }

    /// Whether the user trusts a workspace.
    #[must_use]
    pub fn is_trusted(&self, workspace: &Path) -> bool {
        self.standing(workspace) == Standing::Trusted
    }

    /// How a workspace stands.
    #[must_use]
    pub fn standing(&self, workspace: &Path) -> Standing {
        let Some((folder, owner)) = folder(workspace) else { return Standing::Unknown };
        match self.store.workspaces.get(&folder) {
            None => Standing::Unknown,
            Some(entry) if entry.owner != owner => Standing::OtherOwner,
            Some(_) => Standing::Trusted,
        }
    }

    /// What trust would cover, or covers, as it is now, in the order of its names.
    ///
    /// # Errors
    /// There is no such folder, a file cannot be read, or there are too many.
    pub fn review(&self, workspace: &Path) -> Result<Vec<ProjectFile>, PolicyError> {
        let (folder, _) =
            folder(workspace).ok_or_else(|| PolicyError::of_file(workspace, "is no folder"))?;
        let seen = self.seen(workspace);
        project::review(&folder, &seen.cloned().unwrap_or_default())
    }

    /// Trusts a workspace, with its files as `shown` to the user.
    ///
    /// # Errors
    /// There is no such folder, its hooks are broken, or the store cannot be written; nothing changed then.
    pub fn grant(&mut self, workspace: &Path, shown: &[ProjectFile]) -> Result<(), PolicyError> {
        let (folder, owner) =
            folder(workspace).ok_or_else(|| PolicyError::of_file(workspace, "is no folder"))?;
        if folder.to_str().is_none() {
            return Err(PolicyError::of_file(folder, "cannot be trusted: its name is not UTF-8"));
        }
        if self.store.workspaces.len() >= WORKSPACES_MAX {
            let what = format!("there are {WORKSPACES_MAX} workspaces; revoke some that are gone");
            return Err(PolicyError::of_file(&self.path, what));
        }
        let files = shown.iter().filter_map(|file| Some((file.path.clone(), file.sha256?)));
        let entry = Entry { owner, files: files.collect() };
        self.change(|store| drop(store.workspaces.insert(folder, entry)))
    }

    /// Takes trust back; whether there was any. The folder may be gone.
    ///
    /// # Errors
    /// The store cannot be written; nothing changed then.
    pub fn revoke(&mut self, workspace: &Path) -> Result<bool, PolicyError> {
        let path = crate::place::resolved(workspace);
        let known = self.store.workspaces.contains_key(&path);
        if known {
            self.change(|store| drop(store.workspaces.remove(&path)))?;
        }
        Ok(known)
    }

    /// Whether a project's file counts: its workspace is trusted and this is the text that the user saw.
    pub(crate) fn counts(&self, workspace: &Path, name: &Path, digest: Digest) -> bool {
        self.seen(workspace).and_then(|seen| seen.get(name)) == Some(&digest)
    }

    /// What the user saw of a trusted workspace.
    fn seen(&self, workspace: &Path) -> Option<&BTreeMap<PathBuf, Digest>> {
        let (folder, owner) = folder(workspace)?;
        let entry = self.store.workspaces.get(&folder).filter(|entry| entry.owner == owner)?;
        Some(&entry.files)
    }

    fn change(&mut self, change: impl FnOnce(&mut Store)) -> Result<(), PolicyError> {
        let mut store = self.store.clone();
        change(&mut store);
        let fault = |what: String| PolicyError::of_file(&self.path, what);
        let text = store.to_text().map_err(fault)?;
        let unchanged = || read::user_file(&self.path) == self.read;
        if !atomic::replace(&self.path, &text, unchanged).map_err(fault)? {
            return Err(fault("was changed by another meanwhile; try again".to_owned()));
        }
        (self.store, self.read) = (store, Content::Text(text));
        Ok(())
    }
}

/// The folder without links, and its owner.
fn folder(workspace: &Path) -> Option<(PathBuf, u32)> {
    let folder = workspace.canonicalize().ok()?;
    let found = folder.metadata().ok().filter(std::fs::Metadata::is_dir)?;
    Some((folder, found.uid()))
}
