//! `permissions add`: one rule more in the user's `permissions.toml`.

use serde_json::json;
use tollgate_core::authority::rules::{Action, Rule, Source, compact};
use tollgate_engine::error::KernelError;
use tollgate_policy::{Policies, PolicyError};

use super::list::{action_word, bare};
use crate::{
    args::AddRule,
    config,
    exit::{Exit, Failure},
    output::{json_pretty, line_out},
    start::Start,
    text, visible,
};

#[cfg(test)]
mod tests;

/// What a rule in compact form looks like.
const FORM: &str = "a rule is TOOL, TOOL(WORDS *) for commands, TOOL(PATH) for files, as in \
     'bash(cargo test *)', 'read(~/notes/**)', 'mcp_github_*'";

/// Stores a rule, and says what it covers.
///
/// # Errors
/// It means nothing, names no tool that there is, or cannot be stored.
pub(super) async fn run(start: &Start, add: &AddRule) -> Result<Exit, Failure> {
    let config = start.config()?;
    let places = config::policy::places(&config.places);
    let action = Action::from(add.action);
    let home = places.home.as_ref().and_then(|home| home.to_str());
    let rule = compact::parse(&add.rule, action, Source::User, home, "permissions add")
        .map_err(|error| Failure::usage(format!("{error}; {FORM}")))?;
    // A narrow yes and a wide no, unless something else is said.
    let is_here = if action == Action::Allow { !add.everywhere } else { add.here };
    let expires = add.expires.as_deref().map(expires).transpose()?;
    let rule = Rule {
        workspace: is_here.then(|| config.workspace.clone()),
        reason: add.reason.clone().unwrap_or_default(),
        expires_unix_ms: expires,
        ..rule
    };
    let names_of_tools = names(start, &config).await?;
    let file = places.permissions.clone();
    // With the rule as if it was there, so that a tool that is none is found before it is stored.
    let mut extra = config.extra.clone();
    extra.rules.push(rule.clone());
    let policies = Policies::open(places, extra, config.roots()).map_err(KernelError::from)?;
    let known: Vec<&str> = names_of_tools.iter().map(String::as_str).collect();
    policies.check_tools(&known).map_err(|error: PolicyError| KernelError::from(error))?;
    policies.remember(std::slice::from_ref(&rule)).map_err(KernelError::from)?;
    if start.common.json {
        json_pretty(&json!({
            "action": rule.action,
            "rule": bare(&rule),
            "workspace": rule.workspace,
            "expires_unix_ms": rule.expires_unix_ms,
            "reason": rule.reason,
            "file": file,
        }));
    } else {
        let stored = format!("{} {}", action_word(action), bare(&rule));
        line_out(&visible::line(&stored));
        line_out(&visible::line(&covers(&rule)));
        if let Some(limit) = limit(&rule) {
            line_out(&visible::line(&limit));
        }
        line_out(&format!("stored in {}", visible::line(&file.display().to_string())));
    }
    Ok(Exit::Done)
}

/// The tools that there are, without asking a server that was never asked.
async fn names(start: &Start, config: &config::Config) -> Result<Vec<String>, Failure> {
    let kernel = start.kernel(config)?;
    let catalog = kernel.catalog().await;
    kernel.stop().await;
    Ok(catalog.ruled_names().into_iter().map(str::to_owned).collect())
}

/// What a rule covers, in a sentence.
fn covers(rule: &Rule) -> String {
    let calls = match (&rule.command, &rule.path, &rule.host) {
        (Some(command), _, _) if command.exact => {
            format!("`{}` and nothing more behind it", command.argv.join(" "))
        }
        (Some(command), _, _) => format!("commands that begin with `{}`", command.argv.join(" ")),
        (_, Some(path), _) => format!("calls that touch {}", path.glob.as_str()),
        (_, _, Some(host)) => format!("calls that talk to {}", host.as_str()),
        (None, None, None) => "every call".to_owned(),
    };
    let place = match &rule.workspace {
        Some(workspace) => format!("in {}", workspace.display()),
        None => "in every workspace".to_owned(),
    };
    let does = match rule.action {
        Action::Allow => "run without a question, unless something else asks or forbids",
        Action::Ask => "need a person's yes, whatever else allows them",
        Action::Deny => "are refused, whatever else allows them",
    };
    let until = rule.expires_unix_ms.map(text::moment);
    let until = until.map(|until| format!(", until {until} UTC")).unwrap_or_default();
    format!("{calls} of '{}' {place} {does}{until}", rule.tool.as_str())
}

/// What a rule that keeps calls from files does not keep from them (B094).
fn limit(rule: &Rule) -> Option<String> {
    let path = rule.path.as_ref().filter(|_| rule.action != Action::Allow)?;
    let others = if rule.tool.as_str() == "*" {
        String::new()
    } else {
        format!("other tools, as command lines, may: '*(path:{})' is for all; ", path.glob.as_str())
    };
    Some(format!("{others}a command line that computes the name is not known to touch it"))
}

/// A day (its beginning, in UTC) or a moment; it has to be in the future.
fn expires(text: &str) -> Result<u64, Failure> {
    let day = || {
        let day = text.parse::<jiff::civil::Date>().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(day.to_datetime(jiff::civil::Time::midnight())).ok()
    };
    let moment = text.parse::<jiff::Timestamp>().ok().or_else(day);
    let ms = moment.and_then(|moment| u64::try_from(moment.as_millisecond()).ok());
    match ms {
        Some(ms) if ms > tollgate_engine::clock::unix_ms() => Ok(ms),
        Some(_) => Err(Failure::usage(format!("--expires {text} is over already"))),
        None => Err(Failure::usage(format!(
            "--expires {text} is no day and no moment: 2027-01-31, or 2027-01-31T18:00:00Z"
        ))),
    }
}
