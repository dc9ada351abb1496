//! Capabilities: what the last stage of a launcher needs for its mounts, and giving all of them up.

use std::io;

use nix::errno::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
};

use crate::{ConfineError, step};

/// Lets the next stage mount, in the namespaces that this process joined: an `exec` by an ordinary user
/// loses what is not ambient.
pub(crate) fn keep_for_mounts() -> io::Result<()> {
    let mount = CapabilitySet::SYS_ADMIN;
    let has = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: mount, ..has })?;
    Ok(configure_capability_in_ambient_set(mount, true)?)
}

/// What user 0 needs to work with the files of others.
const FILES: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID);

/// Drops all of this thread but those for files; together with no new privileges, no `exec` brings one
/// back.
pub(crate) fn keep_for_files() -> Result<(), ConfineError> {
    let step = || step("give up the capabilities");
    let has = capabilities(None).map_err(step())?;
    // A kernel of before 4.3 has none.
    clear_ambient_capability_set().ok();
    let (effective, permitted) = (has.effective & FILES, has.permitted & FILES);
    let inheritable = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable }).map_err(step())
}

/// Drops them all: from the bounding set, the ambient set, and the sets of this thread. Together with no
/// new privileges, no `exec` brings one back, not even as user 0.
pub(crate) fn drop_all() -> Result<(), ConfineError> {
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // One that this kernel does not know, or a process that has none to remove.
            Err(error)
                if [Errno::EINVAL as i32, Errno::EPERM as i32].contains(&error.raw_os_error()) => {}
            Err(error) => return Err(step("give up a capability")(error)),
        }
    }
    // A kernel of before 4.3 has none.
    clear_ambient_capability_set().ok();
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets).map_err(step("give up the capabilities"))
}
