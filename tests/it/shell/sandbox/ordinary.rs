//! Daily work goes on in the sandbox: builds, tests, git, files, pipes, terminals.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::json;
use tollgate_tests::{World, events::content_text};

use super::hand::{approved_calls, has};

/// The program that a line needs, the line, and what its output shows.
const LINES: &[(&str, &str, &str)] = &[
    ("cat", "cat <<X\nhere document\nX", "here document"),
    ("mktemp", "f=$(mktemp) && echo made > $f && cat $f", "made"),
    ("sort", "seq 300000 | sort -r -S 1M | sort -n -S 1M | tail -1", "300000"),
    ("diff", "diff <(echo a) <(echo b); echo $?", "1"),
    ("tee", "echo x | tee >(cat > sub) > /dev/null; sleep 0.2; cat sub", "x"),
    ("cat", "echo stdin | cat /dev/stdin", "stdin"),
    ("cat", "echo x > /dev/stdout; echo y > /dev/stderr; echo z > /dev/fd/1", "z"),
    ("bash", "ulimit -n 512 && ulimit -n", "512"),
    ("bash", "ulimit -c", "0"),
    ("bash", "exec 9> lock; flock 9 && echo locked", "locked"),
    ("script", "script -qec 'tty; echo at a terminal' /dev/null < /dev/null", "at a terminal"),
    ("gcc", "echo 'int main(){return 42;}' > m.c && gcc -o m m.c && ./m; echo $?", "42"),
    (
        "make",
        "printf 'all: out\\nout:\\n\\techo built > out\\n' > Makefile && make -j2 && cat out",
        "built",
    ),
    (
        "python3",
        "python3 -c 'import multiprocessing as m; print(sum(m.Pool(2).map(abs, [-1, -2])))'",
        "3",
    ),
    (
        "python3",
        "python3 -c 'from multiprocessing import shared_memory as s; m = s.SharedMemory(create=True, size=9); m.buf[0] = 7; print(m.buf[0]); m.unlink()'",
        "7",
    ),
    (
        "python3",
        "python3 -c 'import tempfile, os; print(os.path.exists(tempfile.mkdtemp()))'",
        "True",
    ),
    (
        "python3",
        "python3 -c 'import asyncio; asyncio.run(asyncio.sleep(0)); print(\"async\")'",
        "async",
    ),
    (
        "python3",
        "mkdir -p pt && printf 'import unittest\\nclass T(unittest.TestCase):\\n  def test_a(self):\\n    self.assertTrue(1)\\n' > pt/test_a.py && python3 -m unittest discover pt",
        "OK",
    ),
    ("python3", "python3 -m compileall -q pt && ls pt/__pycache__", "test_a"),
    (
        "node",
        "echo \"require('node:test')('a', () => {})\" > a.test.js && node --test a.test.js",
        "pass 1",
    ),
    ("node", "node -e \"require('fs').writeFileSync('n', 'from node')\" && cat n", "from node"),
    (
        "node",
        "node -e \"const { Worker } = require('worker_threads'); new Worker('console.log(41 + 1)', { eval: true })\"",
        "42",
    ),
    ("npm", "mkdir -p np && (cd np && npm init -y > /dev/null && npm pkg get name)", "np"),
    (
        "git",
        "git config user.email t@t && git config user.name t && git add -A && git commit -qm one && git log --oneline",
        "one",
    ),
    (
        "git",
        "echo more >> sub && git diff --stat && git stash -q && git stash pop -q && git status --short",
        "sub",
    ),
    (
        "git",
        "git checkout -q -b topic && git commit -qam two && git checkout -q - && git merge -q topic && git log --oneline",
        "two",
    ),
    ("git", "git rebase -q topic && git tag t1 && git describe --tags", "t1"),
    ("git", "git clone -q . $TMPDIR/c && git -C $TMPDIR/c log --oneline | head -1", "two"),
    ("git", "git gc -q && git fsck && git log -p | head -1", "commit"),
    ("git", "git apply --stat < /dev/null; git format-patch -1 --stdout | head -1", "From "),
    ("tar", "tar czf x.tgz sub && mkdir -p un && tar xzf x.tgz -C un && ls un", "sub"),
    ("find", "find . -name sub -newer /etc/passwd | head -1", "sub"),
    ("timeout", "timeout 5 bash -c 'trap \"echo caught\" TERM; kill $$'", "caught"),
    ("nohup", "nohup bash -c 'echo on' > no.out 2>&1; cat no.out", "on"),
    ("setsid", "setsid bash -c 'echo session'", "session"),
    ("nice", "nice -n 5 echo nice", "nice"),
    ("xargs", "seq 20 | xargs -P 4 -n 1 echo | wc -l", "20"),
    ("perl", "perl -e 'print 6 * 7'", "42"),
    ("mkfifo", "mkfifo p && (echo through > p &) && cat p", "through"),
    (
        "cp",
        "cp -a sub sub2 && ln -s sub2 l && ln sub2 h && chmod 600 h && touch -d 2001-01-01 h && stat -c %y h",
        "2001",
    ),
    (
        "date",
        "date +%Y > /dev/null && id -un > /dev/null && nproc > /dev/null && df . > /dev/null && echo told",
        "told",
    ),
    (
        "df",
        "free > /dev/null 2>&1; uname -s; cat /proc/cpuinfo | head -1 > /dev/null && echo cpu",
        "cpu",
    ),
    ("openssl", "openssl rand -hex 4 > /dev/null && echo random", "random"),
    ("strip", "cp m m2 && strip m2 && ./m2; echo $?", "42"),
];

