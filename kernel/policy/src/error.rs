//! What is wrong with a policy file: file, line, key, and what would be right.

use std::path::PathBuf;

use crate::limits::FAULTS_IN_LINE;

/// All that is wrong, at least one fault.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct PolicyError(pub Vec<PolicyFault>);

/// One fault.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{}{}: {}{what}", file.display(), line.map_or(String::new(), |line| format!(":{line}")), key_shown(key))]
pub struct PolicyFault {
    /// The file, or the option ("--allow").
    pub file: PathBuf,
    /// From 1, if known.
    pub line: Option<usize>,
    /// With dots: "rule.tool"; empty: the file as a whole.
    pub key: String,
    /// What is wrong and what helps.
    pub what: String,
}

fn key_shown(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!("{key}: ") }
}

impl PolicyError {
    /// One fault of a whole file.
    #[must_use]
    pub fn of_file(file: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        let (file, what) = (file.into(), what.into());
        Self(vec![PolicyFault { file, line: None, key: String::new(), what }])
    }

    /// The first faults in one line, and how many more there are.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line: Vec<String> =
            self.0.iter().take(FAULTS_IN_LINE).map(ToString::to_string).collect();
        if self.0.len() > FAULTS_IN_LINE {
            line.push(format!("and {} more", self.0.len() - FAULTS_IN_LINE));
        }
        line.join("; ")
    }
}
