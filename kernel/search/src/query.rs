//! What is looked for, read from what a model wrote.
//!
//! | text | means |
//! |---|---|
//! | `select:a,b` | these names exactly, nothing else |
//! | `server:NAME` | only tools of that server |
//! | `+word` | only tools in which the word occurs |
//! | anything else | words, and names wherever they stand |
//!
//! Not here: finding it (`search.rs`).

use regex::{Regex, RegexBuilder};

use crate::{
    limits::{
        QUERY_BYTES_MAX, QUERY_NAMES_MAX, QUERY_TERMS_MAX, REGEX_BYTES_MAX,
        REGEX_COMPILED_BYTES_MAX, RESULTS_DEFAULT, RESULTS_MAX,
    },
    text::joined,
};

/// How the text is meant.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Kind {
    /// Words and names, anywhere in a tool's texts.
    #[default]
    Auto,
    /// Names only.
    Name,
    /// A regular expression, case ignored, over names, titles, hints, argument names and the beginning of
    /// descriptions.
    Regex,
}

/// A query that can be searched for.
#[derive(Clone, Debug)]
pub struct Query {
    pub(crate) kind: Kind,
    pub(crate) limit: usize,
    pub(crate) skip: usize,
    /// The server's name, joined.
    pub(crate) server: Option<String>,
    pub(crate) select: Vec<String>,
    pub(crate) required: Vec<String>,
    /// The rest.
    pub(crate) text: String,
    pub(crate) regex: Option<Regex>,
}

/// Why a text is no query.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum QueryError {
    /// Nothing is asked for.
    #[error("the query is empty: say in a few words what the tool must do, or name it")]
    Empty,
    /// It cannot be a request for a tool.
    #[error(
        "the query has {bytes} bytes, more than {QUERY_BYTES_MAX}: say in a few words what the tool must do"
    )]
    TooLong {
        /// Of the text.
        bytes: usize,
    },
    /// The expression is longer than any that names a tool.
    #[error("the regular expression has {bytes} bytes, more than {REGEX_BYTES_MAX}: use words")]
    RegexTooLong {
        /// Of the expression.
        bytes: usize,
    },
    /// It is none, or one that is too costly.
    #[error(
        "not a regular expression that can be used here: {reason}; use words, or kind \"name\""
    )]
    Regex {
        /// In one line.
        reason: String,
    },
}

impl Query {
    /// Reads a query. `limit` is brought between 1 and [`RESULTS_MAX`], none is [`RESULTS_DEFAULT`];
    /// `server` is the same as `server:NAME` in the text.
    ///
    /// # Errors
    /// The text is empty, too long, or no regular expression where it must be one.
    pub fn parse(
        text: &str,
        limit: Option<usize>,
        kind: Kind,
        server: Option<&str>,
    ) -> Result<Self, QueryError> {
        let text = text.trim();
        if text.len() > QUERY_BYTES_MAX {
            return Err(QueryError::TooLong { bytes: text.len() });
        }
        let mut query = Self {
            kind,
            limit: limit.unwrap_or(RESULTS_DEFAULT).clamp(1, RESULTS_MAX),
            skip: 0,
            server: server.map(joined).filter(|it| !it.is_empty()),
            select: Vec::new(),
            required: Vec::new(),
            text: String::new(),
            regex: None,
        };
        match kind {
            Kind::Auto | Kind::Name => query.take_words(text),
            Kind::Regex => query.take_regex(text)?,
        }
        if query.is_empty() { Err(QueryError::Empty) } else { Ok(query) }
    }

    /// Leaves out the first so many matches: the next page.
    #[must_use]
    pub fn skip(self, matches: usize) -> Self {
        Self { skip: matches, ..self }
    }

    fn is_empty(&self) -> bool {
        self.select.is_empty()
            && self.server.is_none()
            && self.required.is_empty()
            && self.text.is_empty()
            && self.regex.is_none()
    }

    fn take_words(&mut self, text: &str) {
        if let Some(names) = text.strip_prefix("select:") {
            let names = names.split([',', ' ', '\n', '\t']).map(str::trim);
            let names = names.filter(|it| !it.is_empty()).take(QUERY_NAMES_MAX);
            self.select = names.map(str::to_owned).collect();
            return;
        }
        for token in text.split_whitespace() {
            if let Some(server) = token.strip_prefix("server:").filter(|it| !it.is_empty()) {
                self.server = Some(joined(server));
            } else if let Some(word) = token.strip_prefix('+').filter(|it| !it.is_empty()) {
                if self.required.len() < QUERY_TERMS_MAX {
                    self.required.push(word.to_owned());
                }
                self.push(word);
            } else {
                self.push(token);
            }
        }
    }

    fn take_regex(&mut self, text: &str) -> Result<(), QueryError> {
        let mut text = text;
        if let Some(rest) = text.strip_prefix("server:") {
            let (server, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            self.server = Some(joined(server)).filter(|it| !it.is_empty());
            text = rest.trim();
        }
        if text.len() > REGEX_BYTES_MAX {
            return Err(QueryError::RegexTooLong { bytes: text.len() });
        }
        if text.is_empty() {
            return Ok(());
        }
        let built = RegexBuilder::new(text)
            .case_insensitive(true)
            .size_limit(REGEX_COMPILED_BYTES_MAX)
            .dfa_size_limit(REGEX_COMPILED_BYTES_MAX)
            .nest_limit(32)
            .build();
        self.regex = Some(built.map_err(|error| QueryError::Regex { reason: reason(&error) })?);
        Ok(())
    }

    fn push(&mut self, token: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(token);
    }
}

/// The last line of a parse error says what is wrong; those before draw it.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests;
