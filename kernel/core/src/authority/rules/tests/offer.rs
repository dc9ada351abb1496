//! Goal: `[GATE-23]` a wider yes stores what was shown and nothing more (B098, AP-09).

use super::{Dice, World, call, call_of, subject};
use crate::{
    authority::rules::{
        Action, Rule, Rules, Source,
        compact::{parse, show},
        offer::offer,
    },
    call::Classified,
    safety::{Access, Escalation, Reach, Sandbox, Subject, Trust},
};

fn offered(world: &World, call: &Classified) -> Vec<Rule> {
    offer(call, &world.at(), Source::Session)
}

/// The rules that are offered, without the workspace that each has.
#[track_caller]
fn check(tool: &str, subjects: &[&str], expected: &[&str]) {
    let world = World::new(&[], &[]);
    let rules = offered(&world, &call(tool, subjects));
    let shown: Vec<String> = rules.iter().map(show).collect();
    let expected: Vec<String> =
        expected.iter().map(|text| format!("{text} workspace=/w")).collect();
    assert_eq!(shown, expected, "{tool} {subjects:?}");
    for rule in &rules {
        assert_eq!((rule.source, rule.origin.as_str()), (Source::Session, "session"));
    }
}

#[test]
fn a_command_is_offered_by_its_first_words_or_by_all() {
    for (command, rule) in [
        ("git commit -m x", "bash(git commit *)"),
        ("cargo test --workspace", "bash(cargo test *)"),
        ("/usr/bin/git status", "bash(/usr/bin/git status *)"),
        ("npm run build", "bash(npm run build *)"),
        ("npm run", "bash(npm run)"),
        ("docker compose up -d", "bash(docker compose up *)"),
        ("docker compose -f x up", "bash(docker compose -f x up)"),
        ("uv run pytest -q", "bash(uv run pytest *)"),
        ("uv run python -c x", "bash(uv run python -c x)"),
        ("git fetch origin main", "bash(git fetch origin main)"),
        ("git -C /x commit", "bash(git -C /x commit)"),
        ("git rebase -x 'rm a' b", "bash(git rebase -x 'rm a' b)"),
        ("docker run -v /:/x img", "bash(docker run -v /:/x img)"),
        ("npm install left-pad", "bash(npm install left-pad)"),
        ("make test", "bash(make test)"),
        ("mkdir a", "bash(mkdir a)"),
        ("./build.sh x", "bash(./build.sh x)"),
        ("python build.py", "bash(python build.py)"),
        ("python3 -m pytest tests", "bash(python3 -m pytest tests)"),
        ("bash build.sh", "bash(bash build.sh)"),
        ("rm 'a b'", "bash(rm 'a b')"),
    ] {
        check("bash", &[command], &[rule]);
    }
}

