//! Every weight of the ranking, in one place. What they were chosen on is in `tests/bench/README.md`.
//!
//! Invariant: none depends on how many tools there are, nor on their mean length, so that a tool that
//! shares no word with another cannot change its place.

/// The weights in force.
pub(crate) const WEIGHTS: Weights = Weights {
    name: 6.0,
    argument: 1.5,
    server: 2.0,
    title: 2.0,
    hint: 2.0,
    prose: 1.0,
    untrusted: 0.7,
    saturation: 1.2,
    length_share: 0.75,
    length_usual: 16.0,
    rarity: 0.5,
    synonym: 0.5,
    typo: 0.5,
    meaning_half: 16.0,
    meaning: 0.4,
    doubt: 3,
    meaning_alone: 0.5,
    floor: 0.04,
    hatch: 0.5,
};

/// What counts how much.
#[derive(Debug)]
pub(crate) struct Weights {
    /// A word of the name.
    pub(crate) name: f32,
    /// A word of an argument's name.
    pub(crate) argument: f32,
    /// A word of the server's name.
    pub(crate) server: f32,
    /// A word of a trusted title.
    pub(crate) title: f32,
    /// A word of a trusted hint.
    pub(crate) hint: f32,
    /// A word of a trusted description, or of an argument's.
    pub(crate) prose: f32,
    /// A word of any prose of a server that is not trusted.
    pub(crate) untrusted: f32,
    /// BM25's k1: how soon a heavier field stops counting for more.
    pub(crate) saturation: f32,
    /// BM25's b: how much of the length counts.
    pub(crate) length_share: f32,
    /// Distinct words of a tool of usual length. A constant, where BM25 has the mean.
    pub(crate) length_usual: f32,
    /// How fast a word's worth falls with the logarithm of the number of tools that have it. BM25 compares
    /// with the number of all tools instead.
    pub(crate) rarity: f32,
    /// A synonym, of 1 for the word itself.
    pub(crate) synonym: f32,
    /// A word that is near an unknown one, of 1 for the word itself.
    pub(crate) typo: f32,
    /// Words of prose after which a further one counts half in a tool's meaning, of 1 for the first and for
    /// each of the name's: what a tool does is said first.
    pub(crate) meaning_half: f32,
    /// The share of meaning where words know nothing, of 1 for words that know everything.
    pub(crate) meaning: f32,
    /// How fast that share falls with what words know.
    pub(crate) doubt: i32,
    /// The cosine from which on meaning finds a tool that has no word of the query.
    pub(crate) meaning_alone: f32,
    /// The share of what a request asks for that a tool must have to be found by its words.
    pub(crate) floor: f32,
    /// Share of an escape hatch's score from which on another tool is one for the request: the hatch stands
    /// back for it, and not for a stray word.
    pub(crate) hatch: f32,
}
