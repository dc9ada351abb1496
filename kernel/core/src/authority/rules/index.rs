//! [`Rules`]: many rules, found fast.
//!
//! | rule | found by |
//! |---|---|
//! | tool is one name | that name; globs of tools are tried one by one |
//! | has a command | its program's name without folder, and its second word if it is no option |
//! | else has a path | the folders before the first glob |
//! | else has a host | the host; globs are tried one by one |
//! | else | always |
//!
//! Invariant: [`Rules::candidates`] leaves out only rules that cannot match (test
//! `the_index_finds_what_a_scan_finds`).

use std::{collections::BTreeMap, ops::Bound, path::Path, sync::Arc};

use super::{
    Action, CommandMatch, NamePattern, Rule, Touch,
    facts::{BASH, Command, Facts, READ},
    words::is_option,
};
use crate::authority::{hosts::without_port, words::base_name};

/// Rules in the order in which they were read. A clone is cheap.
#[derive(Clone, Debug, Default)]
pub struct Rules(Arc<Indexed>);

#[derive(Debug, Default)]
struct Indexed {
    all: Vec<Rule>,
    by_tool: BTreeMap<String, Table>,
    by_glob: Vec<(NamePattern, Table)>,
    denials: Denials,
}

/// Rules that deny places to whoever reads there, or ask about them.
#[derive(Debug, Default)]
struct Denials {
    /// Of `read` or `bash`, or of both among others.
    reading: Places,
    /// Of another tool.
    by_tool: BTreeMap<String, Places>,
    /// Of others by a glob.
    by_glob: Places,
}

/// Places of rules in [`Indexed::all`].
type Places = Vec<usize>;

/// Rules that may match, each several times maybe.
#[derive(Debug, Default)]
struct Found {
    near: Places,
    /// Those of places where a place is not known.
    all: Places,
}

/// A rule that may match a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'r> {
    pub(super) rule: &'r Rule,
    /// Something that is known of the call may be what the rule means; else it could match only what is
    /// not known.
    pub(super) near: bool,
}

/// By the bytes of a folder's path, which compare far faster than paths.
type Folders = BTreeMap<Vec<u8>, Places>;

/// The rules of one tool, or of one glob of tools.
#[derive(Debug, Default)]
struct Table {
    always: Places,
    /// By program, then second word; the second word is empty where any may stand there.
    commands: BTreeMap<String, BTreeMap<String, Places>>,
    absolute: Folders,
    relative: Folders,
    hosts: BTreeMap<String, Places>,
}

impl Rules {
    /// Builds the index.
    #[must_use]
    pub fn new(all: Vec<Rule>) -> Self {
        let mut indexed = Indexed::default();
        let mut globs: BTreeMap<String, usize> = BTreeMap::new();
        for (place, rule) in all.iter().enumerate() {
            if let Some(tool) = rule.tool.exact() {
                indexed.by_tool.entry(tool.to_owned()).or_default().add(rule, place);
                continue;
            }
            let next = indexed.by_glob.len();
            let slot = *globs.entry(rule.tool.as_str().to_owned()).or_insert(next);
            if slot == next {
                indexed.by_glob.push((rule.tool.clone(), Table::default()));
            }
            if let Some((_, table)) = indexed.by_glob.get_mut(slot) {
                table.add(rule, place);
            }
        }
        for (place, rule) in all.iter().enumerate() {
            indexed.denials.add(rule, place);
        }
        indexed.all = all;
        Self(Arc::new(indexed))
    }

    /// All, in their order.
    #[must_use]
    pub fn all(&self) -> &[Rule] {
        &self.0.all
    }

    /// Those that deny places to whoever reads there as `read`, `bash` or this tool, or ask about them; and
    /// maybe others.
    pub(super) fn denying(&self, tool: &str) -> impl Iterator<Item = &Rule> {
        let Denials { reading, by_tool, by_glob } = &self.0.denials;
        let own = by_tool.get(tool).into_iter().flatten();
        let places = reading.iter().chain(own).chain(by_glob);
        places.filter_map(|place| self.0.all.get(*place))
    }

    /// Whether there are none of those, whatever the tool.
    pub(super) fn deny_nowhere(&self) -> bool {
        let Denials { reading, by_tool, by_glob } = &self.0.denials;
        reading.is_empty() && by_tool.is_empty() && by_glob.is_empty()
    }

