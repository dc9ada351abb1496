//! Reads rules as `permissions.toml` and managed policy write them: `[[rule]]` tables, and lists of the
//! compact form (`[GATE-20]`).
//!
//! | key | kind |
//! |---|---|
//! | `action` | "allow", "ask", "deny" |
//! | `tool` | a canonical name, or a glob (`mcp_github_*`) |
//! | `command`, `command_exact` | the first words, or all words, of a simple command |
//! | `path`, `access` | a pattern of places; "read" or "write" |
//! | `host` | `example.com`, `*.example.com`, with a port or without |
//! | `server` | a server's configured name, or a glob |
//! | `workspace` | only in this folder |
//! | `reason` | for the model and for people |
//! | `expires` | a moment with its offset, or a day: with its beginning (UTC) the rule ends |
//!
//! Invariant: a rule that could never match, or that says nothing of what it is for, is a fault.

use std::path::Path;

use tollgate_core::authority::rules::{
    Action, CommandMatch, NamePattern, PathMatch, PathPattern, PatternError, Rule, Source, Touch,
    compact,
};

use crate::{
    PolicyFault,
    limits::RULES_MAX,
    place,
    read::table::{Spot, Table, shorten},
};

#[cfg(test)]
mod tests;

const KEYS: &[&str] = &[
    "action",
    "tool",
    "command",
    "command_exact",
    "path",
    "access",
    "host",
    "server",
    "workspace",
    "reason",
    "expires",
];
const ACTIONS: &[(&str, Action)] =
    &[("allow", Action::Allow), ("ask", Action::Ask), ("deny", Action::Deny)];
const TOUCHES: &[(&str, Touch)] = &[("read", Touch::Read), ("write", Touch::Write)];

/// Rules of one file, and the tools that they name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Read {
    /// In the order of the file: compact ones first.
    pub(crate) rules: Vec<Rule>,
    /// For [`crate::Policies::check_tools`].
    pub(crate) named: Vec<Named>,
}

/// A pattern of tools and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) pattern: NamePattern,
    /// Its file, line and key; `what` is empty.
    pub(crate) place: PolicyFault,
}

/// Whose rules are read, and what they may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) source: Source,
    /// Actions that the file may use; the others are faults that say `why_not`.
    pub(crate) actions: &'a [Action],
    pub(crate) why_not: &'a str,
    /// For `~/`.
    pub(crate) home: Option<&'a Path>,
}

/// The file's name and a line, as rules, hooks and law tell where they stand.
pub(crate) fn origin(file: &Path, line: usize) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    format!("{}:{line}", name.display())
}

impl Reader<'_> {
    /// All rules of a file. Faults are left in the table.
    pub(crate) fn rules(&self, root: &Table<'_>) -> Read {
        let mut read = Read::default();
        for (key, action) in ACTIONS {
            if root.has(key) && !self.actions.contains(action) {
                root.fault_of(key, self.why_not);
                continue;
            }
            for spot in root.texts(key).unwrap_or_default() {
                self.compact(root, key, *action, &spot, &mut read);
            }
        }
        for table in root.tables("rule", RULES_MAX) {
            let rule = self.rule(&table);
            if let Some(rule) = rule {
                read.push(rule, &table, "tool", table.line());
            }
        }
        if read.rules.len() > RULES_MAX {
            root.fault(format!("there are more than {RULES_MAX} rules"));
        }
        read
    }

    fn compact(&self, root: &Table<'_>, key: &str, action: Action, spot: &Spot<'_>, to: &mut Read) {
        let line = root.line_of(spot.at);
        let home = self.home.and_then(Path::to_str);
        match compact::parse(spot.text, action, self.source, home, &origin(root.file(), line)) {
            Ok(rule) => to.push(rule, root, key, line),
            Err(error) => root.fault_at(key, spot.at, error.to_string()),
        }
    }

    fn rule(&self, table: &Table<'_>) -> Option<Rule> {
        table.only(KEYS);
        let action = table.word("action", ACTIONS);
        if !table.has("action") {
            table.fault("'action' is missing: \"allow\", \"ask\" or \"deny\"");
        }
        if action.is_some_and(|action| !self.actions.contains(&action)) {
            table.fault_of("action", self.why_not);
        }
        let subjects = ["tool", "command", "command_exact", "path", "host", "server"];
        if !subjects.iter().any(|key| table.has(key)) {
            table.fault("it does not say for what; tool = \"*\" means every call");
        }
        let rule = Rule {
            action: action?,
            source: self.source,
            tool: if table.has("tool") { tool(table)? } else { NamePattern::any() },
            command: command(table),
            path: self.path(table),
            host: host(table),
            server: table.text("server").and_then(|spot| name(table, "server", &spot)),
            workspace: table.text("workspace").and_then(|spot| {
                let folder = place::absolute(spot.text, self.home);
                folder.map_err(|what| table.fault_of("workspace", what)).ok()
            }),
            reason: table.text("reason").map(|spot| spot.text.to_owned()).unwrap_or_default(),
            expires_unix_ms: expires(table),
            origin: origin(table.file(), table.line()),
        };
        Some(rule)
    }

    fn path(&self, table: &Table<'_>) -> Option<PathMatch> {
        let access = table.word("access", TOUCHES);
        if table.has("access") && !table.has("path") {
            table.fault_of("access", "it says how a path is touched, and there is no 'path'");
        }
        let spot = table.text("path")?;
        match PathPattern::with_home(spot.text, self.home.and_then(Path::to_str)) {
            Ok(glob) => Some(PathMatch { glob, access }),
            Err(error) => {
                table.fault_of("path", error.to_string());
                None
            }
        }
    }
}

