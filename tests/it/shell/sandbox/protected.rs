//! THR-05 What makes programs run or tells agents what to do, changed by a line that somebody approved and whose
//! words do not say it: what is there stays, what is new is put aside and told.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tollgate_tests::{Command, World, events::content_text};

use super::hand::{approved, has, texts};

/// Protected places, of the root or any folder.
const PLACES: &[&str] = &[
    ".git/hooks/pre-commit",
    ".git/config.worktree",
    ".git/info/attributes",
    ".mcp.json",
    ".vscode/tasks.json",
    ".envrc",
    "AGENTS.md",
    "agents.md",
    ".tollgate/config.toml",
    ".tollgate/law.toml",
    ".bashrc",
    ".gitattributes",
    ".cargo/config.toml",
    ".claude/settings.json",
    ".yarnrc.yml",
    ".husky/pre-commit",
    ".GIT/hooks/pre-commit",
    ".Git/hooks/pre-commit",
    ".VSCODE/tasks.json",
    ".MCP.JSON",
];

/// Folders in which these are made.
const FOLDERS: &[&str] = &["", "a/b/c/d/e/"];

/// A line that says nothing of what it does.
const OPAQUE: &str = "./build.sh";

/// Writes the script.
fn builds(world: &World, script: &str) {
    let path = world.write("build.sh", format!("#!/bin/sh\n{script}\n"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path, mode).unwrap();
}

/// One approved run of the script.
#[track_caller]
fn built(world: &World, script: &str) -> Value {
    builds(world, script);
    approved(world, &[OPAQUE]).remove(0)
}

/// Everything in the workspace with this name in it.
fn found(folder: &Path, text: &str, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found(&entry.path(), text, all);
        } else if fs::read_to_string(entry.path()).is_ok_and(|it| it.contains(text)) {
            all.push(entry.path().display().to_string());
        }
    }
}

/// [THR-05] [GATE-30] GT-05 FS-06 FS-08 New ones, in the root and deep below, in all spellings: put aside, told in
/// the result; the same names elsewhere, and other names there, stay.
#[test]
fn what_is_new_in_protected_places_is_put_aside() {
    let world = World::new();
    let script: String = FOLDERS
        .iter()
        .flat_map(|folder| PLACES.iter().map(move |place| format!("{folder}{place}")))
        .map(|place| format!("mkdir -p $(dirname {place}); echo CANARY > {place}\n"))
        .collect();
    let result =
        built(&world, &format!("{script}echo kept > a/b/c/ordinary.json; echo kept > .gitkeep"));
    let text = content_text(&result);
    let mut left = Vec::new();
    found(&world.workspace(), "CANARY", &mut left);
    left.retain(|it| !it.ends_with("build.sh"));
    assert!(left.is_empty(), "{left:#?}\n{text}");
    for place in [".mcp.json", "a/b/c/d/e/.envrc", ".GIT", "AGENTS.md"] {
        assert!(text.contains(place), "{place} is not told: {text}");
    }
    assert!(text.contains("put aside"), "{text}");
    assert_eq!(world.read("a/b/c/ordinary.json"), "kept\n");
    assert_eq!(world.read(".gitkeep"), "kept\n");
    let words = result["receipt"]["confinement"].as_str().unwrap_or_default();
    assert!(words.contains(" caught:"), "the receipt says nothing of it: {words}");
    // What was put aside is kept, beside where it came from.
    let mut kept = Vec::new();
    found(&world.state("servers/shell/quarantine"), "CANARY", &mut kept);
    assert!(kept.len() >= PLACES.len(), "{kept:#?}");
}

/// [THR-05] GT-05 CFG-08 Those that are there cannot be changed: not written, replaced, renamed, linked, removed.
#[test]
fn what_is_there_in_protected_places_stays() {
    let world = World::new();
    let places: Vec<String> = FOLDERS
        .iter()
        .flat_map(|folder| PLACES.iter().map(move |place| format!("{folder}{place}")))
        // One of a spelling is enough.
        .filter(|place| place.to_lowercase() == *place || place.ends_with("AGENTS.md"))
        .collect();
    places.iter().for_each(|place| drop(world.write(place, "# as it was\n")));
    let change = |place: &String| {
        [
            format!("echo CANARY > {place}"),
            format!("echo CANARY >> {place}"),
            format!("echo CANARY > x; mv -f x {place}"),
            format!("echo CANARY > x; cp -f x {place}; ln -f x {place}"),
            format!("chmod 777 {place}; sed -i s/as/CANARY/ {place}"),
            format!("rm -f {place}; echo CANARY > {place}"),
            format!("mv {place} taken; echo CANARY > {place}"),
            format!("python3 -c \"open('{place}', 'w').write('CANARY')\""),
        ]
        .join("\n")
    };
    let script: String = places.iter().map(|place| change(place) + "\n").collect();
    let result = built(&world, &script);
    let text = content_text(&result);
    for place in &places {
        assert_eq!(world.read(place), "# as it was\n", "{place}\n{text}");
    }
    assert!(text.contains("[sandbox: changing "), "{text}");
}

