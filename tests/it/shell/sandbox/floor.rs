//! SH-21 Nothing is changed outside of the workspace and the temporary folder, whatever permitted the call.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, symlink},
    path::{Path, PathBuf},
};

use serde_json::json;
use tollgate_tests::{Command, World, events::content_text};

use super::hand::{Hand, answered, approved, ordinary};

/// Changes of what is in the folder `D`: a file `f`, a folder `d`.
const CHANGES: &[&str] = &[
    "echo x > D/new",
    "echo x >> D/f",
    ": > D/f",
    "truncate -s 0 D/f",
    "touch D/f",
    "touch -d '2001-01-01' D/f",
    "chmod 777 D/f",
    "chmod 777 D",
    "chown 12345 D/f",
    "ln -s /etc D/link",
    "echo y > own; ln own D/hard",
    "ln D/f taken; echo x >> taken",
    "mv D/f D/g",
    "mv D/f taken-away",
    "echo y > own2; mv own2 D/in",
    "rm -f D/f",
    "rmdir D/d",
    "mkdir D/made",
    "mkfifo D/pipe",
    "mknod D/node c 1 3",
    "setfattr -n user.x -v y D/f",
    "cp own D/copied",
    "dd if=/dev/zero of=D/f bs=1 count=1 conv=notrunc",
    "python3 -c \"open('D/py', 'w').write('x')\"",
    "python3 -c \"import os; os.utime('D/f', (1, 1))\"",
    "python3 -c \"import os; os.setxattr('D/f', 'user.y', b'z')\"",
    "python3 -c \"import os; os.rename('D/d', 'D/e')\"",
    "python3 -c \"import os; os.chmod('D/d', 0o777)\"",
    "python3 -c \"f = open('D/f', 'r+'); f.write('x')\"",
    "cd D && echo x > relative",
    "pushd D > /dev/null; touch CANARY",
    "cd D; rm f",
    "git -C D init -q",
    "tar -C D -xf t.tar",
    "ln -s D way; echo x > way/through",
    "echo x > link-out/through",
    "echo x > link-file",
    "sed -i s/a/b/ D/f",
    "exec 3<> D/f; echo x >&3",
    "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('D/s')\"",
];

/// What of a folder a change would change.
fn state(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let it = path.symlink_metadata().unwrap();
        let content = if it.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        let state = format!(
            "{:o} {} {} {} {} {content:?}",
            it.mode(),
            it.uid(),
            it.nlink(),
            it.mtime_nsec(),
            it.ctime_nsec()
        );
        if it.is_dir() {
            waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        found.insert(path, state);
    }
    found
}

/// A folder with something to change, and links to it in the workspace.
fn target(world: &World, folder: &Path) {
    fs::create_dir_all(folder.join("d")).unwrap();
    fs::write(folder.join("f"), "aaa\n").unwrap();
    fs::write(world.workspace().join("own"), "own\n").unwrap();
    for (link, to) in [("link-out", folder.to_owned()), ("link-file", folder.join("f"))] {
        fs::remove_file(world.workspace().join(link)).ok();
        symlink(to, world.workspace().join(link)).unwrap();
    }
}

/// [GATE-70] SH-14 SH-21 By every call that changes something, and by way of links and working directories:
/// outside nothing changes, and inside everything does.
#[test]
fn nothing_is_changed_outside() {
    let world = World::new();
    let tar = Command::new(Path::new("tar")).args(["cf", "t.tar", "-C", "/etc", "passwd"]);
    tar.in_folder(&world.workspace()).run().success();
    let mut hand = Hand::new(&world);
    let mut changed = Vec::new();
    for (number, change) in CHANGES.iter().enumerate() {
        let outside = world.beside(&format!("outside-{number}"));
        target(&world, &outside);
        let before = state(&outside);
        let line = |folder: &Path| {
            let folder = folder.display().to_string();
            format!("rm -rf way taken taken-away\n{}", change.replace('D', &folder))
        };
        let done = hand.bash(&line(&outside), ordinary);
        if state(&outside) != before {
            changed.push(format!("{change}: {done:?}"));
        }
        // The same inside. Whoever is not root owns nothing for others.
        let inside = world.workspace().join(format!("inside-{number}"));
        target(&world, &inside);
        let before = state(&inside);
        let done = hand.bash(&line(&inside), ordinary);
        let needs_more =
            ["chown", "mknod", "setfattr", "AF_UNIX"].iter().any(|it| change.contains(it));
        let worked = state(&inside) != before;
        assert!(worked || needs_more, "inside it should work: {change}: {done:?}");
    }
    assert!(changed.is_empty(), "{changed:#?}");
}

