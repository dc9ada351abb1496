//! What holds, in words: "namespaces landlock:7 seccomp rlimits", and "landlock:none" for what does not.

use std::fmt;

use crate::{ConfineError, Requirement};

/// A mechanism that a host may lack.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Tier {
    /// Its word.
    pub word: &'static str,
    /// What a host must have.
    pub needs: &'static str,
}

/// What holds so far, in the order in which it was set up.
#[derive(Clone, Debug, Default)]
pub struct Tiers {
    words: Vec<String>,
    requirement: Requirement,
}

impl Tiers {
    /// Nothing yet, for a process that needs so much.
    #[must_use]
    pub fn new(requirement: Requirement) -> Self {
        Self { words: Vec::new(), requirement }
    }

    /// Nothing, and nothing wanted.
    #[must_use]
    pub fn off() -> Self {
        Self { words: vec!["off".to_owned()], requirement: Requirement::Off }
    }

    /// Adds what always can be had, and was.
    pub fn hold(&mut self, word: impl Into<String>) {
        self.words.push(word.into());
    }

    /// Adds a tier: how it is had ("7" of "landlock:7", or nothing), or why not.
    ///
    /// # Errors
    /// It is missing, and required.
    pub fn add(&mut self, tier: Tier, had: Result<String, String>) -> Result<(), ConfineError> {
        let word = match had {
            Ok(how) if how.is_empty() => tier.word.to_owned(),
            Ok(how) => format!("{}:{how}", tier.word),
            Err(why) if self.requirement == Requirement::Required => {
                return Err(ConfineError::Missing { tier: tier.word, why, needs: tier.needs });
            }
            Err(why) => {
                tracing::warn!("{} cannot be had here: {why}; it needs {}", tier.word, tier.needs);
                format!("{}:none", tier.word)
            }
        };
        self.words.push(word);
        Ok(())
    }
}

impl fmt::Display for Tiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

#[cfg(test)]
mod tests;
