//! The text of an [`Answer`], as a model reads it: a headline, a card a tool, then what else it must know.
//!
//! ```text
//! 12 tools match, 2 are shown; skip: 2 shows more.
//! grep(pattern: string, path?: string)
//!   Find lines by a regular expression. [activated]
//! mcp_notes_find(text: string)
//!   Finds notes. [server notes]
//! ```
//!
//! Invariants: bounded, whatever servers say (test `an_answer_is_bounded`); the same answer gives the same
//! text; no line begins with what a server wrote, but for names that have the form of names.

use tollgate_core::{authority::program, catalog::Exposure};

use super::{
    answer::{Answer, Hit, signature},
    ask::Format,
    limits::{CARDS_BYTES_MAX, DESCRIPTION_CHARS_MAX, DETAILS_BYTES_MAX, ECHO_CHARS_MAX},
    notes, plain,
    shelf::server_of,
};

/// The text.
pub(super) fn text(answer: &Answer) -> String {
    let mut lines = vec![headline(answer)];
    tools(answer, &mut lines);
    notes::add(answer, &mut lines);
    lines.join("\n")
}

fn headline(answer: &Answer) -> String {
    let (total, shown) = (answer.total, answer.hits.len());
    if shown > 0 {
        let match_ =
            if total == 1 { "1 tool matches".to_owned() } else { format!("{total} tools match") };
        let shown = if shown < total { format!(", {shown} shown") } else { String::new() };
        let more = answer.next_skip.map(|next| format!("; skip: {next} shows more"));
        return format!("{match_}{shown}{}.", more.unwrap_or_default());
    }
    if total > 0 {
        return format!("{total} tools match, and skip: {} leaves none.", answer.ask.skip);
    }
    let query = plain::line(&answer.ask.query, ECHO_CHARS_MAX);
    let within = answer.ask.server.as_deref().map(|it| plain::line(it, ECHO_CHARS_MAX));
    let within = within.map(|it| format!(" of server '{it}'")).unwrap_or_default();
    let why = if answer.server_is_unknown { ": no tool of that server is known here" } else { "" };
    format!("No tool{within} matches '{query}'{why}.")
}

/// Cards, and by name alone those that have no room.
fn tools(answer: &Answer, lines: &mut Vec<String>) {
    if answer.ask.format == Format::Names {
        lines.extend(answer.hits.iter().map(|hit| hit.entry.name.to_string()));
        return;
    }
    let (mut left, mut more) = (CARDS_BYTES_MAX, Vec::new());
    for hit in &answer.hits {
        let card = card(answer, hit);
        if card.len() > left {
            more.push(&hit.entry.name);
            continue;
        }
        left -= card.len();
        lines.push(card);
        lines.extend(details(answer, hit));
    }
    if !more.is_empty() {
        // All of them: these are names that were asked for.
        let names: Vec<String> = more.iter().map(ToString::to_string).collect();
        lines.push(format!("Also, without room for more: {}.", names.join(", ")));
    }
}

fn card(answer: &Answer, hit: &Hit) -> String {
    let entry = &hit.entry;
    let said = plain::first_sentence(&entry.description, DESCRIPTION_CHARS_MAX);
    let mut marks = Vec::new();
    if !entry.is_native() {
        marks.push(format!("server {}", server_of(entry)));
    }
    if answer.activation.activated.contains(&entry.name) {
        marks.push("activated".to_owned());
    } else if answer.is_active(entry) {
        marks.push(
            if entry.exposure == Exposure::Eager { "listed already" } else { "active already" }
                .to_owned(),
        );
    }
    if answer.asker.is_program() && !program::may_call(entry) {
        marks.push("not callable in programs".to_owned());
    }
    let marks = if marks.is_empty() { String::new() } else { format!("[{}]", marks.join(", ")) };
    let line = [said, marks].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
    let signature = signature(entry);
    if line.is_empty() { signature } else { format!("{signature}\n  {line}") }
}

fn details(answer: &Answer, hit: &Hit) -> Option<String> {
    let name = &hit.entry.name;
    if let Some(text) = answer.details.get(name) {
        return Some(match answer.ask.format {
            Format::Types => text.trim_end().to_owned(),
            Format::Card | Format::Schema | Format::Names => format!("  input_schema: {text}"),
        });
    }
    let bytes = answer.details.omitted(name)?;
    let advice = if bytes > DETAILS_BYTES_MAX {
        format!("more than the {DETAILS_BYTES_MAX} of an answer")
    } else {
        format!("no room beside the others; ask for it alone: select:{name}")
    };
    Some(format!("  (its schema has {bytes} bytes: {advice})"))
}

#[cfg(test)]
mod tests;
