//! The approval card (`[GATE-60]`): everything that a person needs to say yes or no.
//!
//! Invariants: nothing hides, neither by its length nor by what it is made of: what is folded shows
//! its end and how much is left out, padding is counted, unseen characters have numbers (tests
//! `nothing_hides_on_a_card`, `padding_is_counted_and_the_end_is_seen`); text from outside always
//! stands deeper than the card's own words, so that it cannot pass for them.

mod exact;

use tollgate_core::{
    authority::{Why, program},
    call::Caller,
    safety::{Reach, Subject},
};
use tollgate_engine::approval::Card;

use super::outcome;
use crate::{
    limits::{CARD_LINES_SHOWN, CARD_TAIL_LINES_SHOWN},
    output::Output,
    text,
    visible::{self, line},
};

#[cfg(test)]
mod tests;

/// The answers that a person has to this card.
pub(crate) fn choices(card: &Card) -> &'static str {
    if card.offer.is_empty() {
        "[y]es once  [n]o  [m]essage  [q]uit turn"
    } else {
        "[y]es once  [s]ession  [a]lways  [n]o  [m]essage  [q]uit turn"
    }
}

/// The card's lines, without the choices.
pub(crate) fn lines(card: &Card, output: Output) -> Vec<String> {
    let mut page = Page { output, lines: Vec::new() };
    page.own(&exact::counted(&title(card)));
    let (server, host) = (visible::name(&card.server), visible::name(&card.host));
    page.own(&format!("{} · server {server} ({host})", asker(card)));
    for why in &card.why {
        page.own(&format!("why: {}", reason(why)));
    }
    if let Some(wish) = &card.escalation {
        let said = exact::counted(&line(&wish.justification));
        page.own(&format!("wants sandbox '{}' for this one call: {said}", wish.to));
    }
    if let Some(reach) = &card.reach {
        page.own(&format!("its programs: {}", exact::counted(&line(&reach.told()))));
    }
    page.commands(card);
    for touched in card.subjects.iter().filter_map(touches) {
        page.own(&format!("touches: {touched}"));
    }
    page.arguments(card);
    if !card.preview.is_empty() && !repeats_itself(card) {
        let preview = exact::folded(&visible::lines(card.preview.trim_end()));
        let paint = output.stderr_paint;
        page.own("preview:");
        page.foreign(&preview, |line| outcome::diff(line, paint));
    }
    page.warn(card);
    page.offer(card);
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
    /// What the card itself says; what of it does not fit into the row stands deeper, too, since it may
    /// quote others.
    fn own(&mut self, line: &str) {
        let mut wrapped = text::prose(line, self.output.columns.saturating_sub(4)).into_iter();
        self.lines.extend(wrapped.next().map(|line| format!("│ {line}")));
        self.lines.extend(wrapped.map(|line| format!("│   {line}")));
    }

    /// What others say, deeper; too much of it is folded in the middle.
    fn foreign(&mut self, text: &[String], paint: impl Fn(&str) -> String) {
        let columns = self.output.columns.saturating_sub(4);
        let all: Vec<String> = text.iter().flat_map(|line| text::wrap(line, columns)).collect();
        let left = all.len().saturating_sub(CARD_LINES_SHOWN + CARD_TAIL_LINES_SHOWN);
        let head = if left == 0 { all.len() } else { CARD_LINES_SHOWN };
        for line in all.iter().take(head) {
            self.lines.push(format!("│   {}", paint(line)));
        }
        if left > 0 {
            let left = text::count(left, "line");
            self.own(&format!(
                "{left} not shown here, and the end is: say no unless you know them"
            ));
            for line in all.iter().skip(all.len() - CARD_TAIL_LINES_SHOWN) {
                self.lines.push(format!("│   {}", paint(line)));
            }
        }
    }

    /// The commands of a shell line, each on its own, the operator before it.
    fn commands(&mut self, card: &Card) {
        let commands: Vec<String> = card.subjects.iter().filter_map(command).collect();
        let told = if commands.is_empty() {
            card.commands.iter().map(|text| exact::counted(&line(text))).collect()
        } else {
            commands
        };
        if !told.is_empty() {
            self.own("commands:");
            self.foreign(&told, str::to_owned);
        }
    }

    fn arguments(&mut self, card: &Card) {
        let digest = card.arguments_sha256.to_string();
        let digest = digest.get(..12).unwrap_or(&digest);
        self.own(&format!("arguments ({} bytes, sha256 {digest}…):", card.arguments_bytes));
        self.foreign(&exact::arguments(&card.arguments), str::to_owned);
    }

    /// Letters that pass for others.
    fn warn(&mut self, card: &Card) {
        let all = format!("{} {} {}", card.arguments, card.preview, card.title);
        let found = visible::lookalikes(&all);
        if found.is_empty() {
            return;
        }
        let named: Vec<String> = found
            .iter()
            .take(8)
            .map(|char| format!("{char} is {}", visible::code(*char)))
            .collect();
        let told = format!("beware, letters that look like others: {}", named.join(", "));
        self.own(&self.output.stderr_paint.yellow(&told));
    }

    /// What a wider yes would store.
    fn offer(&mut self, card: &Card) {
        if card.offer.is_empty() {
            return;
        }
        self.own("[s]ession or [a]lways would allow here without a question:");
        let rules: Vec<String> =
            card.offer.iter().map(|rule| exact::counted(&line(rule))).collect();
        self.foreign(&rules, str::to_owned);
    }
}

