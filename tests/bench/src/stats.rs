//! Percentiles of samples, and the median over rounds.

use std::time::{Duration, Instant};

/// Durations of one round, in any order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    /// Takes one in.
    pub(crate) fn push(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// Takes in the time since `start`.
    pub(crate) fn since(&mut self, start: Instant) {
        self.push(start.elapsed());
    }

    /// The sample that `share` of all do not pass, in µs; 0 without samples.
    pub(crate) fn percentile_us(&self, share: f64) -> f64 {
        percentile(self.0.iter().copied().map(us).collect(), share)
    }

    /// In µs; 0 without samples.
    pub(crate) fn p50_us(&self) -> f64 {
        self.percentile_us(0.5)
    }

    /// In µs; 0 without samples.
    pub(crate) fn mean_us(&self) -> f64 {
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX).max(1);
        us(self.0.iter().sum::<Duration>() / count)
    }
}

impl Extend<Duration> for Samples {
    fn extend<T: IntoIterator<Item = Duration>>(&mut self, samples: T) {
        self.0.extend(samples);
    }
}

/// One figure over rounds: the median of what each round had.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds(Vec<f64>);

impl Rounds {
    /// Takes one round's value in.
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// The median; 0 without rounds.
    pub(crate) fn median(&self) -> f64 {
        percentile(self.0.clone(), 0.5)
    }
}

/// A duration in µs.
pub(crate) fn us(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the rank is between 0 and the number of samples, which is small"
)]
fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let rank = (last as f64 * share.clamp(0.0, 1.0)).round() as usize;
    values.get(rank).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests;
