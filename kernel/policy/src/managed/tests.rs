//! Goal: managed policy only adds, and nobody but root and the user can have written it (`[GATE-51]`, CFG-09).

use std::path::{Path, PathBuf};

use tollgate_core::{
    authority::rules::{Action, Source},
    stance::Posture,
};

use super::{join, judge_owner, parse, take};
use crate::{read::Content, testing::World};

#[track_caller]
fn check_fault(text: &str, expected: &str) {
    let error = parse(Path::new("managed.toml"), text, None).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
}

fn joined(texts: &[&str]) -> tollgate_core::authority::managed::Managed {
    let read = |text: &&str| parse(Path::new("/etc/tollgate/managed.toml"), text, None).unwrap();
    join(texts.iter().map(read).collect()).unwrap().0
}

/// `[GATE-51]`
#[test]
fn a_file_says_what_is_not_to_be() {
    let managed = joined(&[
        "postures = [\"ask\", \"never\"]\nservers = [\"file\", \"mcp-*\"]\nhosts = [\"*.Example.com\"]\nmodels_forbidden = [\"Acme:*\"]\nreceipts = \"/var/log/tollgate\"\n\n[[rule]]\naction = \"deny\"\ntool = \"bash\"\ncommand = [\"touch\"]\n",
    ]);
    assert_eq!(managed.postures, Some(vec![Posture::Ask, Posture::Never]));
    assert!(managed.allows_server("file") && managed.allows_server("mcp-x"));
    assert!(!managed.allows_server("shell"));
    assert!(managed.hosts[0][0].matches("api.example.com"));
    assert_eq!(managed.forbids_model("ACME:Huge"), Some("acme:*"));
    assert_eq!(managed.receipts, [PathBuf::from("/var/log/tollgate")]);
    let rule = &managed.rules.all()[0];
    assert_eq!((rule.action, rule.source), (Action::Deny, Source::Managed));
    assert_eq!(rule.origin, "managed.toml:7");
}

/// CFG-09 `[GATE-51]`: more files only add.
#[test]
fn what_one_file_forbids_no_other_allows() {
    let one = "postures = [\"ask\", \"never\"]\nservers = [\"file\"]\nhosts = [\"a.com\"]\nreceipts = \"/r/one\"\nmodels_forbidden = [\"x\"]\n";
    let two = "postures = [\"never\", \"full-access\"]\nservers = [\"*\"]\nhosts = []\nreceipts = \"/r/two\"\nmodels_forbidden = [\"y\"]\n";
    for order in [[one, two], [two, one]] {
        let managed = joined(&order);
        assert_eq!(managed.postures, Some(vec![Posture::Never]));
        assert!(managed.allows_server("file") && !managed.allows_server("shell"));
        assert_eq!(managed.hosts.len(), 2, "no host is on both lists");
        assert_eq!(managed.models_forbidden.len(), 2);
        assert_eq!(managed.receipts.len(), 2);
    }
    let files = ["postures = [\"ask\"]", "postures = [\"never\"]"];
    let read = |text: &&str| parse(Path::new("m"), text, None).unwrap();
    assert!(join(files.iter().map(read).collect()).unwrap_err().contains("no posture"));
}

/// `[GATE-51]` `[GATE-70]`: of several files the tightest holds.
#[test]
fn the_network_is_as_tight_as_one_file_says() {
    use tollgate_core::authority::confinement::Network::{Ask, Off, On};
    for (texts, expected) in [
        (&[""][..], None),
        (&["network = \"ask\""], Some(Ask)),
        (&["", "network = \"on\""], Some(On)),
        (&["network = \"on\"", "network = \"off\"", "network = \"ask\""], Some(Off)),
    ] {
        assert_eq!(joined(texts).network, expected, "{texts:?}");
    }
    check_fault("network = \"none\"", "\"none\" is none of \"off\", \"ask\", \"on\"");
}

/// CFG-09: an allow in a managed file would be a hole with the owner's seal.
#[test]
fn a_managed_file_allows_nothing() {
    check_fault("allow = [\"bash\"]", "managed.toml:1: allow: managed policy only adds");
    check_fault(
        "[[rule]]\naction = \"allow\"\ntool = \"bash\"",
        "managed.toml:2: rule.action: managed",
    );
}

/// G-07
#[test]
fn what_is_wrong_with_a_managed_file_is_told() {
    check_fault("posture = [\"ask\"]", "there is no such key; did you mean 'postures'?");
    check_fault("postures = [\"full_access\"]", "did you mean 'full-access'?");
    check_fault("postures = []", "nothing could run");
    check_fault("postures = \"ask\"", "must be a list of texts");
    check_fault("hosts = [\"https://a.com\"]", "hosts: ");
    check_fault("servers = [\"a[\"]", "servers: 'a[' is no usable pattern");
    check_fault("receipts = \"log\"", "receipts: 'log' is relative");
}

/// CFG-09: as numbers, because root may write everywhere.
#[test]
fn owner_and_mode_decide_who_could_have_written() {
    let rows = [
        (0, 0o100_644, true),
        (1000, 0o100_600, true),
        (1001, 0o100_600, false),
        (0, 0o100_664, false),
        (0, 0o100_646, false),
        (1000, 0o100_602, false),
        (0, 0o041_777, true),
        (0, 0o040_777, false),
        (1001, 0o040_755, false),
        // A sticky bit means nothing on a file.
        (0, 0o101_666, false),
    ];
    for (owner, mode, expected) in rows {
        let judged = judge_owner("it", owner, mode, 1000);
        assert_eq!(judged.is_ok(), expected, "{owner} {mode:o} {judged:?}");
    }
}

/// CFG-09
#[test]
fn a_managed_file_that_others_may_write_is_refused() {
    let world = World::new();
    let path = world.at("etc/managed.toml");
    let why = || match take(&path, true) {
        Content::Unusable(why) => world.short(&why),
        Content::Absent => "absent".to_owned(),
        Content::Text(_) => "taken".to_owned(),
    };
    assert_eq!(why(), "absent");
    world.put("etc/managed.toml", "");
    assert_eq!(why(), "taken");
    world.mode("etc/managed.toml", 0o622);
    assert_eq!(why(), "it can be written by others (mode 0622); run `chmod go-w` on it");
    world.mode("etc/managed.toml", 0o644).mode("etc", 0o777);
    assert!(why().starts_with("etc can be written by others (mode 0777)"), "{}", why());
    world.mode("etc", 0o1777);
    assert_eq!(why(), "taken");
    world.mode("etc", 0o755);
    let other = nix::unistd::geteuid().as_raw() + 1;
    match nix::unistd::chown(&path, Some(nix::unistd::Uid::from_raw(other)), None) {
        Ok(()) => assert!(why().starts_with(&format!("it belongs to user {other}")), "{}", why()),
        // Only root can give files away; the table above has the case for everybody else.
        Err(error) => assert_eq!(error, nix::Error::EPERM),
    }
}

/// CFG-09: taking the file away is no way out.
#[test]
fn a_file_that_is_named_must_be_there() {
    let world = World::new();
    let content = take(&world.at("etc/more.toml"), false);
    let Content::Unusable(why) = content else { panic!("{content:?}") };
    assert!(why.contains("TOLLGATE_MANAGED names it"), "{why}");
}
