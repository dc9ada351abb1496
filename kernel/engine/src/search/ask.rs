//! What is asked for: the arguments of `tool_search`, which its schema has checked.

use serde::Deserialize;
use serde_json::Value;
use tollgate_search::{Kind, Query};

/// The arguments.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Ask {
    /// As it was written.
    pub(super) query: String,
    limit: Option<usize>,
    /// Matches that are left out at the beginning.
    #[serde(default)]
    pub(super) skip: usize,
    #[serde(default)]
    kind: Word,
    /// Only this server's tools.
    pub(super) server: Option<String>,
    /// How much is told of each tool.
    #[serde(default)]
    pub(super) format: Format,
}

/// How much is told of each tool.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// A signature and a line.
    #[default]
    Card,
    /// Its whole schema beside.
    Schema,
    /// Its declaration in TypeScript beside.
    Types,
    /// Its name alone.
    Names,
}

/// [`Kind`] as it is written.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    #[default]
    Auto,
    Name,
    Regex,
}

impl Ask {
    /// Reads the arguments.
    ///
    /// # Errors
    /// Why they are no query, with what helps.
    pub(super) fn read(arguments: &Value) -> Result<(Self, Query), String> {
        let ask = Self::deserialize(arguments).map_err(|error| error.to_string())?;
        let kind = match ask.kind {
            Word::Auto => Kind::Auto,
            Word::Name => Kind::Name,
            Word::Regex => Kind::Regex,
        };
        let query = Query::parse(&ask.query, ask.limit, kind, ask.server.as_deref())
            .map_err(|error| error.to_string())?;
        let query = query.skip(ask.skip);
        Ok((ask, query))
    }

    /// Matches of a page, where no more are named.
    pub(super) fn limit(&self) -> usize {
        let limit = self.limit.unwrap_or(tollgate_search::limits::RESULTS_DEFAULT);
        limit.clamp(1, tollgate_search::limits::RESULTS_MAX)
    }
}
