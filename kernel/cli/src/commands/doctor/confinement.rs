//! What `doctor` finds of confinement (`[GATE-70]`): what holds of each server and of the commands that it runs,
//! what this host cannot enforce, by what that is replaced, and what to do.
//!
//! Servers tell it in words: "namespaces landlock:7 seccomp", "landlock:none" for what cannot be had, "off" for
//! what is not wanted; behind "children:" what holds of the programs that they start. "net:none" is no mechanism:
//! they have no network.
//!
//! Not here: doing it (the servers), the host's own facts.

use super::Finding;

#[cfg(test)]
mod tests;

/// Stands before the words of what a server starts.
const CHILDREN: &str = "children:";

/// What says whether programs have the network.
const NET: &str = "net";

/// One mechanism.
struct Tier {
    /// As servers call it.
    word: &'static str,
    /// What is missing without it.
    misses: &'static str,
    /// What holds in its place.
    instead: &'static str,
    /// What a host needs.
    help: &'static str,
}

const TIERS: &[Tier] = &[
    Tier {
        word: "namespaces",
        misses: "processes, network and mounts of their own",
        instead: "Landlock and seccomp, and a warden that ends what is left behind",
        help: "let users make namespaces: `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or an AppArmor \
            profile for tollgate; `sysctl user.max_user_namespaces` must not be 0; a container needs a seccomp \
            profile that lets `unshare` through",
    },
    Tier {
        word: "landlock",
        misses: "files and TCP ports by the kernel's own rules",
        instead: "mounts of a namespace of its own, where there is one; else nothing",
        help: "use Linux 5.13 or later with `landlock` in the `lsm=` list of its command line",
    },
    Tier {
        word: "seccomp",
        misses: "a list of system calls",
        instead: "no new privileges, and Landlock where there is some",
        help: "use a Linux with CONFIG_SECCOMP_FILTER",
    },
    Tier {
        word: "rlimits",
        misses: "bounds on descriptors, processes and memory",
        instead: "nothing",
        help: "`ulimit -H -a` must let tollgate lower its limits",
    },
    Tier {
        word: "places",
        misses: "denied and protected places as mounts",
        instead: "a look after each command, which puts aside what was made in them; what is denied can be read",
        help: "it needs namespaces",
    },
];

/// What holds of one server, and of what it starts. `mode`: of `[sandbox]`.
pub(super) fn look(server: &str, words: &str, mode: &str) -> Vec<Finding> {
    let (own, children) = match words.split_once(CHILDREN) {
        Some((own, children)) => (own.trim(), Some(children.trim())),
        None => (words.trim(), None),
    };
    let mut findings = Vec::new();
    if !own.is_empty() || children.is_none() {
        findings.push(one(format!("confinement {server}"), own, mode));
    }
    let of_children = children.map(|it| one(format!("confinement {server} (commands)"), it, mode));
    findings.extend(of_children);
    findings
}

fn one(name: String, words: &str, mode: &str) -> Finding {
    let needed = mode == "required";
    let bad =
        |found: String, help: &str| Finding { needed, ..Finding::bad(name.clone(), found, help) };
    if words.is_empty() {
        return bad("nothing that the server tells of".to_owned(), "");
    }
    if words.split_ascii_whitespace().any(|word| word == "off") {
        let help = "set sandbox.mode to \"best-effort\" or \"required\", and take `sandbox` out of the server's \
                    settings";
        return bad("off: nothing but what its user may not do".to_owned(), help);
    }
    let (mut missing, mut helps) = (Vec::new(), Vec::new());
    let lacking = words.split_ascii_whitespace().filter_map(|word| word.strip_suffix(":none"));
    for word in lacking.filter(|word| *word != NET) {
        match TIERS.iter().find(|tier| tier.word == word) {
            Some(Tier { word, misses, instead, help }) => {
                missing.push(format!("{word} ({misses}) is missing, in its place: {instead}"));
                helps.push(*help);
            }
            None => missing.push(format!("{word} is missing")),
        }
    }
    if missing.is_empty() {
        return Finding::good(name.clone(), words);
    }
    helps.dedup();
    bad(format!("{words}; {}", missing.join("; ")), &helps.join("; "))
}
