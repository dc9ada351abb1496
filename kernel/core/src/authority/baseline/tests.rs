//! Goal: what a call needs by itself: its places, the carve-out, a wish for a wider sandbox.

use std::{path::PathBuf, time::Instant};

use super::*;
use crate::{
    authority::{
        Ruling, Verdict, judge as judge_all,
        protected::Own,
        words::testing::{World, call, line, path},
    },
    safety::{Escalation, Safety, Sandbox},
    testing::{READ, prepared},
};

const WRITE: Safety = Safety { open_world: false, destructive: false, ..Safety::WORST };

fn word(ruling: Ruling) -> String {
    match ruling.verdict {
        Verdict::Allow(_) => "allow".to_owned(),
        Verdict::Review(_) => "review".to_owned(),
        Verdict::Ask(prompt) => {
            let classes = prompt.whys().iter().map(|why| why.class.as_str());
            format!("ask {}", classes.collect::<Vec<_>>().join(" "))
        }
        Verdict::Refuse(refusal) => refusal.class,
    }
}

fn of_line(text: &str, world: &World) -> String {
    word(judge_all(&line(text), &world.at()))
}

#[track_caller]
fn write(place: &str, world: &World, expected: &str) {
    let call = call(Trust::Trusted, WRITE, vec![path(place, Access::Write)], "");
    assert_eq!(word(judge_all(&call, &world.at())), expected, "{place}");
}

/// `[GATE-30]`: ordinary files of a trusted git workspace, and no others.
#[test]
fn ordinary_files_of_a_trusted_workspace_are_written_unasked() {
    let world = World::default();
    write("src/main.rs", &world, "allow");
    write(".gitignore", &world, "allow");
    write(".env", &world, "ask changes");
    write("certs/x.pem", &world, "ask changes");
    write(".git/hooks/pre-commit", &world, "ask changes protected_place");
    write("sub/.mcp.json", &world, "ask changes protected_place");
    write("AGENTS.md", &world, "ask changes protected_place");
    for place in ["/w2/x", "/w/../etc/x", "/W/x", "/w"] {
        write(place, &world, "ask changes");
    }
    let narrower: [fn(&mut World); 3] = [
        |w| w.policy.workspace.trusted = false,
        |w| w.policy.workspace.git = false,
        |w| w.policy.workspace.writes_auto = false,
    ];
    for narrow in narrower {
        let mut world = World::default();
        narrow(&mut world);
        write("src/main.rs", &world, "ask changes");
    }
    let mut rootless = World::default();
    rootless.policy.workspace.root = PathBuf::new();
    write("/etc/x", &rootless, "ask changes");
}

/// `[GATE-30]`: only path subjects, none of them deleted, of a server that is believed.
#[test]
fn the_carve_out_is_for_writing_files_alone() {
    let world = World::default();
    let verdict =
        |trust, safety, subjects| word(judge_all(&call(trust, safety, subjects, ""), &world.at()));
    let file = || path("src/x", Access::Write);
    assert_eq!(verdict(Trust::Trusted, WRITE, vec![file()]), "allow");
    assert_eq!(verdict(Trust::Trusted, WRITE, vec![file(), path("y", Access::Create)]), "allow");
    assert_eq!(verdict(Trust::Trusted, WRITE, Vec::new()), "ask changes");
    assert_eq!(verdict(Trust::Trusted, WRITE, vec![path("src", Access::Delete)]), "ask changes");
    assert_eq!(verdict(Trust::Trusted, Safety::WORST, vec![file()]), "ask destroys");
    assert_eq!(verdict(Trust::Untrusted, WRITE, vec![file()]), "ask destroys");
    let host = Subject::Host { host: "x.test".into() };
    assert_eq!(verdict(Trust::Trusted, WRITE, vec![file(), host]), "ask changes");
    assert_eq!(verdict(Trust::Trusted, WRITE, vec![file(), Subject::Unknown]), "ask changes");
    // That it only reads is no more than a claim.
    let claimed = vec![path(".git/config", Access::Read)];
    assert_eq!(verdict(Trust::Untrusted, READ, claimed), "ask destroys protected_place");
    // A link: the server sends where it leads and how it is named.
    let link = vec![path("notes.txt", Access::Write), path(".git/config", Access::Write)];
    assert_eq!(verdict(Trust::Trusted, WRITE, link), "ask changes protected_place");
    // Reading a secret while writing elsewhere is no ordinary write.
    let copy = vec![path("x", Access::Write), path(".env", Access::Read)];
    assert_eq!(verdict(Trust::Trusted, WRITE, copy), "ask changes");
}

