//! `[sandbox]`: what the operating system must hold servers and their programs to (`[GATE-70]`), for the kernel
//! and for the servers that come with Tollgate.
//!
//! Invariant: what `servers.NAME.settings` says itself holds, whatever is said here.
//!
//! Not here: what holds on this host (`doctor`), how far one call reaches (`tollgate-core`).

use std::path::Path;

use serde_json::Value;
use tollgate_core::authority::confinement::Network;

use super::values::Values;

#[cfg(test)]
mod tests;

/// Servers that confine themselves.
const SERVERS: [&str; 4] = ["file", "shell", "code", "model"];
/// The one that may read files which it is only named in a request.
const MODEL: &str = "model";
/// Keys that name models.
const MODELS: [&str; 2] = ["model", "auto_review.model"];
/// What the name of a model that is a file begins with.
const FILES: [&str; 2] = ["script:", "replay:"];
/// The one that starts programs.
const SHELL: &str = "shell";
/// How much must hold where nobody says; servers know it themselves.
const USUAL: &str = "best-effort";

/// The settings of a server; `own`: what stands in its own table, or is filled in already.
pub(super) fn settings(values: &Values, server: &str, own: Value) -> Value {
    let mut settings = serde_json::Map::new();
    let mode = mode(values);
    if SERVERS.contains(&server) && mode != USUAL {
        settings.insert("sandbox".to_owned(), mode.into());
    }
    // A session may have been begun with another model, unless one is chosen for all.
    let chosen: Vec<_> = MODELS.iter().filter_map(|key| values.text(key)).collect();
    let is_file = |model: &&str| FILES.iter().any(|begin| model.starts_with(begin));
    if server == MODEL && values.text("model").is_some() && !chosen.iter().any(is_file) {
        settings.insert("scripts".to_owned(), false.into());
    }
    let write = values.list("sandbox.write");
    if server == SHELL && !write.is_empty() {
        settings.insert("sandbox_write".to_owned(), write.into());
    }
    if let Value::Object(own) = own {
        settings.extend(own);
    }
    settings.into()
}

/// How much must hold: "required", "best-effort", "off".
pub(crate) fn mode(values: &Values) -> &str {
    values.text("sandbox.mode").unwrap_or(USUAL)
}

/// Who of the calls that start programs has the network.
pub(super) fn network(values: &Values) -> Network {
    let word = values.text("sandbox.network").unwrap_or_default();
    Network::ALL.into_iter().find(|network| network.as_str() == word).unwrap_or_default()
}

/// A folder of a list, absolute.
///
/// # Errors
/// It is not.
pub(super) fn folder(text: &str) -> Result<String, String> {
    let folder = match text.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().map(|home| home.join(rest)),
        None => Some(Path::new(text).to_owned()),
    };
    let folder = folder.filter(|folder| folder.is_absolute());
    let climbs = |folder: &Path| folder.components().any(|part| part.as_os_str() == "..");
    match folder {
        Some(folder) if !climbs(&folder) && folder != Path::new("/") => {
            Ok(folder.to_string_lossy().into_owned())
        }
        Some(_) | None => Err(format!(
            "must be folders, absolute or below ~/, without '..', and no whole disk, and one is \"{}\"",
            text.chars().take(60).flat_map(char::escape_debug).collect::<String>()
        )),
    }
}
