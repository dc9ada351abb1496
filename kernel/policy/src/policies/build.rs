//! Makes one [`Standing`] of files as they were taken.
//!
//! Invariant: a part that is broken leaves its last good reading in force, and stops what changes
//! something; a part that was never good gives no standing at all ([`super::Policies::open`] fails).

use std::path::{Path, PathBuf};

use tollgate_core::{
    authority::{
        managed::Managed,
        policy::{Policy, Workspace},
        protected::Own,
        rules::Rules,
    },
    digest::Digest,
};

use super::{Extra, Places, Standing, gather::Files, tools};
use crate::{
    PolicyError, PolicyFault, hooks,
    hooks::HooksFile,
    law, managed, permissions, place,
    read::Content,
    rule::{Named, Read},
    trust::{self, Trust},
};

/// What was read well, part by part.
#[derive(Clone, Debug, Default)]
pub(super) struct Good {
    permissions: Read,
    managed: (Managed, Vec<Named>),
    hooks: HooksFile,
    project_hooks: HooksFile,
}

/// Everything that does not change while the policy stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) places: &'a Places,
    pub(super) extra: &'a Extra,
    /// Without links.
    pub(super) roots: &'a [PathBuf],
    /// Names of tools; empty: not known yet.
    pub(super) known: &'a [String],
}

/// One reading.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) good: Good,
    pub(super) standing: Standing,
    pub(super) faults: Vec<PolicyFault>,
}

impl Good {
    /// All tools that are named anywhere.
    pub(super) fn named(&self) -> impl Iterator<Item = &Named> {
        let hooks = self.hooks.named.iter().chain(&self.project_hooks.named);
        self.permissions.named.iter().chain(&self.managed.1).chain(hooks)
    }
}

/// Reads the files. `last`: what stays in force where a part is broken now.
pub(super) fn build(frame: Frame<'_>, files: &Files, last: &Good) -> Built {
    let Frame { places, extra, roots, .. } = frame;
    let home = places.home.as_deref();
    let workspace = roots.first().map(PathBuf::as_path).unwrap_or(Path::new(""));
    let mut notes = Vec::new();
    let trust = Trust::of(&places.trust, &files.trust);
    let trust = trust
        .map_err(|error| notes.push(format!("{}; no workspace counts as trusted", error.line())));
    let trust = trust.ok();
    let project = project_hooks(workspace, files, trust.as_ref(), &mut notes);

    let mut parts = Parts { frame, faults: Vec::new() };
    let good = Good {
        permissions: parts.keep(&last.permissions, |it| &it.named, {
            read(&places.permissions, &files.permissions, |path, text| {
                permissions::parse(path, text, home)
            })
        }),
        managed: parts.keep(&last.managed, |it| &it.1, managed_files(files, home)),
        hooks: parts.keep(&last.hooks, |it| &it.named, {
            read(&places.hooks, &files.hooks, |path, text| hooks::parse(path, text, home))
        }),
        project_hooks: parts.keep(&last.project_hooks, |it| &it.named, project),
    };
    let faults = parts.faults;

    let mut rules = good.permissions.rules.clone();
    rules.extend(extra.rules.iter().cloned());
    let hooks: Vec<_> = good.hooks.hooks.iter().chain(&good.project_hooks.hooks).cloned().collect();
    let policy = Policy {
        rules: Rules::new(rules),
        law: law::join(&files.laws),
        managed: good.managed.0.clone(),
        workspace: Workspace {
            root: workspace.to_owned(),
            roots: roots.to_vec(),
            trusted: trust.is_some_and(|trust| trust.is_trusted(workspace)),
            git: files.git,
            writes_auto: extra.writes_auto,
        },
        own: own(places, &good, workspace),
        home: places.home.clone(),
        taint: extra.taint,
        network: extra.network,
        lists: extra.lists.clone(),
        broken: (!faults.is_empty()).then(|| PolicyError(faults.clone()).line()),
        sha256: Some(files.digest(places)),
    };
    Built { good, standing: Standing { policy, hooks, notes }, faults }
}

/// Gathers the faults of the parts.
struct Parts<'a> {
    frame: Frame<'a>,
    faults: Vec<PolicyFault>,
}

