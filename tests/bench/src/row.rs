//! What was measured, beside what, and against which goal.

use serde::{Deserialize, Serialize};

/// One line of the table, in one placement.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Row {
    /// What was measured.
    pub(crate) figure: String,
    /// Of `ours`, `p99` and `beside`.
    pub(crate) unit: Unit,
    /// The median over rounds.
    pub(crate) ours: f64,
    /// The median over rounds, where it is asked for.
    pub(crate) p99: Option<f64>,
    /// What was measured beside it in the same rounds, where there is something.
    pub(crate) beside: Option<Beside>,
    /// What is wanted.
    pub(crate) goal: Goal,
}

/// A floor or a yardstick.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Beside {
    /// What it is.
    pub(crate) name: String,
    /// The median over rounds.
    pub(crate) value: f64,
}

/// Units.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) enum Unit {
    /// Microseconds; shown as ms from 1,000.
    #[serde(rename = "us")]
    Micros,
    /// Calls per second.
    #[serde(rename = "calls/s")]
    PerSecond,
    /// Bytes.
    #[serde(rename = "bytes")]
    Bytes,
    /// Mebibytes.
    MiB,
    /// A part of 1.
    Share,
    /// How many.
    Count,
}

/// What is wanted, against `ours` or against the ratio `ours / beside`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    /// `ours`, in the row's unit.
    AtMost(f64),
    /// `ours`, in the row's unit.
    AtLeast(f64),
    /// The ratio.
    RatioAtMost(f64),
    /// The ratio.
    RatioAtLeast(f64),
    /// Shown for comparison only.
    Shown,
}

impl Row {
    /// A row that is only shown; [`Self::beside`], [`Self::p99`] and [`Self::goal`] add the rest.
    pub(crate) fn new(figure: impl Into<String>, unit: Unit, ours: f64) -> Self {
        Self { figure: figure.into(), unit, ours, p99: None, beside: None, goal: Goal::Shown }
    }

    /// Beside a floor.
    pub(crate) fn beside(self, name: &str, value: f64) -> Self {
        Self { beside: Some(Beside { name: name.to_owned(), value }), ..self }
    }

    /// With its 99th percentile.
    pub(crate) fn p99(self, p99: f64) -> Self {
        Self { p99: Some(p99), ..self }
    }

    /// With a goal.
    pub(crate) fn goal(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }

    /// `ours / beside`, where there is something beside.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let beside = self.beside.as_ref()?.value;
        (beside > 0.0).then(|| self.ours / beside)
    }

    /// "ok", "short", or empty where nothing is wanted.
    pub(crate) fn verdict(&self) -> &'static str {
        let holds = match self.goal {
            Goal::AtMost(most) => self.ours <= most,
            Goal::AtLeast(least) => self.ours >= least,
            Goal::RatioAtMost(most) => self.ratio().is_some_and(|ratio| ratio <= most),
            Goal::RatioAtLeast(least) => self.ratio().is_some_and(|ratio| ratio >= least),
            Goal::Shown => return "",
        };
        if holds { "ok" } else { "short" }
    }
}

impl Unit {
    /// A value with its unit: "12.7 µs", "3.41 ms".
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Self::Micros if value.abs() >= 1e3 => format!("{} ms", digits(value / 1e3)),
            Self::Micros => format!("{} µs", digits(value)),
            Self::PerSecond => format!("{value:.0}/s"),
            Self::Bytes => format!("{value:.0} bytes"),
            Self::MiB => format!("{} MiB", digits(value)),
            Self::Share => format!("{value:.3}"),
            Self::Count => format!("{value:.0}"),
        }
    }
}

impl Goal {
    /// As the table has it.
    pub(crate) fn show(self, unit: Unit) -> String {
        match self {
            Self::AtMost(most) => format!("≤ {}", unit.show(most)),
            Self::AtLeast(least) => format!("≥ {}", unit.show(least)),
            Self::RatioAtMost(most) => format!("≤ {most} ×"),
            Self::RatioAtLeast(least) => format!("≥ {least} ×"),
            Self::Shown => String::new(),
        }
    }
}

/// Three digits that count.
fn digits(value: f64) -> String {
    let places = if value.abs() >= 100.0 {
        0
    } else if value.abs() >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.places$}")
}

#[cfg(test)]
mod tests;
