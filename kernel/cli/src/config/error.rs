//! [`ConfigError`]: mistakes in the configuration, each with its place and what helps.

use std::{fmt, path::PathBuf};

use super::values::Source;

/// What is wrong with the configuration: all that was found, not the first alone.
#[derive(Debug)]
pub(crate) struct ConfigError(pub(crate) Vec<Fault>);

/// One mistake.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Fault {
    /// Where it stands.
    pub(crate) source: Source,
    /// The key with dots, or empty.
    pub(crate) key: String,
    /// What is wrong, and what helps.
    pub(crate) what: String,
}

impl ConfigError {
    /// A mistake without a place in a file.
    pub(crate) fn of(what: impl Into<String>) -> Self {
        Self(vec![Fault { source: Source::Default, key: String::new(), what: what.into() }])
    }

    /// A whole file that cannot be used.
    pub(crate) fn of_file(path: PathBuf, what: impl Into<String>) -> Self {
        let source = Source::File { path, line: 0 };
        Self(vec![Fault { source, key: String::new(), what: what.into() }])
    }
}

impl std::error::Error for ConfigError {}

/// One line a mistake.
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.0.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.source != Source::Default {
            write!(f, "{}: ", self.source)?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.what)
    }
}
