//! The compact form of a rule, as other agents write it: read here, written by [`show`].
//!
//! | written | means |
//! |---|---|
//! | `bash` | the tool, whatever it does |
//! | `bash(git push)` | exactly this command |
//! | `bash(cargo test *)`, `bash(cargo test:*)` | commands that begin so |
//! | `read(~/notes/**)`, `write(src/**)` | these places |
//! | `web_fetch(domain:example.com)`, `Web(host:*.example.com)` | these hosts |
//! | `mcp_github_*`, `mcp__github__*`, `mcp(github)` | tools of an MCP server |
//! | `*(path:.env)`, `bash(host:example.com)` | a kind that is not the tool's usual one |
//!
//! What the form of others cannot hold stands after it: `bash(git push *) path=src/** access=write
//! host=example.com server=shell workspace=/home/me/project`. Words are quoted as in a shell.
//!
//! Invariant: `parse(show(rule))` is the rule again, but for origin, source, reason and expiry (test
//! `what_is_shown_is_read_again`).

use std::path::PathBuf;

pub use super::show::show;
use super::{
    Action, CommandMatch, NamePattern, PathMatch, PathPattern, PatternError, Rule, Source, Touch,
    quoting::{Quoted, closing, quote, word, words},
};
use crate::catalog::spelling;

/// Tools of Tollgate's own, whose names other agents spell otherwise (`Bash`, `WebFetch`).
const OWN_TOOLS: &[&str] = &[
    "read",
    "write",
    "edit",
    "list",
    "find",
    "grep",
    "move",
    "delete",
    "notebook_edit",
    "apply_patch",
    "bash",
    "terminal",
    "process",
    "Run",
    "web_fetch",
    "web_search",
    "tool_search",
    "execute_tools",
];

/// Tools of which a rule usually names commands.
const COMMAND_TOOLS: &[&str] = &["bash", "exec_shell", "terminal", "process", "Run"];

/// Tools of which a rule usually names hosts.
const HOST_TOOLS: &[&str] = &["Web", "web_fetch", "web_search", "fetch_url"];

/// What stands in the parentheses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Command,
    Path,
    Host,
}

/// Reads one text. `home`: for `~/`.
///
/// # Errors
/// What is wrong with it, and what would be right.
pub fn parse(
    text: &str,
    action: Action,
    source: Source,
    home: Option<&str>,
    origin: &str,
) -> Result<Rule, PatternError> {
    let wrong = |why: &str| PatternError::new(text, why);
    let trimmed = text.trim();
    let end = trimmed.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(trimmed.len());
    let (name, rest) = trimmed.split_at(end);
    let mut rule = Rule {
        action,
        source,
        tool: tool_of(name)?,
        command: None,
        path: None,
        host: None,
        server: None,
        workspace: None,
        reason: String::new(),
        expires_unix_ms: None,
        origin: origin.to_owned(),
    };
    let mut rest = rest.trim_start();
    if let Some(inside) = rest.strip_prefix('(') {
        let end = closing(inside).map_err(wrong)?;
        let (content, after) = inside.split_at(end);
        rest = after.strip_prefix(')').unwrap_or_default();
        content_of(&mut rule, name, content.trim(), home).map_err(|error| named(text, error))?;
    }
    let mut access = None;
    for word in words(rest).map_err(wrong)? {
        let (key, value) = word.text.split_once('=').ok_or_else(|| wrong(TAIL))?;
        match key {
            "path" => rule.path = Some(place(value, home)?),
            "access" => access = Some(touch(value).ok_or_else(|| wrong(ACCESS))?),
            "host" => rule.host = Some(NamePattern::host(value)?),
            "server" => rule.server = Some(NamePattern::new(value)?),
            "workspace" if value.starts_with('/') => rule.workspace = Some(PathBuf::from(value)),
            _ => return Err(wrong(TAIL)),
        }
    }
    match (access, &mut rule.path) {
        (None, _) => {}
        (Some(access), Some(path)) => path.access = Some(access),
        (Some(_), None) => return Err(wrong("'access' needs a path")),
    }
    Ok(rule)
}

const TAIL: &str = "after the tool and its parentheses only path=, access=, host=, server= and \
                    workspace= (absolute) may stand; words with blanks inside the parentheses";
const ACCESS: &str = "access is 'read' or 'write'";

/// The whole text beside what is wrong with a part of it.
fn named(text: &str, error: PatternError) -> PatternError {
    PatternError { text: text.to_owned(), ..error }
}

