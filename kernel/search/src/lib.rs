//! Ranks tools for `tool_search`: exact names first, then words (BM25F) mixed with meaning (a static word
//! table). Pure: documents and a query in, positions and scores out `[CAT-10]` to `[CAT-14]`.
//!
//! | module | job |
//! |---|---|
//! | `document`, `schema` | a tool as the search sees it; arguments out of a schema |
//! | `query` | `select:`, `server:`, `+word`, regular expressions, bounds |
//! | `text`, `stem`, `synonyms` | texts into words, words into stems, stems that stand for each other |
//! | `index` | names in order, words with their tools; built in one pass |
//! | `names`, `terms`, `typo` | what a query names; what its words stand for |
//! | `rank`, `words`, `vectors`, `mix` | the score of words; the word table; meaning; both as one |
//! | `stems` | the words of a text, for whoever compares two |
//! | `filter`, `search`, `found` | who is allowed; the whole of it; the answer |
//! | `limits`, `weights` | every number |
//!
//! Invariants: no clock, no I/O, no randomness that shows; what is not among the documents changes no
//! score, count or text; the order of the documents changes nothing; everything is bounded (`limits.rs`).
//!
//! Not here: which tools a model may find, activating them, the text that it reads (`tollgate-engine`).

mod document;
mod filter;
mod found;
mod index;
pub mod limits;
mod mix;
mod names;
mod query;
mod rank;
mod schema;
mod search;
mod stem;
mod stems;
mod synonyms;
mod terms;
mod text;
mod typo;
mod vectors;
mod weights;
mod words;

pub use document::Document;
pub use found::{Found, Match, Why};
pub use index::Index;
pub use query::{Kind, Query, QueryError};
pub use schema::arguments;
pub use stems::stems;
pub use words::{WordTable, WordTableError};

#[cfg(test)]
mod tests;
