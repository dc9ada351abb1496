//! What `doctor` finds of policy: the user's files, law, managed policy, trust.

use std::path::Path;

use tollgate_core::authority::law::Law;
use tollgate_policy::{Policies, Standing};

use super::Finding;
use crate::{
    config::{self, Config},
    text,
};

/// Looks at all policy files.
pub(super) fn look(config: &Config, findings: &mut Vec<Finding>) {
    let places = config::policy::places(&config.places);
    let opened = Policies::open(places.clone(), config.extra.clone(), config.roots());
    let standing = match opened {
        Ok(policies) => policies.current(),
        Err(error) => {
            let help = "mend it; `tollgate config check` tells all mistakes";
            let faults =
                error.0.iter().map(|fault| Finding::bad("policy", fault.to_string(), help));
            return findings.extend(faults);
        }
    };
    findings.push(own(&standing, &places.permissions, &places.hooks));
    findings.extend(law(&standing));
    let managed: Vec<_> = places.managed.iter().filter(|file| file.exists()).collect();
    let managed: Vec<_> = managed.iter().map(|file| file.display().to_string()).collect();
    findings.push(match managed.as_slice() {
        [] => Finding::good("managed", "no policy of the machine's owner"),
        files => Finding::good("managed", files.join(", ")),
    });
    findings.push(trust(config, &standing));
    findings.extend(
        standing
            .notes
            .iter()
            .map(|note| Finding { needed: false, ..Finding::bad("policy", note, "") }),
    );
}

fn own(standing: &Standing, permissions: &Path, hooks: &Path) -> Finding {
    let rules = text::count(standing.policy.rules.all().len(), "rule");
    let count = text::count(standing.hooks.len(), "hook");
    let there = [permissions, hooks].into_iter().filter(|file| file.exists());
    let there: Vec<_> = there.map(|file| file.display().to_string()).collect();
    let of = if there.is_empty() { "no files".to_owned() } else { there.join(", ") };
    Finding::good("policy", format!("{rules}, {count} ({of})"))
}

fn law(standing: &Standing) -> Option<Finding> {
    match &standing.policy.law {
        Law::Absent => None,
        Law::Broken { fault } => Some(Finding::bad(
            "law",
            fault.clone(),
            "mend it; until then nothing in this repository may be changed",
        )),
        Law::Protects { places, .. } => Some(Finding::good(
            "law",
            format!("{} of protected places", text::count(places.len(), "rule")),
        )),
    }
}

fn trust(config: &Config, standing: &Standing) -> Finding {
    let workspace = config.workspace.display();
    if standing.policy.workspace.trusted {
        return Finding::good("trust", format!("{workspace} is trusted"));
    }
    Finding {
        needed: false,
        ..Finding::bad(
            "trust",
            format!(
                "{workspace} is not trusted: each write asks, and its hooks and MCP servers do not count"
            ),
            "`tollgate trust` shows what it brings, and asks",
        )
    }
}
