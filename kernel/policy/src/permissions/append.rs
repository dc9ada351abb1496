//! Adds rules to the end of a `permissions.toml` that stays the user's: nothing else in it changes.
//!
//! Invariant: what was written reads back as the rules that were meant, or nothing is written (test
//! `what_is_written_reads_back_as_it_was`).

use std::path::Path;

use tollgate_core::authority::rules::{Action, Rule, Touch};
use toml::Value;

use crate::{PolicyError, atomic, limits::WRITE_TRIES, place, read};

/// Adds rules at the end of the file, which is made if it is not there.
///
/// # Errors
/// The file is broken now, cannot be written, or a rule cannot be said in it; nothing was stored then.
pub(crate) fn append(path: &Path, rules: &[Rule], home: Option<&Path>) -> Result<(), PolicyError> {
    let fault = |what: String| PolicyError::of_file(path, what);
    let added = rules.iter().map(written).collect::<Result<Vec<_>, _>>().map_err(fault)?.concat();
    for _ in 0..WRITE_TRIES {
        let before = read::user_file(path);
        let old = before.text(path)?.unwrap_or_default();
        let count = super::parse(path, old, home)?.rules.len();
        let gap = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
        let new = format!("{old}{gap}{added}");
        let all = super::parse(path, &new, home)?.rules;
        let stored = all.get(count..).unwrap_or_default();
        if stored.len() != rules.len() || !stored.iter().zip(rules).all(|(a, b)| is_same(a, b)) {
            return Err(fault("this rule cannot be said in this file; nothing was stored".into()));
        }
        if atomic::replace(path, &new, || read::user_file(path) == before).map_err(fault)? {
            return Ok(());
        }
    }
    Err(fault("it is being changed by others all the time; nothing was stored".into()))
}

/// The same rule, whoever's and wherever it stands; a folder is itself through any link.
fn is_same(stored: &Rule, meant: &Rule) -> bool {
    let meant = Rule {
        source: stored.source,
        origin: stored.origin.clone(),
        workspace: meant.workspace.as_deref().map(place::resolved),
        ..meant.clone()
    };
    *stored == meant
}

/// One `[[rule]]`.
fn written(rule: &Rule) -> Result<String, String> {
    let mut text = String::from("\n# Stored by Tollgate.\n[[rule]]\n");
    let mut key = |name: &str, value: Value| {
        text.extend([name, " = ", &value.to_string(), "\n"]);
    };
    let word = |text: &str| Value::String(text.to_owned());
    key(
        "action",
        word(match rule.action {
            Action::Allow => "allow",
            Action::Ask => "ask",
            Action::Deny => "deny",
        }),
    );
    key("tool", word(rule.tool.as_str()));
    if let Some(command) = &rule.command {
        let name = if command.exact { "command_exact" } else { "command" };
        key(name, Value::Array(command.argv.iter().map(|it| word(it)).collect()));
    }
    if let Some(path) = &rule.path {
        key("path", word(path.glob.as_str()));
        match path.access {
            Some(Touch::Read) => key("access", word("read")),
            Some(Touch::Write) => key("access", word("write")),
            None => {}
        }
    }
    if let Some(host) = &rule.host {
        key("host", word(host.as_str()));
    }
    if let Some(server) = &rule.server {
        key("server", word(server.as_str()));
    }
    if let Some(folder) = &rule.workspace {
        let folder = folder.to_str().ok_or("the workspace's name is not UTF-8")?;
        key("workspace", word(folder));
    }
    if !rule.reason.is_empty() {
        key("reason", word(&rule.reason));
    }
    if let Some(ms) = rule.expires_unix_ms {
        let ms = i64::try_from(ms).map_err(|error| error.to_string())?;
        let moment = jiff::Timestamp::from_millisecond(ms).map_err(|error| error.to_string())?;
        key("expires", word(&moment.to_string()));
    }
    Ok(text)
}
