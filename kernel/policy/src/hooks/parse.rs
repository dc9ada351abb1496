//! Reads `[[hook]]` tables.
//!
//! | key | kind |
//! |---|---|
//! | `event` | a word of [`HookEvent`] |
//! | `command` | a list of words, or a line for `/bin/sh -c` |
//! | `match` | `{ tool = "glob" or [..], mode = "plan" or [..] }` |
//! | `timeout_s` | 1 to 600, 30 if left out |
//! | `strict` | no verdict is a no; true if left out, for events that can be denied |
//! | `background` | nobody waits; only where nothing is decided |
//!
//! Invariant: a guard that would not guard is a fault: in the background, without strictness where
//! nothing could be strict, for a tool of an event that has none.

use std::{path::Path, time::Duration};

use tollgate_core::{authority::rules::NamePattern, stance::Mode};

use super::{Hook, HookCommand, HookEvent, HooksFile};
use crate::{
    PolicyError, PolicyFault,
    limits::{HOOK_TIMEOUT_S, HOOK_TIMEOUT_S_MAX, HOOK_TOOLS_MAX, HOOKS_MAX},
    place,
    read::table::{self, Table},
    rule::{Named, origin, tool_name},
};

/// Reads the text of a file that is called `path`; an empty one has no hooks.
///
/// # Errors
/// Every fault.
pub(crate) fn parse(
    path: &Path,
    text: &str,
    home: Option<&Path>,
) -> Result<HooksFile, PolicyError> {
    table::parse(path, text, |root| {
        root.only(&["hook"]);
        let mut file = HooksFile::default();
        for table in root.tables("hook", HOOKS_MAX) {
            if let Some(hook) = hook(&table, home, &mut file.named) {
                file.hooks.push(hook);
            }
        }
        file
    })
}

fn hook(table: &Table<'_>, home: Option<&Path>, named: &mut Vec<Named>) -> Option<Hook> {
    table.only(&["event", "command", "match", "timeout_s", "strict", "background"]);
    for key in ["event", "command"] {
        if !table.has(key) {
            table.fault(format!("'{key}' is missing"));
        }
    }
    let events = HookEvent::ALL.map(|event| (event.as_str(), event));
    let event = table.word("event", &events);
    let command = command(table, home);
    let timeout = table.count("timeout_s", 1..=HOOK_TIMEOUT_S_MAX).unwrap_or(HOOK_TIMEOUT_S);
    let (strict, background) = (table.flag("strict"), table.flag("background").unwrap_or(false));
    let (tool, modes) = matching(table, event, named);
    let event = event?;
    if background && event.decides() {
        let what = format!("a {} hook decides, so it must be waited for", event.as_str());
        table.fault_of("background", what);
    }
    if strict == Some(true) && !event.decides() {
        let what = format!(
            "a {} hook only observes: it has no verdict to be strict about",
            event.as_str()
        );
        table.fault_of("strict", what);
    }
    Some(Hook {
        event,
        command: command?,
        tool,
        modes,
        timeout: Duration::from_secs(timeout),
        strict: strict.unwrap_or(event.decides()),
        background,
        origin: origin(table.file(), table.line()),
    })
}

fn command(table: &Table<'_>, home: Option<&Path>) -> Option<HookCommand> {
    if table.is_text("command") {
        return table.text("command").map(|spot| HookCommand::Shell(spot.text.to_owned()));
    }
    let words = table.text_or_texts("command")?;
    let mut argv: Vec<String> = words.iter().map(|spot| spot.text.to_owned()).collect();
    // Without a shell nobody else would expand it.
    for word in argv.iter_mut().filter(|word| word.starts_with("~/")) {
        match place::absolute(word, home).map(|path| path.into_os_string().into_string()) {
            Ok(Ok(path)) => *word = path,
            Ok(Err(_)) => {
                table.fault_of("command", format!("'{word}' is no UTF-8 when it is whole"));
            }
            Err(what) => table.fault_of("command", what),
        }
    }
    Some(HookCommand::Argv(argv))
}

fn matching(
    table: &Table<'_>,
    event: Option<HookEvent>,
    named: &mut Vec<Named>,
) -> (Option<NamePattern>, Vec<Mode>) {
    let Some(matching) = table.table("match") else { return (None, Vec::new()) };
    matching.only(&["tool", "mode"]);
    let words = Mode::ALL.map(|mode| (mode.as_str(), mode));
    let modes = matching.text_or_texts("mode").unwrap_or_default();
    let modes = modes.iter().filter_map(|spot| matching.known("mode", spot, &words)).collect();
    if let Some(event) = event
        && matching.has("tool")
        && !event.has_tool()
    {
        matching.fault_of("tool", format!("no tool belongs to {}", event.as_str()));
    }
    let mut tools = Vec::new();
    for spot in matching.text_or_texts("tool").unwrap_or_default() {
        let Some(pattern) = tool_name(&matching, "tool", &spot) else { continue };
        tools.push(pattern.as_str().to_owned());
        let place = PolicyFault {
            file: table.file().to_owned(),
            line: Some(table.line_of(spot.at)),
            key: matching.dotted("tool"),
            what: String::new(),
        };
        named.push(Named { pattern, place });
    }
    if tools.len() > HOOK_TOOLS_MAX {
        matching.fault_of("tool", format!("more than {HOOK_TOOLS_MAX} patterns"));
    }
    let joined = match tools.as_slice() {
        [] => return (None, modes),
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(",")),
    };
    match NamePattern::new(&joined) {
        Ok(pattern) => (Some(pattern), modes),
        Err(error) => {
            matching.fault_of("tool", error.to_string());
            (None, modes)
        }
    }
}
