//! Who has a name (`[CAT-03]`): a native tool wins over any other; tools of other servers that claim one
//! name are all told apart by their servers' names, so that none is called for another.

use std::collections::BTreeMap;

use super::Entry;
use crate::name::{ServerName, ToolName};

/// A name that several servers claim.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Clash {
    /// The name.
    pub name: ToolName,
    /// The native server that has it now; `None`: nobody has.
    pub winner: Option<ServerName>,
    /// Who else claims it, and the name that its tool has instead; `None`: that one is taken too.
    pub renamed: Vec<(ServerName, Option<ToolName>)>,
}

/// Gives every tool a name of its own, in order of names.
pub(super) fn settle(mut entries: Vec<Entry>) -> (BTreeMap<ToolName, Entry>, Vec<Clash>) {
    // By name, then natives first, then by server: whatever the order of registration.
    entries.sort_by(|a, b| {
        (&a.name, a.provenance, &a.server).cmp(&(&b.name, b.provenance, &b.server))
    });
    let mut settled: BTreeMap<ToolName, Entry> = BTreeMap::new();
    let (mut claims, mut clashes) = (Vec::new(), Vec::new());
    let mut rest = entries.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut others = Vec::new();
        while let Some(other) = rest.next_if(|it| it.name == first.name) {
            others.push(other);
        }
        if others.is_empty() || first.is_native() {
            if !others.is_empty() {
                claims.push((first.name.clone(), Some(first.server.clone()), others));
            }
            settled.insert(first.name.clone(), first);
        } else {
            let name = first.name.clone();
            others.insert(0, first);
            claims.push((name, None, others));
        }
    }
    // Once all undisputed names are given, so that a new name takes nobody's.
    for (name, winner, others) in claims {
        let mut renamed = Vec::new();
        for other in others {
            let server = other.server.clone();
            let free = told_apart(&server, &name).filter(|it| !settled.contains_key(it.as_str()));
            if let Some(free) = &free {
                settled.insert(free.clone(), Entry { name: free.clone(), ..other });
            }
            renamed.push((server, free));
        }
        clashes.push(Clash { name, winner, renamed });
    }
    (settled, clashes)
}

/// `notes_search` for the tool `search` of server `notes`.
fn told_apart(server: &ServerName, name: &ToolName) -> Option<ToolName> {
    ToolName::try_from(format!("{}_{name}", server.as_str().replace('-', "_"))).ok()
}

impl Clash {
    /// In words, for `tools list`, `doctor` and errors.
    #[must_use]
    pub fn sentence(&self) -> String {
        let other = |(server, name): &(ServerName, Option<ToolName>)| match name {
            Some(name) => format!("that of '{server}' is called '{name}'"),
            None => format!("that of '{server}' cannot be called: its other name is taken too"),
        };
        let others: Vec<_> = self.renamed.iter().map(other).collect();
        let others = others.join(", ");
        match &self.winner {
            Some(winner) => format!("'{}' is the tool of '{winner}'; {others}", self.name),
            None => format!("several servers have a tool '{}': {others}", self.name),
        }
    }
}
