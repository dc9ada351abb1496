//! From [`Config`] to the engine's [`Settings`].

use std::path::Path;

use tollgate_core::{
    authority::rules::NamePattern,
    catalog::Surface,
    name::ServerName,
    stance::{Mode, Posture, Stance},
};
use tollgate_engine::settings::{Limits, Settings, ToolSettings};

use super::{Config, ConfigError, code, error::Fault, policy, programs::Programs, servers};

/// A server that cannot be used as it is configured.
#[derive(Debug)]
pub(crate) struct ServerFault {
    /// Its name.
    pub(crate) server: String,
    /// What is wrong, and what helps.
    pub(crate) fault: Fault,
}

/// What the engine is told, and the servers that are left out because of a mistake.
pub(crate) fn settings(
    config: &Config,
    executable: &Path,
    programs: &Programs,
) -> (Settings, Vec<ServerFault>) {
    let values = &config.values;
    let mut usable = std::collections::BTreeMap::new();
    let mut faults = Vec::new();
    for name in values.servers() {
        if values.flag(&format!("servers.{name}.enabled")) == Some(false) {
            continue;
        }
        // The names were checked when the files were read.
        let Ok(server) = ServerName::try_from(name) else { continue };
        match servers::resolve(values, name, programs) {
            Ok(settings) => drop(usable.insert(server, settings)),
            Err(fault) => faults.push(ServerFault { server: name.to_owned(), fault }),
        }
    }
    let settings = Settings {
        model: values.text("model").map(str::to_owned),
        stance: stance(config),
        servers: usable,
        limits: limits(config),
        tools: tools(config),
        policy: policy::settings(config),
        guardian_model: values.text("auto_review.model").map(str::to_owned),
        launcher: executable.to_owned(),
        log: values.text("log").unwrap_or_default().to_owned(),
    };
    (settings, faults)
}

/// Every mistake of the servers as one error.
///
/// # Errors
/// There is one.
pub(crate) fn no_faults(faults: Vec<ServerFault>) -> Result<(), ConfigError> {
    if faults.is_empty() {
        return Ok(());
    }
    Err(ConfigError(faults.into_iter().map(|fault| fault.fault).collect()))
}

/// Mode and posture.
pub(crate) fn stance(config: &Config) -> Stance {
    let word = |key| config.values.text(key).unwrap_or_default();
    let mode = Mode::ALL.into_iter().find(|mode| mode.as_str() == word("mode"));
    let posture = Posture::ALL.into_iter().find(|posture| posture.as_str() == word("posture"));
    Stance { mode: mode.unwrap_or_default(), posture: posture.unwrap_or_default() }
}

/// How much of the catalog a model gets.
pub(crate) fn surface(config: &Config) -> Surface {
    let word = config.values.text("tools.surface").unwrap_or_default();
    Surface::ALL.into_iter().find(|surface| surface.as_str() == word).unwrap_or_default()
}

/// `[tools]`; its patterns were checked when the files were read.
fn tools(config: &Config) -> ToolSettings {
    let always = config.values.list("tools.always_load");
    ToolSettings {
        always_load: always.iter().filter_map(|name| NamePattern::new(name).ok()).collect(),
        surface: surface(config),
        semantic_search: config.values.flag("tools.semantic_search").unwrap_or(true),
        code_mode: code::is_on(&config.values),
    }
}

fn limits(config: &Config) -> Limits {
    let count = |key: &str| config.values.count(key);
    let small = |key: &str| count(key).and_then(|count| u32::try_from(count).ok());
    let usual = Limits::default();
    Limits {
        turn_calls_max: small("limits.turn_calls").unwrap_or(usual.turn_calls_max),
        turn_steps_max: small("limits.turn_steps").unwrap_or(usual.turn_steps_max),
        parallel_calls_max: small("limits.parallel_calls")
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(usual.parallel_calls_max),
        output_bytes_max: count("limits.output_bytes").unwrap_or(usual.output_bytes_max),
        program: code::limits(&config.values),
    }
}
