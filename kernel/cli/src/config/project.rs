//! The project's layer (`[GATE-13]`): it can only tighten.
//!
//! | key | a project may |
//! |---|---|
//! | `mode`, `posture`, `workspace_writes`, `taint`, `sandbox.mode`, `sandbox.network` | say something tighter than the default |
//! | `permissions.deny`, `permissions.ask`, `tools.deny` | add |
//! | `servers.NAME.enabled` | say `false` |
//! | anything else | nothing: a mistake |
//!
//! A project cannot know what its user has set, so that asking for less than the user has is no
//! mistake: the tighter of the two holds. Asking for more than the built-in default is one.

use tollgate_core::stance::{Mode, Posture, Stance};
use toml::Value;

use super::{
    error::{ConfigError, Fault},
    values::{Said, Source, Values},
};

/// Lists to which a project may add.
const ADDS: [&str; 3] = ["permissions.ask", "permissions.deny", "tools.deny"];

const ONLY: &str = "a project can only tighten: mode, posture, workspace_writes, taint, sandbox.mode, \
     sandbox.network, permissions.deny, permissions.ask, tools.deny and servers.NAME.enabled = false; put this into your own config.toml";

/// Values of a key, the loosest first.
fn order(key: &str) -> Option<Vec<Value>> {
    let words = |words: &[&str]| words.iter().map(|word| Value::from(*word)).collect();
    match key {
        "mode" => Some(words(&[Mode::Operate, Mode::Work, Mode::Plan].map(Mode::as_str))),
        "posture" => {
            let order = [Posture::FullAccess, Posture::AutoReview, Posture::Ask, Posture::Never];
            Some(words(&order.map(Posture::as_str)))
        }
        "workspace_writes" => Some(words(&["auto", "ask"])),
        "sandbox.mode" => Some(words(&["off", "best-effort", "required"])),
        "sandbox.network" => Some(words(&["on", "ask", "off"])),
        "taint" => Some(vec![false.into(), true.into()]),
        _ => None,
    }
}

/// Keeps a session as tight as it was left, unless an option or a variable says otherwise now.
pub(crate) fn keep_tight(values: &mut Values, left: Stance) {
    let source = || Source::Flag("the session");
    for (key, word) in [("mode", left.mode.as_str()), ("posture", left.posture.as_str())] {
        let rank = |asked: Option<&str>| {
            order(key).and_then(|order| order.iter().position(|word| asked == word.as_str()))
        };
        let is_said_now = values
            .get(key)
            .is_some_and(|said| matches!(said.source, Source::Flag(_) | Source::Variable(_)));
        if !is_said_now && rank(Some(word)) > rank(values.text(key)) {
            values.set(key, word, source());
        }
    }
}

/// Lays the project's layer over the others. What it said and what does not count, in sentences.
///
/// # Errors
/// It says something that a project may not.
pub(crate) fn tighten(values: &mut Values, project: Values) -> Result<Vec<String>, ConfigError> {
    let mut layer = Tightening { faults: Vec::new(), notes: Vec::new() };
    for (key, said) in project.one {
        match order(&key) {
            Some(order) => layer.step(values, &order, key, said),
            None if is_switch(&key) => layer.switch(values, key, said),
            None => layer.fault(key, said.source, ONLY),
        }
    }
    for (key, said) in project.added {
        if ADDS.contains(&key.as_str()) {
            values.added.push((key, said));
        } else {
            layer.fault(key, said.source, ONLY);
        }
    }
    if layer.faults.is_empty() { Ok(layer.notes) } else { Err(ConfigError(layer.faults)) }
}

/// Whether a key switches a server on or off.
fn is_switch(key: &str) -> bool {
    matches!(key.split('.').collect::<Vec<_>>().as_slice(), ["servers", _, "enabled"])
}

/// What became of a project's layer so far.
struct Tightening {
    faults: Vec<Fault>,
    notes: Vec<String>,
}

impl Tightening {
    fn fault(&mut self, key: String, source: Source, what: &str) {
        self.faults.push(Fault { source, key, what: what.to_owned() });
    }

    /// A value that has an order.
    fn step(&mut self, values: &mut Values, order: &[Value], key: String, said: Said) {
        let defaults = super::built_in::values();
        let rank = |said: Option<&Said>| {
            order.iter().position(|value| said.is_some_and(|said| said.value == *value))
        };
        if rank(Some(&said)) < rank(defaults.get(&key)) {
            let what = format!(
                "a project can only tighten, and {} is looser than the default",
                said.value
            );
            self.fault(key, said.source, &what);
        } else if rank(Some(&said)) < rank(values.get(&key)) {
            let tighter = values.get(&key).map(|said| format!("{} ({})", said.value, said.source));
            self.notes.push(format!(
                "{}: {key} = {} does not count, because {} is tighter",
                said.source,
                said.value,
                tighter.unwrap_or_default()
            ));
        } else if rank(Some(&said)) > rank(values.get(&key)) {
            values.one.insert(key, said);
        }
    }

    /// A server that is switched off.
    fn switch(&mut self, values: &mut Values, key: String, said: Said) {
        if said.value.as_bool() != Some(false) {
            return self.fault(key, said.source, "a project can only switch a server off");
        }
        let server = key.split('.').nth(1).unwrap_or_default();
        if values.servers().contains(&server) {
            values.one.insert(key, said);
        } else {
            self.notes.push(format!("{}: there is no server '{server}'", said.source));
        }
    }
}
