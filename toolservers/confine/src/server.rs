//! A tool server confines itself, for good.

use nix::sys::resource::Resource;

use crate::{
    ConfineError, Requirement, Tiers, capabilities,
    paths::{self, Access},
    resources,
    syscalls::{self, Doors},
};

/// What a server's job needs.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// How much must hold.
    pub requirement: Requirement,
    /// Which files, and whether TCP.
    pub access: Access,
    /// Which system calls.
    pub doors: Doors,
    /// Open descriptors, at most; 0: as many as it was given.
    pub descriptors: u64,
}

/// Confines this process, and says in words what holds: "landlock:7 seccomp rlimits", or "off".
///
/// # Errors
/// [`ConfineError`]: the process may then be confined in part, and should end.
pub fn confine(plan: &Plan) -> Result<String, ConfineError> {
    if plan.requirement == Requirement::Off {
        return Ok(Tiers::off().to_string());
    }
    let mut tiers = Tiers::new(plan.requirement);
    resources::harden(true)?;
    capabilities::keep_for_files()?;
    if plan.descriptors > 0 {
        let what = "limit the open descriptors";
        resources::lower(Resource::RLIMIT_NOFILE, plan.descriptors, what)?;
    }
    tiers.add(paths::LANDLOCK, paths::restrict(&plan.access))?;
    tiers.add(syscalls::SECCOMP, syscalls::filter(plan.doors))?;
    tiers.hold("rlimits");
    Ok(tiers.to_string())
}
