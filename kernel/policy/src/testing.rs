//! A folder with a home, a workspace and everything that policy is read from, for tests of this crate.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use crate::{Extra, Places, Policies, PolicyError};

/// A world of files. Ends with its folder.
#[derive(Debug)]
pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// An empty one: home, workspace and an owner's folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let world = Self { folder };
        for name in ["home/.config", "work", "etc"] {
            fs::create_dir_all(world.at(name)).expect("a folder");
        }
        world
    }

    /// A path in it, without links.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder").join(name)
    }

    /// Writes a file, which only its owner may write to.
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, text).expect("written");
        self.mode(name, 0o600)
    }

    pub(crate) fn mode(&self, name: &str, mode: u32) -> &Self {
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(mode)).expect("a mode");
        self
    }

    pub(crate) fn link(&self, target: &Path, name: &str) -> &Self {
        std::os::unix::fs::symlink(target, self.at(name)).expect("a link");
        self
    }

    pub(crate) fn places(&self) -> Places {
        Places {
            permissions: self.at("home/.config/permissions.toml"),
            hooks: self.at("home/.config/hooks.toml"),
            managed: vec![self.at("etc/managed.toml")],
            trust: self.at("home/state/trust.json"),
            own: vec![self.at("home/.config"), self.at("home/state")],
            hidden: vec![self.at("home/state")],
            home: Some(self.at("home")),
        }
    }

    pub(crate) fn open(&self) -> Result<Policies, PolicyError> {
        Policies::open(self.places(), Extra::default(), vec![self.at("work")])
    }

    /// All faults of opening, one a line, with this folder's name left out.
    pub(crate) fn faults(&self) -> String {
        self.short(&self.open().expect_err("faults").to_string())
    }

    /// A text with this folder's name left out.
    pub(crate) fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.at("").display().to_string().trim_end_matches('/')), "")
    }
}

/// Numbers that look random and are the same in each run (xorshift).
#[derive(Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("a small number")
    }

    /// One of some.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
