//! A snapshot as lines for a person.
//!
//! Invariant: text of tools stands deeper than the snapshot's own words and is made safe to show, so that it
//! cannot pass for them (test `text_of_tools_cannot_pass_for_the_snapshots_own`).

use serde_json::value::RawValue;
use tollgate_core::{
    authority::{Need, Outlook, Requires},
    catalog::snapshot::{
        Capabilities, Known, Measured, NotCarried, Presence, Snapshot, SurfaceFacts, ToolFacts,
        Visibility, WireTool,
    },
    name::SessionId,
};

use super::super::pretty;
use crate::{output::Output, text, visible};

/// Before what is said of a tool, and before what a tool says.
const OWN: &str = "  ";
const FOREIGN: &str = "    ";

/// All lines.
pub(super) fn of(id: &SessionId, snapshot: &Snapshot, output: Output) -> Vec<String> {
    let mut page = Page { output, lines: Vec::new() };
    page.head(id, snapshot);
    let facts = snapshot.surface.facts.as_ref();
    for (place, tool) in snapshot.wire.tools.iter().enumerate() {
        page.tool(place + 1, tool, facts.and_then(|facts| facts.tools.get(place)));
    }
    if let Some(omitted) = snapshot.wire.omitted {
        page.line("");
        page.line(&format!("… {} more tools stand in the request", omitted.tools));
    }
    match facts {
        Some(facts) => page.rest(facts),
        None => {
            let why = snapshot.surface.why.as_deref().unwrap_or_default();
            page.line("");
            page.line(&format!(
                "where tools come from, what they may do and whom they ask is not known: {}",
                visible::line(why)
            ));
        }
    }
    page.lines
}

struct Page {
    output: Output,
    lines: Vec<String>,
}

impl Page {
    /// Words of the snapshot itself.
    fn line(&mut self, said: &str) {
        self.lines.extend(text::prose(said, self.output.columns));
    }

    /// The same, of one tool.
    fn own(&mut self, said: &str) {
        let columns = self.output.columns.saturating_sub(OWN.len());
        self.lines.extend(text::prose(said, columns).iter().map(|line| format!("{OWN}{line}")));
    }

    /// Text of a tool, with its own line breaks.
    fn foreign(&mut self, said: &str) {
        let columns = self.output.columns.saturating_sub(FOREIGN.len());
        let lines = text::prose(&visible::lines(said), columns);
        self.lines
            .extend(lines.iter().map(|line| format!("{FOREIGN}{line}").trim_end().to_owned()));
    }

    fn head(&mut self, id: &SessionId, snapshot: &Snapshot) {
        let (request, wire) = (&snapshot.request, &snapshot.wire);
        self.line(&format!("session {id} · turn {}, step {}", request.turn, request.step));
        let model = request.model.as_deref().unwrap_or("unavailable");
        self.line(&format!("model: {}", visible::line(model)));
        self.line(&format!("request: {} bytes, sha256 {}", request.bytes, request.sha256));
        let field = match (wire.tools_field, wire.count) {
            (Presence::Absent, _) => "absent".to_owned(),
            (Presence::Unavailable, _) => "unavailable".to_owned(),
            (Presence::Present, Some(0)) => "present, and empty".to_owned(),
            (Presence::Present, Some(1)) => "1 tool".to_owned(),
            (Presence::Present, Some(count)) => format!("{count} tools"),
            (Presence::Present, None) => "present, and damaged".to_owned(),
        };
        self.line(&format!("tools field: {field} · bytes: {}", measured(wire.bytes)));
        let digest = measured(wire.active_tool_catalog_sha256);
        self.line(&format!("active_tool_catalog_sha256: {digest}"));
        for why in [&wire.unmeasured, &wire.damage].into_iter().flatten() {
            let lines = text::prose(&visible::line(why), self.output.columns);
            let paint = self.output.stdout_paint;
            self.lines.extend(lines.iter().map(|line| paint.yellow(line)));
        }
        if wire.redacted {
            self.line("secrets were taken out of what is shown here");
        }
        if let Some(facts) = &snapshot.surface.facts {
            let (mode, posture, surface) = (facts.mode, facts.posture, facts.surface);
            self.line(&format!("mode {mode} · posture {posture} · surface {surface}"));
        }
        let unknown = snapshot.unavailable_for_this_request.join(", ");
        self.line(&format!("unavailable: {unknown} · delivery: {}", snapshot.delivery_status));
    }

