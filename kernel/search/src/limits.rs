//! Every number of the search: what it bounds, its unit, and why it is what it is.
//!
//! Not here: weights of the ranking (`weights.rs`), which bound nothing.

/// Tools of one index. More are left out, and said: `[CAT-08]` speaks of 100,000.
pub const DOCUMENTS_MAX: usize = 100_000;
/// Bytes of a query. A longer one is no query: a text of that size is not looking for a tool.
pub const QUERY_BYTES_MAX: usize = 4_096;
/// Words of a query that count; later ones are ignored.
pub const QUERY_TERMS_MAX: usize = 48;
/// Names that one query may pick or list, so that what survives every cut is bounded.
pub const QUERY_NAMES_MAX: usize = 64;
/// Results of one search at most `[CAT-10]`.
pub const RESULTS_MAX: usize = 20;
/// Results of one search where nothing is asked for `[CAT-10]`.
pub const RESULTS_DEFAULT: usize = 5;
/// Names that are offered when nothing was found.
pub const NEAREST_MAX: usize = 5;

/// Bytes of a word; the rest of a longer one is not compared.
pub const WORD_BYTES_MAX: usize = 48;
/// Words of one field that are read, of a tool whose server is trusted.
pub const FIELD_WORDS_MAX: usize = 512;
/// Words of prose (title, hint, descriptions) that are read of a tool whose server is not trusted, all
/// fields together: what stuffs keywords gets no further than this.
pub const UNTRUSTED_WORDS_MAX: usize = 96;
/// Bytes of one field that are looked at, before words are counted.
pub const FIELD_BYTES_MAX: usize = 16 * 1_024;
/// Arguments of a tool that are read, nested ones included.
pub const ARGUMENTS_MAX: usize = 128;
/// Levels of a schema below which arguments are not looked for.
pub const SCHEMA_DEPTH_MAX: usize = 6;

/// Bytes of a regular expression.
pub const REGEX_BYTES_MAX: usize = 256;
/// Bytes of a compiled regular expression, and of its cache: `x{1000}{1000}` is refused, not compiled.
pub const REGEX_COMPILED_BYTES_MAX: usize = 256 * 1_024;
/// Bytes of a tool's text that a regular expression is tried on.
pub const REGEX_TEXT_BYTES_MAX: usize = 1_024;

/// Letters of a word from which on one wrong letter is forgiven, and two.
pub const TYPO_LETTERS_MIN: [usize; 2] = [4, 9];
/// Known words that one unknown word may stand for.
pub const TYPO_WORDS_MAX: usize = 3;

/// Words of a word table.
pub const TABLE_WORDS_MAX: usize = 100_000;
/// Dimensions of a word table.
pub const TABLE_DIMENSIONS_MAX: usize = 256;
