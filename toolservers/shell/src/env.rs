//! The environment of a command: an allow-list of this process's, and what keeps programs quiet.
//!
//! Invariants: no credential, loader variable or start-up file of this process reaches a command
//! (test `only_listed_names_pass`); the search path holds absolute folders only, so that a program
//! is never taken from the working directory by its name.

use std::{
    env,
    ffi::{CString, OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

#[cfg(test)]
mod tests;

/// Names that pass as they are.
const PASSED: &[&str] = &[
    "CARGO_HOME",
    "CONDA_PREFIX",
    "GOPATH",
    "GOROOT",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NVM_DIR",
    "PYENV_ROOT",
    "RUSTUP_HOME",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// Set for every command: no pager, no prompt, no colour.
const SET: &[(&str, &str)] = &[
    ("CI", "1"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("GIT_EDITOR", "false"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("TERM", "dumb"),
];

/// Set besides for a line that was proven read-only: git takes no lock, fetches nothing, and runs
/// no hook or monitor, whatever the repository's configuration says.
const READING: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_CONFIG_COUNT", "5"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
    ("GIT_CONFIG_KEY_2", "protocol.allow"),
    ("GIT_CONFIG_VALUE_2", "never"),
    ("GIT_CONFIG_KEY_3", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_3", "explicit"),
    // `git diff` heeds no word on locks.
    ("GIT_CONFIG_KEY_4", "diff.autoRefreshIndex"),
    ("GIT_CONFIG_VALUE_4", "false"),
];

/// Where programs are looked for when this process has no search path.
const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

/// Marks every process of a call, so that one that left its group and session is found again.
pub(crate) const MARKER: &str = "TOLLGATE_CALL";

/// What of this process's environment a command may see.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    passed: Vec<(OsString, OsString)>,
    path: Vec<PathBuf>,
}

impl Environment {
    /// From this process's environment.
    pub(crate) fn of_this_process() -> Self {
        Self::filtered(env::vars_os())
    }

    fn filtered(all: impl Iterator<Item = (OsString, OsString)>) -> Self {
        let mut passed = Vec::new();
        let mut path = OsString::from(PATH_DEFAULT);
        for (name, value) in all {
            if name == "PATH" {
                path = value;
            } else if passes(&name) {
                passed.push((name, value));
            }
        }
        let path = env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        Self { passed, path }
    }

    /// The folders that hold programs, in order, all absolute.
    pub(crate) fn path(&self) -> &[PathBuf] {
        &self.path
    }

    /// The environment of one call as `NAME=value` texts.
    pub(crate) fn of_call(&self, call_id: &str, cwd: &Path, reads: bool) -> Vec<CString> {
        let path = env::join_paths(&self.path).unwrap_or_else(|_| PATH_DEFAULT.into());
        let mut texts: Vec<CString> = Vec::new();
        let mut add = |name: &OsStr, value: &OsStr| texts.extend(text_of(name, value));
        for (name, value) in &self.passed {
            add(name, value);
        }
        let quiet = SET.iter().chain(if reads { READING } else { &[] });
        for (name, value) in quiet {
            add(OsStr::new(name), OsStr::new(value));
        }
        add(OsStr::new("PATH"), &path);
        add(OsStr::new("PWD"), cwd.as_os_str());
        add(OsStr::new(MARKER), OsStr::new(call_id));
        texts
    }
}

/// `NAME=value` for a spawned process; nothing if it holds a NUL.
pub(crate) fn text_of(name: &OsStr, value: &OsStr) -> Option<CString> {
    let mut text = OsString::from(name);
    text.push("=");
    text.push(value);
    CString::new(text.into_vec()).ok()
}

fn passes(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b"LC_") || PASSED.iter().any(|passed| name == *passed)
}