/// Places of the machine that user 0 could change.
const PLACES: &[&str] = &[
    "/", "/etc", "/usr/bin", "/root", "/var/tmp", "/tmp", "/home", "/opt", "/dev/shm", "/run",
    "/sys", "HOME",
];

/// [GATE-70] SH-21 EN-07 Also in the posture that asks for nothing, and when a person said yes to the line.
#[test]
fn no_posture_changes_what_is_outside() {
    let world = World::new();
    let name = format!("tollgate-canary-{}", std::process::id());
    let folders = PLACES.iter().map(|it| it.replace("HOME", &world.folder().display().to_string()));
    let lines: Vec<String> = folders
        .clone()
        .map(|folder| format!("echo x > {}/{name} && echo WROTE", folder.trim_end_matches('/')))
        .chain(["echo x > inside && echo WROTE".to_owned()])
        .collect();
    let calls: Vec<_> = lines.iter().map(|line| json!({ "command": line })).collect();
    for options in [&["--posture", "full-access"][..], &[]] {
        let results = super::hand::approved_calls(&world, &calls, options);
        for (result, folder) in results.iter().zip(folders.clone()) {
            let outside = Path::new(&folder).join(&name);
            let is_there = outside.exists();
            fs::remove_file(&outside).ok();
            assert!(!is_there, "{folder}: {result}");
            // Shared memory is there, and another.
            let wrote = content_text(result).contains("WROTE\n");
            assert_eq!(wrote, folder == "/dev/shm", "{folder}: {result}");
        }
        assert!(content_text(results.last().unwrap()).contains("WROTE"), "{results:#?}");
        assert!(world.has("inside"));
    }
}

/// [GATE-72] What a person gave is given: the same line with the sandbox off.
#[test]
fn a_yes_to_no_sandbox_changes_what_is_outside() {
    let world = World::new();
    let outside = world.beside("given");
    let line = format!("echo x > {} && echo WROTE", outside.display());
    let held = approved(&world, &[&line]);
    assert!(!outside.exists(), "{held:?}");
    let call = json!({ "command": line, "sandbox": "off", "justification": "test" });
    let given = super::hand::approved_calls(&world, &[call], &[]);
    assert!(outside.exists(), "{given:?}");
    assert_eq!(given[0]["receipt"]["confinement"], "off");
}

/// [GATE-70] The temporary folder: private, the same in later calls of a session, gone with it.
#[test]
fn the_temporary_folder_is_of_the_session() {
    let world = World::new();
    let lines = [
        "echo kept > $TMPDIR/kept; stat -c '%a' $(dirname $TMPDIR); mktemp; echo $TMPDIR",
        "cat $TMPDIR/kept; python3 -c 'import tempfile; print(tempfile.mkdtemp())'",
    ];
    let texts = super::hand::texts(&approved(&world, &lines));
    assert!(texts[0].starts_with("700\n"), "{texts:?}");
    assert!(texts[1].starts_with("kept\n"), "{texts:?}");
    let folder = texts[0].lines().nth(2).unwrap();
    assert!(texts[0].lines().nth(1).unwrap().starts_with(folder), "{texts:?}");
    assert!(texts[1].lines().nth(1).unwrap().starts_with(folder), "{texts:?}");
    assert!(!Path::new(folder).exists(), "{folder} is left");
    let later = super::hand::texts(&approved(&world, &["cat $TMPDIR/kept"]));
    assert!(!later[0].contains("kept\n"), "{later:?}");
}

/// [GATE-70] The temporary folders of two sessions at once: neither changes the other's.
#[test]
fn sessions_share_no_temporary_folder() {
    let world = World::new();
    let mut one = Hand::new(&world);
    let folder = one.bash("echo mine > $TMPDIR/mine; echo $TMPDIR", ordinary).text;
    let folder = folder.lines().next().unwrap();
    let line = format!("echo x > {folder}/theirs; echo x >> {folder}/mine; ls {folder}");
    let call = json!({ "command": line });
    let command = world.call("bash", &call).args(["--posture", "full-access"]);
    println!("{}", command.run());
    let left = one.bash("ls $TMPDIR; cat $TMPDIR/mine", ordinary).text;
    assert!(left.contains("mine") && !left.contains("theirs") && !left.contains("\nx\n"), "{left}");
    let _ = answered;
}
