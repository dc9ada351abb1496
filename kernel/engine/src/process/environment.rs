//! What a server may see of the kernel's environment.
//!
//! An allow-list, because a list of what to hide is never complete. A name that looks like a secret
//! passes only if the configuration names it exactly.
//!
//! Not here: variables set for one server (`[servers.NAME] env`), which the caller adds.

use std::ffi::{OsStr, OsString};

/// Names that every server sees; a `*` at the end stands for any rest.
const ALLOWED: [&str; 11] =
    ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_*", "TERM", "TZ", "TMPDIR", "SHELL", "XDG_*"];

/// Last words of names that hold secrets, above all the keys of model providers.
const SECRET_ENDS: [&str; 12] = [
    "_CREDENTIAL",
    "_CREDENTIALS",
    "_KEY",
    "_KEY_ID",
    "_APIKEY",
    "_PASS",
    "_PASSPHRASE",
    "_PASSWD",
    "_PASSWORD",
    "_PAT",
    "_SECRET",
    "_TOKEN",
];

/// The part of this process's environment that a server may see: the fixed allow-list, and what
/// `allow` names (`NAME` or `PREFIX*`).
///
/// A pattern never lets a name through that ends as secrets do; such a name must be in `allow` itself.
#[must_use]
pub fn scrubbed(allow: &[String]) -> Vec<(OsString, OsString)> {
    scrub(std::env::vars_os(), allow)
}

/// The secrets of this process's environment: what nothing that it says or keeps may hold.
#[must_use]
pub fn secret_variables() -> Vec<(String, Vec<u8>)> {
    let secrets = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        is_secret(&name).then(|| (name, value.into_encoded_bytes()))
    });
    secrets.collect()
}

/// Whether a variable's value is a secret, by its name.
fn is_secret(name: &str) -> bool {
    let words = format!("_{}", name.to_ascii_uppercase());
    SECRET_ENDS.iter().any(|end| words.ends_with(end))
}

fn scrub(
    variables: impl Iterator<Item = (OsString, OsString)>,
    allow: &[String],
) -> Vec<(OsString, OsString)> {
    let mut kept: Vec<_> = variables.filter(|(name, _)| is_allowed(name, allow)).collect();
    // The order of an environment is chance; a server's start should not depend on it.
    kept.sort();
    kept
}

fn is_allowed(name: &OsStr, allow: &[String]) -> bool {
    // A name that is not text cannot be in a list of texts.
    let Some(name) = name.to_str() else { return false };
    if allow.iter().any(|allowed| allowed == name) {
        return true;
    }
    let mut patterns = ALLOWED.into_iter().chain(allow.iter().map(String::as_str));
    !is_secret(name) && patterns.any(|pattern| matches(pattern, name))
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests;
