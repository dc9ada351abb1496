//! Typed access to a TOML text that knows where everything stands, and that remembers all faults.
//!
//! Invariant: a reader that asked for a value and got none either found no such key, or left a fault;
//! [`parse`] gives nothing away while there is one fault (test `every_fault_is_told_with_its_place`).

use std::{cell::RefCell, ops::RangeInclusive, path::Path};

use tollgate_core::name::nearest;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    PolicyError, PolicyFault,
    limits::{FAULT_CHARS_MAX, FAULTS_MAX},
};

#[cfg(test)]
mod tests;

/// Where one file's faults are gathered.
#[derive(Debug)]
struct Page<'a> {
    file: &'a Path,
    /// Byte offsets of the line ends.
    ends: Vec<usize>,
    faults: RefCell<Vec<PolicyFault>>,
}

/// One table of a file.
#[derive(Clone, Debug)]
pub(crate) struct Table<'a> {
    page: &'a Page<'a>,
    entries: &'a DeTable<'a>,
    /// With dots; empty: the file.
    path: String,
    at: usize,
}

/// A text and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Spot<'a> {
    /// Never empty.
    pub(crate) text: &'a str,
    /// Byte offset.
    pub(crate) at: usize,
}

/// Reads a text as TOML, then by `read`.
///
/// # Errors
/// Every fault, by lines.
pub(crate) fn parse<T>(
    file: &Path,
    text: &str,
    read: impl FnOnce(&Table<'_>) -> T,
) -> Result<T, PolicyError> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at);
    let page = Page { file, ends: ends.collect(), faults: RefCell::default() };
    let parsed = match DeTable::parse(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let what = format!("this is no TOML: {}", error.message());
            page.fault(at, String::new(), what);
            return Err(PolicyError(page.faults.into_inner()));
        }
    };
    let table = Table { page: &page, entries: parsed.get_ref(), path: String::new(), at: 0 };
    let value = read(&table);
    let mut faults = page.faults.take();
    faults.sort_by_key(|fault| fault.line);
    if faults.is_empty() { Ok(value) } else { Err(PolicyError(faults)) }
}

impl Page<'_> {
    fn line(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end < at) + 1
    }

    fn fault(&self, at: usize, key: String, what: String) {
        if self.faults.borrow().len() >= FAULTS_MAX {
            return;
        }
        let fault = PolicyFault {
            file: self.file.to_owned(),
            line: Some(self.line(at)),
            key,
            what: plain(&what),
        };
        self.faults.borrow_mut().push(fault);
    }
}

impl<'a> Table<'a> {
    /// From 1.
    pub(crate) fn line(&self) -> usize {
        self.page.line(self.at)
    }

