//! The main cases once more as a user that is not root, through the kernel: root hides faults, and a host's root
//! is another in namespaces.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::PathBuf,
};

use serde_json::json;
use tollgate_tests::{Command, Script, World, binary, events::content_text};

use super::hand::answered;

/// Another user, with all of a world and its own copies of the binaries.
struct Other {
    world: World,
    bin: PathBuf,
}

const USER: u32 = 65534;

impl Other {
    /// `None`: only root can become another.
    fn new(world: World) -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            return None;
        }
        let bin = world.beside("bin");
        fs::create_dir(&bin).unwrap();
        for name in
            ["tollgate", "tollgate-file", "tollgate-shell", "tollgate-code", "tollgate-model"]
        {
            fs::copy(binary(name), bin.join(name)).unwrap();
        }
        let mut waiting = vec![world.folder()];
        while let Some(path) = waiting.pop() {
            let it = path.symlink_metadata().unwrap();
            if it.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            if !it.is_symlink() {
                chown(&path, Some(USER), Some(USER)).unwrap();
            }
        }
        Some(Self { world, bin })
    }

    /// The texts of lines to which somebody says yes.
    fn approved(&self, lines: &[&str], options: &[&str]) -> Vec<String> {
        let call = |script: Script, line: &&str| script.call("bash", json!({ "command": line }));
        let script = lines.iter().fold(Script::new(), call).text("done");
        let model = self.world.script(&script);
        fs::set_permissions(self.world.beside("scripts"), fs::Permissions::from_mode(0o755))
            .unwrap();
        let command = Command::new(&self.bin.join("tollgate"))
            .in_folder(&self.world.workspace())
            .env("TOLLGATE_HOME", self.world.home())
            .env("HOME", self.world.folder())
            .args(["exec", "--model", &model, "--output-format", "stream-json", "go"])
            .args(["--max-steps", "100"])
            .args(options)
            .under("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"]);
        let results = answered(command, lines.len());
        let all = results.iter();
        for result in all {
            let words = result["receipt"]["confinement"].as_str().unwrap_or_default();
            assert!(
                result["status"] == "refused" || words.contains("namespaces places"),
                "{result}"
            );
        }
        results.iter().map(content_text).collect()
    }
}

/// [GATE-70] SH-17 What a rule denies is not read.
#[test]
fn a_user_reads_nothing_that_is_denied() {
    let world = World::new();
    world.write("secret.txt", "TOKEN\n");
    let Some(other) = Other::new(world) else { return };
    let lines = [
        "cat sec*t.txt",
        "grep -r TOKEN .",
        "cp -r . $TMPDIR/w; cat $TMPDIR/w/sec*",
        "mv secret.txt x; cat x",
        "for f in *; do cat $f; done",
        "unshare -rm sh -c 'umount sec*; cat sec*'",
        "cat /proc/self/root$PWD/sec*",
    ];
    let shut = other.approved(&lines, &["--deny", "read(secret.txt)"]);
    assert!(!shut.iter().any(|text| text.contains("TOKEN\n")), "{shut:#?}");
    let open = other.approved(&lines[..3], &[]);
    assert!(open.iter().all(|text| text.contains("TOKEN\n")), "{open:#?}");
}

/// [GATE-70] SH-21 Nothing is changed outside, inside everything is.
#[test]
fn a_user_changes_nothing_outside() {
    let world = World::new();
    let outside = world.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("f"), "f").unwrap();
    let Some(other) = Other::new(world) else { return };
    let lines = [
        "echo x > D/new",
        "rm -f D/f",
        "chmod 777 D/f",
        "touch D/f",
        "mv D/f D/g",
        "ln D/f h",
        "cd D; echo x > y",
    ];
    let filled = |folder: &str| lines.map(|line| line.replace('D', folder) + " && echo WROTE");
    let out = filled(&outside.display().to_string());
    for options in [&[][..], &["--posture", "full-access"]] {
        let texts = other.approved(&out.each_ref().map(String::as_str), options);
        assert!(!texts.iter().any(|text| text.contains("WROTE")), "{texts:#?}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "{texts:#?}");
    }
    let inside = other.approved(
        &["mkdir in && echo x > in/f && chmod 700 in/f && mv in/f in/g && echo WROTE"],
        &[],
    );
    assert!(inside[0].contains("WROTE"), "{inside:?}");
}

/// [THR-05] Protected places stay, and git works.
#[test]
fn a_user_changes_no_protected_place() {
    let world = World::new();
    world.write(".envrc", "as it was\n");
    let script = "#!/bin/sh\necho x > .envrc; rm -f .envrc\nmkdir -p a/.vscode; echo x > a/.vscode/tasks.json\n\
        echo x > .git/hooks/pre-commit; mv .git/config c; echo '[core]' > .git/config\n";
    let path = world.write("build.sh", script);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let Some(other) = Other::new(world) else { return };
    let git = "git -c user.name=t -c user.email=t@t";
    let commit = format!("git add build.sh && {git} commit -qm one && git log --oneline");
    let texts =
        other.approved(&["./build.sh", &commit, "git init -q new && ls new/.git/config"], &[]);
    assert_eq!(other.world.read(".envrc"), "as it was\n", "{texts:#?}");
    assert!(!other.world.has("a/.vscode/tasks.json") && !other.world.has(".git/hooks/pre-commit"));
    assert!(
        texts[0].contains("put aside") && texts[0].contains("[sandbox: changing "),
        "{texts:#?}"
    );
    assert!(texts[1].contains("one") && texts[2].contains("new/.git/config"), "{texts:#?}");
}