    /// Those that may match a call, in their order.
    pub(super) fn candidates(&self, facts: &Facts<'_>) -> Vec<Candidate<'_>> {
        let mut found = Found::default();
        let names = [Some(facts.tool), facts.told_apart, facts.runs_as()];
        for name in names.into_iter().flatten() {
            self.0.tables_of(name).for_each(|table| table.look_up(facts, &mut found));
        }
        if let Some(name) = facts.reads_as() {
            self.0.tables_of(name).for_each(|table| table.of_places(facts, &mut found));
        }
        let Found { mut near, all: mut every } = found;
        near.sort_unstable();
        every.extend(&near);
        every.sort_unstable();
        every.dedup();
        let candidate = |place: usize| {
            let near = near.binary_search(&place).is_ok();
            let rule = self.0.all.get(place)?;
            let may_speak = rule.action != Action::Allow || rule.tool.matches(facts.tool);
            may_speak.then_some(Candidate { rule, near })
        };
        every.into_iter().filter_map(candidate).collect()
    }
}

impl Indexed {
    fn tables_of<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a Table> {
        let globs = self.by_glob.iter().filter(move |(pattern, _)| pattern.matches(tool));
        self.by_tool.get(tool).into_iter().chain(globs.map(|(_, table)| table))
    }
}

impl Denials {
    fn add(&mut self, rule: &Rule, place: usize) {
        let access = rule.path.as_ref().map(|path| path.access);
        let reads = matches!(access, Some(None | Some(Touch::Read)));
        if rule.action == Action::Allow || !reads {
            return;
        }
        let places = match rule.tool.exact() {
            _ if [READ, BASH].iter().any(|tool| rule.tool.matches(tool)) => &mut self.reading,
            Some(tool) => self.by_tool.entry(tool.to_owned()).or_default(),
            None => &mut self.by_glob,
        };
        places.push(place);
    }
}

impl Table {
    fn add(&mut self, rule: &Rule, place: usize) {
        let places = match (&rule.command, &rule.path, &rule.host) {
            (Some(command), _, _) if let Some((program, second)) = key(command) => {
                self.commands.entry(program).or_default().entry(second).or_default()
            }
            (None, Some(path), _) => {
                let side =
                    if path.glob.is_absolute() { &mut self.absolute } else { &mut self.relative };
                side.entry(bytes(path.glob.literal()).to_owned()).or_default()
            }
            (None, None, Some(host)) if let Some(host) = host.exact() => {
                self.hosts.entry(host.to_owned()).or_default()
            }
            _ => &mut self.always,
        };
        places.push(place);
    }

    fn look_up(&self, facts: &Facts<'_>, found: &mut Found) {
        found.near.extend(&self.always);
        if !self.commands.is_empty() {
            self.of_commands(facts, &mut found.near);
        }
        if !self.hosts.is_empty() {
            for host in facts.hosts() {
                found.near.extend(self.hosts.get(host).into_iter().flatten());
                found.near.extend(self.hosts.get(without_port(host)).into_iter().flatten());
            }
        }
        if !self.absolute.is_empty() || !self.relative.is_empty() {
            self.of_places(facts, found);
        }
    }

    fn of_commands(&self, facts: &Facts<'_>, found: &mut Places) {
        if facts.unknown.command {
            found.extend(self.commands.values().flat_map(BTreeMap::values).flatten());
            return;
        }
        for Command { argv, opaque, .. } in facts.commands() {
            let Some((program, words)) = argv.split_first() else { continue };
            let Some(rules) = self.commands.get(base_name(program)) else { continue };
            if opaque {
                found.extend(rules.values().flatten());
                continue;
            }
            found.extend(rules.get("").into_iter().flatten());
            for word in words {
                found.extend(rules.get(word.as_str()).into_iter().flatten());
            }
        }
    }

    fn of_places(&self, facts: &Facts<'_>, found: &mut Found) {
        let places = facts.places();
        if places.cut || facts.unknown.reads || facts.unknown.writes {
            found.all.extend(self.absolute.values().chain(self.relative.values()).flatten());
        }
        let found = &mut found.near;
        let base = bytes(facts.base);
        for place in &places.all {
            let path = bytes(&place.path);
            let relative = below_folder(path, base);
            above(&self.absolute, path, found);
            if let Some(relative) = relative {
                above(&self.relative, relative, found);
            }
            if place.goes || place.over || place.spared {
                below(&self.absolute, path, found);
                // A folder around the workspace takes all of it away.
                let around = below_folder(base, path).map(|_| [].as_slice());
                if let Some(folder) = relative.or(around) {
                    below(&self.relative, folder, found);
                }
            }
        }
    }
}

/// Program and second word by which a command rule is found.
fn key(command: &CommandMatch) -> Option<(String, String)> {
    let (program, words) = command.argv.split_first()?;
    let second = words.first().filter(|word| !is_option(word));
    Some((base_name(program).to_owned(), second.cloned().unwrap_or_default()))
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// A path without the folder that it lies in; empty for the folder itself.
fn below_folder<'p>(path: &'p [u8], folder: &[u8]) -> Option<&'p [u8]> {
    let rest = path.strip_prefix(folder.strip_suffix(b"/").unwrap_or(folder))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }
}

/// Rules whose folder is this place or holds it.
fn above(folders: &Folders, place: &[u8], found: &mut Places) {
    let mut next = Some(place);
    while let Some(place) = next {
        // What holds a place comes before it, and all that lies between begins like it: so the nearest
        // one before tells how far up the next can be.
        let before = (Bound::Unbounded, Bound::Included(place));
        let Some((near, rules)) = folders.range::<[u8], _>(before).next_back() else { return };
        let same = near.iter().zip(place).take_while(|(left, right)| left == right).count();
        next = if same == place.len() {
            found.extend(rules);
            (!place.is_empty() && place != b"/").then(|| holder(place))
        } else if same > 0 && place.get(same) == Some(&b'/') {
            place.get(..same)
        } else {
            place.get(..same).map(holder)
        };
    }
}

/// The folder that a path lies in.
fn holder(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(0) => b"/",
        Some(end) => path.get(..end).unwrap_or_default(),
        None => b"",
    }
}

/// Rules whose folder lies below this place (and some beside it, whose names begin the same).
fn below(folders: &Folders, place: &[u8], found: &mut Places) {
    let all = folders.range(place.to_owned()..).take_while(|(folder, _)| folder.starts_with(place));
    found.extend(all.flat_map(|(_, places)| places));
}
