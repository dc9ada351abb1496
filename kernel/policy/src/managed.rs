//! Managed policy: what the machine's owner lays down (`[GATE-51]`). Each file only adds.
//!
//! | key | what it does |
//! |---|---|
//! | `[[rule]]`, `deny`, `ask` | as in `permissions.toml`; there is no allow |
//! | `postures` | only these may be used |
//! | `servers` | only these tool servers and MCP servers |
//! | `hosts` | only these hosts |
//! | `network` | who of the calls that start programs has it at most: "off", "ask", "on" |
//! | `models_forbidden` | not these models |
//! | `receipts` | a folder that gets a copy of each receipt |
//!
//! Invariant: a managed file that somebody else could have written is refused, and nothing starts (CFG-09;
//! test `a_managed_file_that_others_may_write_is_refused`).

use std::{
    fs::Metadata,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use tollgate_core::{
    authority::{
        confinement::Network,
        managed::Managed,
        rules::{Action, NamePattern, Rules, Source},
    },
    stance::Posture,
};

use crate::{
    PolicyError, place,
    read::{
        self, Content,
        table::{self, Spot, Table},
    },
    rule::{self, Named, Read, Reader},
};

#[cfg(test)]
mod tests;

/// What one file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct ManagedFile {
    read: Read,
    postures: Option<Vec<Posture>>,
    servers: Option<Vec<NamePattern>>,
    hosts: Option<Vec<NamePattern>>,
    network: Option<Network>,
    models_forbidden: Vec<NamePattern>,
    receipts: Option<PathBuf>,
}

/// Takes a managed file, if nobody but root and the user can have written it. `may_be_absent`: that
/// nothing is there is nothing wrong.
pub(crate) fn take(path: &Path, may_be_absent: bool) -> Content {
    let content = read::file(path, |found| {
        trusted("it", found)?;
        // Who may write to a folder puts another file into the place of this one.
        let whole = path.canonicalize().map_err(|error| format!("cannot be found: {error}"))?;
        for folder in whole.ancestors().skip(1) {
            let found =
                folder.metadata().map_err(|error| format!("{}: {error}", folder.display()))?;
            trusted(&folder.display().to_string(), &found)?;
        }
        Ok(())
    });
    match content {
        Content::Absent if !may_be_absent => Content::Unusable(
            "there is no such file, and TOLLGATE_MANAGED names it; restore it or unset the variable"
                .to_owned(),
        ),
        Content::Absent | Content::Text(_) | Content::Unusable(_) => content,
    }
}

fn trusted(what: &str, found: &Metadata) -> Result<(), String> {
    judge_owner(what, found.uid(), found.mode(), nix::unistd::geteuid().as_raw())
}

/// Whether only root and `user` can have written a file, or put another in the place of what is in a
/// folder. A sticky folder lets everybody in, and nobody at what is another's.
fn judge_owner(what: &str, owner: u32, mode: u32, user: u32) -> Result<(), String> {
    const FOLDER: u32 = 0o040_000;
    const KIND: u32 = 0o170_000;
    const STICKY: u32 = 0o1000;
    if owner != 0 && owner != user {
        return Err(format!(
            "{what} belongs to user {owner}, neither root nor you; managed policy must be root's or yours"
        ));
    }
    let is_sticky_folder = mode & KIND == FOLDER && mode & STICKY != 0;
    if mode & 0o022 != 0 && !is_sticky_folder {
        return Err(format!(
            "{what} can be written by others (mode {:04o}); run `chmod go-w` on it",
            mode & 0o7777
        ));
    }
    Ok(())
}

/// Reads the text of a file that is called `path`.
///
/// # Errors
/// Every fault.
pub(crate) fn parse(
    path: &Path,
    text: &str,
    home: Option<&Path>,
) -> Result<ManagedFile, PolicyError> {
    let reader = Reader {
        source: Source::Managed,
        actions: &[Action::Ask, Action::Deny],
        why_not: "managed policy only adds \"deny\" and \"ask\"; what is allowed is the user's to say",
        home,
    };
    table::parse(path, text, |root| {
        // `allow` is known so that it gets its own explanation.
        let known = ["allow", "deny", "ask", "rule"];
        let own = ["postures", "servers", "hosts", "network", "models_forbidden", "receipts"];
        root.only(&[&known[..], &own[..]].concat());
        ManagedFile {
            read: reader.rules(root),
            postures: postures(root),
            servers: names(root, "servers", rule::name),
            hosts: names(root, "hosts", rule::host_name),
            network: network(root),
            models_forbidden: names(root, "models_forbidden", rule::model_name).unwrap_or_default(),
            receipts: root.text("receipts").and_then(|spot| {
                let folder = place::absolute(spot.text, home);
                folder.map_err(|what| root.fault_at("receipts", spot.at, what)).ok()
            }),
        }
    })
}

fn postures(root: &Table<'_>) -> Option<Vec<Posture>> {
    let spots = root.texts("postures")?;
    if spots.is_empty() {
        root.fault_of(
            "postures",
            "the list is empty, so that nothing could run; name one at least",
        );
    }
    let words = Posture::ALL.map(|posture| (posture.as_str(), posture));
    Some(spots.iter().filter_map(|spot| root.known("postures", spot, &words)).collect())
}

fn network(root: &Table<'_>) -> Option<Network> {
    let words = Network::ALL.map(|network| (network.as_str(), network));
    root.known("network", &root.text("network")?, &words)
}

fn names(
    root: &Table<'_>,
    key: &str,
    read: fn(&Table<'_>, &str, &Spot<'_>) -> Option<NamePattern>,
) -> Option<Vec<NamePattern>> {
    let spots = root.texts(key)?;
    Some(spots.iter().filter_map(|spot| read(root, key, spot)).collect())
}

/// All files together: what one forbids is forbidden.
///
/// # Errors
/// They leave no posture.
pub(crate) fn join(files: Vec<ManagedFile>) -> Result<(Managed, Vec<Named>), String> {
    let mut managed = Managed::default();
    let (mut rules, mut named) = (Vec::new(), Vec::new());
    for file in files {
        rules.extend(file.read.rules);
        named.extend(file.read.named);
        managed.postures = match (managed.postures, file.postures) {
            (Some(mut all), Some(these)) => {
                all.retain(|posture| these.contains(posture));
                Some(all)
            }
            (all, these) => all.or(these),
        };
        managed.servers.extend(file.servers);
        managed.hosts.extend(file.hosts);
        managed.network = match (managed.network, file.network) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        managed.models_forbidden.extend(file.models_forbidden);
        managed.receipts.extend(file.receipts);
    }
    if managed.postures.as_ref().is_some_and(Vec::is_empty) {
        return Err(
            "the files of managed policy leave no posture that all of them allow".to_owned()
        );
    }
    managed.rules = Rules::new(rules);
    Ok((managed, named))
}
