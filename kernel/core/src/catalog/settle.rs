//! Who has a name (`[CAT-03]`): a native tool wins over any other; tools of other servers that claim one
//! name are all told apart by their servers' names, so that none is called for another.
//!
//! A native tool has every spelling of its name and of its old ones, and names of the contract are native
//! even while no server has them: a `Read` beside `read`, a `File`, or a `bash` while the shell is not
//! there would be called for the native one.

use std::collections::BTreeMap;

use super::{Entry, contract, spelling};
use crate::name::{ServerName, ToolName};

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
    /// The native server that has it now; `None`: nobody has.
    pub winner: Option<ServerName>,
    /// It is one of the native names, or a spelling of one.
    pub is_native: bool,
    /// Who else claims it, and the name that its tool has instead; `None`: that one is taken too.
    pub renamed: Vec<(ServerName, Option<ToolName>)>,
}

/// Gives every tool a name of its own, in order of names.
pub(super) fn settle(
    mut entries: Vec<Entry>,
    native: &Native,
) -> (BTreeMap<ToolName, Entry>, Vec<Clash>) {
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
        let name = first.name.clone();
        let owner = native.owner(&name);
        if first.is_native() || (others.is_empty() && owner.is_none()) {
            settled.insert(name.clone(), first);
        } else {
            others.insert(0, first);
        }
        if !others.is_empty() {
            claims.push((name, owner.map(Option::<&ServerName>::cloned), others));
        }
    }
    // Once all undisputed names are given, so that a new name takes nobody's.
    for (name, owner, others) in claims {
        let mut renamed = Vec::new();
        for other in others {
            let server = other.server.clone();
            let free = told_apart(&server, &name).filter(|it| !settled.contains_key(it.as_str()));
            if let Some(free) = &free {
                settled.insert(free.clone(), Entry { name: free.clone(), ..other });
            }
            renamed.push((server, free));
        }
        let is_native = owner.is_some();
        clashes.push(Clash { name, winner: owner.flatten(), is_native, renamed });
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
            None if self.is_native => {
                format!("'{}' is a name of Tollgate's own; {others}", self.name)
            }
            None => format!("several servers have a tool '{}': {others}", self.name),
        }
    }
}
