//! The word table: what words mean, as small vectors. Read from bytes, checked, never trusted.
//!
//! The one that comes with the program is `data/words.bin`; how it is made stands in `distil/README.md`.
//!
//! # Format (little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `TGWORDS1` |
//! | 4 | `n`: words, 1 to [`TABLE_WORDS_MAX`] |
//! | 2 | `d`: dimensions, 1 to [`TABLE_DIMENSIONS_MAX`] |
//! | 2 | zero |
//! | 4 n | factor of each word, what makes numbers of its bytes and says how much it weighs: 0 to 10⁶ |
//! | n | bytes of each word, 1 to 255 |
//! | sum of these | the words, UTF-8, lower case, sorted by bytes, none twice |
//! | n d | the vectors, signed bytes; a component is byte × factor |
//!
//! A text's vector is the sum of the vectors of its words that are in the table, each word as `text.rs`
//! takes texts apart; what two texts share is the cosine of their vectors.
//!
//! Invariants: nothing after the last vector; a table that breaks a rule is an error, not a smaller table
//! (test `any_cut_or_flipped_table_is_an_error_or_harmless`).

use std::{
    cmp::Ordering,
    sync::{Arc, LazyLock},
};

use crate::{
    limits::{TABLE_DIMENSIONS_MAX, TABLE_WORDS_MAX},
    stem,
};

const MAGIC: &[u8] = b"TGWORDS1";

static BUILT_IN: LazyLock<Arc<WordTable>> = LazyLock::new(|| {
    // That it parses is a test. If it did not, meaning would be off, and words still be found.
    let table = WordTable::parse(include_bytes!("../data/words.bin"));
    Arc::new(table.unwrap_or_default())
});

/// Words with their vectors.
#[derive(Clone, Debug, Default)]
pub struct WordTable {
    dimensions: usize,
    /// All words, one after the other, and where each ends.
    text: String,
    ends: Vec<u32>,
    /// Of each word.
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
    #[error("word {0} of the table has a factor that is not a number from 0 up")]
    Number(usize),
    /// Words must be UTF-8, sorted, and each there once.
    #[error("word {0} of the table is not UTF-8, empty, or not after the one before")]
    Word(usize),
}

impl WordTable {
    /// The table of this program, read once, when it is first asked for (a few milliseconds).
    #[must_use]
    pub fn built_in() -> Arc<Self> {
        Arc::clone(&BUILT_IN)
    }

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
        let factors = numbers(take(&mut rest, 4 * count)?)?;
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

    /// Never, of a table that was read: it has at least one word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The row of a word, lower case; of its stem where only that is there (`chatting`).
    pub(crate) fn row_of(&self, word: &str) -> Option<u32> {
        let stemmed = || {
            let mut stem = word.to_owned();
            stem::stem(&mut stem);
            self.row(&stem)
        };
        self.row(word).or_else(stemmed)
    }

    fn row(&self, word: &str) -> Option<u32> {
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

    /// A row's vector, with the factor that makes numbers of its bytes.
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
