//! What the figures of `tool_search` need: public sets, plain BM25 beside ours, quality as numbers, and a
//! large catalog of made-up tools.
//!
//! Not here: the figures (`figures/perf_10.rs`, `figures/perf_11.rs`).

pub(crate) mod plain;
pub(crate) mod quality;
pub(crate) mod sets;
pub(crate) mod synthetic;

use tollgate_search::{Document, Index, WordTable};

/// `[tools] semantic_search`, off and on; both are measured, and must both be good enough.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Setting {
    /// Words alone.
    Words,
    /// Words and the meaning that the word table gives them `[CAT-11b]`.
    Meaning,
}

impl Setting {
    pub(crate) const ALL: [Self; 2] = [Self::Words, Self::Meaning];

    /// As figures name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Meaning => "words + meaning",
        }
    }

    /// An index with it.
    pub(crate) fn index(self, documents: &[Document<'_>]) -> Index {
        match self {
            Self::Words => Index::new(documents),
            Self::Meaning => Index::with_table(documents, WordTable::built_in()),
        }
    }
}
