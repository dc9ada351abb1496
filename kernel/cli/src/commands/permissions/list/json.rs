//! `permissions list --json`: all of it.

use serde_json::{Value, json};
use tollgate_core::authority::{
    confinement::Network,
    floor,
    law::Law,
    policy::Policy,
    rules::{NamePattern, Rule},
};

use super::{bare, beside::law_word, is_in_force};
use crate::config::Config;

/// Everything that `permissions list -v` tells.
pub(super) fn all(config: &Config, policy: &Policy, rules: &[Rule]) -> Value {
    let patterns =
        |all: &[NamePattern]| all.iter().map(|one| json!(one.as_str())).collect::<Vec<_>>();
    let rule = |rule: &Rule| {
        json!({
            "action": rule.action,
            "rule": bare(rule),
            "source": rule.source,
            "origin": rule.origin,
            "workspace": rule.workspace,
            "expires_unix_ms": rule.expires_unix_ms,
            "reason": rule.reason,
            "in_force": is_in_force(rule, &config.workspace),
        })
    };
    let law = match &policy.law {
        Law::Absent => json!(null),
        Law::Broken { fault } => json!({ "broken": fault }),
        Law::Protects { root, places } => json!({
            "root": root,
            "protects": places.iter().map(|place| json!({
                "paths": place.paths.iter().map(|path| path.pattern().as_str()).collect::<Vec<_>>(),
                "action": law_word(place.action),
                "reason": place.reason,
                "origin": place.origin,
            })).collect::<Vec<_>>(),
        }),
    };
    let managed = &policy.managed;
    json!({
        "workspace": {
            "root": config.workspace,
            "trusted": policy.workspace.trusted,
            "git": policy.workspace.git,
            "workspace_writes": if policy.workspace.writes_auto { "auto" } else { "ask" },
        },
        "taint": policy.taint,
        "sandbox": { "network": policy.network.as_str() },
        "rules": rules.iter().map(rule).collect::<Vec<_>>(),
        "tools": {
            "allow": policy.lists.allow.as_deref().map(patterns),
            "deny": patterns(&policy.lists.deny),
        },
        "law": law,
        "managed": {
            "postures": managed.postures,
            "servers": managed.servers.iter().map(|all| patterns(all)).collect::<Vec<_>>(),
            "hosts": managed.hosts.iter().map(|all| patterns(all)).collect::<Vec<_>>(),
            "network": managed.network.map(Network::as_str),
            "models_forbidden": patterns(&managed.models_forbidden),
            "receipts": managed.receipts,
        },
        "floor": floor::rows()
            .map(|row| json!({ "name": row.row, "reason": row.reason, "catastrophic": row.catastrophic }))
            .collect::<Vec<_>>(),
    })
}
