//! Whether a failed request is sent again, and when.
//!
//! Again only if the fault may pass, nothing of the answer was shown, and a try is left. The wait
//! is the provider's `Retry-After`, or doubles from try to try with jitter, so that many kernels do
//! not come back at once.
//!
//! Not here: which faults may pass (`failure.rs`), sleeping (`chat.rs`).

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::failure::Failure;
use crate::limits::{ATTEMPTS_MAX, BACKOFF_FIRST, BACKOFF_MAX, RETRY_AFTER_MAX};

#[cfg(test)]
mod tests;

/// The wait before the next try, or the failure with a word on why there is none. `tries` were
/// made; `random` is any number.
///
/// # Errors
///
/// The request is over.
pub(crate) fn wait(
    failure: Failure,
    tries: u32,
    has_shown: bool,
    random: u64,
) -> Result<Duration, Failure> {
    if !failure.retryable || has_shown {
        return Err(failure);
    }
    if tries >= ATTEMPTS_MAX {
        let message = format!("{} (gave up after {tries} tries)", failure.message);
        return Err(Failure { message, ..failure });
    }
    match failure.retry_after {
        Some(asked) if asked > RETRY_AFTER_MAX => {
            let message = format!("{} (try again in {} s)", failure.message, asked.as_secs());
            Err(Failure { message, ..failure })
        }
        Some(asked) => Ok(asked),
        None => Ok(backoff(tries, random)),
    }
}

/// Any number, another one each time.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(())
}

/// What `Retry-After` asks for: seconds or a date; or the newer `retry-after-ms`.
pub(crate) fn asked(headers: &HeaderMap, now: jiff::Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(ms));
    }
    let text = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    // A date that has passed means: at once.
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

/// Half of the wait is fixed, half is random.
fn backoff(tries: u32, random: u64) -> Duration {
    let doubled = 2u32.saturating_pow(tries.saturating_sub(1));
    let half = BACKOFF_FIRST.saturating_mul(doubled).min(BACKOFF_MAX) / 2;
    let half_ms = u64::try_from(half.as_millis()).unwrap_or(u64::MAX);
    half + Duration::from_millis(random % half_ms.max(1))
}
