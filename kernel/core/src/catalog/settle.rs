//! Who has a name (`[CAT-03]`): a native tool wins over any other; tools of other servers that claim one
//! name are all told apart by their servers' names, so that none is called for another.
//!
//! A native tool has every spelling of its name and of its old ones: a `Read` beside `read`, or a `File`,
//! would be called for the native one. While no native server has a name of the contract, as `bash` where
//! the shell is switched off, one that is trusted may have it, and nobody else.

use std::{collections::BTreeMap, sync::Arc};

use super::{Entry, contract, spelling};
use crate::{
    name::{ServerName, ToolName},
    safety::Trust,
};

/// Native names by the spelling that all their variants share, with the server that has them now.
#[derive(Debug)]
pub(super) struct Native(BTreeMap<String, Option<ServerName>>);

impl Native {
    /// The native names among all entries, hidden ones too, and those of the contract.
    pub(super) fn of(entries: &[Entry]) -> Self {
        let contract = contract::names().map(|name| (spelling::joined(name), None));
        let natives = entries.iter().filter(|entry| entry.is_native());
        let natives = natives
            .map(|entry| (spelling::joined(entry.name.as_str()), Some(entry.server.clone())));
        Self(contract.chain(natives).collect())
    }

    /// Whether the name is one of them in some spelling; and who has it.
    pub(super) fn owner(&self, name: &ToolName) -> Option<Option<&ServerName>> {
        self.0.get(&spelling::joined(name.as_str())).map(Option::as_ref)
    }
}

/// A name that several servers claim.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Clash {
    /// The name.
    pub name: ToolName,
    /// The server that has it now; `None`: nobody has.
    pub winner: Option<ServerName>,
    /// It is one of the native names, or a spelling of one.
    pub is_native: bool,
    /// Who else claims it, and the name that its tool has instead; `None`: that one is taken too.
    pub renamed: Vec<(ServerName, Option<ToolName>)>,
}

/// Gives every tool a name of its own, in order of names.
pub(super) fn settle(
    entries: Vec<Entry>,
    native: &Native,
) -> (BTreeMap<ToolName, Arc<Entry>>, Vec<Clash>) {
    let mut entries: Vec<Arc<Entry>> = entries.into_iter().map(Arc::new).collect();
    // By name, then natives first, then by server: whatever the order of registration.
    entries.sort_by(|a, b| {
        (&a.name, a.provenance, &a.server).cmp(&(&b.name, b.provenance, &b.server))
    });
    let mut settled: BTreeMap<ToolName, Arc<Entry>> = BTreeMap::new();
    let (mut claims, mut clashes) = (Vec::new(), Vec::new());
    let mut rest = entries.into_iter().peekable();
    while let Some(first) = rest.next() {
        let name = first.name.clone();
        let mut claimants = vec![first];
        while let Some(other) = rest.next_if(|it| it.name == name) {
            claimants.push(other);
        }
        let owner = native.owner(&name);
        let mut has = owner.flatten().cloned();
        if let Some(place) = place_of_winner(&claimants, owner) {
            let winner = claimants.remove(place);
            has = Some(winner.server.clone());
            settled.insert(name.clone(), winner);
        }
        if !claimants.is_empty() {
            claims.push((name, owner.is_some(), has, claimants));
        }
    }
    // Once all undisputed names are given, so that a new name takes nobody's.
    for (name, is_native, winner, others) in claims {
        let mut renamed = Vec::new();
        for mut other in others {
            let server = other.server.clone();
            let free = told_apart(&server, &name).filter(|it| !settled.contains_key(it.as_str()));
            if let Some(free) = &free {
                Arc::make_mut(&mut other).name = free.clone();
                settled.insert(free.clone(), other);
            }
            renamed.push((server, free));
        }
        clashes.push(Clash { name, winner, is_native, renamed });
    }
    (settled, clashes)
}

/// Who of those that claim a name has it; nobody: all are told apart.
fn place_of_winner(claimants: &[Arc<Entry>], owner: Option<Option<&ServerName>>) -> Option<usize> {
    if claimants.first().is_some_and(|first| first.is_native()) {
        return Some(0);
    }
    let mut may = claimants.iter().enumerate().filter(|(_, it)| match owner {
        None => true,
        Some(None) => it.trust == Trust::Trusted,
        Some(Some(_)) => false,
    });
    let (place, _) = may.next()?;
    may.next().is_none().then_some(place)
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
            None if self.is_native => {
                format!("'{}' is a name of Tollgate's own; {others}", self.name)
            }
            None => format!("several servers have a tool '{}': {others}", self.name),
        }
    }
}