impl Parts<'_> {
    /// The new reading if it is good, else the last one.
    fn keep<T: Clone>(
        &mut self,
        last: &T,
        named: fn(&T) -> &[Named],
        new: Result<T, PolicyError>,
    ) -> T {
        let known = self.frame.known;
        let checked = new.and_then(|new| {
            if !known.is_empty() {
                tools::check(named(&new), known)?;
            }
            Ok(new)
        });
        checked.unwrap_or_else(|error| {
            self.faults.extend(error.0);
            last.clone()
        })
    }
}

/// An absent file says nothing.
fn read<T: Default>(
    path: &Path,
    content: &Content,
    parse: impl FnOnce(&Path, &str) -> Result<T, PolicyError>,
) -> Result<T, PolicyError> {
    content.text(path)?.map_or_else(|| Ok(T::default()), |text| parse(path, text))
}

fn managed_files(files: &Files, home: Option<&Path>) -> Result<(Managed, Vec<Named>), PolicyError> {
    let mut read_well = Vec::new();
    let mut faults = Vec::new();
    for (path, content) in &files.managed {
        match read(path, content, |path, text| managed::parse(path, text, home)) {
            Ok(file) => read_well.push(file),
            Err(error) => faults.extend(error.0),
        }
    }
    if !faults.is_empty() {
        return Err(PolicyError(faults));
    }
    let last = files.managed.last().map(|(path, _)| path.clone()).unwrap_or_default();
    managed::join(read_well).map_err(|what| PolicyError::of_file(last, what))
}

/// The project's hooks, if they and their programs are what the user saw; else a note.
fn project_hooks(
    workspace: &Path,
    files: &Files,
    trust: Option<&Trust>,
    notes: &mut Vec<String>,
) -> Result<HooksFile, PolicyError> {
    let mut counts = |name: &Path, digest: Option<Digest>| {
        let standing = trust.map_or(trust::Standing::Unknown, |trust| trust.standing(workspace));
        let why = match standing {
            trust::Standing::Unknown => "you do not trust this workspace",
            trust::Standing::OtherOwner => {
                "this workspace belongs to another user than when you trusted it"
            }
            trust::Standing::Trusted => match (trust, digest) {
                (Some(trust), Some(digest)) if trust.counts(workspace, name, digest) => {
                    return true;
                }
                _ => "it is not what you saw when you trusted this workspace",
            },
        };
        let path = workspace.join(name);
        notes.push(format!("{} does not count: {why} (run `tollgate trust`)", path.display()));
        false
    };
    let mut digested = |name: &str, content: &Content| match content {
        Content::Absent => false,
        Content::Text(text) => counts(Path::new(name), Some(Digest::of(text.as_bytes()))),
        Content::Unusable(_) => counts(Path::new(name), None),
    };
    digested(trust::MCP, &files.project_mcp);
    let are_seen = digested(trust::HOOKS, &files.project_hooks)
        && files.programs.iter().all(|(name, digest)| counts(name, *digest));
    if !are_seen {
        return Ok(HooksFile::default());
    }
    let path = workspace.join(trust::HOOKS);
    read(&path, &files.project_hooks, |path, text| hooks::parse(path, text, None))
}

/// Places of Tollgate's own, as they are written and without links: a policy file may be a link into a
/// user's dotfiles, and the guard that may be rewritten guards nothing (CFG-08, `[THR-05]`).
fn own(places: &Places, good: &Good, workspace: &Path) -> Own {
    let files = [&places.permissions, &places.hooks, &places.trust].into_iter();
    let programs = good.hooks.hooks.iter().chain(&good.project_hooks.hooks);
    let programs: Vec<PathBuf> = programs.flat_map(|hook| hook.programs(workspace)).collect();
    let all = places.own.iter().chain(files).chain(&places.managed);
    let all = all.chain(&good.managed.0.receipts).chain(&programs);
    let found = both(all);
    let hidden = places.hidden.iter().chain(&good.managed.0.receipts);
    Own { hidden: both(hidden), places: found }
}

/// Each absolute path as it is written and without links, once.
fn both<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in paths.filter(|path| path.is_absolute()) {
        for path in [path.clone(), place::resolved(path)] {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}
