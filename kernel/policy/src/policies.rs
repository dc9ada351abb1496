//! [`Policies`]: all files of one workspace, read together, and read again when they change.
//!
//! Invariants: a look at unchanged files reads none of them; a broken file never loosens what was in
//! force (test `a_file_that_breaks_leaves_the_last_good_reading_and_says_so`).

mod build;
mod gather;
mod stamps;
mod tools;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use tollgate_core::authority::{
    confinement::Network,
    policy::{Lists, Policy},
    rules::{Action, NamePattern, Rule, Source},
};

use crate::{PolicyError, PolicyFault, hooks::Hook, permissions, place, rule::Named};
use build::{Frame, Good, build};
use gather::Files;
use stamps::Stamps;

#[cfg(test)]
mod tests;

/// Where things are.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// `permissions.toml` of the user.
    pub permissions: PathBuf,
    /// `hooks.toml` of the user.
    pub hooks: PathBuf,
    /// Managed files, in order: `/etc/tollgate/managed.toml`, then those of `TOLLGATE_MANAGED`. The
    /// first may be absent.
    pub managed: Vec<PathBuf>,
    /// The trust store.
    pub trust: PathBuf,
    /// Folders of Tollgate's own (configuration, state, cache, sockets), absolute.
    pub own: Vec<PathBuf>,
    /// Of these, what no program of a call may read: sessions, receipts, sockets.
    pub hidden: Vec<PathBuf>,
    /// The home folder, for `~/`.
    pub home: Option<PathBuf>,
}

/// What options and `config.toml` add.
#[derive(Clone, Debug)]
pub struct Extra {
    /// From `--allow`, `--deny`, and a project's overlay.
    pub rules: Vec<Rule>,
    /// `tools.allow`, `tools.deny`.
    pub lists: Lists,
    /// `workspace_writes = "auto"`.
    pub writes_auto: bool,
    /// `taint = true`.
    pub taint: bool,
    /// `sandbox.network`.
    pub network: Network,
}

impl Default for Extra {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            lists: Lists::default(),
            writes_auto: true,
            taint: true,
            network: Network::default(),
        }
    }
}

/// One reading of everything.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// For judgements.
    pub policy: Policy,
    /// For the hook runner, in the order in which they run.
    pub hooks: Vec<Hook>,
    /// What did not count and why (an untrusted project's hooks, …), a sentence each.
    pub notes: Vec<String>,
}

/// All policy of one workspace.
#[derive(Debug)]
pub struct Policies {
    places: Places,
    extra: Extra,
    /// Without links.
    roots: Vec<PathBuf>,
    state: Mutex<State>,
    now: Mutex<Arc<Standing>>,
}

/// What the next reading is compared with.
#[derive(Debug)]
struct State {
    files: Files,
    stamps: Stamps,
    good: Good,
    /// Names of tools; empty: not known yet.
    known: Vec<String>,
}

impl Policies {
    /// Reads everything. `roots`: absolute, the workspace first.
    ///
    /// # Errors
    /// Every fault of every file, except of law (a broken law is a state, not an error), and a project's
    /// rule that would allow something.
    pub fn open(places: Places, extra: Extra, roots: Vec<PathBuf>) -> Result<Self, PolicyError> {
        let roots: Vec<PathBuf> = roots.iter().map(|root| place::resolved(root)).collect();
        if roots.is_empty() {
            return Err(PolicyError::of_file(
                "",
                "there is no workspace whose policy could be read",
            ));
        }
        let (files, stamps) = Files::take(&places, &roots, SystemTime::now());
        let frame = Frame { places: &places, extra: &extra, roots: &roots, known: &[] };
        let built = build(frame, &files, &Good::default());
        let faults = [built.faults, widening(&extra)].concat();
        if !faults.is_empty() {
            return Err(PolicyError(faults));
        }
        let state = State { files, stamps, good: built.good, known: Vec::new() };
        let now = Mutex::new(Arc::new(built.standing));
        Ok(Self { places, extra, roots, state: Mutex::new(state), now })
    }

    /// The last reading.
    #[must_use]
    pub fn current(&self) -> Arc<Standing> {
        Arc::clone(&lock(&self.now))
    }

