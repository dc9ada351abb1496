//! `[code]` and `[features] code_mode`: what programs of code mode may use (`[CODE-15, 16]`), for the kernel
//! and for the server `code`.
//!
//! Invariant: what `servers.code.settings` says itself holds, whatever is said here.
//!
//! Not here: what the limits mean (the server's README), who keeps the clocks (`tollgate-engine`).

use std::time::Duration;

use serde_json::Value;
use tollgate_core::catalog::Surface;
use tollgate_engine::settings::ProgramLimits;

use super::{
    ConfigError,
    error::Fault,
    values::{Source, Values},
};

#[cfg(test)]
mod tests;

/// The server's name.
pub(super) const SERVER: &str = "code";

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Keys, the server's settings that they fill, and how many of the one are one of the other.
const SETTINGS: [(&str, &str, u64); 7] = [
    ("code.memory_mib", "memory_bytes", MIB),
    ("code.stack_kib", "stack_bytes", KIB),
    ("code.calls_max", "calls_max", 1),
    ("code.code_kib", "code_bytes", KIB),
    ("code.log_kib", "log_bytes", KIB),
    ("code.value_kib", "value_bytes", KIB),
    ("code.programs_max", "programs_max", 1),
];

/// The settings of server `code`; `own`: what `servers.code.settings` says.
pub(super) fn settings(values: &Values, own: Value) -> Value {
    let filled = SETTINGS.iter().filter_map(|(key, setting, unit)| {
        Some(((*setting).to_owned(), values.count(key)?.saturating_mul(*unit).into()))
    });
    let mut settings: serde_json::Map<String, Value> = filled.collect();
    if let Value::Object(own) = own {
        settings.extend(own);
    }
    settings.into()
}

/// What the kernel itself holds programs to.
pub(super) fn limits(values: &Values) -> ProgramLimits {
    let usual = ProgramLimits::default();
    let clock = |key, usual| values.count(key).map_or(usual, Duration::from_millis);
    let calls = values.count("code.calls_max").and_then(|count| u32::try_from(count).ok());
    let log = values.count("code.log_kib").and_then(|kib| usize::try_from(kib * KIB).ok());
    ProgramLimits {
        wall: clock("code.timeout_ms", usual.wall),
        guest: clock("code.cpu_ms", usual.guest),
        calls: calls.unwrap_or(usual.calls),
        log_bytes: log.unwrap_or(usual.log_bytes),
    }
}

/// Whether programs are in every request.
pub(super) fn is_on(values: &Values) -> bool {
    values.flag("features.code_mode").unwrap_or(true)
}

/// The surface of programs alone needs programs.
///
/// # Errors
/// They are switched off; where that was said.
pub(super) fn check(values: &Values) -> Result<(), ConfigError> {
    let Some(surface) = values.get("tools.surface") else { return Ok(()) };
    if is_on(values) || surface.value.as_str() != Some(Surface::Code.as_str()) {
        return Ok(());
    }
    let source = values.get("features.code_mode").map_or(Source::Default, |it| it.source.clone());
    let what = format!(
        "is false, and the surface 'code' ({}) leaves a model nothing but programs: say one of the two only",
        surface.source
    );
    Err(ConfigError(vec![Fault { source, key: "features.code_mode".to_owned(), what }]))
}
