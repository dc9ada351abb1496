//! What the figures of `tool_search` need: public sets, plain BM25 beside ours, quality as numbers, and a
//! large catalog of made-up tools.
//!
//! Not here: the figures (`figures/perf_10.rs`, `figures/perf_11.rs`).

pub(crate) mod plain;
pub(crate) mod quality;
pub(crate) mod sets;
pub(crate) mod synthetic;

use tollgate_search::{Document, Index};

/// The index that the figures are of.
pub(crate) fn index(documents: &[Document<'_>]) -> Index {
    Index::new(documents)
}
