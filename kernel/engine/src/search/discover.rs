//! Which sources a query is about, so that they are connected before it is searched (`[CAT-13]`).
//!
//! | the query | means |
//! |---|---|
//! | has the word "mcp" | every source |
//! | names a source, or the server before it, also by `server:` | that one, or those |
//! | shares a word with a source's hint | that one |
//!
//! Words that go with any tool ("create", "find") mean no source.
//!
//! Invariant: a query that is about none of this starts nothing (test
//! `an_unrelated_query_means_no_source`).
//!
//! Not here: connecting ([`crate::servers`]).

use std::collections::{BTreeMap, BTreeSet};

use tollgate_core::{
    authority::admission::Outright,
    catalog::{Catalog, SourceState},
    name::ServerName,
};
use tollgate_search::stems;

use super::{ask::Ask, limits::DISCOVER_SOURCES_MAX, unsearched::permits};

/// Words of hints that say nothing of a source, because any tool may have them.
const COMMON: &str = "add call change check close create delete do edit execute fetch find get give list make \
    manage mcp new open query read remove run save search send server service set show start stop tool update \
    use view write";

/// What a query is about.
#[derive(Debug, Default)]
pub(super) struct About {
    /// Sources to connect, by server.
    pub(super) wanted: Vec<(ServerName, Vec<String>)>,
    /// Whether it is about servers at all, also such as cannot be connected.
    pub(super) is_about_servers: bool,
}

/// What a query is about, among the sources that policy permits.
pub(super) fn about(ask: &Ask, catalog: &Catalog, outright: &Outright<'_>) -> About {
    let said = Said::of(ask);
    let common = stems(COMMON);
    let mut wanted: BTreeMap<&ServerName, Vec<String>> = BTreeMap::new();
    let missing = catalog.missing().any(|(server, _)| said.names(server.as_str()));
    let (mut is_about_servers, mut count) = (said.is_about_mcp || missing, 0);
    for source in catalog.sources().iter().filter(|source| permits(outright, source)) {
        let is_named = said.names(&source.name) || said.names(source.server.as_str());
        let is_meant = is_named || said.is_about_mcp || said.hints(&source.hint, &common);
        is_about_servers |= is_meant;
        let can_connect = match source.state {
            SourceState::Idle => is_meant,
            // Once more if it is asked for by name.
            SourceState::Failed => is_named,
            SourceState::Ready | SourceState::Disabled => false,
        };
        if can_connect && count < DISCOVER_SOURCES_MAX {
            count += 1;
            wanted.entry(&source.server).or_default().push(source.name.clone());
        }
    }
    let wanted = wanted.into_iter().map(|(server, names)| (server.clone(), names)).collect();
    About { wanted, is_about_servers }
}

/// A query's words.
struct Said {
    /// "mcp" stands in it, and not as the beginning of a tool's name.
    is_about_mcp: bool,
    words: BTreeSet<String>,
    /// The text with words apart, in lower case, for names of several words.
    spaced: String,
}

impl Said {
    fn of(ask: &Ask) -> Self {
        let text = format!("{} {}", ask.query, ask.server.as_deref().unwrap_or_default());
        let mut tokens = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        Self {
            is_about_mcp: tokens.any(|it| it.trim_matches('_').eq_ignore_ascii_case("mcp")),
            words: stems(&text),
            spaced: spaced(&text),
        }
    }

    /// Whether a name stands in it as a whole: `git-hub` as `git_hub` and `Git Hub`.
    fn names(&self, name: &str) -> bool {
        let name = spaced(name);
        name.trim() != "" && self.spaced.contains(&name)
    }

    fn hints(&self, hint: &str, common: &BTreeSet<String>) -> bool {
        stems(hint).iter().any(|word| self.words.contains(word) && !common.contains(word))
    }
}

/// Words in lower case with a blank before and after each.
fn spaced(text: &str) -> String {
    let mut out = String::from(" ");
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()) {
        out.extend(word.chars().flat_map(char::to_lowercase));
        out.push(' ');
    }
    out
}

#[cfg(test)]
mod tests;
