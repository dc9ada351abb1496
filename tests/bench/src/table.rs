//! The table: what was measured pinned, judged; what was measured unpinned, beside.

use serde_json::{Value, json};

use crate::{figures::Figure, row::Row};

/// A row in both placements.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// Judged.
    pub(crate) pinned: Row,
    /// Shown.
    pub(crate) unpinned: Row,
}

/// All rows.
#[derive(Debug)]
pub(crate) struct Table {
    /// Nothing failed.
    pub(crate) is_whole: bool,
    processors: usize,
    rows: Vec<(Figure, Measured)>,
}

const HEAD: [&str; 12] = [
    "id", "figure", "ours", "p99", "beside", "which is", "ratio", "goal", "", "unpinned", "beside",
    "ratio",
];
/// The columns that are texts; numbers stand at the right.
const TEXTS: [usize; 5] = [0, 1, 5, 7, 8];

impl Table {
    /// An empty table of a host with so many processors.
    pub(crate) fn new(processors: usize) -> Self {
        Self { is_whole: true, processors, rows: Vec::new() }
    }

    /// Takes a figure's rows in.
    pub(crate) fn take(&mut self, figure: Figure, measured: Vec<Measured>) {
        self.rows.extend(measured.into_iter().map(|row| (figure, row)));
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![HEAD.map(str::to_owned)];
        lines.extend(self.rows.iter().map(|(figure, row)| cells(*figure, row)));
        let mut widths = [0; HEAD.len()];
        for line in &lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = self.about();
        for line in &lines {
            let cells = line.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
                if TEXTS.contains(&column) {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            text.push('\n');
            text.push_str(line.trim_end());
        }
        text
    }

    /// For programs.
    pub(crate) fn json(&self) -> String {
        let rows = self.rows.iter().map(|(figure, Measured { pinned, unpinned })| {
            json!({
                "id": figure.id(),
                "figure": pinned.figure,
                "unit": pinned.unit,
                "goal": pinned.goal,
                "verdict": pinned.verdict(),
                "pinned": numbers(pinned),
                "unpinned": numbers(unpinned),
            })
        });
        let rows: Vec<Value> = rows.collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "profile": profile(),
            "processors": self.processors,
            "whole": self.is_whole,
            "rows": rows,
        })
        .to_string()
    }

    fn about(&self) -> String {
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').next().unwrap_or("?").to_owned();
        let debug =
            if profile() == "debug" { "; figures of a debug build mean nothing" } else { "" };
        format!(
            "tollgate {}, {} build{debug}; {} processors, load {load}. Judged: pinned, everything on \
             processor 0. Medians over rounds.\n",
            env!("CARGO_PKG_VERSION"),
            profile(),
            self.processors
        )
    }
}

fn profile() -> &'static str {
    if cfg!(debug_assertions) { "debug" } else { "release" }
}

fn cells(figure: Figure, Measured { pinned, unpinned }: &Measured) -> [String; HEAD.len()] {
    let beside =
        |row: &Row| row.beside.as_ref().map_or_else(String::new, |it| row.unit.show(it.value));
    let ratio = |row: &Row| match row.ratio() {
        None => String::new(),
        Some(ratio) if ratio < 0.01 => format!("{ratio:.4}"),
        Some(ratio) => format!("{ratio:.2}"),
    };
    let unit = pinned.unit;
    [
        figure.id().to_owned(),
        pinned.figure.clone(),
        unit.show(pinned.ours),
        pinned.p99.map(|p99| unit.show(p99)).unwrap_or_default(),
        beside(pinned),
        pinned.beside.as_ref().map(|it| it.name.clone()).unwrap_or_default(),
        ratio(pinned),
        pinned.goal.show(unit),
        pinned.verdict().to_owned(),
        unit.show(unpinned.ours),
        beside(unpinned),
        ratio(unpinned),
    ]
}

fn numbers(row: &Row) -> Value {
    json!({ "ours": row.ours, "p99": row.p99, "beside": row.beside, "ratio": row.ratio() })
}
