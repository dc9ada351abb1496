//! The second step: Landlock with everything that it knows handled, and no rule. Nothing can be opened,
//! listed, created or run any more, no TCP port bound or dialled, no abstract socket reached, no other
//! process signalled, as far as this kernel's Landlock goes.
//!
//! Not here: what Landlock leaves open (datagrams, `stat`, sockets with a path). [`super::syscalls`] does.

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetError,
    RulesetStatus, Scope,
};

/// What a host must have.
pub(super) const NEEDS: &str = "Linux 5.13 or newer with Landlock switched on (lsm=landlock,…)";

/// All that this library knows, less what the kernel does not: with no rule, more is never wrong.
const ASKED: ABI = ABI::V10;

/// Closes all paths for this process. Answers the version of Landlock's interface that holds; an error
/// says why none does.
pub(super) fn close() -> Result<String, String> {
    // A kernel before 7.0 restricts the calling thread only, and what that thread starts.
    match threads() {
        Ok(1) => {}
        Ok(more) => return Err(format!("{more} threads run already, and it would hold for one")),
        Err(error) => {
            return Err(format!("the threads of this process cannot be counted: {error}"));
        }
    }
    let status = restrict().map_err(|error| error.to_string())?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, LandlockStatus::NotEnabled) => {
            Err("this kernel has it switched off".into())
        }
        (RulesetStatus::NotEnforced, _) => Err("this kernel has none".into()),
        (_, LandlockStatus::Available { effective_abi, .. }) => Ok(effective_abi.to_string()),
        (_, status) => Err(format!("this kernel's answer is contradictory: {status:?}")),
    }
}

fn restrict() -> Result<landlock::RestrictionStatus, RulesetError> {
    Ruleset::default()
        .handle_access(AccessFs::from_all(ASKED))?
        .handle_access(AccessNet::from_all(ASKED))?
        .scope(Scope::from_all(ASKED))?
        .create()?
        .restrict_self()
}

fn threads() -> std::io::Result<usize> {
    Ok(std::fs::read_dir("/proc/self/task")?.count())
}

#[cfg(test)]
mod tests;
