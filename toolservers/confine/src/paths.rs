//! Landlock: which files a process may open, by the folders that hold them; TCP; signals and abstract
//! sockets beyond itself.
//!
//! Invariant: what is not listed is refused, also what comes to exist later (test
//! `only_what_is_listed_can_be_opened`).
//!
//! Not here: what Landlock leaves open on kernels of today: datagrams, sockets with a path, `stat`, `chmod`
//! ([`crate::syscalls`] and [`crate::mounts`] close those), and exceptions inside a listed folder.

use std::{fs, io, path::PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use crate::Tier;

/// For [`crate::Tiers`].
pub const LANDLOCK: Tier = Tier {
    word: "landlock",
    needs: "Linux 5.13 or newer with Landlock switched on (lsm=landlock,…)",
};

/// All that this library knows, less what the kernel does not know: more is never wrong.
const ASKED: ABI = ABI::V10;

/// What may be opened. Absolute paths; those that do not exist are passed over.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Folders to list, with all folders below them.
    pub list: Vec<PathBuf>,
    /// Folders and files to read and run, with all below them.
    pub read: Vec<PathBuf>,
    /// Folders and files to read, run and change, with all below them; no device is made there.
    pub write: Vec<PathBuf>,
    /// TCP ports may be dialled and bound.
    pub tcp: bool,
}

/// The folder of devices, which lead past every path: a disk's to all files, as user 0; a terminal's to
/// what a user types there.
pub const DEVICES: &str = "dev";

/// What is in `/`, but for these names: who may read or change everything may not read or change them.
///
/// # Errors
/// `/` cannot be listed.
pub fn top(but: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir("/")? {
        let entry = entry?;
        // What a link leads to is on the list by itself.
        if !entry.file_type()?.is_symlink() && !but.iter().any(|name| entry.file_name() == *name) {
            all.push(entry.path());
        }
    }
    Ok(all)
}

/// Restricts this thread and all that it starts, for good. Answers the version of Landlock's interface
/// that holds.
///
/// # Errors
/// Why nothing holds. Also if other threads run already: before Linux 7.0 it would not hold for them.
pub fn restrict(access: &Access) -> Result<String, String> {
    match threads() {
        Ok(1) => {}
        Ok(more) => return Err(format!("{more} threads run already, and it would hold for one")),
        Err(error) => {
            return Err(format!("the threads of this process cannot be counted: {error}"));
        }
    }
    let status = apply(access).map_err(|error| error.to_string())?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, LandlockStatus::NotEnabled) => {
            Err("this kernel has it switched off".into())
        }
        (RulesetStatus::NotEnforced, _) => Err("this kernel has none".into()),
        (_, LandlockStatus::Available { effective_abi, .. }) => Ok(effective_abi.to_string()),
        (_, status) => Err(format!("this kernel's answer is contradictory: {status:?}")),
    }
}

fn apply(access: &Access) -> Result<RestrictionStatus, RulesetError> {
    // For user 0, a disk under a name of one's own would be all files.
    let write = AccessFs::from_all(ASKED) & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(ASKED))?;
    if !access.tcp {
        ruleset = ruleset.handle_access(AccessNet::from_all(ASKED))?;
    }
    ruleset
        .scope(Scope::from_all(ASKED))?
        .create()?
        .add_rules(path_beneath_rules(&access.list, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(&access.read, AccessFs::from_read(ASKED)))?
        .add_rules(path_beneath_rules(&access.write, write))?
        .restrict_self()
}

fn threads() -> io::Result<usize> {
    Ok(fs::read_dir("/proc/self/task")?.count())
}

#[cfg(test)]
mod tests;
