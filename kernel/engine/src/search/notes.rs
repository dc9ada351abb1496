//! What an answer says below its tools: what is missing or near, what became of the toolbox, what was not
//! searched.
//!
//! Not here: headline and cards ([`super::show`]).

use std::fmt::Display;

use tollgate_core::{
    catalog::{Surface, contract::EXECUTE_TOOLS},
    name::ToolName,
    stance::{Mode, Posture},
};

use super::{
    answer::Answer,
    limits::{NAMES_MAX, REASONS_MAX},
};

/// All of it.
pub(super) fn add(answer: &Answer, lines: &mut Vec<String>) {
    missing(answer, lines);
    activation(answer, lines);
    elsewhere(answer, lines);
}

fn missing(answer: &Answer, lines: &mut Vec<String>) {
    for missing in &answer.missing {
        let why = missing.why.as_ref();
        lines.push(match why {
            Some(why) => format!("Not found: '{}' ({why}).", missing.name),
            None => format!("Not found: '{}'.", missing.name),
        });
    }
    if !answer.nearest.is_empty() {
        lines.push(format!("The nearest names: {}.", listed(&answer.nearest)));
    } else if answer.total == 0 && answer.missing.is_empty() {
        lines.push("No name is near it; other or fewer words may find more.".to_owned());
    }
    if answer.total == 0 && answer.mode == Mode::Plan {
        lines.push("The mode is plan: only tools that change nothing are searched.".to_owned());
    } else if answer.total == 0 && answer.posture == Posture::Never {
        let text =
            "The posture is never: only tools that may be proven to change nothing are searched.";
        lines.push(text.to_owned());
    }
    if answer.left_out > 0 {
        lines.push(format!("{} tools are one too many and were not searched.", answer.left_out));
    }
}

fn activation(answer: &Answer, lines: &mut Vec<String>) {
    let done = &answer.activation;
    if !done.activated.is_empty() {
        let names = listed(&done.activated);
        lines.push(format!("Activated, listed from the next request on: {names}."));
    }
    if !done.evicted.is_empty() {
        let names = listed(&done.evicted);
        lines.push(format!("These left the toolbox for them: {names}; a search brings them back."));
    }
    if !done.too_large.is_empty() {
        let large = done.too_large.iter().map(|(name, bytes)| format!("{name} ({bytes} bytes)"));
        let (large, how) = (listed(&large.collect::<Vec<_>>()), by_what(answer));
        lines.push(format!("Too large to activate: {large}; described here and callable {how}."));
    }
    if !done.no_room.is_empty() {
        let (names, how) = (listed(&done.no_room), by_what(answer));
        lines.push(format!("No room in the toolbox for: {names}; callable {how}."));
    }
    let described = described(answer);
    if answer.asker.activates() && !described.is_empty() {
        let names = listed(&described);
        lines.push(format!("Described only: {names}; select:NAME activates one."));
    }
    if answer.asker.is_direct && answer.asker.surface == Surface::Code && !answer.hits.is_empty() {
        lines.push(format!("Call them inside a program of {EXECUTE_TOOLS}."));
    }
}

/// Tools of the answer that no request carries, and of which nothing else is said.
fn described(answer: &Answer) -> Vec<&ToolName> {
    let done = &answer.activation;
    let is_told = |name: &ToolName| {
        done.no_room.contains(name) || done.too_large.iter().any(|(large, _)| large == name)
    };
    let entries = answer.hits.iter().map(|hit| &hit.entry);
    let entries = entries.filter(|entry| !answer.is_active(entry) && !is_told(&entry.name));
    entries.map(|entry| &entry.name).collect()
}

/// How a tool that is not listed is called.
fn by_what(answer: &Answer) -> String {
    if answer.has_programs { format!("through {EXECUTE_TOOLS}") } else { "by its name".to_owned() }
}

/// What was not searched: with reasons where nothing was found or servers are meant, else by name.
fn elsewhere(answer: &Answer, lines: &mut Vec<String>) {
    let all = &answer.unsearched;
    if all.is_empty() {
        return;
    }
    if answer.total > 0 && !answer.is_about_servers {
        let names: Vec<String> =
            all.iter().map(|it| format!("{} ({})", it.name(), it.state)).collect();
        lines.push(format!("Not searched: {}.", listed(&names)));
        return;
    }
    for one in all.iter().take(REASONS_MAX) {
        let server = one.source.as_ref().map(|_| format!(" of server {}", one.server));
        let server = server.unwrap_or_default();
        lines.push(format!("Not searched: {}{server}, {}: {}", one.name(), one.state, one.reason));
    }
    if let Some(more) = all.len().checked_sub(REASONS_MAX).filter(|more| *more > 0) {
        lines.push(format!("Not searched: {more} more."));
    }
}

/// Names in one line, the first of many.
fn listed(names: &[impl Display]) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMES_MAX).map(ToString::to_string).collect();
    if let Some(more) = names.len().checked_sub(NAMES_MAX).filter(|more| *more > 0) {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}
