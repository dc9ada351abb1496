//! Which places: [GATE-22, 30, 50, 70], [THR-05], FS-06, FS-08, GT-05, B094.

use super::*;
use crate::{
    authority::{Verdict, floor::credentials, judge, managed::Managed},
    safety::{Access, Reach, Safety, Subject},
    stance::Posture,
    testing::prepared,
};

#[track_caller]
fn withholds(rules: &[&str], text: &str, expected: &[&str]) {
    assert_eq!(of(text, &world(rules)).withheld.globs, expected, "{rules:?} of {text}");
}

/// B094: who denies reading a file denies it to every program, whatever the line says.
#[test]
fn what_rules_deny_reading_is_withheld_from_programs() {
    for rule in ["deny read(secrets/**)", "deny bash(path:secrets/**)", "deny *(path:secrets/**)"] {
        for text in ["make", "python3 -c 'open(x)'", "ls", "cat s*/x"] {
            withholds(&[rule], text, &["/w/secrets/**"]);
        }
    }
    withholds(&["deny read(.env)"], "make", &["/w/.env/**"]);
    withholds(&["deny read(/srv/x)", "deny read(~/y/**)"], "make", &["/home/u/y/**", "/srv/x/**"]);
    withholds(&["ask read(vendor/**)"], "make", &["/w/vendor/**"]);
    withholds(&["deny read(**)"], "make", &["/w/**"]);
    // Of commands, where the line may be one of them.
    withholds(&["deny bash(cat *) path=src/x"], "cat a", &["/w/src/x/**"]);
    withholds(&["deny bash(cat *) path=src/x"], "make", &[]);
    // What is written, allowed, of another tool, or no place.
    let others = ["deny write(src/x)", "allow read(src/**)", "deny grep(a)", "deny bash(rm *)"];
    withholds(&others, "make", &[]);
    withholds(&["deny *(path:src/x) access=write"], "make", &[]);
}

/// An ask rule of the folder that a line works in was answered by whoever let the line run.
#[test]
fn an_ask_rule_of_the_working_folder_is_none_of_them() {
    withholds(&["ask read(**)", "ask *(path:/w/**)", "ask bash(path:/**)"], "make", &[]);
    withholds(&["ask read(src/**)"], "make", &["/w/src/**"]);
}

#[test]
fn every_source_withholds_and_so_do_tollgates_own_places() {
    let mut world = world(&["deny read(a)"]);
    world.session = rules_of(&["deny read(b)"], Source::Session);
    let rules = rules_of(&["deny read(c)", "ask read(d)"], Source::Managed);
    world.policy.managed = Managed { rules, ..Managed::default() };
    world.policy.own.places = vec!["/s/config".into(), "/s/state".into()];
    world.policy.own.hidden = vec!["/s/state".into(), "/run/[t]".into(), "/s/state/x".into()];
    let expected = [r"/run/\[t\]/**", "/s/state/**", "/w/a/**", "/w/b/**", "/w/c/**", "/w/d/**"];
    assert_eq!(of("make", &world).withheld.globs, expected);
}

/// [GATE-31] Credentials, but for those of a program that signs in with them.
#[test]
fn credentials_are_withheld_from_all_but_their_own_programs() {
    let all: Vec<&str> = credentials::all().collect();
    let missing = |text: &str| {
        let names = of(text, &World::default()).withheld.names;
        let missing: Vec<&str> =
            all.iter().copied().filter(|name| !names.iter().any(|it| it == name)).collect();
        assert_eq!(names.len() + missing.len(), all.len(), "{text}");
        missing
    };
    assert!(missing("make").is_empty() && missing("cat a").is_empty());
    assert_eq!(missing("ssh host"), [".ssh/id_*", ".ssh/*.pem", ".ssh/*.key"]);
    assert_eq!(
        missing("git push origin x"),
        [".ssh/id_*", ".ssh/*.pem", ".ssh/*.key", ".netrc", ".git-credentials"]
    );
    assert!(missing("git commit -m x").is_empty() && missing("cargo build").is_empty());
    assert_eq!(missing("cargo publish"), [".cargo/credentials", ".cargo/credentials.toml"]);
    assert_eq!(missing("make && kubectl get pods"), [".kube/config"]);
    let open = World { posture: Posture::FullAccess, ..World::default() };
    assert!(of("make", &open).withheld.names.is_empty());
    for name in clients::all() {
        assert!(all.contains(&name), "{name} is no place of the floor");
    }
}