/// [GATE-70] [SHELL-01] Each line works, and nothing of the sandbox is told.
#[test]
fn daily_work_goes_on() {
    let world = World::new();
    let rows: Vec<_> = LINES.iter().filter(|(program, ..)| has(program)).collect();
    let calls: Vec<_> = rows.iter().map(|(_, line, _)| json!({ "command": line })).collect();
    let results = approved_calls(&world, &calls, &[]);
    let broken = |((_, line, shows), result): (&&(&str, &str, &str), &serde_json::Value)| {
        let text = content_text(result);
        let fine = result["status"] == "ok" && text.contains(shows) && !text.contains("[sandbox");
        (!fine).then(|| format!("{line}: {text}"))
    };
    let broken: Vec<_> = rows.iter().zip(&results).filter_map(broken).collect();
    println!("{} lines, {} broken", rows.len(), broken.len());
    assert!(broken.is_empty(), "{broken:#?}");
}

/// [GATE-70] A build of cargo's, with what it caches where it always does.
#[test]
fn cargo_builds_and_tests() {
    let world = World::new().config("[servers.shell]\nenv = [\"CARGO_HOME\", \"RUSTUP_HOME\"]\n");
    world.write(
        "Cargo.toml",
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    world.write("src/lib.rs", "#[test]\nfn it_works() {\n    assert_eq!(6 * 7, 42);\n}\n");
    let home = |name: &str, folder: &str| {
        let default = || std::path::Path::new(&std::env::var_os("HOME").unwrap()).join(folder);
        std::env::var_os(name).map_or_else(default, Into::into)
    };
    let script = tollgate_tests::Script::new()
        .call("bash", json!({ "command": "cargo test --offline 2>&1", "timeout": 50 }))
        .text("done");
    let command = world
        .exec(&script, "go")
        .env("CARGO_HOME", home("CARGO_HOME", ".cargo"))
        .env("RUSTUP_HOME", home("RUSTUP_HOME", ".rustup"));
    let result = super::hand::answered(command, 1).remove(0);
    let text = content_text(&result);
    assert!(text.contains("test it_works ... ok") && !text.contains("[sandbox"), "{text}");
}

/// [SHELL-05] Nobody becomes another user; that is said.
#[test]
fn nobody_becomes_another_user() {
    let world = World::new();
    // A program that has the user's rights, as `sudo` has.
    let program = world.write("sudo-like", "");
    fs::copy("/usr/bin/id", &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let call = json!({ "command": "./sudo-like -u; su -c true nobody < /dev/null && echo BECAME; sudo -n true && echo BECAME" });
    let text = content_text(&approved_calls(&world, &[call], &[])[0]);
    assert!(!text.contains("BECAME"), "{text}");
    println!("{text}");
}
