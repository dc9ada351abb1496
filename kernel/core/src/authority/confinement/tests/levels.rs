//! How far: [GATE-70, 71, 72].

use super::*;
use crate::{
    authority::{Verdict, judge, managed::Managed},
    call::Caller,
    safety::{Escalation, Safety, Subject, Trust},
    stance::{Mode, Posture, Stance},
    testing::{READ, prepared},
};

const WRITE: Safety = Safety { open_world: false, destructive: false, ..Safety::WORST };

#[track_caller]
fn check(text: &str, expected: Sandbox) {
    assert_eq!(of(text, &World::default()).sandbox, expected, "{text}");
}

#[test]
fn a_line_that_only_reads_only_reads() {
    for text in ["ls -l", "cat a | grep b", "git-x", "cd src && ls"] {
        let expected = if text == "git-x" { Sandbox::WorkspaceWrite } else { Sandbox::ReadOnly };
        check(text, expected);
    }
}

/// What needs the network to do its work has it once it is permitted.
#[test]
fn what_talks_or_fetches_has_the_network() {
    for text in [
        "curl https://example.org",
        "git push origin x",
        "git -C sub fetch",
        "git clone https://example.org/x",
        "npm ci",
        "npm install",
        "npm install left-pad",
        "yarn",
        "yarn install --frozen-lockfile",
        "pip install -r requirements.txt",
        "python3 -m pip install -e .",
        "uv sync",
        "uv pip install x",
        "cargo fetch",
        "cargo install ripgrep",
        "go mod download",
        "bundle install",
        "make && curl localhost",
        "ssh host ls",
    ] {
        check(text, Sandbox::Network);
    }
}

/// Builds and tests run code of the workspace, and have no network.
#[test]
fn builds_and_tests_have_none() {
    for text in [
        "make",
        "cargo build",
        "cargo test --workspace",
        "npm test",
        "npm run build",
        "yarn test",
        "go test ./...",
        "pytest -q",
        "python3 x.py",
        "bash x.sh",
        "git commit -m x",
        "git checkout main",
        "touch curl",
        "rm -r target",
    ] {
        check(text, Sandbox::WorkspaceWrite);
    }
}

#[test]
fn a_host_that_is_no_loopback_needs_the_network() {
    for (host, expected) in [
        ("example.org:443", Sandbox::Network),
        ("10.0.0.1", Sandbox::Network),
        ("localhost:80", Sandbox::WorkspaceWrite),
        ("LOCALHOST.", Sandbox::WorkspaceWrite),
        ("a.localhost", Sandbox::WorkspaceWrite),
        ("127.1.2.3:80", Sandbox::WorkspaceWrite),
        ("[::1]:80", Sandbox::WorkspaceWrite),
        ("[::ffff:127.0.0.1]", Sandbox::WorkspaceWrite),
        ("localhost.example.org", Sandbox::Network),
    ] {
        let subjects = vec![Subject::Host { host: host.to_owned() }];
        let call = prepared(Trust::Trusted, WRITE, subjects, None);
        assert_eq!(level(&call, &World::default().at()), expected, "{host}");
    }
}

/// Configuration, the owner, and the posture; the owner only tightens.
#[test]
fn who_has_the_network_is_configured() {
    use Network::{Ask, Off, On};
    let ask = Posture::Ask;
    for (text, posture, network, owner, expected) in [
        ("make", ask, On, None, Sandbox::Network),
        ("ls", ask, On, None, Sandbox::ReadOnly),
        ("curl x.org", ask, Off, None, Sandbox::WorkspaceWrite),
        ("make", ask, On, Some(Ask), Sandbox::WorkspaceWrite),
        ("make", ask, Ask, Some(On), Sandbox::WorkspaceWrite),
        ("curl x.org", ask, Ask, Some(Off), Sandbox::WorkspaceWrite),
        ("make", Posture::FullAccess, Ask, None, Sandbox::Network),
        ("make", Posture::FullAccess, Off, None, Sandbox::WorkspaceWrite),
        ("make", Posture::FullAccess, On, Some(Off), Sandbox::WorkspaceWrite),
        ("ls", Posture::FullAccess, On, None, Sandbox::ReadOnly),
        ("make", Posture::AutoReview, Ask, None, Sandbox::WorkspaceWrite),
    ] {
        let mut world = World { posture, ..World::default() };
        world.policy.network = network;
        world.policy.managed = Managed { network: owner, ..Managed::default() };
        assert_eq!(of(text, &world).sandbox, expected, "{text} {posture} {network:?} {owner:?}");
    }
}

