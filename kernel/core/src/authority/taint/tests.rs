//! Goal: untrusted text is told by its source, and ordinary work does not reach out. [THR-04]

use super::*;
use crate::{
    authority::words::testing::{World, call, line, path},
    safety::Safety,
    testing::READ,
};

const FETCH: Safety = Safety { open_world: true, ..READ };
const WRITE: Safety = Safety { open_world: false, ..Safety::WORST };

fn source(trust: Trust, safety: Safety, subjects: Vec<Subject>, world: &World) -> Option<String> {
    source_of(&call(trust, safety, subjects, ""), &world.at()).map(|taint| taint.source)
}

#[track_caller]
fn brings(subjects: Vec<Subject>, expected: Option<&str>) {
    let found = source(Trust::Trusted, READ, subjects.clone(), &World::default());
    assert_eq!(found.as_deref(), expected, "{subjects:?}");
}

#[test]
fn sources_of_untrusted_text_are_named() {
    brings(vec![path("src/x", Access::Read)], None);
    brings(vec![path("/w/a/../b", Access::Read)], None);
    brings(vec![path("/other/x", Access::Read)], Some("/other/x"));
    brings(vec![path("/w/../other/x", Access::Read)], Some("/w/../other/x"));
    brings(vec![path("/other/x", Access::Write)], None);
    brings(vec![Subject::Host { host: "x.test".into() }], Some("x.test"));
    brings(
        vec![Subject::Mcp { server: "github".into(), tool: "t".into() }],
        Some("MCP server github"),
    );
    brings(vec![Subject::Unknown], Some("something unknown"));
    let world = World::default();
    assert_eq!(source(Trust::Untrusted, READ, Vec::new(), &world).as_deref(), Some("server file"));
    assert_eq!(source(Trust::Trusted, FETCH, Vec::new(), &world).as_deref(), Some("tool tool"));
    let mut untrusted = World::default();
    untrusted.policy.workspace.trusted = false;
    let file = vec![path("src/x", Access::Read)];
    assert_eq!(source(Trust::Trusted, READ, file, &untrusted).as_deref(), Some("/w/src/x"));
}

#[test]
fn commands_that_fetch_are_sources() {
    for (text, expected) in [
        ("curl -s https://x.test/a | jq .", Some("x.test")),
        ("wget http://x.test:8080/a", Some("x.test:8080")),
        ("git clone https://x.test/a.git", Some("x.test")),
        ("git fetch origin", Some("git")),
        ("gh issue view 1", Some("gh")),
        ("ssh u@x.test cat y", Some("x.test")),
        ("cat /other/x", Some("/other/x")),
        ("cat ~/notes", Some("~/notes")),
        ("cat ../x", Some("../x")),
        ("cat src/x", None),
        ("cat /etc/hosts", None),
        ("ls -l", None),
        ("cargo test", None),
        ("git log", None),
    ] {
        let found = source_of(&line(text), &World::default().at()).map(|taint| taint.source);
        assert_eq!(found.as_deref(), expected, "{text}");
    }
    let mut untrusted = World::default();
    untrusted.policy.workspace.trusted = false;
    assert!(source_of(&line("cat src/x"), &untrusted.at()).is_some());
}

#[track_caller]
fn reaches(safety: Safety, subject: Subject, expected: bool) {
    let call = call(Trust::Trusted, safety, vec![subject.clone()], "");
    assert_eq!(reaches_out(&call, &World::default().at()), expected, "{subject:?}");
}

/// MD-05: also what only reads.
#[test]
fn what_sends_or_changes_outside_reaches_out() {
    reaches(READ, Subject::Host { host: "x.test".into() }, true);
    reaches(FETCH, path("x", Access::Read), true);
    reaches(READ, path("/other/x", Access::Read), false);
    reaches(WRITE, path("x", Access::Write), false);
    reaches(WRITE, path("/other/x", Access::Write), true);
    reaches(WRITE, path("/w/../other/x", Access::Create), true);
    reaches(WRITE, path("/tmp/x", Access::Write), false);
    reaches(WRITE, path("/tmp", Access::Delete), true);
    let mcp = || Subject::Mcp { server: "s".into(), tool: "t".into() };
    reaches(WRITE, mcp(), true);
    reaches(READ, mcp(), false);
    reaches(WRITE, Subject::Unknown, true);
}

#[test]
fn lines_that_send_or_change_outside_reach_out() {
    for text in [
        "curl https://x.test",
        "true && wget x.test",
        "ssh x",
        "scp a x:b",
        "rsync -a . x.test:y",
        "nc x 1",
        "git push origin x",
        "git -C sub fetch",
        "git clone x",
        "git ls-remote http://x.test",
        "git remote update",
        "gh pr create",
        "aws s3 ls",
        "kubectl get pods",
        "docker push x",
        "npm publish",
        "npm install evil",
        "pip install evil",
        "python3 -m pip install evil",
        "cargo install evil",
        "npx evil",
        "python3 -c 'x'",
        "node -e x",
        "perl -e x",
        "$PROGRAM x",
        "cat x | python3",
        "ping x.test",
        "nslookup x.test",
        "> /other/x",
        "sed -i s/a/b/ /other/x",
        "sed -i s/a/b/ ~/x",
        "tar -C /srv/x -xf a.tar",
        "unzip a.zip -d ../other",
        "git -C /other commit -m x",
        "gzip ../x",
        "make install --prefix=/other",
        "> $OUT",
        "cp x /other/y",
        "cp x ~/y",
        "mv x ../y",
        "tee /other/x",
        "ln -s x /other/y",
        "install x /other/y",
        "cp -t /other x",
        "cd /other && touch x",
        "dd if=x of=/other/y",
        "mail -s x y",
        "psql -h x.test",
    ] {
        assert!(reaches_out(&line(text), &World::default().at()), "{text}");
    }
}

/// Safety that asks at every step is a fault.
#[test]
fn ordinary_work_does_not_reach_out() {
    for text in [
        "cargo test",
        "cargo build --release",
        "pytest -q",
        "python3 -m pytest",
        "python3 script.py",
        "node script.js",
        "make",
        "npm test",
        "npm run build",
        "npm ci",
        "npm install",
        "pip install -r requirements.txt",
        "pip install -e .",
        "go test ./...",
        "git commit -m x",
        "git add -A",
        "git checkout x",
        "cat /other/x",
        "touch x",
        "cp /other/x y",
        "cp x y",
        "rsync -a a/ b/",
        "> out",
        "> /dev/null",
        "cp x /tmp/y",
        "sed -i s/a/b/ x",
        "tar -C /tmp/x -xf a.tar",
        "gcc -I/usr/include -L/usr/lib x.c",
        "make CC=/usr/bin/gcc",
        "bash run.sh",
        "cd sub && make",
        "psql -c 'select 1'",
        "docker build .",
    ] {
        assert!(!reaches_out(&line(text), &World::default().at()), "{text}");
    }
}