/// `[THR-05]`, SH-14, CFG-08: by a shell too, wherever the line goes.
#[test]
fn lines_that_name_a_protected_place_get_a_card() {
    let world = World::default();
    for text in [
        "touch .git/hooks/pre-commit",
        "cp x sub/.git/hooks/pre-commit",
        "ln -s ../x .git/hooks/post-checkout",
        "mv x .mcp.json",
        "mv x .vscode",
        "cp -r tpl/.vscode .",
        "rm -rf .git",
        "rm -rf .gi*",
        "tee -a ~/.bashrc",
        "dd of=.git/config",
        "tar -C .git/hooks -xf x",
        "tar --directory=.git/hooks -xf x",
        "cd .git/hooks && touch pre-commit",
        "cd .git && cd hooks && > pre-commit",
        "cd .vscode && touch tasks.json",
        "> \"$DIR/.git/hooks/x\"",
        "python3 -c \"open('.git/hooks/x', 'w')\"",
        "sed -i 's/a/b/;w .git/config' x",
        "touch \"$(pwd)/.git/hooks/x\"",
        "touch {.git,x}/config,",
        "docker run -v ./.git:/x y",
        "touch .GIT/config",
        "touch .g\u{200c}it/config",
        "git checkout other -- AGENTS.md",
        "HOOKS=.git/hooks ; touch $HOOKS/x",
    ] {
        assert!(
            of_line(text, &world).contains("protected_place"),
            "{text}: {}",
            of_line(text, &world)
        );
    }
}

/// Safety that stops ordinary work is a fault.
#[test]
fn ordinary_lines_get_no_such_card() {
    let mut world = World::default();
    world.policy.own =
        Own { places: vec![PathBuf::from("/home/u/.config/tollgate")], ..Own::default() };
    for text in [
        "cat .git/config",
        "git add AGENTS.md .gitattributes",
        "git commit -m 'docs: AGENTS.md and .git/hooks'",
        "tar czf x.tgz --exclude=.git .",
        "tar czf x.tgz --exclude .git .",
        "rsync -a --exclude=.git src/ dst/",
        "find . -path ./.git -prune -o -name x -exec touch {} +",
        "cp x ~",
        "mv x ..",
        "cp .env.example .env",
        "touch .gitignore",
        "cd .. && make",
        "rm -rf lib etc library",
        "make -C sub",
        "npm install",
    ] {
        let said = of_line(text, &world);
        assert!(!said.contains("protected_place") && !said.contains("own_place"), "{text}: {said}");
    }
}

/// CFG-08: no tool changes Tollgate's own places, in no posture.
#[test]
fn tollgates_own_places_are_never_changed() {
    let mut world = World::default();
    let places = ["/home/u/.config/tollgate", "/w/.state", "/data/own"].map(PathBuf::from);
    world.policy.own = Own { places: places.to_vec(), ..Own::default() };
    for posture in [Posture::Ask, Posture::AutoReview, Posture::FullAccess] {
        world.posture = posture;
        for text in [
            "touch ~/.config/tollgate/permissions.toml",
            "touch $HOME/.config/tollgate/x",
            "tee /home/u/.config/tollgate/x",
            "mv ~/.config /tmp/x",
            "mv ~/.config/tollgate x",
            "ln -s x ~/.config/tollgate",
            "cd ~/.config/tollgate && touch x",
            "cd ~/.config && rm -rf tollgate",
            "cd /data && rm -rf own",
            "cd / && rm -rf data",
            "mount --bind x ~/.config",
            "rm -rf .state",
            "touch .STATE/x",
            "find ~/.config -delete",
            "find ~/.config -exec rm {} +",
        ] {
            assert_eq!(of_line(text, &world), "own_place", "{text}");
        }
        write(".state/receipts", &world, "own_place");
    }
}

