//! What "for this session" and "always" would store (`[GATE-23]`): as narrow as what is shown.
//!
//! | the call touches | rule |
//! |---|---|
//! | one command that changes something, of a program with subcommands | its first two or three words |
//! | any other command, or several | each of them, word by word (B098) |
//! | a file | the file, and whether it is read or written |
//! | a folder with all below it | the same, and all below it |
//! | a host | the host |
//! | a tool of an MCP server | the tool, of this server |
//!
//! Each holds in this workspace only (AP-09). A call that a rule cannot hold has no offer: words that
//! are not known, program text (`sh -c`), launchers (`sudo`, `xargs`), files outside the workspace from a
//! shell, a wider sandbox. Neither has one that would be asked again although the rules were stored.
//!
//! Invariant: what is offered would let this same call through, and no other program (test
//! `an_offer_covers_the_call_and_nothing_else`).

use super::{
    Action, CommandMatch, NamePattern, PathMatch, PathPattern, Rule, Rules, Source, Touch,
    cover::only_wraps,
    facts::Facts,
    subcommands::{can_be_kept, prefix_words},
};
use crate::{
    authority::{Circumstances, Verdict, judge, protected::guarded},
    call::Classified,
    safety::{Access, Reach, Subject},
};

/// Rules of one offer: more than that nobody reads on a card.
const RULES_MAX: usize = 8;
/// Bytes of the words of one offered rule, likewise.
const RULE_BYTES_MAX: usize = 1024;

/// The rules that a wider yes to this call would store; empty: only "once" can be said, because no
/// rule could hold exactly this (opaque words, an interpreter's program text, a hard question).
#[must_use]
pub fn offer(call: &Classified, at: &Circumstances<'_>, source: Source) -> Vec<Rule> {
    let rules = rules_for(call, at, source).unwrap_or_default();
    let all = at.session.all().iter().chain(&rules).cloned().collect();
    let then = Rules::new(all);
    let as_if_stored = Circumstances { session: &then, ..*at };
    match judge(call, &as_if_stored).verdict {
        Verdict::Allow(_) => rules,
        Verdict::Ask(_) | Verdict::Review(_) | Verdict::Refuse(_) => Vec::new(),
    }
}

fn rules_for(call: &Classified, at: &Circumstances<'_>, source: Source) -> Option<Vec<Rule>> {
    if call.escalation().is_some() {
        return None;
    }
    let facts = Facts::of(call, at);
    let base = rule_of_tool(&facts, at, source)?;
    let shell = facts.commands().next().is_some();
    let mut rules: Vec<Rule> = Vec::new();
    if shell {
        for command in commands(&facts)? {
            rules.push(Rule { command: Some(command), ..base.clone() });
        }
    }
    let kept_by_commands = !rules.is_empty();
    for subject in facts.subjects {
        let rule = match subject {
            Subject::Command { .. } => continue,
            Subject::Path { absolute, relative, access, reach } => {
                let inside = relative.is_some() && guarded(absolute, &at.policy.own).is_none();
                if shell && !inside {
                    return None;
                }
                if kept_by_commands {
                    continue;
                }
                let touch = if *access == Access::Read { Touch::Read } else { Touch::Write };
                let path = match reach {
                    Reach::Itself => exactly(absolute, touch, &facts)?,
                    Reach::Tree | Reach::GrantedTree => whole(absolute, touch, &facts)?,
                };
                Rule { path: Some(path), ..base.clone() }
            }
            Subject::Repo { path } => {
                Rule { path: Some(exactly(path, Touch::Write, &facts)?), ..base.clone() }
            }
            // What a shell dials, nobody has looked at.
            Subject::Host { .. } if shell => return None,
            Subject::Host { host } => {
                Rule { host: Some(NamePattern::host(host).ok()?), ..base.clone() }
            }
            Subject::Mcp { server, .. } => {
                Rule { server: Some(NamePattern::new(server).ok()?), ..base.clone() }
            }
            Subject::Tool { .. } | Subject::Unknown => return None,
        };
        rules.push(rule);
    }
    let mut distinct: Vec<Rule> = Vec::new();
    for rule in rules {
        if !distinct.contains(&rule) {
            distinct.push(rule);
        }
    }
    (distinct.len() <= RULES_MAX).then_some(distinct)
}

/// A rule of this tool in this workspace, without matchers; of a server that nobody trusts there is
/// none but of an MCP tool, since what the call touches is only what it says.
fn rule_of_tool(facts: &Facts<'_>, at: &Circumstances<'_>, source: Source) -> Option<Rule> {
    let bridged = |subject: &Subject| matches!(subject, Subject::Mcp { .. });
    if !facts.trusted && !facts.subjects.iter().all(bridged) {
        return None;
    }
    let workspace = &at.policy.workspace.root;
    Some(Rule {
        action: Action::Allow,
        source,
        tool: NamePattern::new(facts.tool).ok()?,
        command: None,
        path: None,
        host: None,
        server: None,
        workspace: (!workspace.as_os_str().is_empty()).then(|| workspace.clone()),
        reason: String::new(),
        expires_unix_ms: None,
        origin: "session".to_owned(),
    })
}

/// One matcher for each command that changes something; `None` when one cannot be kept.
fn commands(facts: &Facts<'_>) -> Option<Vec<CommandMatch>> {
    if facts.unknown.reads || facts.unknown.writes || facts.commands().any(|command| command.opaque)
    {
        return None;
    }
    let changing: Vec<&[String]> = facts
        .commands()
        .filter(|command| !command.read_only && !only_wraps(command.argv, facts))
        .map(|command| command.argv)
        .collect();
    let alone = changing.len() == 1;
    changing.into_iter().map(|argv| matcher(argv, alone)).collect()
}

fn matcher(argv: &[String], alone: bool) -> Option<CommandMatch> {
    let bytes: usize = argv.iter().map(String::len).sum();
    let visible = |word: &String| !word.chars().any(char::is_control);
    if !can_be_kept(argv) || bytes > RULE_BYTES_MAX || !argv.iter().all(visible) {
        return None;
    }
    match prefix_words(argv).filter(|_| alone).and_then(|words| argv.get(..words)) {
        Some(begin) => Some(CommandMatch { argv: begin.to_vec(), exact: false }),
        None => Some(CommandMatch { argv: argv.to_vec(), exact: true }),
    }
}

/// This place and all below it, from the workspace if it is in it.
fn whole(place: &std::path::Path, touch: Touch, facts: &Facts<'_>) -> Option<PathMatch> {
    let exact = exactly(place, touch, facts)?;
    Some(PathMatch { glob: PathPattern::new(&format!("{}/", exact.glob.as_str())).ok()?, ..exact })
}

/// Exactly this place, from the workspace if it is in it.
fn exactly(place: &std::path::Path, touch: Touch, facts: &Facts<'_>) -> Option<PathMatch> {
    let inside = place.strip_prefix(facts.base).ok().filter(|rest| !rest.as_os_str().is_empty());
    let text = inside.unwrap_or(place).to_str()?;
    if text.len() > RULE_BYTES_MAX || text.chars().any(char::is_control) {
        return None;
    }
    Some(PathMatch { glob: PathPattern::exactly(text).ok()?, access: Some(touch) })
}