/// Ways to make one by something else than its name, in a folder of its own, and what is there then.
const WAYS: &[(&str, &str)] = &[
    ("mkdir t; echo CANARY > t/tasks.json; mv t .vscode", ".vscode"),
    ("mkdir -p n/.vscode; echo CANARY > n/.vscode/tasks.json; mv n m", "m/.vscode"),
    (
        "mkdir t; echo CANARY > t/pre-commit; git init -q sub; rm -r sub/.git/hooks; mv t sub/.git/hooks",
        "sub/.git/hooks/pre-commit",
    ),
    ("git init -q sub2; echo CANARY > sub2/.git/hooks/pre-commit", "sub2/.git/hooks/pre-commit"),
    ("git init -q sub3; git -C sub3 config core.fsmonitor CANARY", "sub3/.git/config"),
    ("git init -q sub4; git -C sub4 config alias.x '!CANARY'", "sub4/.git/config"),
    (
        "git init -q --separate-git-dir=other sub5; git -C sub5 config core.fsmonitor CANARY",
        "sub5/.git/config",
    ),
    (
        "mv .git g; mkdir -p .git/hooks; echo CANARY > .git/hooks/pre-commit",
        ".git/hooks/pre-commit",
    ),
    ("mv .git g; cp -r g .git; echo CANARY > .git/hooks/pre-commit", ".git/hooks/pre-commit"),
    ("mv .git g; echo CANARY > g/hooks/pre-commit; mv g .git", ".git/hooks/pre-commit"),
    ("git config core.hooksPath CANARY", ".git/config"),
    ("echo '[core] fsmonitor = CANARY' >> .git/config", ".git/config"),
    ("mkdir e; echo CANARY > e/.envrc; tar cf e.tar -C e .envrc; rm -r e; tar xf e.tar", ".envrc"),
    ("ln -s /dev/null q; mkdir -p w; echo CANARY > w/x; ln -s w/x .envrc", ".envrc"),
    ("echo CANARY > x; ln x .envrc; rm x", ".envrc"),
    ("python3 -c \"open('.mcp.json', 'w').write('CANARY')\"", ".mcp.json"),
    ("(sleep 0.2; echo CANARY > .envrc) & wait", ".envrc"),
    ("mkdir -p .vscode; mkfifo .vscode/tasks.json", ".vscode/tasks.json"),
    ("ln -s ../x AGENTS.md", "AGENTS.md"),
];

/// [THR-05] GT-05 FS-08 By renames, links, archives, git's own commands, nested repositories.
#[test]
fn no_other_way_leads_to_protected_places() {
    let mut through = Vec::new();
    for (way, place) in WAYS {
        let world = World::new();
        let result = built(&world, way);
        let at = world.workspace().join(place);
        let is_there = at.symlink_metadata().is_ok_and(|it| !it.is_dir())
            && !fs::read_to_string(&at).is_ok_and(|text| !text.contains("CANARY"));
        let mut deep = Vec::new();
        if at.is_dir() {
            found(&at, "CANARY", &mut deep);
        }
        if is_there || !deep.is_empty() {
            through.push(format!("{way}: {}", content_text(&result)));
        }
    }
    assert!(through.is_empty(), "{} of {}: {through:#?}", through.len(), WAYS.len());
}

/// [THR-05] GT-05 A hook that a line made does not run for the next one.
#[test]
fn a_hook_that_a_line_made_never_runs() {
    let world = World::new();
    let script = "cat > .git/hooks/pre-commit <<'X'\n#!/bin/sh\ntouch RAN\nX\nchmod 755 .git/hooks/pre-commit";
    builds(&world, script);
    world.write("f", "x");
    let identity = "git -c user.name=t -c user.email=t@t";
    let commit = format!("git add f && {identity} commit -qm x && git log --oneline");
    let results = approved(&world, &[OPAQUE, &commit]);
    let texts = texts(&results);
    assert!(texts[1].contains("x"), "{texts:?}");
    assert_eq!(results[1]["status"], "ok", "{texts:?}");
    assert!(!world.has("RAN") && !world.has(".git/hooks/pre-commit"), "{texts:?}");
}

