//! The word table: what words mean, as small vectors. Read from bytes, checked, never trusted.
//!
//! # Format (little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `TGWORDS1` |
//! | 4 | `n`: words, 1 to [`TABLE_WORDS_MAX`] |
//! | 2 | `d`: dimensions, 1 to [`TABLE_DIMENSIONS_MAX`] |
//! | 2 | zero |
//! | 4 n | scale of each word's vector: finite, not negative |
//! | 4 n | weight of each word in a text: finite, not negative |
//! | n | bytes of each word, 1 to 255 |
//! | sum of these | the words, UTF-8, lower case, sorted by bytes, none twice |
//! | n d | the vectors, signed bytes; a component is byte × scale |
//!
//! A text's vector is the sum of weight × vector of its words that are in the table, each word as
//! `text.rs` takes texts apart; what two texts share is the cosine of their vectors.
//!
//! Invariants: nothing after the last vector; a table that breaks a rule is an error, not a smaller table
//! (test `any_cut_or_flipped_table_is_an_error_or_harmless`).

use std::cmp::Ordering;

use crate::limits::{TABLE_DIMENSIONS_MAX, TABLE_WORDS_MAX};

const MAGIC: &[u8] = b"TGWORDS1";

/// Words with their vectors.
#[derive(Clone, Debug)]
pub struct WordTable {
    dimensions: usize,
    /// All words, one after the other, and where each ends.
    text: String,
    ends: Vec<u32>,
    /// Weight × scale of each word.
    factors: Vec<f32>,
    vectors: Vec<i8>,
}

/// Why bytes are no word table.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum WordTableError {
    /// It begins with something else.
    #[error("not a word table: it does not begin with TGWORDS1")]
    Magic,
    /// A count is zero or beyond its bound.
    #[error("a word table of {words} words and {dimensions} dimensions is out of bounds")]
    Bounds {
        /// As said.
        words: usize,
        /// As said.
        dimensions: usize,
    },
    /// It is shorter or longer than its counts say.
    #[error("a word table whose length is not what its counts say")]
    Length,
    /// A number that cannot be.
    #[error("word {0} of the table has a scale or a weight that is not a number from 0 up")]
    Number(usize),
    /// Words must be UTF-8, sorted, and each there once.
    #[error("word {0} of the table is not UTF-8, empty, or not after the one before")]
    Word(usize),
}

impl WordTable {
    /// Reads a table.
    ///
    /// # Errors
    /// The bytes break a rule of the format.
    pub fn parse(bytes: &[u8]) -> Result<Self, WordTableError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(WordTableError::Magic)?;
        let counts = take(&mut rest, 8)?;
        let (words, tail) = counts.split_at_checked(4).ok_or(WordTableError::Length)?;
        let count = words.try_into().map(u32::from_le_bytes).unwrap_or_default();
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let number = |at: usize| tail.get(at).copied().map_or(0, usize::from);
        let dimensions = number(0) | number(1) << 8 | (number(2) | number(3)) << 16;
        let is_within = (1..=TABLE_WORDS_MAX).contains(&count)
            && (1..=TABLE_DIMENSIONS_MAX).contains(&dimensions);
        if !is_within {
            return Err(WordTableError::Bounds { words: count, dimensions });
        }
        let scales = numbers(take(&mut rest, 4 * count)?)?;
        let weights = numbers(take(&mut rest, 4 * count)?)?;
        let factors = scales.iter().zip(&weights).map(|(scale, weight)| scale * weight).collect();
        let (text, ends) = texts(&mut rest, count)?;
        let vectors = take(&mut rest, count * dimensions)?;
        if !rest.is_empty() {
            return Err(WordTableError::Length);
        }
        let vectors = vectors.iter().map(|it| it.cast_signed()).collect();
        Ok(Self { dimensions, text, ends, factors, vectors })
    }

    /// Numbers of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Words that have a meaning here.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never: a table has at least one word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The row of a word, lower case.
    pub(crate) fn row(&self, word: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.word(middle)?.cmp(word) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return u32::try_from(middle).ok(),
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn word(&self, at: usize) -> Option<&str> {
        let start = at.checked_sub(1).map_or(Some(&0), |it| self.ends.get(it))?;
        let end = self.ends.get(at)?;
        self.text.get(usize::try_from(*start).ok()?..usize::try_from(*end).ok()?)
    }

    /// A row's vector, with the factor that makes numbers of its bytes, its weight included.
    pub(crate) fn vector(&self, row: u32) -> Option<(f32, &[i8])> {
        let row = usize::try_from(row).ok()?;
        let start = row.checked_mul(self.dimensions)?;
        Some((*self.factors.get(row)?, self.vectors.get(start..start + self.dimensions)?))
    }
}

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> Result<&'a [u8], WordTableError> {
    let (taken, left) = rest.split_at_checked(bytes).ok_or(WordTableError::Length)?;
    *rest = left;
    Ok(taken)
}

fn numbers(bytes: &[u8]) -> Result<Vec<f32>, WordTableError> {
    let all = bytes.as_chunks::<4>().0.iter().map(|it| f32::from_le_bytes(*it));
    let checked = all.enumerate().map(|(at, number)| {
        let is_right = (0.0..=1e6).contains(&number);
        is_right.then_some(number).ok_or(WordTableError::Number(at))
    });
    checked.collect()
}

/// The words' text, and where each of them ends.
fn texts(rest: &mut &[u8], count: usize) -> Result<(String, Vec<u32>), WordTableError> {
    let lengths = take(rest, count)?;
    let (mut text, mut ends, mut before) = (String::new(), Vec::with_capacity(count), "");
    for (at, length) in lengths.iter().enumerate() {
        let bytes = take(rest, usize::from(*length))?;
        let word = std::str::from_utf8(bytes).map_err(|_| WordTableError::Word(at))?;
        if word <= before {
            return Err(WordTableError::Word(at));
        }
        text.push_str(word);
        ends.push(u32::try_from(text.len()).map_err(|_| WordTableError::Length)?);
        before = word;
    }
    Ok((text, ends))
}

#[cfg(test)]
pub(crate) mod tests;