impl Read {
    fn push(&mut self, rule: Rule, table: &Table<'_>, key: &str, line: usize) {
        self.named.push(Named {
            pattern: rule.tool.clone(),
            place: PolicyFault {
                file: table.file().to_owned(),
                line: Some(line),
                key: table.dotted(key),
                what: String::new(),
            },
        });
        self.rules.push(rule);
    }
}

/// A pattern of names, or a fault.
pub(crate) fn name(table: &Table<'_>, key: &str, spot: &Spot<'_>) -> Option<NamePattern> {
    good(table, key, spot, NamePattern::new(spot.text))
}

fn good(
    table: &Table<'_>,
    key: &str,
    spot: &Spot<'_>,
    read: Result<NamePattern, PatternError>,
) -> Option<NamePattern> {
    match read {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            table.fault_at(key, spot.at, error.to_string());
            None
        }
    }
}

/// A pattern of models in lower case, or a fault.
pub(crate) fn model_name(table: &Table<'_>, key: &str, spot: &Spot<'_>) -> Option<NamePattern> {
    good(table, key, spot, NamePattern::new(&spot.text.to_lowercase()))
}

/// A pattern of tools' names, or a fault.
pub(crate) fn tool_name(table: &Table<'_>, key: &str, spot: &Spot<'_>) -> Option<NamePattern> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_*?[]{},!-".contains(c);
    if spot.text.chars().all(fits) {
        return name(table, key, spot);
    }
    let what = if spot.text.contains('(') {
        "is the compact form, which belongs into allow = [..], ask = [..] or deny = [..]"
    } else {
        "is no name of a tool: letters, digits and '_', and '*' in a glob"
    };
    table.fault_at(key, spot.at, format!("'{}' {what}", shorten(spot.text)));
    None
}

fn tool(table: &Table<'_>) -> Option<NamePattern> {
    tool_name(table, "tool", &table.text("tool")?)
}

/// A pattern of hosts in lower case, or a fault.
pub(crate) fn host_name(table: &Table<'_>, key: &str, spot: &Spot<'_>) -> Option<NamePattern> {
    good(table, key, spot, NamePattern::host(spot.text))
}

fn host(table: &Table<'_>) -> Option<NamePattern> {
    host_name(table, "host", &table.text("host")?)
}

fn command(table: &Table<'_>) -> Option<CommandMatch> {
    if table.has("command") && table.has("command_exact") {
        table.fault_of("command_exact", "a rule has 'command' or 'command_exact', not both");
        return None;
    }
    let exact = table.has("command_exact");
    let key = if exact { "command_exact" } else { "command" };
    if table.is_text(key) {
        let spot = table.text(key)?;
        let words: Vec<&str> = spot.text.split_whitespace().collect();
        table.fault_of(key, format!("must be a list of words: {key} = {words:?}"));
        return None;
    }
    let argv: Vec<String> = table.texts(key)?.iter().map(|spot| spot.text.to_owned()).collect();
    let Some(program) = argv.first() else {
        table.fault_of(key, "the list is empty; the first word is the program");
        return None;
    };
    if program.contains(char::is_whitespace) {
        let words: Vec<&str> = argv.iter().flat_map(|word| word.split_whitespace()).collect();
        table.fault_of(key, format!("each word stands for itself: {key} = {words:?}"));
        return None;
    }
    if !exact && argv.last().is_some_and(|word| word == "*") {
        let what =
            "ends with '*', and words are no patterns; leave it out: whatever follows matches";
        table.fault_of(key, what);
        return None;
    }
    Some(CommandMatch { argv, exact })
}

fn expires(table: &Table<'_>) -> Option<u64> {
    let (text, at) = table.moment("expires")?;
    let moment = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let day = text.parse::<jiff::civil::Date>().ok().filter(|_| text.len() == 10)?;
        jiff::tz::TimeZone::UTC.to_timestamp(day.to_datetime(jiff::civil::Time::midnight())).ok()
    });
    if moment.is_none() {
        let what = format!(
            "'{}' is no moment; write a day (2027-01-31) or a time with its offset (2027-01-31T12:00:00Z)",
            shorten(&text)
        );
        table.fault_at("expires", at, what);
    }
    // A moment before 1970 is long past either way.
    moment.map(|moment| u64::try_from(moment.as_millisecond()).unwrap_or(0))
}
