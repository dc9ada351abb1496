//! Goal: `[GATE-21]` precedence, and what each matcher matches.

use super::{NOW, World, call, call_of, check, rule, rules, subject};
use crate::{
    authority::rules::{Action, Rules, Source},
    safety::Trust,
};

/// `[GATE-21]`: a hard deny of any source comes first, then the sources in their order.
#[test]
fn deny_of_any_source_comes_first_then_the_sources_in_order() {
    let push = |policy: &[&str], expected: &str| check(policy, "bash", &["git push"], expected);
    push(&["allow bash", "built-in deny bash(git push)"], "deny bash(git push)");
    push(&["allow bash(git push)", "session deny bash"], "deny bash");
    push(&["managed ask bash", "allow bash(git push)"], "ask bash");
    push(&["allow bash", "session ask bash(git push)"], "allow bash");
    push(&["allow bash", "built-in ask bash(git push)"], "allow bash");
    push(&["session allow bash", "built-in ask bash(git push)"], "allow bash");
    push(&["session allow bash", "ask bash(git *)"], "ask bash(git *)");
    push(&["allow bash(git push)", "ask bash(git *)"], "ask bash(git *)");
    push(&["built-in allow bash", "built-in ask bash"], "ask bash");
    push(&[], "nothing");
    push(&["allow bash(git pull)", "deny bash(git pull)", "ask read"], "nothing");
}

/// `[GATE-13]`: a project tightens what the user allows, and allows nothing itself.
#[test]
fn a_project_only_tightens() {
    check(&["allow bash", "project ask bash"], "bash", &["git push"], "ask bash");
    check(&["allow bash", "project deny bash"], "bash", &["git push"], "deny bash");
    check(&["project allow bash"], "bash", &["git push"], "nothing");
    check(&["managed allow bash"], "bash", &["git push"], "nothing");
}

/// G-04.
#[test]
fn a_managed_deny_stands_against_all_allows() {
    let world = World::new(
        &["managed deny bash(touch *)", "allow bash(*)", "project allow bash(touch *)"],
        &["session allow bash(touch CANARY)"],
    );
    assert_eq!(world.answer(&call("bash", &["touch CANARY"])), "deny bash(touch *)");
}

#[test]
fn the_most_specific_rule_is_named() {
    let all = [
        "deny bash",
        "deny bash(git *)",
        "deny bash(git push *)",
        "deny bash(git push)",
        "deny *(path:**)",
    ];
    check(&all, "bash", &["git push"], "deny bash(git push)");
    check(&all, "bash", &["git push -f"], "deny bash(git push *)");
    check(&all, "bash", &["git pull"], "deny bash(git *)");
    check(&all, "bash", &["ls"], "deny *(path:**)");
    let places =
        ["deny *", "deny read", "deny read(src/**)", "deny read(src/a/**)", "deny read(src/a/b)"];
    check(&places, "read", &["r: /w/src/a/b"], "deny read(src/a/b)");
    check(&places, "read", &["r: /w/src/a/c"], "deny read(src/a/**)");
    check(&places, "read", &["r: /w/src/c"], "deny read(src/**)");
    check(&places, "read", &["r: /w/c"], "deny read");
    check(&places, "list", &["r: /w/c"], "deny *");
    // A higher source is named before a narrower rule.
    check(&["deny bash(git push)", "managed deny bash"], "bash", &["git push"], "deny bash");
}

/// `[GATE-22]`: allow needs every command allowed, deny needs one.
#[test]
fn allow_needs_every_subject_and_deny_one() {
    let git = ["allow bash(git *)", "allow bash(cargo test *)"];
    check(&git, "bash", &["git commit", "cargo test"], "allow bash(git *), bash(cargo test *)");
    check(&git, "bash", &["git commit", "git push"], "allow bash(git *)");
    check(&git, "bash", &["git commit", "cargo publish"], "nothing");
    check(&git, "bash", &["git commit", "ro: ls"], "allow bash(git *)");
    check(&git, "bash", &["ro: ls"], "nothing");
    check(&["deny bash(rm *)"], "bash", &["ro: ls", "git commit", "rm x"], "deny bash(rm *)");
    // A deny holds for what only reads, too.
    check(&["deny bash(git log *)"], "bash", &["ro: git log -p"], "deny bash(git log *)");
}

#[test]
fn several_sources_may_cover_one_call_together() {
    let world = World::new(&["allow bash(git *)"], &["session allow bash(cargo test)"]);
    let answer = world.answer(&call("bash", &["git add .", "cargo test"]));
    assert_eq!(answer, "allow bash(git *), bash(cargo test)");
}

