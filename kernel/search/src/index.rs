//! The index: names in order, words with the tools that they occur in.
//!
//! A word's weight in a tool is that of the best field it occurs in, not how often it occurs: repeating a
//! keyword gains nothing. It is dampened by the tool's number of distinct words (BM25F).
//!
//! Invariants: built in one pass; the same tools in any order make the same scores (test
//! `registration_order_changes_nothing`); a document's impacts depend on no other document.
//!
//! Not here: searching (`search.rs`).

mod reader;

use std::{collections::HashMap, sync::Arc};

use crate::{
    document::Document,
    limits::{DOCUMENTS_MAX, REGEX_TEXT_BYTES_MAX},
    text::{beginning, joined},
    typo::Shape,
    vectors::Vectors,
    words::WordTable,
};

use reader::Reader;

/// Tools, ready to be searched.
#[derive(Debug, Default)]
pub struct Index {
    pub(crate) tools: Vec<Tool>,
    /// Every spelling of every name, joined, in order.
    pub(crate) names: Vec<Name>,
    /// Stem → position in `terms`. Only looked up, never walked: its order is random.
    pub(crate) vocabulary: HashMap<Box<str>, u32>,
    pub(crate) terms: Vec<Term>,
    pub(crate) vectors: Option<Vectors>,
    left_out: usize,
}

/// What is kept of a document.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: Box<str>,
    pub(crate) server: Box<str>,
    /// The server's name, joined: what `server:` is compared with.
    pub(crate) served_by: Arc<str>,
    /// The name as its own server has it.
    pub(crate) short: Box<str>,
    /// What a regular expression is tried on.
    pub(crate) text: Box<str>,
    pub(crate) native: bool,
    pub(crate) escape_hatch: bool,
}

/// One spelling of a tool's name.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Name {
    pub(crate) joined: Box<str>,
    pub(crate) tool: u32,
    /// Its letters.
    pub(crate) shape: Shape,
}

impl Name {
    fn new(joined: Box<str>, tool: u32) -> Self {
        Self { shape: Shape::of(&joined), joined, tool }
    }
}

/// A stem and where it occurs.
#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) stem: Box<str>,
    pub(crate) shape: Shape,
    pub(crate) postings: Vec<Posting>,
}

/// A stem in one tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posting {
    pub(crate) tool: u32,
    /// The weight of its best field, dampened by the tool's length.
    pub(crate) impact: f32,
    /// It is a word of the name.
    pub(crate) in_name: bool,
}

impl Index {
    /// Takes the first [`DOCUMENTS_MAX`] documents in.
    #[must_use]
    pub fn new(documents: &[Document<'_>]) -> Self {
        Self::build(documents, None)
    }

    /// The same, with meanings: words that do not occur may still find a tool `[CAT-11b]`.
    #[must_use]
    pub fn with_table(documents: &[Document<'_>], table: Arc<WordTable>) -> Self {
        Self::build(documents, Some(table))
    }

    /// Tools that can be found.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether nothing can be found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Documents beyond [`DOCUMENTS_MAX`], which cannot be found.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    fn build(documents: &[Document<'_>], table: Option<Arc<WordTable>>) -> Self {
        let taken = documents.get(..DOCUMENTS_MAX).unwrap_or(documents);
        let mut index = Self { left_out: documents.len() - taken.len(), ..Self::default() };
        let mut reader = Reader::new(table);
        let mut servers: HashMap<&str, Arc<str>> = HashMap::new();
        for (document, number) in taken.iter().zip(0_u32..) {
            reader.read(&mut index, number, document);
            let served_by =
                servers.entry(document.server).or_insert_with(|| joined(document.server).into());
            let tool = Tool::new(document, Arc::clone(served_by));
            index.names.extend(tool.spellings().map(|it| Name::new(it, number)));
            index.tools.push(tool);
        }
        index.names.sort_unstable();
        index.names.dedup();
        index.vectors = reader.vectors();
        index
    }

    /// Tools that have a name of this spelling, joined.
    pub(crate) fn named(&self, spelling: &str) -> impl Iterator<Item = u32> {
        self.names_from(spelling).take_while(move |it| *it.joined == *spelling).map(|it| it.tool)
    }

    /// Names from this spelling on, in order.
    pub(crate) fn names_from(&self, spelling: &str) -> impl Iterator<Item = &Name> {
        let start = self.names.partition_point(|it| *it.joined < *spelling);
        self.names.get(start..).into_iter().flatten()
    }

    pub(crate) fn term(&self, number: u32) -> Option<&Term> {
        self.terms.get(usize::try_from(number).ok()?)
    }

    pub(crate) fn tool(&self, number: u32) -> Option<&Tool> {
        self.tools.get(usize::try_from(number).ok()?)
    }
}

impl Tool {
    fn new(document: &Document<'_>, served_by: Arc<str>) -> Self {
        let Document { name, server, .. } = *document;
        let mut text = format!("{name}\n{}\n{}\n", document.title, document.hint);
        for (argument, _) in document.arguments {
            if text.len() >= REGEX_TEXT_BYTES_MAX {
                break;
            }
            text.push_str(argument);
            text.push(' ');
        }
        text.push('\n');
        text.push_str(beginning(document.description, REGEX_TEXT_BYTES_MAX));
        Self {
            name: name.into(),
            server: server.into(),
            served_by,
            short: short(name, server).into(),
            text: beginning(&text, REGEX_TEXT_BYTES_MAX).into(),
            native: document.native,
            escape_hatch: document.escape_hatch,
        }
    }

    /// `mcp_github_create_issue` is also called `create_issue` and `github.create_issue`.
    fn spellings(&self) -> impl Iterator<Item = Box<str>> {
        let short = joined(&self.short);
        let served = format!("{}{short}", self.served_by);
        let all = [joined(&self.name), short, served];
        all.into_iter().filter(|it| !it.is_empty()).map(String::into_boxed_str)
    }
}

/// A name without `mcp`, without its server and without what is between.
fn short<'a>(name: &'a str, server: &str) -> &'a str {
    let is_between = |c: char| !c.is_alphanumeric();
    let bare = name.strip_prefix("mcp_").unwrap_or(name).trim_start_matches(is_between);
    let without = without_server(bare, server).map(|it| it.trim_start_matches(is_between));
    without.filter(|it| !it.is_empty()).unwrap_or(bare)
}

/// What follows the server's name, where the name begins with it as a whole: `git_log` of `git`, and not
/// `github_log`. Separators and case do not count.
fn without_server<'a>(name: &'a str, server: &str) -> Option<&'a str> {
    let mut wanted = server.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    let mut next = wanted.next()?;
    for (at, c) in name.char_indices() {
        if !c.is_alphanumeric() {
            continue;
        }
        if !c.to_lowercase().eq([next]) {
            return None;
        }
        match wanted.next() {
            Some(c) => next = c,
            None => {
                let rest = name.get(at + c.len_utf8()..)?;
                return rest.starts_with(|c: char| !c.is_alphanumeric()).then_some(rest);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
