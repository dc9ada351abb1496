//! From [`Config`] to where policy files are, and what options and `config.toml` add to them.
//!
//! Not here: reading the policy files (`tollgate-policy`), what they mean (`tollgate-core`).

use std::path::{Path, PathBuf};

use tollgate_core::authority::{
    policy::Lists,
    rules::{Action, NamePattern, PatternError, Rule, Source as Whose, compact},
};
use tollgate_engine::{process, settings::PolicySettings};
use tollgate_policy::{Extra, Places};

use super::{Config, ConfigError, error::Fault, sandbox, values::Source};
use crate::args::Common;

/// The machine owner's own file.
const MANAGED: &str = "/etc/tollgate/managed.toml";

/// Where policy files are, and what is added to them.
pub(crate) fn settings(config: &Config) -> PolicySettings {
    PolicySettings { places: places(&config.places), extra: config.extra.clone() }
}

/// Where policy files are.
pub(crate) fn places(places: &super::Places) -> Places {
    Places {
        permissions: places.config.join("permissions.toml"),
        hooks: places.config.join("hooks.toml"),
        managed: std::iter::once(MANAGED.into()).chain(places.managed.clone()).collect(),
        trust: places.engine.state.join("trust.json"),
        own: own(places),
        hidden: hidden(places),
        home: places.home.clone(),
    }
}

/// The law of a workspace, if it lies at the root of its repository.
pub(crate) fn law(workspace: &Path) -> PathBuf {
    workspace.join(".tollgate").join("law.toml")
}

/// Folders of Tollgate's own: no tool writes there.
fn own(places: &super::Places) -> Vec<PathBuf> {
    let engine = &places.engine;
    let runtime = process::runtime_home(engine.runtime.as_deref());
    vec![places.config.clone(), engine.state.clone(), engine.cache.clone(), runtime]
}

/// Of these, what no program of a call may read: sessions and receipts hold what was said, and a socket is a
/// door.
fn hidden(places: &super::Places) -> Vec<PathBuf> {
    let engine = &places.engine;
    vec![engine.state.clone(), process::runtime_home(engine.runtime.as_deref())]
}

/// What options and files add.
///
/// # Errors
/// Every rule and name that cannot be used, with its place.
pub(super) fn extra(config: &Config, common: &Common) -> Result<Extra, ConfigError> {
    let values = &config.values;
    let mut reader = Reader { config, faults: Vec::new() };
    let mut rules = Vec::new();
    for (key, action) in [("permissions.deny", Action::Deny), ("permissions.ask", Action::Ask)] {
        rules.extend(
            values.items(key).filter_map(|(text, source)| reader.rule(text, action, key, source)),
        );
    }
    for (flag, texts, action) in
        [("--deny", &common.deny, Action::Deny), ("--allow", &common.allow, Action::Allow)]
    {
        let source = Source::Flag(flag);
        rules.extend(texts.iter().filter_map(|text| reader.rule(text, action, "", &source)));
    }
    let deny = values.items("tools.deny");
    let deny = deny.filter_map(|(text, source)| reader.name(text, "tools.deny", source)).collect();
    let allow = values.get("tools.allow").map(|said| {
        let names = values.list("tools.allow");
        names.iter().filter_map(|name| reader.name(name, "tools.allow", &said.source)).collect()
    });
    if let Some(said) = values.get("tools.always_load") {
        // Only whether they can be read: the engine gets them with the rest of `[tools]`.
        for name in values.list("tools.always_load") {
            reader.name(&name, "tools.always_load", &said.source);
        }
    }
    if !reader.faults.is_empty() {
        return Err(ConfigError(reader.faults));
    }
    Ok(Extra {
        rules,
        lists: Lists { allow, deny },
        writes_auto: values.text("workspace_writes") != Some("ask"),
        taint: values.flag("taint") != Some(false),
        network: sandbox::network(values),
    })
}

/// Reads rules and names, and keeps what is wrong with them.
struct Reader<'a> {
    config: &'a Config,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn rule(&mut self, text: &str, action: Action, key: &str, source: &Source) -> Option<Rule> {
        let is_project = matches!(source, Source::File { path, .. }
            if *path == super::dirs::project_file(&self.config.workspace));
        let whose = if is_project { Whose::Project } else { Whose::User };
        let home = self.config.places.home.as_ref().and_then(|home| home.to_str());
        let read = compact::parse(text, action, whose, home, &source.to_string());
        self.keep(read, key, source)
    }

    fn name(&mut self, text: &str, key: &str, source: &Source) -> Option<NamePattern> {
        self.keep(NamePattern::new(text), key, source)
    }

    fn keep<T>(&mut self, read: Result<T, PatternError>, key: &str, source: &Source) -> Option<T> {
        read.map_err(|error| {
            let (source, key, what) = (source.clone(), key.to_owned(), error.to_string());
            self.faults.push(Fault { source, key, what });
        })
        .ok()
    }
}
