//! `permissions list`: every rule with whose it is and where it stands; in its long form also lists,
//! law, managed policy and the floor.

use std::path::Path;

use tollgate_core::authority::rules::{Action, Rule, Source, compact};
use tollgate_engine::{
    clock,
    store::session::{self, SessionRecord},
};

use crate::{
    config::Config,
    exit::{Exit, Failure},
    govern,
    output::{json_pretty, line_err, line_out},
    start::Start,
    text, visible,
};

mod beside;
mod json;

/// Before what is told of a rule.
const INDENT: &str = "      ";

/// Prints all rules.
///
/// # Errors
/// A policy file has mistakes, or there is no such session.
pub(super) fn run(start: &Start, asked: Option<&str>, all: bool) -> Result<Exit, Failure> {
    let config = start.config()?;
    let standing = govern::standing(&config)?;
    let policy = &standing.policy;
    let mut rules: Vec<Rule> =
        policy.managed.rules.all().iter().chain(policy.rules.all()).cloned().collect();
    if let Some(asked) = asked {
        rules.extend(of_session(start, &config, asked)?);
    }
    rules.sort_by_key(|rule| std::cmp::Reverse((rule.source, rule.action)));
    if start.common.json {
        json_pretty(&json::all(&config, policy, &rules));
        return Ok(Exit::Done);
    }
    for note in &standing.notes {
        line_err(&start.output.stderr_paint.yellow(&format!("note: {}", visible::line(note))));
    }
    let shown: Vec<&Rule> =
        rules.iter().filter(|rule| all || is_in_force(rule, &config.workspace)).collect();
    if shown.is_empty() {
        line_err("no rule holds here; `tollgate permissions add RULE` stores one");
    }
    let columns = if start.output.stdout_is_terminal { start.output.columns } else { usize::MAX };
    let lines = shown.iter().flat_map(|rule| lines(rule, &config.workspace, columns));
    lines.for_each(|line| line_out(&line));
    let left = rules.len() - shown.len();
    if left > 0 {
        let rules = text::count(left, "rule");
        line_err(&format!(
            "{rules} not in force here (expired, or of another workspace); --all shows all"
        ));
    }
    if start.common.verbose > 0 {
        beside::lines(policy, columns).iter().for_each(|line| line_out(line));
    } else {
        line_err("with -v also lists, law, managed policy and the built-in floor");
    }
    Ok(Exit::Done)
}

/// The grants of a session.
fn of_session(start: &Start, config: &Config, asked: &str) -> Result<Vec<Rule>, Failure> {
    let state = start.store()?;
    let id = session::find(&state, asked)?;
    let mut rules = Vec::new();
    session::read(&state, &id, |_, record| {
        if let SessionRecord::Grants { rules: granted } = record {
            let origin = format!("session {id}");
            let read = granted.iter().filter_map(|rule| {
                compact::parse(rule, Action::Allow, Source::Session, None, &origin).ok()
            });
            let here = Some(config.workspace.clone());
            rules.extend(read.map(|rule| Rule { workspace: here.clone(), ..rule }));
        }
    })?;
    Ok(rules)
}

fn is_in_force(rule: &Rule, workspace: &Path) -> bool {
    let is_here = rule.workspace.as_deref().is_none_or(|other| other == workspace);
    is_here && rule.expires_unix_ms.is_none_or(|end| end > clock::unix_ms())
}

/// The rule, and below it whose it is, where it stands, where and until when it holds, and why.
fn lines(rule: &Rule, workspace: &Path, columns: usize) -> Vec<String> {
    let place = match &rule.workspace {
        None => "everywhere".to_owned(),
        Some(here) if here == workspace => "here".to_owned(),
        Some(other) => format!("in {}", other.display()),
    };
    let until = rule.expires_unix_ms.map(|end| format!("until {} UTC", text::moment(end)));
    let mut facts = vec![source_word(rule.source).to_owned(), rule.origin.clone(), place];
    facts.extend(until);
    facts.extend(Some(rule.reason.clone()).filter(|reason| !reason.is_empty()));
    let told = format!("{:<5} {}", action_word(rule.action), bare(rule));
    let mut lines = text::wrap(&visible::line(&told), columns);
    let facts = visible::line(&facts.join(" · "));
    let below = text::prose(&facts, columns.saturating_sub(INDENT.len()));
    lines.extend(below.iter().map(|line| format!("{INDENT}{line}")));
    lines
}

/// A rule without its workspace, which is told beside it.
pub(super) fn bare(rule: &Rule) -> String {
    compact::show(&Rule { workspace: None, ..rule.clone() })
}

/// As it is written in files.
pub(super) fn action_word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Ask => "ask",
        Action::Deny => "deny",
    }
}

fn source_word(source: Source) -> &'static str {
    match source {
        Source::BuiltIn => "built in",
        Source::Session => "session",
        Source::Project => "project",
        Source::User => "user",
        Source::Managed => "managed",
    }
}
