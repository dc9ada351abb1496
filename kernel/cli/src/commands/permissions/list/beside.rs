//! What holds beside the rules, for people: the workspace, lists, law, managed policy, the floor.

use tollgate_core::authority::{
    floor,
    law::{Law, LawAction, Protect},
    managed::Managed,
    policy::{Lists, Policy},
    rules::NamePattern,
};

use crate::{text, visible};

/// What holds beside the rules.
pub(super) fn lines(policy: &Policy, columns: usize) -> Vec<String> {
    let workspace = &policy.workspace;
    let trusted = if workspace.trusted { "trusted" } else { "not trusted" };
    let git = if workspace.git { "in a git repository" } else { "in no git repository" };
    let writes = if workspace.writes_auto { "auto" } else { "ask" };
    let (taint, network) = (policy.taint, policy.network.as_str());
    let mut told = vec![format!(
        "workspace: {trusted}, {git}; workspace_writes = {writes}, taint = {taint}, sandbox.network = {network}"
    )];
    told.extend(list_lines(&policy.lists));
    told.extend(law_lines(&policy.law));
    told.extend(managed_lines(&policy.managed));
    told.extend(floor::rows().map(|row| {
        let held = if row.catastrophic { " (in every posture)" } else { "" };
        format!("floor: {}: {}{held}", row.row, row.reason)
    }));
    told.iter().flat_map(|text| text::prose(&visible::line(text), columns)).collect()
}

fn names(patterns: &[NamePattern]) -> String {
    patterns.iter().map(NamePattern::as_str).collect::<Vec<_>>().join(", ")
}

fn list_lines(lists: &Lists) -> Vec<String> {
    let allow = lists.allow.iter().map(|allow| format!("tools.allow: {}", names(allow)));
    let deny = (!lists.deny.is_empty()).then(|| format!("tools.deny: {}", names(&lists.deny)));
    allow.chain(deny).collect()
}

fn law_lines(law: &Law) -> Vec<String> {
    match law {
        Law::Absent => vec!["law: none".to_owned()],
        Law::Broken { fault } => {
            vec![format!("law: broken, so that nothing may be changed: {fault}")]
        }
        Law::Protects { places, .. } => {
            let line = |place: &Protect| {
                let paths: Vec<&str> =
                    place.paths.iter().map(|path| path.pattern().as_str()).collect();
                let action = law_word(place.action);
                format!("law: {action} {} ({}) {}", paths.join(", "), place.origin, place.reason)
            };
            places.iter().map(line).collect()
        }
    }
}

pub(super) fn law_word(action: LawAction) -> &'static str {
    match action {
        LawAction::Block => "block",
        LawAction::Ask => "ask",
    }
}

fn managed_lines(managed: &Managed) -> Vec<String> {
    let mut lines = Vec::new();
    let mut say = |name: &str, value: String| lines.push(format!("managed: {name}: {value}"));
    if let Some(postures) = &managed.postures {
        let words: Vec<&str> = postures.iter().map(|posture| posture.as_str()).collect();
        say("postures", words.join(", "));
    }
    for (name, patterns) in [("servers", &managed.servers), ("hosts", &managed.hosts)] {
        for patterns in patterns {
            say(name, names(patterns));
        }
    }
    if let Some(network) = managed.network {
        say("network", network.as_str().to_owned());
    }
    if !managed.models_forbidden.is_empty() {
        say("models forbidden", names(&managed.models_forbidden));
    }
    for folder in &managed.receipts {
        say("receipts", folder.display().to_string());
    }
    lines
}
