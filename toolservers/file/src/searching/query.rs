//! What is searched for, and in which files, compiled once.

use std::path::Path;

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::{
    failed::{Class, Failed},
    globs::{LeftOut, Wanted},
    limits::{
        GREP_CONTEXT_MAX, GREP_HEAP_BYTES_MAX, GREP_MATCHES, GREP_MATCHES_MAX, NEAREST_MAX,
        REGEX_BYTES_MAX, REGEX_HEAP_BYTES_MAX,
    },
    roots::shown,
};

/// What is shown of the files that match.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Output {
    /// The lines.
    #[default]
    Content,
    /// The paths.
    Files,
    /// The paths, each with its number of matches.
    Count,
}

/// What a caller asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) pattern: String,
    /// Globs of wanted files; with `!` of unwanted ones.
    pub(crate) globs: Vec<String>,
    /// Lines of a .gitignore.
    pub(crate) left_out: Vec<String>,
    /// A file type of ripgrep, or none.
    pub(crate) file_type: Option<String>,
    pub(crate) context: usize,
    pub(crate) output: Output,
    pub(crate) multiline: bool,
    pub(crate) ignore_case: bool,
    /// Matches to show, or files.
    pub(crate) limit: Option<usize>,
}

/// The same, ready to run.
#[derive(Debug)]
pub(crate) struct Query {
    pub(super) matcher: RegexMatcher,
    wanted: Wanted,
    left_out: LeftOut,
    types: Types,
    context: usize,
    multiline: bool,
    pub(crate) output: Output,
    pub(crate) limit: usize,
}

impl Query {
    /// Compiles what is asked for.
    ///
    /// # Errors
    /// `invalid_pattern`, at the argument at fault.
    pub(crate) fn new(terms: &Terms) -> Result<Self, Failed> {
        Ok(Self {
            matcher: matcher(terms).map_err(|failed| failed.at("/pattern"))?,
            wanted: Wanted::new(&terms.globs).map_err(|failed| failed.at("/glob"))?,
            left_out: LeftOut::new(&terms.left_out).map_err(|failed| failed.at("/exclude"))?,
            types: types(terms.file_type.as_deref()).map_err(|failed| failed.at("/type"))?,
            context: terms.context.min(GREP_CONTEXT_MAX),
            multiline: terms.multiline,
            output: terms.output,
            limit: terms.limit.unwrap_or(GREP_MATCHES).clamp(1, GREP_MATCHES_MAX),
        })
    }

    /// Whether a file is to be searched, or a directory entered.
    pub(super) fn wants(&self, path: &Path, is_directory: bool) -> bool {
        let is_type = is_directory || !self.types.matched(path, false).is_ignore();
        is_type && self.wanted.has(path, is_directory) && !self.left_out.has(path, is_directory)
    }

    pub(super) fn searcher(&self) -> Searcher {
        let context = if self.output == Output::Content { self.context } else { 0 };
        let mut builder = SearcherBuilder::new();
        if !self.multiline {
            // As the expression has it: `$` also stands before CRLF.
            builder.line_terminator(LineTerminator::crlf());
        }
        builder
            .line_number(true)
            .multi_line(self.multiline)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(GREP_HEAP_BYTES_MAX))
            .binary_detection(BinaryDetection::quit(0))
            .build()
    }
}

fn matcher(terms: &Terms) -> Result<RegexMatcher, Failed> {
    let pattern = terms.pattern.as_str();
    if pattern.is_empty() || pattern.len() > REGEX_BYTES_MAX {
        let message = format!("the pattern must have 1 to {REGEX_BYTES_MAX} bytes");
        return Err(Failed::new(Class::InvalidPattern, message));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .case_insensitive(terms.ignore_case)
        .size_limit(REGEX_HEAP_BYTES_MAX)
        .dfa_size_limit(REGEX_HEAP_BYTES_MAX);
    if terms.multiline {
        builder.dot_matches_new_line(true);
    } else {
        builder.crlf(true);
    }
    builder.build(pattern).map_err(|error| {
        let spans_lines = !terms.multiline && pattern.contains("\\n");
        let help = if spans_lines || pattern.contains('\n') {
            "Lines are searched one by one; set `multiline` to match across them"
        } else {
            "A character that is meant as it is needs a backslash before it ( ) [ ] { } . * + ? | ^ $; \
             look-around and back-references do not exist here"
        };
        let message = format!("{} is not a regular expression: {error}\n{help}", shown(pattern));
        Failed::new(Class::InvalidPattern, message)
    })
}

fn types(name: Option<&str>) -> Result<Types, Failed> {
    let Some(name) = name else { return Ok(Types::empty()) };
    let mut builder = TypesBuilder::new();
    builder.add_defaults().select(name);
    builder.build().map_err(|_| {
        let mut names = builder.definitions();
        names.sort_by_key(|known| strsim::osa_distance(known.name(), name));
        let near: Vec<&str> = names.iter().take(NEAREST_MAX).map(|known| known.name()).collect();
        let message = format!(
            "\"{}\" is not a file type that grep knows. The nearest: {}. Or use `glob`",
            shown(name),
            near.join(", ")
        );
        Failed::new(Class::InvalidPattern, message)
    })
}