/// [THR-05] CFG-08 Tollgate's own: settings, rules, trust, receipts, sessions.
#[test]
fn tollgates_own_places_stay() {
    // The workspace holds all of it: a home inside a workspace is what a write root could reach.
    let world = World::new();
    world.write("f", "x");
    world.call("read", &json!({ "path": "f" })).run().success();
    let home = world.home();
    let mut places: Vec<_> = ["config/config.toml", "config/permissions.toml", "state/trust.json"]
        .iter()
        .map(|place| home.join(place))
        .collect();
    let receipts = fs::read_dir(world.state("receipts")).unwrap();
    places.extend(receipts.map(|entry| entry.unwrap().path()));
    let script: String = places
        .iter()
        .map(|place| {
            let place = place.display();
            format!("echo CANARY >> {place}; echo CANARY > x; mv x {place}; ln -f x {place}\n")
        })
        .collect();
    let more = format!("mkdir -p {0}/config/new; echo CANARY > {0}/config/new/x\n", home.display());
    builds(&world, &(script + &more));
    // In a workspace above it, too, which may be written.
    for options in [&[][..], &["--add-dir"]] {
        let folder = world.folder().display().to_string();
        let options: Vec<&str> =
            options.iter().copied().chain(options.iter().map(|_| folder.as_str())).collect();
        let call = json!({ "command": OPAQUE });
        let result = super::hand::approved_calls(&world, &[call], &options);
        let mut left = Vec::new();
        for place in ["config", "state"] {
            found(&home.join(place), "CANARY", &mut left);
        }
        // What the call's own records say of it.
        left.retain(|it| !it.contains("/sessions/") && !it.contains("/receipts/"));
        assert!(left.is_empty(), "{left:#?} {result:#?}");
        world.tollgate(["receipts", "verify"]).run().success();
    }
}

/// What works when somebody said yes to that very line, and what shows it.
const ALLOWED: &[(&str, &str)] = &[
    ("git init -q new && ls new/.git/config", "new/.git/config"),
    ("git clone -q . cloned && git -C cloned log --oneline", "one"),
    (
        "git -c user.name=t -c user.email=t@t commit -q --allow-empty -m two && git log --oneline",
        "two",
    ),
    ("git checkout -q other && cat .mcp.json && git status --short | wc -l", "other servers"),
    ("git checkout -q - && cat .mcp.json", "first servers"),
    ("git config user.name somebody && git config user.name", "somebody"),
    ("git remote add o https://example.invalid/x && git remote -v", "example.invalid"),
    ("git branch b3 && git switch -q b3 && git branch", "* b3"),
    ("git worktree add -q ../ws/tree && git worktree list", "tree"),
    ("git tag v1 && git stash list && git tag", "v1"),
];

/// [GATE-30] [SHELL-01] git does what git does, by a line that says so.
#[test]
fn git_does_what_was_approved() {
    let world = World::new();
    let script = "set -eu\ngit config user.email t@t; git config user.name t\n\
        echo first servers > .mcp.json; git add .; git commit -qm one; git checkout -q -b other\n\
        echo other servers > .mcp.json; git commit -qam other; git checkout -q -";
    let bash = Command::new(Path::new("bash")).args(["-c", script]);
    bash.in_folder(&world.workspace()).run().success();
    let mut rows = ALLOWED.to_vec();
    if has("npm") {
        rows.push(("mkdir -p p && cd p && npm init -y > /dev/null && ls", "package.json"));
    }
    let lines: Vec<_> = rows.iter().map(|(line, _)| *line).collect();
    let texts = texts(&approved(&world, &lines));
    let failed: Vec<_> = rows
        .iter()
        .zip(&texts)
        .filter(|((_, shows), text)| !text.contains(shows) || text.contains("[sandbox"))
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// [GATE-30] A place that a card named may be made; and the result says nothing of it.
#[test]
fn what_a_card_named_is_made() {
    let world = World::new();
    let results =
        approved(&world, &["echo x > .envrc", "mkdir -p .vscode && echo x > .vscode/tasks.json"]);
    assert_eq!(
        (world.read(".envrc"), world.read(".vscode/tasks.json")),
        ("x\n".into(), "x\n".into())
    );
    assert!(texts(&results).iter().all(|text| !text.contains("[sandbox")), "{results:#?}");
}
