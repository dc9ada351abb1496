//! What policy says before anything runs: its notes are told, and the machine owner's word on postures
//! and models is kept (`[GATE-51]`).
//!
//! Not here: what policy says of calls (the gate), reading its files (`tollgate-policy`).

use std::sync::Arc;

use tollgate_core::stance::Stance;
use tollgate_engine::{error::KernelError, model};
use tollgate_policy::{Policies, Standing};

use crate::{
    config::{self, Config},
    exit::{Exit, Failure},
    output::line_err,
    start::Start,
    visible,
};

/// What holds for a session that is about to begin.
#[derive(Debug)]
pub(crate) struct Governed {
    /// Mode and posture, as tight as the machine's owner wants them.
    pub(crate) stance: Stance,
}

/// All policy of this workspace.
///
/// # Errors
/// Every fault of its files.
pub(crate) fn standing(config: &Config) -> Result<Arc<Standing>, Failure> {
    let extra = config.extra.clone();
    let policies = Policies::open(config::policy::places(&config.places), extra, config.roots())
        .map_err(KernelError::from)?;
    Ok(policies.current())
}

/// Reads all policy, says what of it does not count, and keeps to what the machine's owner allows.
///
/// # Errors
/// A file has mistakes; the owner forbids the model, or every posture that is as tight.
pub(crate) fn govern(
    start: &Start,
    config: &Config,
    models: &[Option<&str>],
) -> Result<Governed, Failure> {
    let standing = standing(config)?;
    let note = |text: &str| {
        let line = format!("note: {}", visible::line(text));
        line_err(&start.output.stderr_paint.yellow(&line));
    };
    standing.notes.iter().for_each(|text| note(text));
    let managed = &standing.policy.managed;
    let owner = owner(config);
    for model in models.iter().copied().flatten() {
        if let Some(pattern) = model::forbidden(managed, model) {
            let message =
                format!("the machine's owner forbids model '{model}' ('{pattern}' in {owner})");
            return Err(Failure::new(Exit::Refused, anyhow::Error::msg(message)));
        }
    }
    let asked = config::stance(config);
    let stance = managed.clamp(asked).ok_or_else(|| {
        let message = format!(
            "the machine's owner allows no posture as tight as {} ({owner})",
            asked.posture
        );
        Failure::new(Exit::Refused, anyhow::Error::msg(message))
    })?;
    if stance != asked {
        note(&format!(
            "posture {} is not allowed by the machine's owner ({owner}); {} holds instead",
            asked.posture, stance.posture
        ));
    }
    Ok(Governed { stance })
}

/// The managed files that are there.
fn owner(config: &Config) -> String {
    let places = config::policy::places(&config.places);
    let there = places.managed.iter().filter(|file| file.exists());
    there.map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}
