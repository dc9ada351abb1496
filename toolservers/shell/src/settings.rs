//! What `[servers.shell.settings]` may say. The kernel fills it from `[sandbox]`.

use std::path::PathBuf;

use tollgate_confine::Requirement;
use tollgate_sdk::Deserialize;

/// The settings, as typed; what is absent has its default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// How much of the confinement of commands must hold.
    pub(crate) sandbox: Requirement,
    /// Further folders that commands may change, absolute.
    pub(crate) sandbox_write: Vec<PathBuf>,
}