/// `[GATE-22]`: no redirection outside the roots.
#[test]
fn redirections_stay_in_the_workspace() {
    let echo = ["allow bash(echo *)"];
    check(&echo, "bash", &["echo x", "c: /w/out"], "allow bash(echo *)");
    check(&echo, "bash", &["echo x", "c: /etc/x"], "nothing");
    check(&echo, "bash", &["echo x", "c: /w/../etc/x"], "nothing");
    check(&echo, "bash", &["echo x", "op: > $x"], "nothing");
    check(&echo, "bash", &["echo x", "r: /etc/hosts"], "nothing");
    check(&echo, "bash", &["echo x", "h: example.com:80"], "nothing");
    let tmp = ["allow bash(echo *)", "allow bash(path:/tmp/**)"];
    check(&tmp, "bash", &["echo x", "c: /tmp/x"], "allow bash(echo *), bash(path:/tmp/**)");
    // A file of a file tool is no redirection.
    check(&["allow write(src/**)"], "write", &["w: /w/out"], "nothing");
}

#[test]
fn places_are_compared_by_every_name_they_have() {
    let src = ["allow read(src/**)"];
    check(&src, "read", &["r: /w/src/a"], "allow read(src/**)");
    check(&src, "read", &["r: /w/src"], "allow read(src/**)");
    check(&src, "read", &["r: /w/srcs/a"], "nothing");
    check(&src, "read", &["r: /w/src/../../etc/passwd"], "nothing");
    // A link in src that leads elsewhere: the server names both.
    check(&src, "read", &["r: /etc/passwd", "r: /w/src/link"], "nothing");
    check(&["deny read(.env)"], "read", &["r: /w/.env", "r: /w/e"], "deny read(.env)");
    check(&["deny read(.env)"], "read", &["r: /w/a/../.env"], "deny read(.env)");
    check(
        &["allow read(~/notes/**)"],
        "read",
        &["r: /home/me/notes/a"],
        "allow read(/home/me/notes/**)",
    );
}

#[test]
fn a_forbidden_folder_is_forbidden_with_what_is_in_it_and_around_it() {
    let deny = ["deny *(path:secrets) access=write", "deny *(path:keys/**) access=write"];
    check(&deny, "write", &["c: /w/secrets/a/b"], "deny *(path:secrets) access=write");
    check(&deny, "delete", &["d: /w"], "deny *(path:secrets) access=write");
    check(&deny, "delete", &["d: /"], "deny *(path:secrets) access=write");
    check(&deny, "delete", &["d: /w/keys"], "deny *(path:keys/**) access=write");
    check(&deny, "delete", &["d: /w/src"], "nothing");
    check(&deny, "write", &["c: /w/secretsx"], "nothing");
    check(&deny, "read", &["r: /w/secrets"], "nothing");
    // An allowed place is only itself.
    check(&["allow write(src)"], "write", &["c: /w/src/a"], "nothing");
}

#[test]
fn access_narrows_a_place() {
    let read = ["allow *(path:**) access=read", "deny *(path:x/**) access=write"];
    check(&read, "tool", &["r: /w/x/a"], "allow *(path:**) access=read");
    check(&read, "tool", &["w: /w/a"], "nothing");
    for written in ["w: /w/x/a", "c: /w/x/a", "d: /w/x/a"] {
        check(&read, "tool", &[written], "deny *(path:x/**) access=write");
    }
}

#[test]
fn hosts_match_by_name_and_port() {
    let host = ["allow web_fetch(domain:Example.com)", "deny web_fetch(host:*.bad.test)"];
    check(&host, "web_fetch", &["h: example.com"], "allow web_fetch(host:example.com)");
    check(&host, "web_fetch", &["h: example.com:443"], "allow web_fetch(host:example.com)");
    check(&host, "web_fetch", &["h: example.com:22"], "nothing");
    check(&host, "web_fetch", &["h: sub.example.com"], "nothing");
    check(&host, "web_fetch", &["h: example.com.evil.test"], "nothing");
    check(&host, "web_fetch", &["h: a.bad.test:8080"], "deny web_fetch(host:*.bad.test)");
    check(&["deny *(host:bad.test)"], "web_fetch", &["h: bad.test:1"], "deny *(host:bad.test)");
    check(&["deny *(host:bad.test)"], "web_fetch", &["h: BAD.test.:1"], "deny *(host:bad.test)");
    let line = ["curl https://u@Bad.TEST:8443/x"];
    check(&["deny bash(host:bad.test)"], "bash", &line, "deny bash(host:bad.test)");
    // Addresses in the words of commands, as far as they are written plainly.
    let line = ["curl -s https://me:pw@bad.test:8443/x?y"];
    check(&["deny bash(host:bad.test)"], "bash", &line, "deny bash(host:bad.test)");
}

#[test]
fn the_server_is_the_tool_s_or_the_bridged_one() {
    let bridged = ["m: github/get_issue"];
    check(&["allow mcp(github)"], "mcp_github_get_issue", &bridged, "allow mcp_* server=github");
    check(&["allow mcp(gitlab)"], "mcp_github_get_issue", &bridged, "nothing");
    check(&["allow mcp__github"], "mcp_github_get_issue", &bridged, "allow mcp_github_*");
    check(&["deny read server=file"], "read", &["r: /w/a"], "deny read server=file");
    check(&["deny read server=other"], "read", &["r: /w/a"], "nothing");
}