#[test]
fn many_places_make_one_card_a_kind() {
    let text = "touch .git/a; touch".to_owned() + &" .git/hooks/x".repeat(100);
    let Verdict::Ask(prompt) = judge_all(&line(&text), &World::default().at()).verdict else {
        panic!("it asks")
    };
    assert!(prompt.whys().len() <= 3, "{:?}", prompt.whys());
    assert!(
        prompt.why().contains("git hooks: programs that git runs by itself"),
        "{}",
        prompt.why()
    );
}

/// `[GATE-72]`, G-13.
#[test]
fn a_wider_sandbox_is_a_card_of_its_own() {
    let verdict = |posture, to, safety| {
        let wish = Escalation { to, justification: "tests need it".to_owned() };
        let call = prepared(Trust::Trusted, safety, vec![path("x", Access::Write)], Some(wish));
        word(judge_all(&call, &World { posture, ..World::default() }.at()))
    };
    assert_eq!(verdict(Posture::Ask, Sandbox::Network, WRITE), "ask escalation");
    assert_eq!(verdict(Posture::Ask, Sandbox::Off, READ), "ask escalation");
    for to in [Sandbox::ReadOnly, Sandbox::WorkspaceWrite] {
        assert_eq!(verdict(Posture::Ask, to, WRITE), "escalation_not_wider");
    }
    for posture in [Posture::AutoReview, Posture::FullAccess, Posture::Never] {
        assert_eq!(verdict(posture, Sandbox::Off, WRITE), "escalation", "{posture}");
        assert_eq!(verdict(posture, Sandbox::Off, READ), "escalation", "{posture}");
    }
}

/// `[CODE-05]`
#[test]
fn a_wider_sandbox_is_not_asked_for_from_inside_a_call() {
    for (caller, within) in
        [(Caller::Program, "not in a program"), (Caller::Server, "not from inside a call")]
    {
        let wish = Escalation { to: Sandbox::Off, justification: String::new() };
        let mut call = prepared(Trust::Trusted, WRITE, Vec::new(), Some(wish));
        call.checked.resolved.raw.caller = caller;
        let Verdict::Refuse(refusal) = judge_all(&call, &World::default().at()).verdict else {
            panic!("{caller:?} may not");
        };
        assert_eq!(refusal.class, "escalation_nested");
        let text = &refusal.message;
        assert!(text.contains("call 'tool' directly") && text.contains(within), "{text}");
    }
}

/// G-15: no line makes judging slow. A release build takes a few milliseconds for the worst of these; the
/// bound is for slow machines and debug builds.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test measures")]
fn long_lines_are_judged_fast() {
    let mut world = World::default();
    world.policy.own =
        Own { places: vec![PathBuf::from("/home/u/.config/tollgate"); 5], ..Own::default() };
    for part in ["a ", ".git ", "a:", "a/", "../", "x=", "'a b' ", "$HOME/a ", "a ; ", "rm -r a & "]
    {
        let words = part.repeat(250);
        let command = |number: usize| format!("touch{number} {words}");
        let commands: Vec<String> = (0..65_536 / words.len()).map(command).collect();
        let call = line(&commands.join(" ; "));
        let began = Instant::now();
        drop(judge_all(&call, &world.at()));
        assert!(began.elapsed().as_secs() < 10, "{part:?}: {:?}", began.elapsed());
    }
}

/// AP-06: what is approved is the line, and not what a file holds that it runs.
#[test]
fn a_card_says_which_program_it_does_not_bind() {
    let check = |text: &str, file: Option<&str>| {
        let Verdict::Ask(prompt) = judge_all(&line(text), &World::default().at()).verdict else {
            panic!("{text}: no question");
        };
        let reason = &prompt.whys().first().expect("it is asked for").reason;
        let told =
            file.is_some_and(|file| reason.contains(&format!("it runs {file}, whose content")));
        assert_eq!(told, reason.contains("content"), "{text}: {reason}");
        assert_eq!(told, file.is_some(), "{text}: {reason}");
    };
    check("./build.sh", Some("./build.sh"));
    check("bash ./build.sh", Some("./build.sh"));
    check("bash -x build.sh", Some("build.sh"));
    check("touch x && sub/run", Some("sub/run"));
    check("python3.11 tools/x.py --all", Some("tools/x.py"));
    check("source env.sh", Some("env.sh"));
    check("touch x", None);
    check("/usr/bin/touch x", None);
    check("python3 -c 'x'", None);
    check("python3 -m pytest", None);
    check("sed -i s/a/b/ x", None);
}
