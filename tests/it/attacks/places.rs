//! What no tool changes silently: policy, trust, receipts, sockets, hooks of git, instructions of agents
//! (`[THR-05]`, CFG-08), also where they do not exist yet.

use super::*;

/// Allow rules that would let everything through.
const EVERYTHING: [&str; 6] = ["--allow", "bash", "--allow", "write", "--allow", "edit"];

/// A place, and a folder link to where it is.
struct Target {
    path: PathBuf,
    /// A link in the workspace to its folder, made before.
    link: &'static str,
    /// A card may let it through; Tollgate's own is refused.
    card: bool,
}

fn world() -> World {
    let world = World::new();
    world.write("a.txt", "evil\n");
    world.write("AGENTS.md", "Be good.\n");
    world.tollgate(["trust", "--yes"]).run().success();
    world
}

fn targets(world: &World) -> Vec<Target> {
    let mut targets = Vec::new();
    let in_workspace = [
        (".git/hooks/pre-commit", "to-hooks"),
        (".mcp.json", "to-root"),
        ("AGENTS.md", "to-root"),
        ("sub/CLAUDE.md", "to-sub"),
        (".tollgate/law.toml", "to-law"),
        (".vscode/tasks.json", "to-code"),
        (".envrc", "to-root"),
    ];
    for (path, link) in in_workspace {
        targets.push(Target { path: path.into(), link, card: true });
    }
    let own = [
        ("config/permissions.toml", "to-config"),
        ("config/config.toml", "to-config"),
        ("config/hooks.toml", "to-config"),
        ("state/trust.json", "to-state"),
        ("state/receipts/forged.jsonl", "to-receipts"),
        ("run/kernel.sock", "to-run"),
    ];
    for (path, link) in own {
        targets.push(Target { path: world.home().join(path), link, card: false });
    }
    for target in &targets {
        let folder = world.workspace().join(&target.path).parent().unwrap().to_owned();
        fs::create_dir_all(&folder).unwrap();
        let link = world.workspace().join(target.link);
        if !link.is_symlink() {
            std::os::unix::fs::symlink(&folder, link).unwrap();
        }
    }
    targets
}

/// Every way to make or change a place that the tools have, as far as a line says which place it is: a name
/// that is computed when the line runs (`cp a $d/x`) is for the sandbox.
fn ways(target: &Target) -> Vec<(&'static str, Value)> {
    let path = target.path.display();
    let folder = target.path.parent().unwrap();
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.display();
    let name = target.path.file_name().unwrap().to_str().unwrap();
    let through = format!("{}/{name}", target.link);
    let edit = json!({ "path": target.path, "edits": [{ "old": "Be good.", "new": "evil" }] });
    let mut ways = vec![("write", write(&target.path)), ("write", write(&through)), ("edit", edit)];
    let lines = [
        format!("echo x > {path}"),
        format!("echo x >> {path}"),
        format!("echo x >| '{path}'"),
        format!("cp a.txt {path}"),
        format!("mv a.txt {path}"),
        format!("ln -s a.txt {path}"),
        format!("ln a.txt {path}"),
        format!("tee {path} < a.txt"),
        format!("cat a.txt | tee -a {path}"),
        format!("dd if=a.txt of={path}"),
        format!("install -m 755 a.txt {path}"),
        format!("sed -i s/a/b/ {path}"),
        format!("rm -f {path}"),
        format!("touch \"{path}\""),
        format!("cd {folder} && echo x > {name}"),
        format!("cd {folder}; cp $OLDPWD/a.txt {name}"),
        format!("(cd {folder} && touch {name})"),
        format!("python3 -c 'open(\"{path}\", \"w\").write(\"x\")'"),
        format!("sh -c 'echo x > {path}'"),
        format!("env cp a.txt {path}"),
        format!("find . -name a.txt -exec cp {{}} {path} \\;"),
        format!("echo x > {through}"),
        format!("cp a.txt {through}"),
        format!("cat a.txt | tee {through}"),
        format!("cd {} && echo x > {name}", target.link),
        format!("cd {} && cp ../a.txt {name}", target.link),
        format!("mv {} elsewhere && echo x > {through}", target.link),
    ];
    ways.extend(lines.map(|line| ("bash", bash(&line))));
    ways
}

