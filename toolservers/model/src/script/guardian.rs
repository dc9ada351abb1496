//! What a script says when it is asked to judge a call, and not to go on with a turn.
//!
//! ```json
//! {"steps": [],
//!  "guardian": [{"match": "cargo test", "risk": "low", "decision": "allow", "reason": "tests"},
//!               {"match": "\"tool\":\"bash\"", "raw": "VERDICT: allow"},
//!               {"delay_ms": 5, "error": {"class": "rate"}}]}
//! ```
//!
//! The first entry whose `match` stands in the JSON text of the call answers; without `match` it
//! fits every call. An entry may answer any number of calls. Absent keys: "low", "allow", "the
//! script says so". `raw` is the whole answer in place of a verdict.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::play::Said;
use super::{Script, ScriptedError};
use crate::event::{Class, Finished, Outlet};
use crate::failure::Failure;
use crate::limits::DELAY_MS_MAX;
use crate::request::Request;

/// One judgement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Judgement {
    r#match: Option<String>,
    risk: Option<String>,
    decision: Option<String>,
    reason: Option<String>,
    raw: Option<String>,
    #[serde(default)]
    delay_ms: u64,
    error: Option<ScriptedError>,
}

/// The part of the message that is matched.
#[derive(Deserialize)]
struct Shown {
    call: Box<RawValue>,
}

impl Judgement {
    pub(super) fn check(&self) -> Result<(), String> {
        let has_own = self.risk.is_some() || self.decision.is_some() || self.reason.is_some();
        if self.raw.is_some() && has_own {
            return Err("`raw` stands alone, without risk, decision and reason".to_owned());
        }
        if self.delay_ms > DELAY_MS_MAX {
            return Err(format!("`delay_ms` is at most {DELAY_MS_MAX}"));
        }
        Ok(())
    }

    fn fits(&self, call: &str) -> bool {
        self.r#match.as_ref().is_none_or(|part| call.contains(part))
    }

    fn text(&self) -> String {
        if let Some(raw) = &self.raw {
            return raw.clone();
        }
        let said = |word: &Option<String>, usual: &str| word.as_deref().unwrap_or(usual).to_owned();
        let verdict = json!({
            "risk": said(&self.risk, "low"),
            "decision": said(&self.decision, "allow"),
            "reason": said(&self.reason, "the script says so"),
        });
        verdict.to_string()
    }
}

/// Judges a call.
///
/// # Errors
///
/// The message holds no call, no entry fits, or the entry says so.
pub(super) async fn judge(
    script: &Script,
    path: &Path,
    request: &Request,
    outlet: &mut Outlet,
) -> Result<Finished, Failure> {
    let name = path.display();
    let message = request.messages.first().map(crate::request::Message::text).unwrap_or_default();
    let Shown { call } = serde_json::from_str(&message).map_err(|fault| {
        Failure::lasting(Class::Invalid, format!("script {name}: no call to judge: {fault}"))
    })?;
    let Some(judgement) = script.guardian.iter().find(|entry| entry.fits(call.get())) else {
        let message = format!("script {name} has no `guardian` entry for this call; add one");
        return Err(Failure::lasting(Class::Exhausted, message));
    };
    tokio::time::sleep(Duration::from_millis(judgement.delay_ms)).await;
    if let Some(error) = &judgement.error {
        return Err(error.failure());
    }
    Ok(Said { text: judgement.text(), ..Said::default() }.say(outlet).await)
}
