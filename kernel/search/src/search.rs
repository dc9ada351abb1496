//! A search: who may be found, who is named, how near words and meaning are, and the order.
//!
//! | step | what |
//! |---|---|
//! | 1 | `select:` picks names, and that is all |
//! | 2 | filters |
//! | 3 | names in the query come first |
//! | 4 | words and meaning, mixed (`mix.rs`) |
//! | 5 | escape hatches stand back |
//! | 6 | the best are cut out; names survive the cut |
//! | 7 | where nothing matched, the nearest names |
//!
//! Invariants: the same tools and the same query give the same answer, in whatever order the tools were
//! given; ties are broken by name.
//!
//! Not here: showing and activating what was found (`tollgate-engine`).

use std::cmp::Ordering;

use regex::Regex;

use crate::{
    filter::Filter,
    found::{Found, Match, Why},
    index::Index,
    mix,
    names::{self, Named},
    query::{Kind, Query},
    text::joined,
    weights::WEIGHTS,
};

/// A tool on its way into the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) tool: u32,
    pub(crate) score: f32,
    pub(crate) why: Why,
}

impl Index {
    /// Finds what a query asks for.
    #[must_use]
    pub fn search(&self, query: &Query) -> Found {
        if !query.select.is_empty() {
            return self.selected(&query.select);
        }
        let filter = Filter::new(self, query);
        if let Some(regex) = &query.regex {
            let fitting = self.fitting(regex, &filter);
            return self.answer(fitting, &[], query, &filter);
        }
        if query.text.is_empty() {
            let all = (0_u32..).zip(&self.tools).filter(|(tool, _)| filter.allows(*tool));
            let all = all.map(|(tool, _)| Candidate { tool, score: 1.0, why: Why::Server });
            return self.answer(all.collect(), &[], query, &filter);
        }
        let Named { first, last } = names::within(self, &query.text);
        let mut candidates = mix::candidates(self, &query.text, query.kind == Kind::Name);
        let mut named: Vec<_> =
            first.into_iter().filter(|(tool, _)| filter.allows(*tool)).collect();
        // The best reason of each.
        named.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        named.dedup_by_key(|it| it.0);
        candidates.retain(|it| filter.allows(it.tool));
        for candidate in &mut candidates {
            if let Ok(at) = named.binary_search_by_key(&candidate.tool, |it| it.0) {
                candidate.why = named.remove(at).1;
            }
        }
        candidates.extend(named.into_iter().map(|(tool, why)| Candidate { tool, score: 0.0, why }));
        self.hatches_stand_back(&mut candidates, &last);
        let last: Vec<u32> = last.into_iter().filter(|it| filter.allows(*it)).collect();
        self.answer(candidates, &last, query, &filter)
    }

    /// The names that are nearest to a text; at most [`crate::limits::NEAREST_MAX`].
    #[must_use]
    pub fn nearest(&self, text: &str) -> Vec<usize> {
        names::nearest(self, text, |_| true)
    }

    /// Exact names, in the order in which they were asked for.
    fn selected(&self, wanted: &[String]) -> Found {
        let mut found = Found::default();
        for name in wanted {
            let mut tools: Vec<u32> = self.named(&joined(name)).collect();
            // The whole name before what servers call theirs.
            let is_whole = |tool: u32| self.tool(tool).is_some_and(|it| *it.name == **name);
            if tools.iter().any(|it| is_whole(*it)) {
                tools.retain(|it| is_whole(*it));
            }
            if tools.is_empty() {
                found.missing.push(name.clone());
                found.nearest.extend(self.nearest(name));
            }
            for index in tools.into_iter().filter_map(|it| usize::try_from(it).ok()) {
                if found.matches.iter().all(|it| it.index != index) {
                    found.matches.push(Match { index, score: 1.0, why: Why::Name });
                }
            }
        }
        found.matched_total = found.matches.len();
        let mut seen = std::collections::BTreeSet::new();
        found.nearest.retain(|it| seen.insert(*it));
        found.nearest.truncate(crate::limits::NEAREST_MAX);
        found
    }

    fn fitting(&self, regex: &Regex, filter: &Filter) -> Vec<Candidate> {
        let allowed = (0_u32..).zip(&self.tools).filter(|(tool, _)| filter.allows(*tool));
        let fitting = allowed.filter_map(|(tool, it)| {
            let score = if regex.is_match(&it.name) || regex.is_match(&it.short) {
                1.0
            } else if regex.is_match(&it.text) {
                0.5
            } else {
                return None;
            };
            Some(Candidate { tool, score, why: Why::Regex })
        });
        fitting.collect()
    }

    /// A tool that can do anything comes after the best specific one, unless it is named.
    fn hatches_stand_back(&self, candidates: &mut [Candidate], last: &[u32]) {
        let is_hatch = |it: &Candidate| {
            it.why < Why::Prefix
                && !last.contains(&it.tool)
                && self.tool(it.tool).is_some_and(|it| it.escape_hatch)
        };
        let specific = candidates.iter().filter(|it| it.why < Why::Prefix && !is_hatch(it));
        let best = specific.map(|it| it.score).fold(0.0, f32::max);
        for hatch in candidates.iter_mut().filter(|it| is_hatch(it)) {
            if best > 0.0 && best >= hatch.score * WEIGHTS.hatch {
                hatch.score = hatch.score.min(best * 0.999);
            }
        }
    }

    /// Orders, cuts, and says what was cut.
    fn answer(
        &self,
        mut all: Vec<Candidate>,
        last: &[u32],
        query: &Query,
        filter: &Filter,
    ) -> Found {
        let matched_total = all.len();
        let named = all.iter().filter(|it| it.why >= Why::ShortName).count();
        // Names always survive; a later page has none of them left.
        let end = query.skip.saturating_add(query.limit).max(named);
        if end < all.len() {
            all.select_nth_unstable_by(end, |a, b| self.order(a, b));
        }
        let cut = all.split_off(end.min(all.len()));
        all.sort_unstable_by(|a, b| self.order(a, b));
        if query.skip == 0 {
            all.extend(cut.into_iter().filter(|it| last.contains(&it.tool)));
        }
        let shown = all.into_iter().skip(query.skip).filter_map(|it| {
            let index = usize::try_from(it.tool).ok()?;
            let score = if it.why >= Why::ShortName { 1.0 } else { it.score.clamp(0.0, 1.0) };
            Some(Match { index, score, why: it.why })
        });
        let matches: Vec<Match> = shown.collect();
        let nearest = if matched_total == 0 {
            names::nearest(self, &query.text, |it| filter.allows_server_of(it))
        } else {
            Vec::new()
        };
        let server_is_unknown = filter.server_is_unknown();
        Found { matches, matched_total, nearest, missing: Vec::new(), server_is_unknown }
    }

    /// Named before not named, then the score, then our own tools, then the name.
    fn order(&self, a: &Candidate, b: &Candidate) -> Ordering {
        let rank = |it: &Candidate| if it.why >= Why::Prefix { Some(it.why) } else { None };
        let name = |it: &Candidate| self.tool(it.tool).map(|it| (!it.native, &it.name, &it.server));
        rank(b)
            .cmp(&rank(a))
            .then(b.score.total_cmp(&a.score))
            .then_with(|| name(a).cmp(&name(b)))
            .then(a.tool.cmp(&b.tool))
    }
}

#[cfg(test)]
mod tests;
