//! The approval card (`[GATE-60]`): everything that a person needs to say yes or no.
//!
//! Invariant: no line is cut off, and no character hides (test `nothing_hides_on_a_card`); text from
//! outside is always deeper indented than the card's own words, so that it cannot pass for them.

use serde_json::Value;
use tollgate_core::{call::Caller, safety::Subject};
use tollgate_engine::approval::Card;

use super::outcome;
use crate::{limits::CARD_LINES_SHOWN, output::Output, text, visible};

#[cfg(test)]
mod tests;

/// The answers that a person has.
pub(crate) const CHOICES: &str = "[y]es once  [n]o  no with a [m]essage  [s]top the turn";

/// The card's lines, without the choices.
pub(crate) fn lines(card: &Card, output: Output) -> Vec<String> {
    let title = if card.title == card.tool { "" } else { &card.title };
    let (server, host) = (visible::line(&card.server), visible::line(&card.host));
    let mut page = Page { output, lines: Vec::new() };
    page.own(&super::title(&card.tool, title, &Value::Null));
    page.own(&format!("asked by {} · server {server} ({host})", asker(card)));
    page.own(&format!("why: {}", visible::line(&card.why)));
    for subject in &card.subjects {
        page.own(&format!("touches: {}", touches(subject)));
    }
    page.own("arguments:");
    page.foreign(&arguments(&card.arguments), |line| line.to_owned());
    if !card.preview.is_empty() {
        let preview = visible::lines(card.preview.trim_end());
        let preview: Vec<String> = preview.lines().map(str::to_owned).collect();
        page.own("preview:");
        page.foreign(&preview, |line| outcome::diff(line, output.stderr_paint));
    }
    let paint = output.stderr_paint;
    let heading = format!("╭ {}", paint.yellow("May this call run?"));
    std::iter::once(heading).chain(page.lines).collect()
}

/// Lines of a card.
struct Page {
    output: Output,
    lines: Vec<String>,
}

impl Page {
    /// What the card itself says.
    fn own(&mut self, line: &str) {
        let wrapped = text::prose(line, self.output.columns.saturating_sub(2));
        self.lines.extend(wrapped.iter().map(|line| format!("│ {line}")));
    }

    /// What others say, deeper.
    fn foreign(&mut self, text: &[String], paint: impl Fn(&str) -> String) {
        let columns = self.output.columns.saturating_sub(4);
        let all: Vec<String> = text.iter().flat_map(|line| text::wrap(line, columns)).collect();
        for line in all.iter().take(CARD_LINES_SHOWN) {
            self.lines.push(format!("│   {}", paint(line)));
        }
        if all.len() > CARD_LINES_SHOWN {
            let left = text::count(all.len() - CARD_LINES_SHOWN, "line");
            self.own(&format!("{left} not shown: say no unless you know them"));
        }
    }
}

fn asker(card: &Card) -> String {
    let caller = match card.caller {
        Caller::Model => "the model",
        Caller::Program => "a program",
        Caller::Server => "another tool",
        Caller::User => "you",
        Caller::Client => "a client",
    };
    match card.agent.as_str() {
        "main" | "" => caller.to_owned(),
        agent => format!("{caller} of agent {}", visible::line(agent)),
    }
}

/// Each argument on a line of its own; texts of several lines as they are, deeper.
fn arguments(arguments: &Value) -> Vec<String> {
    let Some(object) = arguments.as_object() else {
        return vec![visible::line(&arguments.to_string())];
    };
    let mut lines = Vec::new();
    for (name, value) in object {
        let name = visible::line(name);
        match value.as_str().filter(|text| text.contains('\n')) {
            Some(text) => {
                lines.push(format!("{name}: ({})", text::count(text.lines().count(), "line")));
                lines.extend(visible::lines(text).lines().map(|line| format!("    {line}")));
            }
            None => lines.push(format!("{name}: {}", visible::line(&value.to_string()))),
        }
    }
    lines
}

fn touches(subject: &Subject) -> String {
    let told = match subject {
        Subject::Path { absolute, relative, access } => {
            let access = serde_json::to_value(access).unwrap_or_default();
            let path = relative.as_ref().unwrap_or(absolute);
            let outside = if relative.is_none() { " (outside the workspace)" } else { "" };
            format!("{} {}{outside}", access.as_str().unwrap_or("use"), path.display())
        }
        Subject::Command { argv, operator, opaque } => {
            let opaque = if *opaque { " (parts are known only when it runs)" } else { "" };
            let operator = if operator.is_empty() { "" } else { &format!("{operator} ") };
            format!("run {operator}{}{opaque}", argv.join(" "))
        }
        Subject::Host { host } => format!("talk to {host}"),
        Subject::Repo { path } => format!("repository {}", path.display()),
        Subject::Mcp { server, tool } => format!("MCP {server}: {tool}"),
        Subject::Tool { name } => format!("tool {name}"),
        Subject::Unknown => "something that this kernel does not know".to_owned(),
    };
    visible::line(&told)
}
