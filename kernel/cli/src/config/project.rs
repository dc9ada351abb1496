//! The project's layer (`[GATE-13]`): it can tighten mode and posture, and nothing else.
//!
//! A project cannot know what its user has set, so that asking for less than the user has is no
//! mistake: the tighter of the two holds. Asking for more than the built-in default is one.

use tollgate_core::stance::{Mode, Posture, Stance};

use super::{
    error::{ConfigError, Fault},
    values::{Said, Source, Values},
};

/// Words of a key, the loosest first.
fn order(key: &str) -> Option<Vec<&'static str>> {
    match key {
        "mode" => Some([Mode::Operate, Mode::Work, Mode::Plan].map(Mode::as_str).to_vec()),
        "posture" => {
            let order = [Posture::FullAccess, Posture::AutoReview, Posture::Ask, Posture::Never];
            Some(order.map(Posture::as_str).to_vec())
        }
        _ => None,
    }
}

/// Keeps a session as tight as it was left, unless an option or a variable says otherwise now.
pub(crate) fn keep_tight(values: &mut Values, left: Stance) {
    let source = || Source::Flag("the session");
    for (key, word) in [("mode", left.mode.as_str()), ("posture", left.posture.as_str())] {
        let rank = |asked: Option<&str>| {
            order(key).and_then(|order| order.iter().position(|word| asked == Some(word)))
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
    let mut faults = Vec::new();
    let mut notes = Vec::new();
    let defaults = super::built_in::values();
    for (key, said) in project.0 {
        let Some(order) = order(&key) else {
            let what =
                "a project can only tighten mode and posture; put this into your own config.toml";
            faults.push(Fault { source: said.source, key, what: what.to_owned() });
            continue;
        };
        let rank = |said: Option<&Said>| {
            order.iter().position(|word| said.is_some_and(|said| said.value.as_str() == Some(word)))
        };
        if rank(Some(&said)) < rank(defaults.get(&key)) {
            let what = format!(
                "a project can only tighten, and {} is looser than the default",
                said.value
            );
            faults.push(Fault { source: said.source, key, what });
        } else if rank(Some(&said)) < rank(values.get(&key)) {
            let tighter = values.get(&key).map(|said| format!("{} ({})", said.value, said.source));
            notes.push(format!(
                "{}: {key} = {} does not count, because {} is tighter",
                said.source,
                said.value,
                tighter.unwrap_or_default()
            ));
        } else if rank(Some(&said)) > rank(values.get(&key)) {
            values.0.insert(key, said);
        }
    }
    if faults.is_empty() { Ok(notes) } else { Err(ConfigError(faults)) }
}