#[test]
fn only_a_rule_of_the_whole_tool_covers_what_is_not_understood() {
    for odd in ["unknown", "t: other", "m: a/b"] {
        check(&["allow tool(**)", "allow tool(host:*)"], "tool", &[odd], "nothing");
        check(&["allow tool"], "tool", &[odd], "allow tool");
    }
    check(&["allow tool(**)"], "tool", &[], "nothing");
    check(&["allow tool"], "tool", &[], "allow tool");
    check(&["deny tool(**)"], "tool", &["unknown"], "nothing");
    check(&["allow tool(/w)"], "tool", &["repo: /w"], "allow tool(/w)");
    check(&["allow tool(/w) access=read"], "tool", &["repo: /w"], "nothing");
    check(&["deny tool(/w) access=read"], "tool", &["repo: /w"], "deny tool(/w) access=read");
}

/// I17: what an untrusted server says of its own call can only tighten.
#[test]
fn an_untrusted_server_cannot_talk_itself_into_an_allow_rule() {
    let world = World::new(&["allow tool(src/**)", "deny tool(x/**)"], &[]);
    let of = |text| call_of("tool", Trust::Untrusted, vec![subject(text)]);
    assert_eq!(world.answer(&of("w: /w/src/a")), "nothing");
    assert_eq!(world.answer(&of("w: /w/x/a")), "deny tool(x/**)");
    let whole = World::new(&["allow tool"], &[]);
    assert_eq!(whole.answer(&of("w: /etc/passwd")), "allow tool");
}

#[test]
fn several_matchers_of_one_rule_all_must_hold() {
    let tee = ["allow bash(tee *) path=src/** access=write"];
    let named = "allow bash(tee *) path=src/** access=write";
    check(&tee, "bash", &["tee x", "w: /w/src/a"], named);
    check(&tee, "bash", &["tee x", "w: /w/lib/a"], "nothing");
    check(&tee, "bash", &["tee x", "w: /w/src/a", "w: /w/lib/a"], "nothing");
    check(&tee, "bash", &["tee x"], "nothing");
    let deny = ["deny bash(curl *) host=bad.test"];
    check(&deny, "bash", &["curl x", "h: bad.test"], "deny bash(curl *) host=bad.test");
    check(&deny, "bash", &["curl x", "h: good.test"], "nothing");
    check(&deny, "bash", &["wget x", "h: bad.test"], "nothing");
}

#[test]
fn expired_rules_and_those_of_other_workspaces_are_not_there() {
    let of = |expires, workspace: Option<&str>, action: Action| {
        let mut one = rule("allow bash(git push)");
        (one.action, one.expires_unix_ms) = (action, expires);
        one.workspace = workspace.map(Into::into);
        let mut world = World::new(&[], &[]);
        world.policy.rules = Rules::new(vec![one]);
        world.answer(&call("bash", &["git push"])) != "nothing"
    };
    for action in [Action::Allow, Action::Ask, Action::Deny] {
        assert!(of(Some(NOW + 1), Some("/w"), action));
        assert!(!of(Some(NOW), None, action));
        assert!(!of(None, Some("/other"), action));
        assert!(!of(None, Some("/w/sub"), action));
    }
}

/// `Rules` of the policy and of the session are one body.
#[test]
fn several_sets_are_heard_together() {
    let world = World::new(&["ask bash(git push *)"], &["session allow bash(git *)"]);
    assert_eq!(world.answer(&call("bash", &["git push"])), "ask bash(git push *)");
    assert_eq!(world.answer(&call("bash", &["git add ."])), "allow bash(git *)");
    assert_eq!(rules(&["session allow bash"]).all()[0].source, Source::Session);
}

/// I17: a server that nobody trusts does not come under another one's rule by saying its name.
#[test]
fn a_claim_to_be_another_server_opens_nothing() {
    let says = |tool: &str, trust| call_of(tool, trust, vec![subject("m: github/push")]);
    let answer = |rule: &str, call| World::new(&[rule], &[]).answer(&call);
    let evil = says("evil", Trust::Untrusted);
    assert_eq!(answer("allow * server=github", evil.clone()), "nothing");
    assert_eq!(answer("allow mcp(github)", says("mcp_evil_push", Trust::Untrusted)), "nothing");
    assert_eq!(answer("deny * server=github", evil.clone()), "deny * server=github");
    assert_eq!(answer("ask * server=github", evil.clone()), "ask * server=github");
    // Its own server's name is the kernel's word, and so is a tool that is named.
    assert_eq!(answer("allow * server=file", evil.clone()), "allow * server=file");
    assert_eq!(answer("allow evil server=github", evil), "allow evil server=github");
    let bridged = says("mcp_github_push", Trust::Untrusted);
    assert_eq!(answer("allow mcp(github)", bridged), "allow mcp_* server=github");
    let trusted = says("evil", Trust::Trusted);
    assert_eq!(answer("allow * server=github", trusted), "allow * server=github");
}