/// [GATE-30] [THR-05]
#[test]
fn what_makes_programs_run_is_held() {
    let held = of("make", &World::default()).held.names;
    for name in [
        ".git/hooks/**",
        ".git/config",
        ".git/info/attributes",
        ".git/commondir",
        ".mcp.json",
        ".vscode/tasks.json",
        ".envrc",
        ".bashrc",
        ".tollgate/**",
        "agents.md",
        ".gitattributes",
        ".cargo/config.toml",
    ] {
        assert!(held.iter().any(|it| it == name), "{name}: {held:?}");
    }
    // Git's whole folder, secrets, and what lies outside every root.
    for name in [".git/**", ".env*", "*.pem", ".aws/**", "/etc/passwd", "/etc/profile.d/**"] {
        assert!(!held.iter().any(|it| it == name), "{name}");
    }
    assert!(of("ls", &World::default()).held.names.is_empty(), "it writes nothing");
    let mut whole = World::default();
    whole.policy.workspace.roots = vec!["/etc".into()];
    assert!(of("make", &whole).held.names.iter().any(|it| it == "/etc/profile.d/**"));
}

/// [GATE-50] The law holds for programs too, and so do Tollgate's own places.
#[test]
fn the_law_and_tollgates_own_are_held() {
    let mut world = World::default();
    law(&mut world.policy, &["migrations/**", "*.lock", "Makefile"], LawAction::Block);
    // A hook's program may be written as it was typed.
    world.policy.own.places =
        vec!["/s/config".into(), "/s/config/hooks.toml".into(), "/w/../guard.py".into()];
    let expected =
        ["/guard.py/**", "/s/config/**", "/w/*.lock", "/w/Makefile/**", "/w/migrations/**"];
    assert_eq!(of("make", &world).held.globs, expected);
    assert_eq!(of("git checkout x", &world).held.globs, expected);
}

/// Git writes what it manages, and no hooks, law or settings of Tollgate.
#[test]
fn git_writes_what_it_manages() {
    const KEPT: [&str; 3] = [".git/hooks/**", ".tollgate/**", ".git/commondir"];
    let held = |text: &str| of(text, &World::default()).held.names;
    for (text, settings, tree) in [
        ("git commit -m x", false, false),
        ("git add .", false, false),
        ("git tag x", false, false),
        ("git apply x.patch", false, false),
        ("git am x", false, false),
        ("git init", true, false),
        ("git remote add o x", true, false),
        ("git config user.name x", true, false),
        ("git branch -u o/x", true, false),
        ("git push -u o x", true, false),
        ("git clone https://x.org/y", true, true),
        ("git checkout -b x", true, true),
        ("git switch x", true, true),
        ("git pull", true, true),
        ("git merge x", false, true),
        ("git rebase x", false, true),
        ("git reset --hard", false, true),
        ("git restore .", false, true),
        ("git stash pop", false, true),
        ("git submodule update", true, true),
        ("git worktree add ../x", true, true),
        ("make && git -C . stash", false, true),
        ("make", false, false),
        ("hg pull", false, false),
    ] {
        let (held, opened) = (held(text), opened(text, &World::default()));
        assert_eq!(!held.iter().any(|it| it == ".vscode/tasks.json"), tree, "{text}");
        assert_eq!(!held.iter().any(|it| it == ".git/modules/*/config"), settings, "{text}");
        assert_eq!(opened.contains(&"/w/.git/config".to_owned()), settings, "{text}: {opened:?}");
        assert!(KEPT.iter().all(|kept| held.iter().any(|it| it == kept)), "{text}: {held:?}");
    }
}