/// [GATE-71] Whatever is configured, wished and claimed.
#[test]
fn plan_mode_only_reads() {
    let mut world = World::default();
    world.policy.network = Network::On;
    for posture in Posture::ALL {
        let stance = Stance { mode: Mode::Plan, posture };
        let at = Circumstances { stance, ..world.at() };
        for safety in [READ, WRITE] {
            let wish = Escalation { to: Sandbox::Off, justification: String::new() };
            let subjects = vec![Subject::Host { host: "x.org".to_owned() }];
            let call = prepared(Trust::Trusted, safety, subjects, Some(wish));
            assert_eq!(level(&call, &at), Sandbox::ReadOnly, "{posture} {safety:?}");
        }
    }
}

/// [GATE-72] A wish is compared with what this very call has, and what was wished is what it gets.
#[test]
fn only_a_wider_wish_is_one() {
    use Sandbox::{Network, Off, ReadOnly, WorkspaceWrite};
    for (text, to, is_wider) in [
        ("make", WorkspaceWrite, false),
        ("make", Network, true),
        ("make", Off, true),
        ("curl x.org", Network, false),
        ("curl x.org", Off, true),
        ("ls", ReadOnly, false),
        ("ls", WorkspaceWrite, true),
        ("ls", Network, true),
    ] {
        let world = World::default();
        let mut call = line(text);
        call.escalation = Some(Escalation { to, justification: "because".to_owned() });
        let word = match judge(&call, &world.at()).verdict {
            Verdict::Ask(_) => "ask".to_owned(),
            Verdict::Refuse(refusal) => refusal.class,
            Verdict::Allow(_) | Verdict::Review(_) => "runs".to_owned(),
        };
        assert_eq!(word, if is_wider { "ask" } else { "escalation_not_wider" }, "{text} {to}");
        if is_wider {
            assert_eq!(confinement(&call, &world.at()).unwrap().sandbox, to, "{text}");
        }
    }
    // Without a sandbox nothing is held.
    let mut call = line("make");
    call.escalation = Some(Escalation { to: Off, justification: String::new() });
    let confined = confinement(&call, &World::default().at()).unwrap();
    assert_eq!((confined.withheld.count(), confined.held.count()), (0, 0));
}

/// [CODE-05] The parity of nested calls: no part looks at who calls, how deep, or where in a session.
#[test]
fn who_calls_makes_no_difference() {
    let mut world = world(&["deny read(secrets/**)", "ask bash(path:vendor/**)"]);
    law(&mut world.policy, &["migrations/**"], LawAction::Ask);
    for text in ["ls", "make", "curl x.org", "git clone x", "cat vendor/x", "touch .envrc"] {
        let direct = of(text, &world);
        let callers =
            [Caller::Program, Caller::Server, Caller::User, Caller::Client, Caller::Model];
        for caller in callers {
            let mut call = line(text);
            let raw = &mut call.checked.resolved.raw;
            (raw.caller, raw.depth) = (caller, 3);
            raw.parent = Some(raw.id.clone());
            raw.position.agent = "child-1".to_owned();
            assert_eq!(confinement(&call, &world.at()).unwrap(), direct, "{text} {caller:?}");
        }
    }
}

#[test]
fn a_card_says_in_a_line_how_far() {
    let told = |text: &str, wish: Option<Sandbox>| {
        let mut call = line(text);
        call.escalation = wish.map(|to| Escalation { to, justification: String::new() });
        bounds(&call, &World::default().at()).map(|bounds| bounds.told()).unwrap_or_default()
    };
    for (text, wish, expected) in [
        ("ls", None, "only reads, network: no"),
        ("make", None, "writes in the workspace, network: no"),
        ("npm ci", None, "writes in the workspace, network: yes"),
        ("curl https://example.org/x", None, "writes in the workspace, network: yes (example.org)"),
        (
            "make",
            Some(Sandbox::Network),
            "writes in the workspace, network: yes; without the wider sandbox: writes in the workspace, network: no",
        ),
        (
            "ls",
            Some(Sandbox::Off),
            "everything that you can, network: yes (no sandbox); without the wider sandbox: only reads, network: no",
        ),
    ] {
        assert_eq!(told(text, wish), expected, "{text}");
    }
    let hosts: String = (0..9).map(|number| format!("https://h{number}.org ")).collect();
    assert_eq!(told(&format!("curl {hosts}"), None).matches(".org").count(), HOSTS_SHOWN);
    let call = prepared(Trust::Trusted, WRITE, Vec::new(), None);
    assert_eq!(bounds(&call, &World::default().at()), None);
}