    fn tool(&mut self, number: usize, tool: &WireTool, facts: Option<&ToolFacts>) {
        let paint = self.output.stdout_paint;
        let name = tool.name.as_deref().map_or_else(|| "(no name)".to_owned(), visible::name);
        self.line("");
        // A name may be long; bold text is not counted in columns.
        let mut title = text::wrap(&format!("{number}. {name}"), self.output.columns);
        title.iter_mut().for_each(|line| *line = paint.bold(line));
        self.lines.append(&mut title);
        if let Some(facts) = facts {
            self.facts(facts);
        }
        for damage in &tool.damage {
            self.own(&visible::line(damage));
        }
        for (key, cut) in &tool.truncated {
            self.own(&format!("{key}: {} of {} bytes are shown", cut.bytes_shown, cut.bytes_total));
        }
        if let Some(omitted) = tool.omitted {
            self.own(&format!("{} more keys are not shown", omitted.keys));
        }
        if let Some(description) = &tool.description {
            self.own("description:");
            self.foreign(description.trim_end());
        }
        for (key, value) in [
            ("input_schema", &tool.input_schema),
            ("defer_loading", &tool.defer_loading),
            ("strict", &tool.strict),
            ("allowed_callers", &tool.allowed_callers),
            ("cache_control", &tool.cache_control),
        ] {
            self.value(key, value.as_deref());
        }
    }

    fn value(&mut self, key: &str, value: Option<&RawValue>) {
        if let Some(value) = value {
            self.own(&format!("{key}:"));
            self.foreign(&pretty::json(value.get()));
        }
    }

    fn facts(&mut self, facts: &ToolFacts) {
        let mut from = vec![word(&facts.provenance)];
        if let Known::Is(server) = &facts.server {
            from.push(format!("server {}", visible::name(server)));
        }
        if let Some(server) = &facts.mcp_server {
            from.push(format!("MCP server {}", visible::name(server)));
        }
        from.push(match facts.visibility {
            Known::Is(Visibility::Eager) => "in every request".to_owned(),
            Known::Is(Visibility::Toolbox) => "activated".to_owned(),
            Known::Not(_) => "visibility unknown".to_owned(),
        });
        self.own(&from.join(" · "));
        match &facts.capabilities {
            Known::Is(may) => self.capabilities(may),
            Known::Not(_) => self.own("capabilities: unknown"),
        }
        let approval = match &facts.approval {
            Known::Is(outlook) => approval(outlook),
            Known::Not(_) => "unknown".to_owned(),
        };
        self.own(&format!("approval: {approval}"));
    }

    fn capabilities(&mut self, may: &Capabilities) {
        let flags = [
            (may.read_only, "read-only"),
            (may.destructive, "destructive"),
            (may.idempotent, "idempotent"),
            (may.open_world, "open-world"),
            (may.concurrency_safe, "concurrency-safe"),
        ];
        let flags = flags.into_iter().filter(|(is, _)| *is).map(|(_, word)| word);
        let flags: Vec<_> = flags.collect();
        let flags = if flags.is_empty() { "changes things".to_owned() } else { flags.join(", ") };
        let callers: Vec<_> = may.callers.iter().map(word).collect();
        self.own(&format!("capabilities: {flags} · called by {}", callers.join(", ")));
        if !may.host_services.is_empty() {
            let services: Vec<_> = may.host_services.iter().map(word).collect();
            self.own(&format!("asks the kernel for {}", services.join(", ")));
        }
    }

    fn rest(&mut self, facts: &SurfaceFacts) {
        let NotCarried { count, by_why, tools, omitted } = &facts.not_carried;
        self.line("");
        let why: Vec<_> =
            by_why.iter().map(|(why, count)| format!("{count} {}", word(why))).collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
        self.line(&format!(
            "registered and not carried: {count}{why}; {} old names",
            facts.hidden_registrations
        ));
        for tool in tools {
            let detail = visible::line(&tool.detail);
            let detail = if detail.is_empty() { detail } else { format!(": {detail}") };
            self.own(&format!("{} · {}{detail}", visible::name(&tool.name), word(&tool.why)));
        }
        if let Some(omitted) = omitted {
            self.own(&format!("… {} more", omitted.tools));
        }
    }
}

fn measured<T: std::fmt::Display>(measured: Measured<T>) -> String {
    match measured {
        Measured::Is(value) => value.to_string(),
        Measured::Unavailable => "unavailable".to_owned(),
    }
}

fn approval(outlook: &Outlook) -> String {
    let whose = match outlook.requires {
        Requires::Nothing => "none",
        Requires::Guardian => "the guardian",
        Requires::Person => "a person",
        Requires::Refused => "refused",
        Requires::PerCall => "per call",
    };
    let need = match outlook.need {
        Some(Need::Ordinary) | None => "",
        Some(Need::Taint) => ", after untrusted text",
        Some(Need::Explicit) => ", by a rule",
        Some(Need::Hard) => ", by the machine's owner",
    };
    format!("{whose}{need} ({})", visible::line(&outlook.because))
}

/// A word as JSON has it.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => "unknown".to_owned(),
    }
}
