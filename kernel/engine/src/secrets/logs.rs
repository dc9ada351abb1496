//! [`LogSecrets`]: what servers' logs keep out.

use std::sync::{Arc, PoisonError, RwLock};

use super::Redactor;

/// What servers' logs keep out: what is known from the start, and the secret arguments of calls since.
/// A server may log them at any time later, and nobody decides by a log.
#[derive(Clone, Debug, Default)]
pub struct LogSecrets(Arc<RwLock<Redactor>>);

impl LogSecrets {
    /// Knows these from the start.
    #[must_use]
    pub fn new(known: Redactor) -> Self {
        Self(Arc::new(RwLock::new(known)))
    }

    /// A call has had these.
    pub(crate) fn learn(&self, values: &[String]) {
        if !values.is_empty() {
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            *known = known.with_arguments(values.to_vec());
        }
    }

    /// As of now.
    #[must_use]
    pub fn now(&self) -> Redactor {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