    /// The line of a byte of this file.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        self.page.line(at)
    }

    /// The file.
    pub(crate) fn file(&self) -> &'a Path {
        self.page.file
    }

    /// "rule.tool" for the key `tool` of a `[[rule]]`.
    pub(crate) fn dotted(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Notes a fault of the table itself.
    pub(crate) fn fault(&self, what: impl Into<String>) {
        self.page.fault(self.at, self.path.clone(), what.into());
    }

    /// Notes a fault of a key that is there, or of the table if it is not.
    pub(crate) fn fault_of(&self, key: &str, what: impl Into<String>) {
        let at = self.entries.get_key_value(key).map_or(self.at, |(name, _)| name.span().start);
        self.page.fault(at, self.dotted(key), what.into());
    }

    /// Notes a fault of a value of a key.
    pub(crate) fn fault_at(&self, key: &str, at: usize, what: impl Into<String>) {
        self.page.fault(at, self.dotted(key), what.into());
    }

    /// Every other key is a fault.
    pub(crate) fn only(&self, known: &[&str]) {
        for name in self.entries.keys() {
            let key = name.get_ref().as_ref();
            if !known.contains(&key) {
                let hint = hint(key, known.iter().copied());
                let what = format!("there is no such key{hint}; there are: {}", known.join(", "));
                self.page.fault(name.span().start, self.dotted(&shorten(key)), what);
            }
        }
    }

    /// Whether the key is there, whatever its value.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// A text that is not empty.
    pub(crate) fn text(&self, key: &str) -> Option<Spot<'a>> {
        self.spot(key, self.entries.get(key)?, "a text")
    }

    /// One of some words, by what it stands for.
    pub(crate) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let spot = self.text(key)?;
        self.known(key, &spot, words)
    }

    /// What a text stands for, which must be one of some words.
    pub(crate) fn known<T: Copy>(
        &self,
        key: &str,
        spot: &Spot<'_>,
        words: &[(&str, T)],
    ) -> Option<T> {
        let found = words.iter().find(|(word, _)| *word == spot.text);
        if found.is_none() {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let hint = hint(spot.text, names.iter().copied());
            let what = format!(
                "\"{}\" is none of {}{hint}",
                shorten(spot.text),
                names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
            );
            self.page.fault(spot.at, self.dotted(key), what);
        }
        found.map(|(_, meant)| *meant)
    }

    /// A list of texts, none empty. The list itself may be.
    pub(crate) fn texts(&self, key: &str) -> Option<Vec<Spot<'a>>> {
        let value = self.entries.get(key)?;
        let DeValue::Array(items) = value.get_ref() else {
            self.mismatch(key, value, "a list of texts");
            return None;
        };
        items.iter().map(|item| self.spot(key, item, "a list of texts")).collect()
    }

    /// A text, or a list of texts with one at least.
    pub(crate) fn text_or_texts(&self, key: &str) -> Option<Vec<Spot<'a>>> {
        if self.is_text(key) {
            return self.text(key).map(|spot| vec![spot]);
        }
        let texts = self.texts(key)?;
        if texts.is_empty() {
            self.fault_of(key, "the list is empty; leave the key out if it means nothing");
            return None;
        }
        Some(texts)
    }

    /// Whether the value is one text and no list.
    pub(crate) fn is_text(&self, key: &str) -> bool {
        self.entries.get(key).is_some_and(|value| value.get_ref().is_str())
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        let value = self.entries.get(key)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.mismatch(key, value, "true or false");
        }
        flag
    }

    /// A whole number within bounds.
    pub(crate) fn count(&self, key: &str, bounds: RangeInclusive<u64>) -> Option<u64> {
        let value = self.entries.get(key)?;
        let number = value.get_ref().as_integer();
        let number = number.and_then(|number| {
            u64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok()
        });
        let number = number.filter(|number| bounds.contains(number));
        if number.is_none() {
            let wanted = format!("a whole number from {} to {}", bounds.start(), bounds.end());
            self.mismatch(key, value, &wanted);
        }
        number
    }

    /// A date, a date with a time, or a text of either, as a text.
    pub(crate) fn moment(&self, key: &str) -> Option<(String, usize)> {
        let value = self.entries.get(key)?;
        if let DeValue::Datetime(moment) = value.get_ref() {
            return Some((moment.to_string(), value.span().start));
        }
        let spot = self.spot(key, value, "a date such as 2027-01-31 or 2027-01-31T12:00:00Z")?;
        Some((spot.text.to_owned(), spot.at))
    }

    /// A table.
    pub(crate) fn table(&self, key: &str) -> Option<Self> {
        let (name, value) = self.entries.get_key_value(key)?;
        let DeValue::Table(entries) = value.get_ref() else {
            self.mismatch(key, value, "a table");
            return None;
        };
        Some(Self { page: self.page, entries, path: self.dotted(key), at: name.span().start })
    }

    /// The tables of `[[key]]`, at most `max`.
    pub(crate) fn tables(&self, key: &str, max: usize) -> Vec<Self> {
        let Some((_, value)) = self.entries.get_key_value(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            self.mismatch(key, value, &format!("written as [[{key}]]"));
            return Vec::new();
        };
        if items.len() > max {
            self.fault_of(
                key,
                format!("there are {} of them, and {max} are the most", items.len()),
            );
            return Vec::new();
        }
        let mut tables = Vec::with_capacity(items.len());
        for item in items {
            let DeValue::Table(entries) = item.get_ref() else {
                self.mismatch(key, item, &format!("written as [[{key}]]"));
                continue;
            };
            let (path, at) = (self.dotted(key), item.span().start);
            tables.push(Self { page: self.page, entries, path, at });
        }
        tables
    }

    fn spot(&self, key: &str, value: &'a Spanned<DeValue<'a>>, wanted: &str) -> Option<Spot<'a>> {
        match value.get_ref().as_str() {
            Some("") => {
                self.page.fault(value.span().start, self.dotted(key), "the text is empty".into());
                None
            }
            Some(text) => Some(Spot { text, at: value.span().start }),
            None => {
                self.mismatch(key, value, wanted);
                None
            }
        }
    }

    fn mismatch(&self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) {
        let what = format!("must be {wanted}, and is {}", shown(value.get_ref()));
        self.page.fault(value.span().start, self.dotted(key), what);
    }
}

/// "; did you mean 'x'?", or nothing.
pub(crate) fn hint<'n>(asked: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let near = nearest(asked, names);
    near.first().map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

/// What a fault says, which may quote what a project wrote: one line of bounded length, nothing that a
/// terminal would obey.
fn plain(what: &str) -> String {
    let mut plain = String::new();
    for c in what.chars().take(FAULT_CHARS_MAX) {
        if c.is_control() { plain.extend(c.escape_default()) } else { plain.push(c) }
    }
    plain
}

/// A text in an error: cut short, control characters visible.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.chars().nth(60).is_some() {
        short.push('…');
    }
    short
}

fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{}\"", shorten(text)),
        DeValue::Integer(number) => format!("the number {}", shorten(number.as_str())),
        DeValue::Float(number) => format!("the number {}", shorten(number.as_str())),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
