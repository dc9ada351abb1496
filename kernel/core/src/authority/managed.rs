//! Layer 10: the machine owner's policy (`[GATE-51]`). It can only add `ask` or `block`; nobody below
//! loosens it.
//!
//! Where hosts are restricted, a call that talks to the world must name the hosts; a command that is
//! known to send must name them too, others are held by the sandbox, which has no network.
//!
//! Not here: reading the files (`tollgate-policy`), choosing models (`engine`), copies of receipts.

#[cfg(test)]
mod tests;

use super::{
    Circumstances, Layer, Need, Refusal, Why,
    confinement::Network,
    hosts::{folded, without_port},
    rules::{NamePattern, Rule, Rules, Selected, compact, select},
    taint,
};
use crate::{
    call::Classified,
    safety::Subject,
    stance::{Posture, Stance},
};

/// Managed policy: all files together; each only adds.
#[derive(Clone, Debug, Default)]
pub struct Managed {
    /// Deny and ask rules.
    pub rules: Rules,
    /// Postures that may be used; `None`: all.
    pub postures: Option<Vec<Posture>>,
    /// Tool servers and MCP servers that may be used, a list of each file that says so: every list must
    /// name a server; none: all may.
    pub servers: Vec<Vec<NamePattern>>,
    /// Hosts that calls may name, as [`Managed::servers`]; in lower case.
    pub hosts: Vec<Vec<NamePattern>>,
    /// Who has the network at most; `None`: the owner does not say.
    pub network: Option<Network>,
    /// Models that may not be used.
    pub models_forbidden: Vec<NamePattern>,
    /// Folders that each get a copy of every receipt.
    pub receipts: Vec<std::path::PathBuf>,
}

/// What managed policy says of a call.
#[derive(Debug)]
pub enum ManagedSaid {
    /// Nothing.
    Nothing,
    /// A person decides.
    Ask(Why),
    /// No.
    Block(Refusal),
}

impl Managed {
    /// Whether a posture may be used.
    #[must_use]
    pub fn allows(&self, posture: Posture) -> bool {
        self.postures.as_ref().is_none_or(|allowed| allowed.contains(&posture))
    }

    /// The stance itself if its posture may be used, else with the loosest tighter one that may; `None`:
    /// no posture that may be used is as tight. Nothing is ever loosened.
    #[must_use]
    pub fn clamp(&self, stance: Stance) -> Option<Stance> {
        const LOOSEST_FIRST: [Posture; 4] =
            [Posture::FullAccess, Posture::AutoReview, Posture::Ask, Posture::Never];
        let mut as_tight = LOOSEST_FIRST.into_iter().skip_while(|it| *it != stance.posture);
        let posture = as_tight.find(|posture| self.allows(*posture))?;
        Some(Stance { posture, ..stance })
    }

    /// The pattern that forbids a model, if one does; names are compared without regard to case.
    #[must_use]
    pub fn forbids_model(&self, name: &str) -> Option<&str> {
        let lower = name.to_lowercase();
        let forbids = |model: &&NamePattern| {
            let folded = NamePattern::new(&model.as_str().to_lowercase());
            model.matches(name) || folded.is_ok_and(|folded| folded.matches(&lower))
        };
        self.models_forbidden.iter().find(forbids).map(NamePattern::as_str)
    }

    /// Whether a tool server or MCP server of this name may be used.
    #[must_use]
    pub fn allows_server(&self, name: &str) -> bool {
        all_allow(&self.servers, |allowed| allowed.matches(name))
    }

    /// A host may come with its port; a pattern without one holds for all ports.
    fn allows_host(&self, host: &str) -> bool {
        let host = folded(host);
        let bare = without_port(&host);
        all_allow(&self.hosts, |allowed| allowed.matches(&host) || allowed.matches(bare))
    }
}

fn all_allow(lists: &[Vec<NamePattern>], matches: impl Fn(&NamePattern) -> bool) -> bool {
    lists.iter().all(|list| list.iter().any(&matches))
}

/// Judges a call by managed policy: posture, server, hosts, then rules.
#[must_use]
pub fn judge(call: &Classified, at: &Circumstances<'_>) -> ManagedSaid {
    let managed = &at.policy.managed;
    let refused = posture(managed, at.stance.posture)
        .or_else(|| servers(managed, call))
        .or_else(|| hosts(managed, call));
    match refused {
        Some(refusal) => ManagedSaid::Block(refusal),
        None => rules(managed, call, at),
    }
}

fn refuse(class: &str, message: String) -> Option<Refusal> {
    Some(Refusal::new(Layer::Managed, class, message))
}

fn posture(managed: &Managed, posture: Posture) -> Option<Refusal> {
    if managed.allows(posture) {
        return None;
    }
    let allowed: Vec<&str> =
        managed.postures.iter().flatten().map(|posture| posture.as_str()).collect();
    let message = format!(
        "the machine's owner does not allow posture {posture}; the user can change to one of: {}",
        allowed.join(", ")
    );
    refuse("managed_posture", message)
}

fn servers(managed: &Managed, call: &Classified) -> Option<Refusal> {
    let own = call.entry().server.as_str();
    let named = call.subjects().iter().filter_map(|subject| match subject {
        Subject::Mcp { server, .. } => Some(server.as_str()),
        Subject::Path { .. }
        | Subject::Command { .. }
        | Subject::Host { .. }
        | Subject::Repo { .. }
        | Subject::Tool { .. }
        | Subject::Unknown => None,
    });
    let own = Some(own).filter(|_| !call.entry().is_synthetic());
    let forbidden = own.into_iter().chain(named).find(|name| !managed.allows_server(name))?;
    let message = format!("the machine's owner does not allow server '{forbidden}'");
    refuse("managed_server", message)
}

fn hosts(managed: &Managed, call: &Classified) -> Option<Refusal> {
    if managed.hosts.is_empty() {
        return None;
    }
    let named = taint::named_hosts(call);
    if let Some(forbidden) = named.iter().find(|host| !managed.allows_host(host)) {
        let message = format!("the machine's owner does not allow host '{forbidden}'");
        return refuse("managed_host", message);
    }
    let commands = call.subjects().iter().filter(|it| matches!(it, Subject::Command { .. }));
    let talks = match commands.count() {
        // Its calls name the hosts.
        _ if call.is_program() => false,
        0 => call.safety().open_world,
        _ => taint::sends_out(call),
    };
    let message = "the machine's owner restricts hosts, and this call may talk to the world without \
                   saying to which host";
    if talks && named.is_empty() { refuse("managed_host", message.to_owned()) } else { None }
}

fn rules(managed: &Managed, call: &Classified, at: &Circumstances<'_>) -> ManagedSaid {
    let name = |rule: &Rule| format!("{} ({})", compact::show(rule), rule.origin);
    let because = |rule: &Rule| match rule.reason.as_str() {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    match select(call, at, &[&managed.rules]) {
        // The owner can only tighten: what a file of the owner's allows says nothing.
        Selected::Nothing | Selected::Allow(_) => ManagedSaid::Nothing,
        Selected::Ask(rule) => ManagedSaid::Ask(Why {
            layer: Layer::Managed,
            need: Need::Hard,
            class: "managed".to_owned(),
            reason: format!("the machine's owner asks by {}{}", name(rule), because(rule)),
            rule: Some(name(rule)),
        }),
        Selected::Deny(rule) => {
            let message = format!("the machine's owner denies by {}{}", name(rule), because(rule));
            let refusal = Refusal::new(Layer::Managed, "managed", message);
            ManagedSaid::Block(Refusal { rule: Some(name(rule)), ..refusal })
        }
    }
}