/// Whether the preview is a shell line over again, which stands among the commands and arguments.
fn repeats_itself(card: &Card) -> bool {
    let line = card.arguments.get("command").and_then(|line| line.as_str());
    let has_commands =
        card.subjects.iter().any(|subject| matches!(subject, Subject::Command { .. }));
    has_commands && line.is_some_and(|line| card.preview.starts_with(line))
}

/// What is asked about; a program's call says that it is one (`[CODE-07]`).
fn title(card: &Card) -> String {
    let tool = visible::name(&card.tool);
    if card.caller == Caller::Program {
        return program::card_title(card.caller, &tool, &line(&card.title));
    }
    let told = if card.title == card.tool { "" } else { &card.title };
    super::title(&tool, told, &serde_json::Value::Null)
}

fn asker(card: &Card) -> String {
    let caller = match card.caller {
        Caller::Model => "asked by the model".to_owned(),
        Caller::Program => "asked by a program of execute_tools".to_owned(),
        Caller::Server => format!("tool server call: {}", visible::name(&card.tool)),
        Caller::User => "asked by you".to_owned(),
        Caller::Client => "asked by a client".to_owned(),
    };
    match card.agent.as_str() {
        "main" | "" => caller,
        agent => format!("{caller}, agent {}", visible::name(agent)),
    }
}

fn reason(why: &Why) -> String {
    let layer = super::layer_word(why.layer);
    let rule = why.rule.as_deref().filter(|rule| !why.reason.contains(rule));
    let rule = rule.map(|rule| format!(", {}", line(rule))).unwrap_or_default();
    format!("{} [{layer}{rule}]", exact::counted(&line(&why.reason)))
}

/// A simple command with the operator before it, and what is known of it.
pub(crate) fn command(subject: &Subject) -> Option<String> {
    let Subject::Command { argv, operator, opaque, read_only } = subject else { return None };
    let operator = if operator.is_empty() { String::new() } else { format!("{operator} ") };
    let known = match (opaque, read_only) {
        (true, _) => "  (parts are known only when it runs)",
        (false, true) => "  (only reads)",
        (false, false) => "",
    };
    let words = exact::counted(&line(&exact::words(argv, *opaque)));
    Some(format!("{}{words}{known}", line(&operator)))
}

/// What is touched beside commands.
pub(crate) fn touches(subject: &Subject) -> Option<String> {
    let told = match subject {
        Subject::Command { .. } => return None,
        Subject::Path { absolute, relative, access, reach } => {
            let access = serde_json::to_value(access).unwrap_or_default();
            let path = relative.as_ref().unwrap_or(absolute);
            let outside = if relative.is_none() { " (outside the workspace)" } else { "" };
            let below = match reach {
                Reach::Itself => "",
                Reach::Tree => " and all below it",
                Reach::GrantedTree => " and below it, but for what is denied there",
            };
            let access = access.as_str().unwrap_or("use");
            format!("{access} {}{below}{outside}", path.display())
        }
        Subject::Host { host } => format!("talk to {host}"),
        Subject::Repo { path } => format!("repository {}", path.display()),
        Subject::Mcp { server, tool } => format!("MCP {server}: {tool}"),
        Subject::Tool { name } => format!("tool {name}"),
        Subject::Unknown => "something that this kernel does not know".to_owned(),
    };
    Some(exact::counted(&line(&told)))
}
