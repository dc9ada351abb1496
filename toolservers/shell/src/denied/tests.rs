//! Goal: a refusal of the sandbox is told as one, and nothing else is. [SHELL-05], B053

use std::fs;

use super::*;

/// A workspace that may be changed, with a masked file and a held folder, and one that may not.
struct Ground {
    folder: tempfile::TempDir,
    confinement: Confinement,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        for name in ["w/.git/hooks", "out"] {
            fs::create_dir_all(real.join(name)).unwrap();
        }
        fs::write(real.join("w/secret.txt"), "").unwrap();
        let plan = Plan {
            write: vec![real.join("w")],
            held: vec![real.join("w/.git/hooks")],
            masked: vec![real.join("w/secret.txt")],
            ..Plan::default()
        };
        Self { folder, confinement: Confinement::By(Box::new(plan)) }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn said_of(&self, output: &str) -> Vec<Denial> {
        of(&[output], &[&self.at("w")], &self.confinement)
    }
}

#[test]
fn each_way_to_say_it_is_understood() {
    let ground = Ground::new();
    let out = ground.at("out/f");
    let shown = out.display();
    let written = Denial::Write(out.clone());
    for line in [
        format!("touch: cannot touch '{shown}': Read-only file system"),
        format!("touch: cannot touch ‘{shown}’: Permission denied"),
        format!("/bin/bash: line 1: {shown}: Permission denied"),
        format!("/bin/sh: 3: cannot create {shown}: Permission denied"),
        format!("PermissionError: [Errno 13] Permission denied: '{shown}'"),
        format!("Error: EROFS: read-only file system, open '{shown}'"),
        format!("error: could not write `{shown}`: Permission denied (os error 13)"),
        "cp: cannot create regular file '../out/f': Read-only file system".to_owned(),
        format!("open failed: permission denied: {shown}"),
    ] {
        assert_eq!(ground.said_of(&line), std::slice::from_ref(&written), "{line}");
    }
    let read = Denial::Read(ground.at("w/secret.txt"));
    assert_eq!(ground.said_of("cat: secret.txt: Permission denied"), std::slice::from_ref(&read));
    assert_eq!(ground.said_of("cat: s.txt: Permission denied"), []);
    assert_eq!(ground.said_of("grep: ./secret.txt: Permission denied\n"), [read]);
    let held = Denial::Held(ground.at("w/.git/hooks/pre-commit"));
    let line = "bash: line 1: .git/hooks/pre-commit: Read-only file system";
    assert_eq!(ground.said_of(line), [held]);
    for line in [
        "curl: (6) Could not resolve host: example.org",
        "curl: (7) Failed to connect to 192.0.2.1 port 80 after 0 ms: Couldn't connect to server",
        "ping: example.org: Temporary failure in name resolution",
        "Error: getaddrinfo EAI_AGAIN registry.example",
    ] {
        assert_eq!(ground.said_of(line), [Denial::Network], "{line}");
    }
    let line = "unshare: unshare failed: Operation not permitted";
    assert_eq!(ground.said_of(line), [Denial::Call("unshare")]);
}

/// B053: words alone are no proof.
#[test]
fn what_the_sandbox_did_not_do_is_not_told_as_its() {
    let ground = Ground::new();
    for line in [
        "/bin/sh: line 1: ./f: Permission denied",
        "curl: (7) Failed to connect to 127.0.0.1 port 80 after 0 ms: Couldn't connect to server",
        "/bin/sh: 1: f: Permission denied",
        "test sandbox_denied ... FAILED: permission denied for role user",
        "FAIL: expected 'Permission denied', got 'ok'",
        "w.txt: Permission denied",
        "Permission denied: sandbox test",
        "cat: nowhere/f: No such file or directory",
        "HTTP 403: access denied",
        "/proc/1/mem: Permission denied",
    ] {
        assert_eq!(ground.said_of(line), [], "{line}");
    }
    let line = "cat: secret.txt: Permission denied";
    assert_eq!(of(&[line], &[&ground.at("w")], &Confinement::Off), []);
    let Confinement::By(plan) = &ground.confinement else { panic!("confined") };
    let with_network = Confinement::By(Box::new(Plan { network: true, ..Plan::clone(plan) }));
    let line = "curl: (6) Could not resolve host: example.invalid";
    assert_eq!(of(&[line], &[&ground.at("w")], &with_network), []);
}

#[test]
fn notes_are_few_and_say_what_helps() {
    let ground = Ground::new();
    let many: String =
        (0..20).map(|n| format!("touch: '../out/{n}': Read-only file system\n")).collect();
    let denials = ground.said_of(&many);
    assert_eq!(denials.len(), 20);
    let roots = [ground.at("w")];
    let asked = notes(&denials, &roots, true);
    assert_eq!(asked.len(), DENIALS_TOLD_MAX + 1);
    assert!(asked.iter().take(DENIALS_TOLD_MAX).all(|note| note.contains("justification")));
    assert!(asked.last().is_some_and(|note| note.contains("more refusals")));
    assert!(!notes(&denials, &roots, false).iter().any(|note| note.contains("justification")));
}
