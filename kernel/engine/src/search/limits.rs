//! Every number of a search's answer: what it bounds, its unit, and what happens at it.
//!
//! Not here: bounds of queries and of the ranking (`tollgate_search::limits`).

use std::time::Duration;

/// Characters of the one line that a tool says of itself; the rest is cut at a word.
pub(super) const DESCRIPTION_CHARS_MAX: usize = 160;
/// Bytes of all cards of an answer; tools beyond it are listed by name alone. Twenty usual cards fit.
pub(super) const CARDS_BYTES_MAX: usize = 6 * 1024;
/// Bytes of whole schemas or declarations in an answer (`[CAT-11]`). One that does not fit is not cut: its
/// size is said instead.
pub(super) const DETAILS_BYTES_MAX: usize = 16 * 1024;
/// Characters of a query or a name that an answer repeats.
pub(super) const ECHO_CHARS_MAX: usize = 80;
/// Characters of a reason that an answer repeats.
pub(super) const REASON_CHARS_MAX: usize = 200;
/// Names of one list of an answer's text; of more the number is said.
pub(super) const NAMES_MAX: usize = 16;
/// Servers and sources that were not searched and are told with their reasons; of more the number is said.
pub(super) const REASONS_MAX: usize = 8;
/// The same in the structured answer.
pub(super) const NOT_SEARCHED_MAX: usize = 64;
/// A match below this share of the best one's score is described and not activated: it is incidental
/// (`B128`).
pub(super) const SCORE_SHARE_MIN: f32 = 0.5;
/// The same below this score, however bad the others are: a stray word is no reason to fill requests.
pub(super) const SCORE_MIN: f32 = 0.2;
/// Tools up to which a search runs where it is asked for. With more, building the index takes long enough
/// to be a matter for a thread of its own.
pub(super) const INLINE_TOOLS_MAX: usize = 256;
/// How long sources may take to connect before a search goes on without them (`[CAT-13]`).
pub(super) const DISCOVER_WITHIN: Duration = Duration::from_secs(5);
/// Sources that one search connects; with more, the first by name.
pub(super) const DISCOVER_SOURCES_MAX: usize = 32;