#[test]
fn what_a_rule_cannot_hold_is_offered_once_only() {
    for line in [
        "python -c x",
        "python3.12 -c x",
        "sh -c x",
        "bash",
        "node -e x",
        "perl -e x",
        "ruby -ne x",
        "python",
        "bash -x a.sh",
        "sudo make",
        "ssh host ls",
        "xargs rm",
        "env X=1 make",
        "eval x",
        "source x",
        ". x",
        "find . -exec rm x",
        "op: rm $x",
        "op: git commit",
        "exec ls",
        "export PATH=.",
        "PATH=.",
        "python -",
        "deno eval x",
        "bash /dev/stdin",
        "bash -",
        "alias ls=x",
        "chroot /x ls",
    ] {
        check("bash", &[line], &[]);
        check("bash", &["cargo test", line], &[]);
    }
    check("bash", &["echo 'a\nb'"], &[]);
    let long = format!("echo {}", "x".repeat(2000));
    check("bash", &[&long], &[]);
    let many: Vec<String> = (0..9).map(|n| format!("mkdir {n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    check("bash", &many, &[]);
}

/// B098: each part of a compound line word by word.
#[test]
fn several_commands_are_offered_word_by_word() {
    check("bash", &["mkdir t", "rm t/x"], &["bash(mkdir t)", "bash(rm t/x)"]);
    check("bash", &["git add a", "git commit"], &["bash(git add a)", "bash(git commit)"]);
    check("bash", &["ro: cd src", "cargo test -q"], &["bash(cargo test *)"]);
    check("bash", &["timeout 5 cargo test", "cargo test"], &["bash(cargo test *)"]);
    check("bash", &["cargo test", "cargo test"], &["bash(cargo test)"]);
    let mut world = World::new(&[], &[]);
    world.session = Rules::new(offered(&world, &call("bash", &["mkdir t", "rm t/x"])));
    assert_eq!(world.answer(&call("bash", &["rm -rf other"])), "nothing");
    assert_eq!(world.answer(&call("bash", &["rm t/x y"])), "nothing");
    assert_ne!(world.answer(&call("bash", &["rm t/x"])), "nothing");
}

/// AP-09: how far "always" for `git status` reaches.
#[test]
fn a_wider_yes_is_no_wider_than_shown() {
    let mut world = World::new(&[], &[]);
    world.session = Rules::new(offered(&world, &call("bash", &["git status"])));
    assert_ne!(world.answer(&call("bash", &["git status"])), "nothing");
    for other in
        [["git push"].as_slice(), &["git status", "touch CANARY"], &["./git status"], &["git"]]
    {
        assert_eq!(world.answer(&call("bash", other)), "nothing", "{other:?}");
    }
    assert_eq!(world.answer(&call("terminal", &["git status"])), "nothing");
    let mut elsewhere = World { session: world.session.clone(), ..World::new(&[], &[]) };
    elsewhere.policy.workspace.root = "/other".into();
    assert_eq!(elsewhere.answer(&call("bash", &["git status"])), "nothing");
    world.cwd = "/elsewhere";
    assert_eq!(world.answer(&call("bash", &["git status"])), "nothing");
}

#[test]
fn files_hosts_and_mcp_tools_are_offered_exactly() {
    check("write", &["w: /w/src/a.rs"], &["write(src/a.rs) access=write"]);
    check("write", &["c: /etc/x"], &["write(/etc/x) access=write"]);
    check("read", &["r: /etc/x"], &["read(/etc/x) access=read"]);
    check("write", &["w: /w/[id].ts"], &[r"write(\[id\].ts) access=write"]);
    check("web_fetch", &["h: example.com"], &["web_fetch(host:example.com)"]);
    check("Git", &["repo: /w"], &["Git(/w) access=write"]);
    check("tool", &[], &[]);
    check("tool", &["unknown"], &[]);
    check("tool", &["w: /w/a", "t: other"], &[]);
    let bridged = vec![subject("m: github/create_issue")];
    let bridged = call_of("mcp_github_create_issue", Trust::Untrusted, bridged);
    let rules = offered(&World::new(&[], &[]), &bridged);
    let shown: Vec<String> = rules.iter().map(show).collect();
    assert_eq!(shown, ["mcp_github_create_issue server=github workspace=/w"]);
    let untrusted = call_of("tool", Trust::Untrusted, vec![subject("w: /w/a")]);
    assert!(offered(&World::new(&[], &[]), &untrusted).is_empty());
}

#[test]
fn redirections_are_offered_inside_the_workspace_only() {
    check("bash", &["make x", "c: /w/out"], &["bash(make x)"]);
    check("bash", &["make x", "c: /etc/out"], &[]);
    check("bash", &["make x", "op: > $x"], &[]);
    check("bash", &["make x", "h: example.com"], &[]);
    check("bash", &["ro: git log", "c: /w/out"], &["bash(path:out) access=write"]);
}

/// What would be asked again is not offered: a rule that asks, a wider sandbox.
#[test]
fn what_would_not_be_heeded_is_not_offered() {
    let call = |text| call("bash", &[text]);
    assert!(offered(&World::new(&["ask bash(git *)"], &[]), &call("git commit")).is_empty());
    assert!(offered(&World::new(&["deny bash(git *)"], &[]), &call("git commit")).is_empty());
    assert!(!offered(&World::new(&["built-in ask bash"], &[]), &call("git commit")).is_empty());
    let escalation = Escalation { to: Sandbox::Off, justification: String::new() };
    let mut wider = call("git commit");
    wider.escalation = Some(escalation);
    assert!(offered(&World::new(&[], &[]), &wider).is_empty());
}

fn some_call(dice: &mut Dice) -> Classified {
    let count = 1 + dice.throw(3);
    if dice.throw(4) == 0 {
        let places = ["/w/a", "/w/[x]/b", "/etc/hosts", "/w/it's", "/w/a b", "/w/**"];
        let access = [Access::Read, Access::Write, Access::Create, Access::Delete];
        let path = |dice: &mut Dice| Subject::Path {
            absolute: dice.pick(&places).into(),
            relative: None,
            access: access[dice.throw(4)],
            reach: Reach::Itself,
        };
        return call_of("write", Trust::Trusted, (0..count).map(|_| path(dice)).collect());
    }
    let command = |dice: &mut Dice| Subject::Command {
        argv: dice.words(4),
        operator: String::new(),
        opaque: dice.throw(8) == 0,
        read_only: dice.throw(4) == 0,
    };
    call_of("bash", Trust::Trusted, (0..count).map(|_| command(dice)).collect())
}

#[test]
fn an_offer_covers_the_call_and_nothing_else() {
    let mut dice = Dice(4);
    let mut offers = 0;
    for _ in 0..3_000 {
        let mut world = World::new(&[], &[]);
        let call = some_call(&mut dice);
        let rules = offered(&world, &call);
        if rules.is_empty() {
            continue;
        }
        offers += 1;
        // As it is kept in a session and read when the session is resumed.
        for rule in &rules {
            let read = parse(&show(rule), Action::Allow, Source::Session, None, "session");
            assert_eq!(read.as_ref(), Ok(rule));
        }
        world.session = Rules::new(rules);
        let answer = world.answer(&call);
        assert!(answer.starts_with("allow"), "{:?}: {answer}", call.subjects());
        let tool = call.entry().name.as_str().to_owned();
        let other = if tool == "bash" { "curl x" } else { "w: /w/other" };
        let mut longer = call.subjects().to_vec();
        longer.push(subject(other));
        for subjects in [longer, vec![subject(other)]] {
            let answer = world.answer(&call_of(&tool, Trust::Trusted, subjects.clone()));
            assert_eq!(answer, "nothing", "{subjects:?} after {:?}", call.subjects());
        }
        let elsewhere = call_of("other", Trust::Trusted, call.subjects().to_vec());
        assert_eq!(world.answer(&elsewhere), "nothing");
    }
    assert!(offers > 300, "{offers}");
}
