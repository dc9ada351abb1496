//! Goal: what a host cannot enforce is told, with what takes its place and what to do ([GATE-70]).

use super::*;

/// "ok", "lacks" or "fails", the name, and what was found.
fn told(words: &str, mode: &str) -> Vec<String> {
    let word = |finding: &Finding| match (finding.ok, finding.needed) {
        (true, _) => "ok",
        (false, false) => "lacks",
        (false, true) => "fails",
    };
    let findings = look("shell", words, mode);
    findings.iter().map(|it| format!("{} {}: {}", word(it), it.name, it.found)).collect()
}

#[test]
fn all_that_holds_is_well() {
    assert_eq!(
        told("landlock:7 seccomp rlimits", "required"),
        ["ok confinement shell: landlock:7 seccomp rlimits"]
    );
    assert_eq!(
        told("landlock:7 children: namespaces places landlock:7 seccomp net:none", "required"),
        [
            "ok confinement shell: landlock:7",
            "ok confinement shell (commands): namespaces places landlock:7 seccomp net:none"
        ]
    );
    let children = told("children: namespaces", "best-effort");
    assert_eq!(children, ["ok confinement shell (commands): namespaces"]);
}

#[test]
fn a_missing_tier_is_told_and_is_a_fault_where_all_is_required() {
    let words = "children: namespaces:none landlock:7 seccomp";
    let [lacks] = told(words, "best-effort").try_into().unwrap();
    let expected = "lacks confinement shell (commands): namespaces:none landlock:7 seccomp; \
        namespaces (processes, network and mounts of their own) is missing, in its place: Landlock";
    assert!(lacks.starts_with(expected), "{lacks}");
    let [fails] = told(words, "required").try_into().unwrap();
    assert!(fails.starts_with("fails "), "{fails}");
    let help = &look("shell", words, "required")[0].help;
    assert!(help.contains("kernel.apparmor_restrict_unprivileged_userns=0"), "{help}");
    let help = &look("file", "landlock:none seccomp", "best-effort")[0].help;
    assert!(help.contains("5.13") && help.contains("lsm="), "{help}");
    let [unknown] = told("moat:none", "best-effort").try_into().unwrap();
    assert!(unknown.ends_with("moat is missing"), "{unknown}");
    // What two tiers need is said once.
    let help = &look("shell", "places:none places:none", "best-effort")[0].help;
    assert_eq!(help, "it needs namespaces");
}

#[test]
fn no_confinement_is_never_well() {
    for words in ["off", "", "children: off", "children:"] {
        assert!(told(words, "best-effort")[0].starts_with("lacks "), "{words}");
        assert!(told(words, "required")[0].starts_with("fails "), "{words}");
    }
}

/// Every tier says what is missing, what holds in its place, and what helps.
#[test]
fn every_tier_says_all_of_it() {
    for tier in TIERS {
        let finding = &look("file", &format!("{}:none", tier.word), "best-effort")[0];
        assert!(finding.found.contains(tier.misses) && finding.found.contains(tier.instead));
        assert_eq!(finding.help, tier.help);
    }
}