/// The repository may begin above the folder that git works in, and nowhere outside the roots.
#[test]
fn gits_settings_are_looked_for_up_to_the_root() {
    let both =
        |folder: &str| [format!("{folder}/.git/config"), format!("{folder}/.git/config.worktree")];
    let expected: Vec<String> = ["/w", "/w/a", "/w/a/b"].into_iter().flat_map(both).collect();
    for text in ["git -C a -C b init", "git -C a/x/../b init", "git -c k=v -C /w/a/b init"] {
        let mut found = opened(text, &World::default());
        found.sort();
        let mut expected = expected.clone();
        expected.sort();
        assert_eq!(found, expected, "{text}");
    }
    assert!(opened("git -C /elsewhere init", &World::default()).is_empty());
    let inside = World { cwd: "/w/a".into(), ..World::default() };
    assert!(opened("git init", &inside).contains(&"/w/a/.git/config".to_owned()));
}

/// A place that made the call ask is open to it, and only that place, and only if it asked.
#[test]
fn a_place_that_was_asked_about_is_open() {
    for (text, expected) in [
        ("touch .vscode/tasks.json", &["/w/.vscode/tasks.json"][..]),
        ("cd .git/hooks && chmod x pre-commit", &["/w/.git/hooks"]),
        ("rm -r .vscode", &["/w/.vscode"]),
        ("sed -i s/a/b/ sub/.ENVRC && make", &["/w/sub/.ENVRC"]),
        // Read, or only recorded: nobody was asked.
        ("cat .envrc && make", &[]),
        ("git add .envrc && make", &[]),
        ("make", &[]),
        ("touch x", &[]),
    ] {
        let world = World::default();
        let found = opened(text, &world);
        assert_eq!(found, expected, "{text}");
        let asks = match judge(&line(text), &world.at()).verdict {
            Verdict::Ask(prompt) => prompt.whys().iter().any(|why| why.class == "protected_place"),
            Verdict::Allow(_) | Verdict::Review(_) | Verdict::Refuse(_) => false,
        };
        assert_eq!(asks, !expected.is_empty(), "{text}");
    }
    let mut world = World::default();
    law(&mut world.policy, &["migrations/**"], LawAction::Ask);
    assert_eq!(opened("rm migrations/1.sql && make", &world), ["/w/migrations/1.sql"]);
    assert_eq!(opened("rm -r migrations", &world), ["/w/migrations"]);
    assert!(opened("make", &world).is_empty());
}

/// A tree that is written as a whole says so on its card.
#[test]
fn a_tree_that_is_written_is_open() {
    let subject = |access| Subject::Path {
        absolute: PathBuf::from("/w/src"),
        relative: None,
        access,
        reach: Reach::Tree,
    };
    let opened = |access| {
        let command = crate::authority::words::testing::subjects("make").remove(0);
        let subjects = vec![command, subject(access)];
        let call = prepared(crate::safety::Trust::Trusted, Safety::WORST, subjects, None);
        confinement(&call, &World::default().at()).unwrap().opened
    };
    assert_eq!(opened(Access::Write), [PathBuf::from("/w/src")]);
    assert!(opened(Access::Read).is_empty());
}

/// A key that the floor asked about, and a place that a rule asked about; nothing that a rule denies.
#[test]
fn what_was_answered_can_be_read() {
    let none = World::default();
    assert_eq!(opened("cat ~/.ssh/id_rsa", &none), ["/home/u/.ssh/id_rsa"]);
    assert_eq!(opened("tar -cf x ~/.ssh", &none), ["/home/u/.ssh"]);
    assert!(opened("ls ~/.ssh/id_rsa && make", &none).is_empty(), "it shows nothing of it");
    assert!(opened("echo .aws/credentials; make", &none).is_empty());
    let asks = world(&["ask bash(path:vendor/**)", "ask read(private/**)"]);
    assert_eq!(opened("cat vendor/x | sort", &asks), ["/w/vendor/x"]);
    assert!(opened("cat private/x", &asks).is_empty(), "nobody asked: the rule is of another tool");
    assert!(opened("make", &asks).is_empty());
    // The words allow it, the place does not.
    let denied = world(&["deny read(.env)", "allow bash(cat *)"]);
    assert!(matches!(judge(&line("cat .env"), &denied.at()).verdict, Verdict::Allow(_)));
    let confined = of("cat .env", &denied);
    assert_eq!((confined.withheld.globs, confined.opened), (vec!["/w/.env/**".to_owned()], vec![]));
}