    /// Reads again what changed. A file that is broken now leaves the last good reading in force and
    /// sets [`Policy::broken`].
    pub fn refresh(&self) -> Arc<Standing> {
        self.renew(&mut lock(&self.state));
        self.current()
    }

    fn renew(&self, state: &mut State) {
        if state.stamps.still_hold() {
            return;
        }
        let (files, stamps) = Files::take(&self.places, &self.roots, SystemTime::now());
        state.stamps = stamps;
        if files != state.files {
            state.files = files;
            self.rebuild(state);
        }
    }

    /// Reads the files' content as it was taken.
    fn rebuild(&self, state: &mut State) {
        let State { files, known, good, .. } = state;
        let frame = Frame { places: &self.places, extra: &self.extra, roots: &self.roots, known };
        let built = build(frame, files, good);
        state.good = built.good;
        *lock(&self.now) = Arc::new(built.standing);
    }

    /// Whether rules, lists and hooks name tools that there are; names of MCP tools (`mcp_…`) may come
    /// later. From now on a file that names others counts as broken.
    ///
    /// # Errors
    /// Every pattern that names none, with the nearest name.
    pub fn check_tools(&self, known: &[&str]) -> Result<(), PolicyError> {
        let mut state = lock(&self.state);
        state.known = known.iter().map(|name| (*name).to_owned()).collect();
        let named = named(&self.extra);
        tools::check(state.good.named().chain(&named), &state.known)
    }

    /// More tools that there are: files may name them from now on, also one that was broken because it
    /// did. What was known stays so: a server whose tools went away makes no file of policy wrong.
    pub fn learn_tools(&self, names: &[&str]) {
        let mut state = lock(&self.state);
        let mut known: BTreeSet<String> = state.known.drain(..).collect();
        let before = known.len();
        known.extend(names.iter().map(|name| (*name).to_owned()));
        state.known = known.into_iter().collect();
        if state.known.len() > before && self.current().policy.broken.is_some() {
            self.rebuild(&mut state);
        }
    }

    /// Stores "always" rules in the user's `permissions.toml`, and reads it again.
    ///
    /// # Errors
    /// The file is broken or cannot be written; nothing was stored then.
    pub fn remember(&self, rules: &[Rule]) -> Result<(), PolicyError> {
        let mut state = lock(&self.state);
        permissions::append(&self.places.permissions, rules, self.places.home.as_deref())?;
        self.renew(&mut state);
        Ok(())
    }

    /// The workspace, without links.
    #[must_use]
    pub fn workspace(&self) -> Option<&Path> {
        self.roots.first().map(PathBuf::as_path)
    }
}

/// A project can only tighten (`[GATE-13]`, B100): its rules that allow are faults.
fn widening(extra: &Extra) -> Vec<PolicyFault> {
    let wide = |rule: &&Rule| rule.source == Source::Project && rule.action == Action::Allow;
    let fault = |rule: &Rule| {
        PolicyFault {
        file: PathBuf::from(&rule.origin),
        line: None,
        key: String::new(),
        what: "a project can only tighten: it may ask and deny, and what is allowed is the user's to say"
            .to_owned(),
    }
    };
    extra.rules.iter().filter(wide).map(fault).collect()
}

/// The tools that options and `config.toml` name.
fn named(extra: &Extra) -> Vec<Named> {
    let place = |file: &str, key: &str| PolicyFault {
        file: PathBuf::from(file),
        line: None,
        key: key.to_owned(),
        what: String::new(),
    };
    let list = |key: &'static str, patterns: &[NamePattern]| {
        let named = |pattern: &NamePattern| Named {
            pattern: pattern.clone(),
            place: place("config.toml", key),
        };
        patterns.iter().map(named).collect::<Vec<_>>()
    };
    let mut all = list("tools.allow", extra.lists.allow.as_deref().unwrap_or_default());
    all.extend(list("tools.deny", &extra.lists.deny));
    all.extend(
        extra
            .rules
            .iter()
            .map(|rule| Named { pattern: rule.tool.clone(), place: place(&rule.origin, "") }),
    );
    all
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
