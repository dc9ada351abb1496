//! The first layer: the defaults of the key table, and the servers that come with Tollgate.

use tollgate_core::catalog::Provenance;
use toml::Table;

use super::{
    keys::KEYS,
    values::{Source, Values},
};

/// The servers that come with Tollgate, as a configuration file would have them.
const SERVERS: &str = r#"
[file]
command = ["tollgate-file"]
trust = "trusted"

[shell]
command = ["tollgate-shell"]
trust = "trusted"
warden = true

[code]
command = ["tollgate-code"]
trust = "trusted"

[model]
command = ["tollgate-model"]
trust = "trusted"
model = true
env = ["OPENAI_API_KEY", "OPENAI_BASE_URL"]
"#;

/// Names of the built-in servers' programs.
pub(crate) const PROGRAMS: [&str; 4] =
    ["tollgate-file", "tollgate-shell", "tollgate-code", "tollgate-model"];

/// Where the tools of a server of this name come from. A server that takes a built-in one's place by
/// configuration is treated as that one (`[ARCH-03]`).
pub(crate) fn provenance(server: &str) -> Provenance {
    let own = SERVERS.parse::<Table>().unwrap_or_default();
    if own.contains_key(server) { Provenance::Builtin } else { Provenance::Plugin }
}

/// The layer.
pub(crate) fn values() -> Values {
    let mut values = Values::default();
    for key in KEYS.iter().filter(|key| !key.default.is_empty() && !key.path.contains('*')) {
        if let Some(value) = default(key.default) {
            values.set(key.path, value, Source::Default);
        }
    }
    // That this text is right is tested, and nothing outside can change it.
    for (server, settings) in SERVERS.parse::<Table>().unwrap_or_default() {
        for (name, value) in settings.as_table().into_iter().flatten() {
            values.set(format!("servers.{server}.{name}"), value.clone(), Source::Default);
        }
    }
    values
}

/// A default of the key table as a value.
pub(crate) fn default(toml: &str) -> Option<toml::Value> {
    format!("value = {toml}").parse::<Table>().ok()?.remove("value")
}