/// A grant has an end.
#[test]
fn what_does_not_fit_a_grant_is_refused() {
    let refused = |world: &World, text: &str| {
        let call = line(text);
        let told = confinement(&call, &world.at()).err().map(|refusal| refusal.class);
        let judged = match judge(&call, &world.at()).verdict {
            Verdict::Refuse(refusal) => Some(refusal.class),
            Verdict::Allow(_) | Verdict::Ask(_) | Verdict::Review(_) => None,
        };
        assert_eq!(told, judged, "{text}: the gate and the grant are of one mind");
        told
    };
    let too_much = Some("too_much_withheld".to_owned());
    let many: Vec<String> = (0..300).map(|k| format!("deny read(d/{k})")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(refused(&world(&many), "make"), too_much);
    let few = many.get(..150).unwrap();
    assert_eq!(refused(&world(few), "make"), None);
    // The law: few are held, many are refused, and in between both say the same.
    for count in (0..300).step_by(20) {
        let mut strict = World::default();
        let patterns: Vec<String> = (0..count).map(|k| k.to_string()).collect();
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        law(&mut strict.policy, &patterns, LawAction::Block);
        let told = refused(&strict, "make");
        assert!(count > 120 || told.is_none(), "{count}: {told:?}");
        assert!(count < 160 || told == too_much, "{count}: {told:?}");
        assert_eq!(refused(&strict, "ls"), None, "it changes nothing");
    }
    use std::os::unix::ffi::OsStringExt as _;
    let mut strange = World::default();
    strange.policy.own.places = vec![std::ffi::OsString::from_vec(b"/s/\xff".to_vec()).into()];
    assert_eq!(refused(&strange, "make"), too_much);
    // Each fits, both do not.
    let long: Vec<String> =
        (0..100).map(|k| format!("deny read({k}/{})", "x".repeat(60))).collect();
    let mut both = world(&long.iter().map(String::as_str).collect::<Vec<_>>());
    let patterns: Vec<String> = (0..50).map(|k| format!("{k}/{}/**", "y".repeat(70))).collect();
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    assert_eq!(refused(&both, "make"), None);
    law(&mut both.policy, &patterns, LawAction::Block);
    assert_eq!(refused(&both, "make"), too_much);
}

/// However long a line is, what it opens is bounded, and so is the time to find that out. A release build takes
/// a few milliseconds; the bound is for slow machines and debug builds.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test measures")]
fn what_is_open_is_bounded() {
    let patterns: Vec<String> = (0..80).map(|k| format!("m{k}/**/x*")).collect();
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let mut strict = World::default();
    law(&mut strict.policy, &patterns, LawAction::Ask);
    let line = (0..8_000).map(|k| format!("m{k}/x ")).collect::<String>();
    let began = std::time::Instant::now();
    drop(opened(&format!("touch {line}"), &strict));
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    let names: String = (0..500).map(|k| format!("d{k}/.envrc ")).collect();
    let found = opened(&format!("touch {names}"), &World::default());
    assert!(found.len() <= 64 && !found.is_empty());
    let long: String = (0..50).map(|k| format!("{}{k}/.envrc ", "x".repeat(100))).collect();
    let found = opened(&format!("touch {long}"), &World::default());
    assert!(found.iter().map(String::len).sum::<usize>() <= 2048 && !found.is_empty());
}
