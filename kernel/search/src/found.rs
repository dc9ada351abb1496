//! What a search answers.
//!
//! Not here: how it is shown (`tollgate-engine`).

/// Answer to a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// At most the query's limit, the best first; names that stand in the query come on top of that.
    pub matches: Vec<Match>,
    /// How many matched in all, those in `matches` included.
    pub matched_total: usize,
    /// Where nothing matched, or a name that was picked is not there: the nearest names, as positions of
    /// documents. May be empty: some texts are near nothing.
    pub nearest: Vec<usize>,
    /// Names of `select:` that no tool has.
    pub missing: Vec<String>,
    /// A server was asked for of which no tool is known.
    pub server_is_unknown: bool,
}

/// One tool that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// The position of its document.
    pub index: usize,
    /// From 0 to 1; 1 where it is named.
    pub score: f32,
    /// What found it.
    pub why: Why,
}

/// What found a tool; the first that applies.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Why {
    /// Its meaning is near, though no word is.
    Meaning,
    /// Words of it are asked for, or synonyms of them.
    Words,
    /// The expression fits.
    Regex,
    /// It belongs to the server that was asked for, and nothing else was.
    Server,
    /// Its name begins with what was asked for.
    Prefix,
    /// Its name without its server's is asked for.
    ShortName,
    /// Its name is asked for.
    Name,
}

impl Why {
    /// One word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Meaning => "meaning",
            Self::Words => "words",
            Self::Regex => "regex",
            Self::Server => "server",
            Self::Prefix => "prefix",
            Self::ShortName => "short name",
            Self::Name => "name",
        }
    }
}