/// Places and what is in them: nothing of it may change. The rest of the state moves with every call.
fn kept(world: &World) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut kept = tree(&world.workspace());
    kept.extend(tree(&world.home().join("config")));
    let own = ["state/trust.json", "state/receipts/forged.jsonl", "run/kernel.sock"];
    for path in own.map(|path| world.home().join(path)) {
        kept.insert(path.clone(), fs::read(&path).unwrap_or_default());
    }
    kept
}

/// [THR-05] CFG-08 SH-14 FS-08 In posture `ask`, under rules that allow every tool: a card that says what the
/// place is, or a refusal. Denied, nothing has changed.
#[test]
fn no_tool_changes_a_protected_place_silently() {
    let world = world();
    for target in targets(&world) {
        let before = kept(&world);
        let ways = ways(&target);
        let turn = turn(&world, &ways, "deny", &EVERYTHING);
        let results = turn.results();
        assert_eq!(results.len(), ways.len());
        for ((tool, arguments), (result, card)) in ways.iter().zip(results) {
            let told = || format!("{tool} {arguments}: {result} {card:?}");
            assert_eq!(result["status"], "refused", "{}", told());
            let class = result["metadata"]["error"].as_str().unwrap_or_default();
            match card {
                Some(card) => {
                    assert!(target.card, "Tollgate's own is not for a card: {}", told());
                    let why = card["why"].as_array().unwrap();
                    let protected = why.iter().any(|why| why["class"] == "protected_place");
                    assert!(protected, "it does not say what the place is: {}", told());
                    assert!(card["offer"] == json!([]), "a rule for it is offered: {}", told());
                }
                // What is not there cannot be edited, and nothing leaves the roots.
                None if *tool == "edit" || !target.card => {}
                None => panic!("no card: {} ({class})", told()),
            }
        }
        assert_eq!(before, kept(&world), "{}", target.path.display());
    }
}

/// [THR-05] CFG-08 The same under `full-access`, where nobody is asked: refused, with what the place is.
#[test]
fn full_access_does_not_reach_protected_places() {
    let world = world();
    for target in targets(&world) {
        let before = kept(&world);
        let ways = ways(&target);
        let full = [&EVERYTHING[..], &["--posture", "full-access"]].concat();
        let turn = turn(&world, &ways, "once", &full);
        assert!(turn.cards.is_empty(), "nobody is asked");
        for ((tool, arguments), (result, _)) in ways.iter().zip(turn.results()) {
            let told = || format!("{tool} {arguments}: {result}");
            assert_eq!(result["status"], "refused", "{}", told());
            let class = result["metadata"]["error"].as_str().unwrap_or_default();
            let expected: &[&str] = if target.card { &["protected_place"] } else { &["own_place"] };
            if *tool == "bash" {
                assert!(expected.contains(&class), "{}", told());
            }
        }
        assert_eq!(before, kept(&world), "{}", target.path.display());
    }
}

/// A person who was told what the place is may let it through, and then it runs.
#[test]
fn a_person_may_let_a_protected_place_through() {
    let world = world();
    let edit = json!({ "path": "AGENTS.md", "edits": [{ "old": "good", "new": "better" }] });
    let calls = [("edit", edit), ("bash", bash("cp a.txt .git/hooks/pre-commit"))];
    let turn = turn(&world, &calls, "once", &EVERYTHING);
    let shown: Vec<_> = turn.cards.values().map(reasons).collect();
    assert!(shown.iter().any(|why| why.contains("agent instructions")), "{shown:?}");
    assert!(shown.iter().any(|why| why.contains("programs that git runs")), "{shown:?}");
    assert_eq!(world.read("AGENTS.md"), "Be better.\n");
    assert_eq!(world.read(".git/hooks/pre-commit"), "evil\n");
}
