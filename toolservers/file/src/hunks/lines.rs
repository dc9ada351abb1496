//! The lines of a text, numbered by what they hold, so that a run of lines is found in linear time.

use std::{cell::OnceCell, collections::HashMap};

use unicode_normalization::UnicodeNormalization;

use crate::ending::Endings;

/// How alike two lines must be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Alike {
    /// To the byte, breaks aside.
    Exactly,
    /// But for trailing blanks, Unicode form, and bytes that are not UTF-8 and were read as U+FFFD.
    Seen,
}

/// A line's start, the end of what it holds, and its end with the break.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: usize,
    bare: usize,
    end: usize,
}

/// The lines of a text.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a [u8],
    lines: Vec<Line>,
    /// The break of most lines.
    usual: &'static str,
    exactly: OnceCell<Numbers>,
    seen: OnceCell<Numbers>,
}

/// Lines that are alike have the same number.
#[derive(Debug, Default)]
struct Numbers {
    by_key: HashMap<Vec<u8>, u32>,
    of_lines: Vec<u32>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let bare = line.strip_suffix(b"\n").unwrap_or(line);
            let bare = bare.strip_suffix(b"\r").filter(|_| line.ends_with(b"\n")).unwrap_or(bare);
            let end = start + line.len();
            lines.push(Line { start, bare: start + bare.len(), end });
            start = end;
        }
        let usual = if Endings::of(text).mostly_crlf() { "\r\n" } else { "\n" };
        Self { text, lines, usual, exactly: OnceCell::new(), seen: OnceCell::new() }
    }

    pub(super) fn text(&self) -> &'a [u8] {
        self.text
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    /// Whether the last line has no break.
    pub(super) fn is_unended(&self) -> bool {
        self.lines.last().is_some_and(|line| line.bare == line.end)
    }

    /// Where a line starts; the end of the text for the one after the last.
    pub(super) fn start(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |line| line.start)
    }

    /// What a line holds.
    pub(super) fn get(&self, line: usize) -> &'a [u8] {
        let line = self.lines.get(line);
        line.and_then(|line| self.text.get(line.start..line.bare)).unwrap_or_default()
    }

    /// The break of a line; `None`: it has none.
    pub(super) fn ending(&self, line: usize) -> Option<&'static str> {
        let line = self.lines.get(line)?;
        match line.end - line.bare {
            0 => None,
            1 => Some("\n"),
            _ => Some("\r\n"),
        }
    }

    /// The break for a line that comes between two others.
    pub(super) fn ending_near(&self, first: usize, after: usize) -> &'static str {
        let before = first.checked_sub(1).and_then(|before| self.ending(before));
        before.or_else(|| self.ending(after)).unwrap_or(self.usual)
    }

    /// The number, from 1, of the line at a byte.
    pub(super) fn number_at(&self, place: usize) -> usize {
        self.lines.partition_point(|line| line.start <= place).max(1)
    }

    /// The first lines of the places where these lines stand, ascending.
    pub(super) fn find(&self, wanted: &[&str], alike: Alike) -> Vec<usize> {
        let numbers = match alike {
            Alike::Exactly => &self.exactly,
            Alike::Seen => &self.seen,
        };
        let numbers = numbers.get_or_init(|| self.numbers(alike));
        let wanted = wanted.iter().map(|line| numbers.by_key.get(&key(line.as_bytes(), alike)));
        match wanted.map(|number| number.copied()).collect::<Option<Vec<u32>>>() {
            Some(wanted) => places_of(&wanted, &numbers.of_lines),
            None => Vec::new(),
        }
    }

    fn numbers(&self, alike: Alike) -> Numbers {
        let mut numbers = Numbers::default();
        for line in 0..self.count() {
            let next = u32::try_from(numbers.by_key.len()).unwrap_or(u32::MAX);
            let number = *numbers.by_key.entry(key(self.get(line), alike)).or_insert(next);
            numbers.of_lines.push(number);
        }
        numbers
    }
}

fn key(line: &[u8], alike: Alike) -> Vec<u8> {
    match alike {
        Alike::Exactly => line.to_vec(),
        Alike::Seen => {
            String::from_utf8_lossy(line).trim_end().nfd().collect::<String>().into_bytes()
        }
    }
}

/// Where a run of numbers stands in another, also overlapping itself (Knuth, Morris, Pratt).
fn places_of(wanted: &[u32], all: &[u32]) -> Vec<usize> {
    let mut back = vec![0_usize; wanted.len()];
    let fall = |back: &[usize], mut matched: usize, next: u32| {
        while matched > 0 && wanted.get(matched) != Some(&next) {
            matched = back.get(matched - 1).copied().unwrap_or(0);
        }
        matched + usize::from(wanted.get(matched) == Some(&next))
    };
    let mut matched = 0;
    for (at, next) in wanted.iter().enumerate().skip(1) {
        matched = fall(&back, matched, *next);
        if let Some(back) = back.get_mut(at) {
            *back = matched;
        }
    }
    let (mut places, mut matched) = (Vec::new(), 0);
    for (at, next) in all.iter().enumerate() {
        matched = fall(&back, matched, *next);
        if matched == wanted.len() && matched > 0 {
            places.push(at + 1 - matched);
        }
    }
    places
}