/// The tool, by the name that Tollgate has for it.
fn tool_of(name: &str) -> Result<NamePattern, PatternError> {
    if name == "mcp" {
        return NamePattern::new("mcp_*");
    }
    let bridged = name.strip_prefix("mcp__");
    if let Some(bridged) = bridged.filter(|name| name.starts_with(char::is_alphanumeric)) {
        let (server, tool) = bridged.split_once("__").unwrap_or((bridged, ""));
        let tool = if tool.is_empty() { "*" } else { tool };
        return NamePattern::new(&format!("mcp_{server}_{tool}"));
    }
    let pattern = NamePattern::new(name)?;
    let own = |spelling: &str| {
        let spelling = spelling.to_owned();
        OWN_TOOLS.iter().copied().filter(move |own| spelling::joined(own) == spelling)
    };
    match spelling::variant(name, own) {
        Some(own) if pattern.exact().is_some() => NamePattern::new(own),
        Some(_) | None => Ok(pattern),
    }
}

fn content_of(
    rule: &mut Rule,
    name: &str,
    content: &str,
    home: Option<&str>,
) -> Result<(), PatternError> {
    let wrong = |why: &str| PatternError::new(content, why);
    if name == "mcp" {
        rule.server = Some(NamePattern::new(content)?);
        return Ok(());
    }
    let (kind, content) = kind_of(content, &rule.tool).ok_or_else(|| {
        wrong("say what is meant: 'command:git push *', 'path:src/**' or 'host:example.com'")
    })?;
    match kind {
        Kind::Command => rule.command = command(content)?,
        Kind::Path => rule.path = Some(place(&plain(content)?, home)?),
        Kind::Host => rule.host = Some(NamePattern::host(&plain(content)?)?),
    }
    Ok(())
}

/// What a content is, by its prefix or else by the tool; for several tools it must be said.
fn kind_of<'c>(content: &'c str, tool: &NamePattern) -> Option<(Kind, &'c str)> {
    let prefixes = [
        ("command:", Kind::Command),
        ("path:", Kind::Path),
        ("host:", Kind::Host),
        ("domain:", Kind::Host),
    ];
    let said = prefixes.into_iter().find_map(|(prefix, kind)| {
        content.strip_prefix(prefix).map(|content| (kind, content.trim_start()))
    });
    said.or_else(|| usual(tool).map(|kind| (kind, content)))
}

/// What a rule of this tool usually names.
pub(super) fn usual(tool: &NamePattern) -> Option<Kind> {
    let tool = tool.exact()?;
    Some(if COMMAND_TOOLS.contains(&tool) {
        Kind::Command
    } else if HOST_TOOLS.contains(&tool) {
        Kind::Host
    } else {
        Kind::Path
    })
}

/// A command's words; `None` for `*` alone, which is any command.
fn command(content: &str) -> Result<Option<CommandMatch>, PatternError> {
    let wrong = |why: String| PatternError::new(content, why);
    let mut words = words(content).map_err(|why| wrong(why.to_owned()))?;
    let mut exact = true;
    match words.last_mut() {
        None => return Err(wrong("it names no command; without parentheses all are meant".into())),
        Some(Quoted { text, quoted: false, .. }) if text == "*" => {
            exact = false;
            words.pop();
        }
        Some(last) if !last.quoted && last.text.ends_with(":*") && last.text.len() > 2 => {
            exact = false;
            last.star = false;
            last.text.truncate(last.text.len() - 2);
        }
        Some(_) => {}
    }
    for word in &words {
        if word.star {
            let text = &word.text;
            return Err(wrong(format!(
                "'*' can only be the last word, alone ('git push *'), and then means any more words; \
                 quote it to mean the character: {}",
                quote(text, "")
            )));
        }
        if let Some(operator) = word.operator {
            return Err(wrong(format!(
                "'{operator}' joins commands, and a rule names one: write a rule for each (a line is \
                 allowed when all its commands are), or quote it to mean the character"
            )));
        }
    }
    let argv: Vec<String> = words.into_iter().map(|word| word.text).collect();
    if argv.first().is_some_and(String::is_empty) {
        return Err(wrong("its program is an empty word".to_owned()));
    }
    Ok((!argv.is_empty()).then_some(CommandMatch { argv, exact }))
}

fn place(text: &str, home: Option<&str>) -> Result<PathMatch, PatternError> {
    Ok(PathMatch { glob: PathPattern::with_home(text, home)?, access: None })
}

/// One text, in quotes or as it stands.
fn plain(content: &str) -> Result<String, PatternError> {
    if !content.contains(['\'', '"']) {
        return Ok(content.to_owned());
    }
    let (read, rest) = word(content).map_err(|why| PatternError::new(content, why))?;
    if rest.is_empty() {
        return Ok(read.text);
    }
    Err(PatternError::new(content, "a text with quotes is put into quotes as a whole"))
}

fn touch(value: &str) -> Option<Touch> {
    match value {
        "read" => Some(Touch::Read),
        "write" => Some(Touch::Write),
        _ => None,
    }
}
