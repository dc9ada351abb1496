//! Which tools a query allows: those of a server, those in which a word occurs.
//!
//! Not here: what authority allows; that is settled before there is an index.

use crate::{index::Index, query::Query, stem, text::words};

/// What `server:` and `+word` leave.
#[derive(Debug)]
pub(crate) struct Filter {
    /// None: everything.
    of_server: Option<Vec<bool>>,
    allowed: Option<Vec<bool>>,
}

impl Filter {
    pub(crate) fn new(index: &Index, query: &Query) -> Self {
        let of_server = query.server.as_deref().map(|server| of_server(index, server));
        let mut allowed = of_server.clone();
        for text in &query.required {
            // Of `+web-search`, each word.
            words(text, |word| {
                let before = allowed.take();
                allowed = Some(with_word(index, word, before.as_deref()));
            });
        }
        Self { of_server, allowed }
    }

    pub(crate) fn allows(&self, tool: u32) -> bool {
        is_set(self.allowed.as_deref(), tool)
    }

    /// Where only the server counts.
    pub(crate) fn allows_server_of(&self, tool: u32) -> bool {
        is_set(self.of_server.as_deref(), tool)
    }

    pub(crate) fn server_is_unknown(&self) -> bool {
        self.of_server.as_ref().is_some_and(|it| !it.contains(&true))
    }
}

fn is_set(set: Option<&[bool]>, tool: u32) -> bool {
    set.is_none_or(|set| usize::try_from(tool).ok().and_then(|it| set.get(it)) == Some(&true))
}

fn of_server(index: &Index, server: &str) -> Vec<bool> {
    index.tools.iter().map(|it| *it.served_by == *server).collect()
}

/// The tools of `before` in which the word occurs.
fn with_word(index: &Index, word: &str, before: Option<&[bool]>) -> Vec<bool> {
    let mut stem = word.to_owned();
    stem::stem(&mut stem);
    let mut set = vec![false; index.tools.len()];
    let term = index.vocabulary.get(stem.as_str()).and_then(|it| index.term(*it));
    for posting in term.into_iter().flat_map(|it| &it.postings) {
        if let Some(slot) = usize::try_from(posting.tool).ok().and_then(|it| set.get_mut(it)) {
            *slot = is_set(before, posting.tool);
        }
    }
    set
}

#[cfg(test)]
mod tests;
