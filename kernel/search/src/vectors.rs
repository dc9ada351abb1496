//! Meanings of texts, and how near they are.
//!
//! A tool's vector is kept as signed bytes of unit length × 127, so that comparing a request with 100,000
//! tools stays in integers.
//!
//! Not here: the table (`words.rs`), how meaning and words are mixed (`mix.rs`).

use std::sync::Arc;

use crate::words::WordTable;

/// A text's vector while its words are added.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    sum: Vec<f32>,
}

/// The vectors of all tools, one after the other.
#[derive(Debug)]
pub(crate) struct Vectors {
    table: Arc<WordTable>,
    all: Vec<i8>,
}

impl Meaning {
    /// Of nothing, for a table of so many dimensions.
    pub(crate) fn new(dimensions: usize) -> Self {
        Self { sum: vec![0.0; dimensions] }
    }

    /// Of nothing, again.
    pub(crate) fn clear(&mut self) {
        self.sum.fill(0.0);
    }

    /// Adds a word, by its row.
    pub(crate) fn add(&mut self, table: &WordTable, row: u32, share: f32) {
        let Some((factor, vector)) = table.vector(row) else { return };
        let factor = factor * share;
        for (sum, part) in self.sum.iter_mut().zip(vector) {
            *sum += factor * f32::from(*part);
        }
    }

    /// Bytes of a vector of unit length × 127; all zero where nothing was added.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a part of a unit vector × 127 fits a byte"
    )]
    fn bytes(&self) -> impl Iterator<Item = i8> {
        let length = self.sum.iter().map(|it| it * it).sum::<f32>().sqrt();
        let factor = if length > f32::MIN_POSITIVE { 127.0 / length } else { 0.0 };
        self.sum.iter().map(move |it| (it * factor).round() as i8)
    }
}

impl Vectors {
    pub(crate) fn new(table: Arc<WordTable>) -> Self {
        Self { table, all: Vec::new() }
    }

    pub(crate) fn table(&self) -> &WordTable {
        &self.table
    }

    pub(crate) fn push(&mut self, meaning: &Meaning) {
        self.all.extend(meaning.bytes());
    }

    /// The cosine of every tool with `meaning`, in the order of the tools.
    pub(crate) fn cosines(&self, meaning: &Meaning) -> Vec<f32> {
        let wanted: Vec<i16> = meaning.bytes().map(i16::from).collect();
        let tools = self.all.chunks_exact(self.table.dimensions().max(1));
        tools.map(|tool| cosine(tool, &wanted)).collect()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "at most 256 × 127 × 127, which a float has exactly"
)]
fn cosine(tool: &[i8], wanted: &[i16]) -> f32 {
    let products = tool.iter().zip(wanted).map(|(a, b)| i32::from(*a) * i32::from(*b));
    products.sum::<i32>() as f32 / (127.0 * 127.0)
}

#[cfg(test)]
mod tests;
