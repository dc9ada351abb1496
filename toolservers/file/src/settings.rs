//! What `[servers.file.settings]` may say, and what the process is held to (`[GATE-70]`): the roots and its
//! own folder, to read and change; no other file, no network, no other program.
//!
//! A root that is replaced while the server runs, by another folder of its name, is closed to it.
//!
//! Not here: which of these a call may reach (its grant), how (`roots`).

use tollgate_confine::{Requirement, paths::Access, server::Plan, syscalls::Doors};
use tollgate_sdk::{Deserialize, Server};

/// The settings, as typed; what is absent has its default.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// How much of the confinement must hold.
    sandbox: Requirement,
}

impl Settings {
    /// What this server needs.
    pub(crate) fn plan(self, server: &Server) -> Plan {
        let own = server.state_dir().map(Into::into);
        let write = server.roots().iter().cloned().chain(own).collect();
        // A copy keeps the mode of a folder, whose files then have its group.
        let doors = Doors { set_id: true, ..Doors::default() };
        let access = Access { write, ..Access::default() };
        Plan { requirement: self.sandbox, access, doors, ..Plan::default() }
    }
}
