//! Writes a rule in the compact form.
//!
//! Invariant: what is written is read again as the same rule (test `what_is_shown_is_read_again`).

use super::{
    CommandMatch, NamePattern, Rule, Touch,
    compact::{Kind, usual},
    quoting::quote,
};

/// Characters of a command's word that need no quotes.
const WORD: &str = "_-./+@%,=#^~:";
/// Characters of a pattern of places that need no quotes.
const PATH: &str = "_-./+@%,=#^~*?[]{}!\\ ";
/// Characters of a value after `=` that need none.
const VALUE: &str = "_-./+@%,=#^~*?[]{}!:";

/// The rule in its normalised compact form, for cards, receipts and lists.
#[must_use]
pub fn show(rule: &Rule) -> String {
    let usual = usual(&rule.tool);
    let prefix = |kind, prefix| if usual == Some(kind) { "" } else { prefix };
    let mut tail: Vec<String> = Vec::new();
    let path = rule.path.as_ref().map(|path| path.glob.as_str());
    let host = rule.host.as_ref().map(NamePattern::as_str);
    let content = match (&rule.command, path, host) {
        (Some(command), _, _) => {
            tail.extend(path.map(|path| format!("path={}", quote(path, VALUE))));
            tail.extend(host.map(|host| format!("host={}", quote(host, VALUE))));
            Some(format!("{}{}", prefix(Kind::Command, "command:"), show_command(command)))
        }
        (None, Some(path), _) => {
            tail.extend(host.map(|host| format!("host={}", quote(host, VALUE))));
            let blank = path.starts_with(' ') || path.ends_with(' ');
            let path = quote(path, if blank { "" } else { PATH });
            Some(format!("{}{path}", prefix(Kind::Path, "path:")))
        }
        (None, None, Some(host)) => Some(format!("host:{}", quote(host, VALUE))),
        (None, None, None) => None,
    };
    let access = rule.path.as_ref().and_then(|path| path.access);
    tail.extend(access.map(|access| match access {
        Touch::Read => "access=read".to_owned(),
        Touch::Write => "access=write".to_owned(),
    }));
    tail.extend(
        rule.server.as_ref().map(|server| format!("server={}", quote(server.as_str(), VALUE))),
    );
    let workspace = rule.workspace.as_ref().map(|place| place.to_string_lossy());
    tail.extend(workspace.map(|place| format!("workspace={}", quote(&place, VALUE))));
    let content = content.map(|content| format!("({content})")).unwrap_or_default();
    let tail = tail.into_iter().fold(String::new(), |text, part| format!("{text} {part}"));
    format!("{}{content}{tail}", rule.tool.as_str())
}

fn show_command(command: &CommandMatch) -> String {
    let mut words: Vec<String> = command.argv.iter().map(|word| quote(word, WORD)).collect();
    // A colon in the program's name could be taken for a prefix of the content.
    if let (Some(shown), Some(program)) = (words.first_mut(), command.argv.first())
        && program.contains(':')
    {
        *shown = quote(program, "");
    }
    if !command.exact {
        words.push("*".to_owned());
    }
    words.join(" ")
}
