//! Goal: what the machine's owner says holds, whatever anybody below says. [GATE-51], CFG-09

use super::*;
use crate::{
    authority::{
        rules::{Action, CommandMatch, Source},
        words::testing::{World, call, line, path},
    },
    safety::{Access, Safety, Trust},
    stance::Mode,
    testing::READ,
};

fn patterns(texts: &[&str]) -> Vec<NamePattern> {
    texts.iter().map(|text| NamePattern::new(text).unwrap()).collect()
}

fn rule(action: Action, command: &str) -> Rule {
    let argv = command.split(' ').map(str::to_owned).collect();
    Rule {
        action,
        source: Source::Managed,
        tool: NamePattern::any(),
        command: Some(CommandMatch { argv, exact: false }),
        path: None,
        host: None,
        server: None,
        workspace: None,
        reason: "company policy".to_owned(),
        expires_unix_ms: None,
        origin: "managed.toml:3".to_owned(),
    }
}

/// "", "ask", or the refusal's class.
fn said(call: &Classified, managed: Managed) -> String {
    let mut world = World::default();
    world.policy.managed = managed;
    match judge(call, &world.at()) {
        ManagedSaid::Nothing => String::new(),
        ManagedSaid::Ask(why) => {
            assert!(why.need == Need::Hard && why.reason.contains("company policy"), "{why:?}");
            "ask".to_owned()
        }
        ManagedSaid::Block(refusal) => {
            assert_eq!(refusal.layer, Layer::Managed);
            refusal.class
        }
    }
}

#[test]
fn only_allowed_postures_are_used() {
    let managed =
        |postures: &[Posture]| Managed { postures: Some(postures.to_vec()), ..Managed::default() };
    let call = call(Trust::Trusted, READ, Vec::new(), "");
    assert_eq!(said(&call, managed(&[Posture::Ask, Posture::Never])), "");
    assert_eq!(said(&call, managed(&[Posture::Never])), "managed_posture");
    assert_eq!(said(&call, managed(&[])), "managed_posture");
}

/// [GATE-51]: what the machine's owner does not allow is only ever made tighter, or refused.
#[test]
fn a_posture_is_only_made_tighter() {
    use Posture::{Ask, AutoReview, FullAccess, Never};
    for (allowed, asked, expected) in [
        (&[Ask, Never] as &[_], FullAccess, Some(Ask)),
        (&[Ask, AutoReview], FullAccess, Some(AutoReview)),
        (&[Never], Ask, Some(Never)),
        (&[Ask], Ask, Some(Ask)),
        (&[FullAccess], Ask, None),
        (&[Ask], Never, None),
        (&[], Never, None),
        (&[FullAccess, Never], AutoReview, Some(Never)),
    ] {
        let managed = Managed { postures: Some(allowed.to_vec()), ..Managed::default() };
        let clamped = managed.clamp(Stance { mode: Mode::Plan, posture: asked });
        let expected = expected.map(|posture| Stance { mode: Mode::Plan, posture });
        assert_eq!(clamped, expected, "{asked} of {allowed:?}");
    }
    for posture in Posture::ALL {
        let stance = Stance { posture, ..Stance::default() };
        assert_eq!(Managed::default().clamp(stance), Some(stance));
    }
}

#[test]
fn only_allowed_servers_are_used() {
    let managed =
        |servers: &[&str]| Managed { servers: vec![patterns(servers)], ..Managed::default() };
    let own = call(Trust::Trusted, READ, Vec::new(), "");
    assert_eq!(said(&own, managed(&["file", "shell"])), "");
    assert_eq!(said(&own, managed(&["fi*"])), "");
    assert_eq!(said(&own, managed(&["shell"])), "managed_server");
    let mcp = Subject::Mcp { server: "github".into(), tool: "x".into() };
    let bridged = call(Trust::Trusted, READ, vec![mcp], "");
    assert_eq!(said(&bridged, managed(&["file"])), "managed_server");
    assert_eq!(said(&bridged, managed(&["file", "github"])), "");
    let servers = vec![patterns(&["file"]), patterns(&["shell"])];
    assert_eq!(said(&own, Managed { servers, ..Managed::default() }), "managed_server");
}

#[test]
fn only_allowed_hosts_are_named() {
    let managed = || Managed {
        hosts: vec![patterns(&["*.good.test", "good.test", "ports.test:8443"])],
        ..Managed::default()
    };
    let host = |host: &str| {
        let subject = Subject::Host { host: host.to_owned() };
        said(&call(Trust::Trusted, READ, vec![subject], ""), managed())
    };
    for good in ["good.test", "a.good.test", "good.test:443", "GOOD.test.", "ports.test:8443"] {
        assert_eq!(host(good), "", "{good}");
    }
    for bad in
        ["bad.test", "good.test.bad.test", "ports.test", "ports.test:1", "notgood.test", "[::1]:80"]
    {
        assert_eq!(host(bad), "managed_host", "{bad}");
    }
}

/// A call that talks to the world must say to whom; builds are held by the sandbox.
#[test]
fn where_hosts_are_restricted_they_must_be_named() {
    let managed = || Managed { hosts: vec![patterns(&["good.test"])], ..Managed::default() };
    let tool =
        |safety| said(&call(Trust::Trusted, safety, vec![path("x", Access::Read)], ""), managed());
    assert_eq!(tool(READ), "");
    assert_eq!(tool(Safety { open_world: true, ..READ }), "managed_host");
    assert_eq!(tool(Safety::WORST), "managed_host");
    for text in
        ["cargo test", "make", "cat x", "curl https://good.test/x", "curl -o a.b https://good.test"]
    {
        assert_eq!(said(&line(text), managed()), "", "{text}");
    }
    for text in [
        "curl https://bad.test",
        "curl https://good.test bad.test",
        "curl https://good.test@bad.test/",
        "curl $URL",
        "curl https://good.test $URL",
        "git push origin x",
        "ssh u@bad.test",
        "scp x bad.test:y",
        "npm publish",
    ] {
        assert_eq!(said(&line(text), managed()), "managed_host", "{text}");
    }
    assert_eq!(said(&line("curl https://bad.test"), Managed::default()), "");
}

#[test]
fn the_owners_rules_block_and_ask_and_never_allow() {
    let managed =
        |action| Managed { rules: Rules::new(vec![rule(action, "touch")]), ..Managed::default() };
    let touch = line("true && touch x");
    assert_eq!(said(&touch, managed(Action::Deny)), "managed");
    assert_eq!(said(&touch, managed(Action::Ask)), "ask");
    assert_eq!(said(&touch, managed(Action::Allow)), "");
    assert_eq!(said(&line("make"), managed(Action::Deny)), "");
}

#[test]
fn forbidden_models_are_known_in_every_case() {
    let managed =
        Managed { models_forbidden: patterns(&["evil/*", "GPT-X"]), ..Managed::default() };
    assert_eq!(managed.forbids_model("evil/one"), Some("evil/*"));
    assert_eq!(managed.forbids_model("EVIL/One"), Some("evil/*"));
    assert_eq!(managed.forbids_model("gpt-x"), Some("GPT-X"));
    assert_eq!(managed.forbids_model("good"), None);
}
