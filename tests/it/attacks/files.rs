//! Denied reads by other names, and writes that would leave the workspace.

use std::os::unix::fs::symlink;

use super::*;

const TOKEN: &str = "TOKEN-7f3a-CANARY-READ";

/// [GATE-20] B094 SH-17 FS-07 A file that may not be read is not read, by no form of its path, by no name that
/// a link gives it, and by no word of a command line; the canary is in nothing that was said.
#[test]
fn a_denied_file_is_read_by_no_name() {
    let world = World::new();
    world.write(".env", format!("{TOKEN}\n"));
    world.write("a/b.txt", "fine\n");
    symlink(".env", world.workspace().join("e")).unwrap();
    symlink("e", world.workspace().join("ee")).unwrap();
    symlink(".", world.workspace().join("here")).unwrap();
    let absolute = world.workspace().join(".env");
    let forms = [
        ".env",
        "./.env",
        "a/../.env",
        "./a/../.env",
        "a//..//.env",
        "e",
        "ee",
        "here/.env",
        "here/e",
        "here/here/../ws/.env",
        "../ws/.env",
        absolute.to_str().unwrap(),
        ".ENV",
        ".env/",
        ".env\u{200b}",
    ];
    let lines = [
        "cat .env",
        "cat ./a/../.env",
        "cat e",
        "cat here/ee",
        "cd a && cat ../.env",
        "cat < .env",
        "echo $(<.env)",
        "head -1 .env",
        "grep TOKEN .env",
        "cp .env copy.txt",
        "ln .env link.txt",
        "git show HEAD:.env",
        "git diff --no-index /dev/null .env",
        "sort e | head",
        "python3 -c 'print(open(\".env\").read())'",
        "cat a/b.txt .env",
        "sh -c 'cat .env'",
        "echo .env | xargs cat",
        "find . -name .env -exec cat {} \\;",
        "tar cf - .env",
        "source .env",
    ];
    for rule in ["read(.env)", "*(path:.env)"] {
        let add = ["permissions", "add", rule, "--action", "deny"];
        let said = world.tollgate(add).run().success().text();
        assert!(said.contains("a command line that computes the name"), "it promises more: {said}");
        let reads = forms.iter().map(|form| ("read", json!({ "path": form })));
        let is_for_all = rule.starts_with('*');
        assert_eq!(said.contains("'*(path:.env)' is for all"), !is_for_all, "{said}");
        let runs = lines.iter().filter(|_| is_for_all).map(|line| ("bash", bash(line)));
        let calls: Vec<_> = reads.chain(runs).collect();
        let options = ["--posture", "full-access", "--allow", "bash", "--allow", "read"];
        let turn = turn(&world, &calls, "once", &options);
        for ((tool, arguments), (result, _)) in calls.iter().zip(turn.results()) {
            let told = format!("{rule}{tool} {arguments}: {result}");
            assert_ne!(result["status"], "ok", "{told}");
            assert!(!result.to_string().contains(TOKEN), "{told}");
            if *tool == "bash" {
                assert_eq!(refused(result).0, "rule", "{told}");
            }
        }
        assert!(!world.has("copy.txt") && !world.has("link.txt"));
        let fine = world.call("read", &json!({ "path": "a/b.txt" })).run().success();
        assert!(content_text(&fine.json()["result"]).contains("fine"));
    }
}

/// [THR-05] B103 FS-01 FS-02 What the file tools write stays in the workspace: through a folder that is a link,
/// a file that is one, one to what is not there yet, and beside a folder of the same beginning.
#[test]
fn no_link_leads_a_write_outside() {
    let world = World::new();
    let out = world.beside("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("f"), "kept\n").unwrap();
    fs::create_dir(world.beside("ws-evil")).unwrap();
    let workspace = world.workspace();
    symlink(&out, workspace.join("d")).unwrap();
    symlink(out.join("f"), workspace.join("f")).unwrap();
    symlink(out.join("new"), workspace.join("g")).unwrap();
    symlink("../out", workspace.join("up")).unwrap();
    let evil = world.beside("ws-evil/CANARY");
    let rows = [
        "d/x",
        "d/f",
        "f",
        "g",
        "d/../../x",
        "up/x",
        "../out/x",
        "../ws-evil/CANARY",
        "d/sub/x",
        evil.to_str().unwrap(),
        out.join("x").to_str().unwrap().to_owned().leak(),
        "/proc/self/root/tmp/tollgate-canary",
        "/proc/self/cwd/../out/x",
    ];
    let before = [tree(&out), tree(&world.beside("ws-evil"))];
    let edit = |path: &str| json!({ "path": path, "edits": [{ "old": "kept", "new": "evil" }] });
    let writes = rows.iter().map(|path| ("write", write(path)));
    let calls: Vec<_> = writes.chain(rows.iter().map(|path| ("edit", edit(path)))).collect();
    for (answer, options) in [("once", [].as_slice()), ("deny", &["--posture", "full-access"])] {
        let turn = turn(&world, &calls, answer, options);
        for ((tool, arguments), (result, _)) in calls.iter().zip(turn.results()) {
            assert_ne!(result["status"], "ok", "{tool} {arguments}: {result}");
            assert!(!content_text(result).is_empty());
        }
        assert_eq!(before, [tree(&out), tree(&world.beside("ws-evil"))], "{answer}");
    }
    assert!(!world.beside("x").exists() && !Path::new("/tmp/tollgate-canary").exists());
    let fine = turn(&world, &[("write", write("inside.txt"))], "once", &[]);
    assert_eq!(fine.results()[0].0["status"], "ok");
}
