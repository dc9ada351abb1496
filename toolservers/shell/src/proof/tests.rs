//! Goal: beside a command that may do anything, only those are said to read that certainly do.
//! [GATE-22], SH-01 … SH-15.

use std::{fs, os::unix::fs::symlink};

use super::*;
use crate::{parse::parse, readonly::tests::World, subjects::subjects};
use tollgate_sdk::{PathAccess, Subject};

/// A workspace with folders to go to: `src`, `.hidden`, and `out`, which leads away.
fn world() -> World {
    let world = World::new();
    let base = world.base.path();
    fs::create_dir_all(base.join("src/deep")).unwrap();
    fs::create_dir_all(base.join(".hidden/deep")).unwrap();
    symlink("/usr", base.join("out")).unwrap();
    world
}

/// What the gate is told of a line.
fn told(world: &World, line: &str) -> Vec<Subject> {
    let (parsed, around) = (parse(line), world.around());
    let proven = prove(line, &parsed, &around);
    subjects(&parsed, &proven.each, proven.line.is_some(), around.cwd, around.roots)
}

/// The commands that are told to only read, as `ls -l`, in their order.
fn reading(world: &World, line: &str) -> Vec<String> {
    let mut reading = Vec::new();
    for subject in told(world, line) {
        if let Subject::Command { argv, read_only: true, .. } = subject {
            reading.push(argv.join(" "));
        }
    }
    reading
}

#[track_caller]
fn check(rows: &[(&str, &[&str])]) {
    let world = world();
    for (line, expected) in rows {
        assert_eq!(reading(&world, line), *expected, "{line:?}");
    }
}

#[track_caller]
fn none(lines: &[&str]) {
    let world = world();
    for line in lines {
        assert_eq!(reading(&world, line), Vec::<String>::new(), "{line:?}");
    }
}

#[test]
fn what_reads_is_told_beside_what_does_more() {
    check(&[
        ("cd src && cargo test 2>&1 | tail -20", &["cd src", "tail -20"]),
        ("cargo build; ls -la", &["ls -la"]),
        ("ls && touch C", &["ls"]),
        ("cargo test | grep -v ok | head", &["grep -v ok", "head"]),
        ("cat a.txt | tee b", &["cat a.txt"]),
        ("echo start; make; echo end", &["echo start", "echo end"]),
        ("(ls; make) | { wc -l; }", &["ls", "wc -l"]),
        ("if [ -f Makefile ]; then make; else ls; fi", &["[ -f Makefile ]", "ls"]),
        ("test -d src || mkdir src", &["test -d src"]),
        ("timeout 5 ls; make", &["timeout 5 ls", "ls"]),
        ("command -v cargo && cargo test", &["command -v cargo", "cargo"]),
        ("nice -n 5 cargo test; nice ls", &["nice ls", "ls"]),
        ("make 2>/dev/null >&2; cat < f", &["cat"]),
        ("cargo test\ncat log", &["cat log"]),
        ("while read -r l; do make; done < f", &["read -r l"]),
        ("for f in a b; do make; ls; done", &["ls"]),
        ("unknown; ls", &["ls"]),
    ]);
}

#[test]
fn a_line_that_only_reads_tells_it_of_each() {
    check(&[
        ("ls | wc -l", &["ls", "wc -l"]),
        ("git log -3 | head", &["git log -3", "head"]),
        ("find . -name x", &["find . -name x"]),
        ("for f in a b; do wc -l a; done", &["for f in a b", "wc -l a"]),
    ]);
}

/// A word that is not known is enough to ask, also where it could do no harm.
#[test]
fn an_opaque_command_is_not_told() {
    check(&[
        ("ls $x; make; cat a", &["cat a"]),
        ("wc -l *.txt; make", &[]),
        ("make | xargs wc", &["xargs wc"]),
        ("find . -exec wc {} +; make; ls", &["find . -exec wc {} +", "ls"]),
        ("cat ~/x; make", &[]),
    ]);
}

#[test]
fn a_redirection_that_writes_is_no_reading() {
    check(&[
        ("ls > f; cat f", &["cat f"]),
        ("ls 2>> f; cat f", &["cat f"]),
        ("> f ls; cat f", &["cat f"]),
        ("{ ls; cat a; } > f; wc f", &["wc f"]),
        ("(ls | head) &> f; wc f", &["wc f"]),
        ("for x in a; do ls; done >| f; wc f", &["wc f"]),
        ("if ls; then pwd; fi > $x; wc f", &["wc f"]),
        ("cat < /dev/tcp/h/1; ls", &["ls"]),
    ]);
    none(&["> f; ls", "exec > f; ls", "ls > >(sh)", "ls <> f"]);
}

/// SH-05, SH-10, SH-11, SH-15: what makes another thing of a name that comes later, or of all.
#[test]
fn whatever_can_change_what_a_name_means_spoils_the_line() {
    none(&[
        "ls() { rm -rf x; }; ls",
        "function ls { touch C; }; ls",
        "ls; ls() { touch C; }",
        "alias ls='touch C'; ls",
        "shopt -s expand_aliases\nalias ls=rm\nls",
        "PATH=./x ls",
        "PATH=./x; ls",
        "PATH+=:. ls",
        "X=1; ls",
        "a[0]=1 ls",
        "export PATH=.; ls",
        "declare -x PATH=.; ls",
        "typeset PATH=.; ls",
        "readonly X=1; ls",
        "unset PATH; ls",
        "set -e; ls",
        "set -- a; ls",
        "shopt -s autocd; ls",
        "hash -p ./evil ls; ls",
        "enable -f ./evil.so ls; ls",
        "trap 'touch C' EXIT; ls",
        "trap 'touch C' DEBUG; ls",
        "exec 3>f; ls",
        "exec make; ls",
        "eval ls; ls",
        "source ./x; ls",
        ". ./x; ls",
        "builtin cd src; ls",
        "command eval x; ls",
        "command . ./x; ls",
        "\\eval x; ls",
        "'source' ./x; ls",
        "e\"val\" x; ls",
        "printf -v PATH .; ls",
        "read PATH < f; ls",
        "mapfile PATH < f; ls",
        "getopts x PATH; ls",
        "let PATH=1; ls",
        "((PATH=1)); ls",
        "for PATH in .; do ls; done",
        "select x in 1; do ls; done",
        "pushd src; ls",
        "umask 0; ls",
        "ulimit -f 0; ls",
        "wait -p PATH; ls",
        "$x; ls",
        "$x y | ls",
        "l*; ls",
        "~/bin/x; ls",
        "make $(ls)",
        "make `ls`; cat a",
        "ls <(make)",
        "make & ls",
        "ls; make &",
        "ls; time make",
        "ls; coproc make",
        "ls; case a in a) make;; esac",
        "ls; [[ -v x ]] && make",
        "ls; : ${PATH:=.}; make",
        "ls; echo $((x=1)); make",
        "cat <<E\nx\nE\nmake",
        "ls\rmake",
        "ls; make\u{200b}",
        "ls; make 'open",
        "test -v 'a[$(touch C)]'; ls",
    ]);
}

#[test]
fn what_a_wrapper_runs_is_told_only_if_the_wrapper_is_proven() {
    check(&[
        ("sudo ls; ls -l", &["ls -l"]),
        ("env ls; ls -l", &["ls -l"]),
        ("env PATH=. ls; ls -l", &["ls -l"]),
        ("nohup ls; ls -l", &["ls -l"]),
        ("sh -c 'ls'; ls -l", &["ls -l"]),
        ("xargs touch; ls -l", &["ls -l"]),
        ("find . -exec touch {} +; ls -l", &["ls -l"]),
        ("bash <<< 'ls'; ls -l", &["ls -l"]),
        ("bash --version <<< 'touch C'; make", &["bash --version"]),
    ]);
}

#[test]
fn a_program_that_is_not_what_its_name_says_is_not_told() {
    check(&[
        ("./ls; /tmp/ls; src/ls; cat a; make", &["cat a"]),
        ("cd src && ./ls && ls", &["cd src", "ls"]),
    ]);
    let world = world();
    let mut around = world.around();
    let own = world.base.path().join("bin");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("ls"), "").unwrap();
    let path: Vec<PathBuf> = [own.clone()].into_iter().chain(around.path.to_vec()).collect();
    around.path = &path;
    let line = "ls; cat a; make";
    assert_eq!(prove(line, &parse(line), &around).each, [false, true, false]);
}

#[test]
fn a_change_of_folder_is_told_only_inside_the_workspace() {
    check(&[
        ("cd src && make", &["cd src"]),
        ("cd -P ./src/deep/.. && make", &["cd -P ./src/deep/.."]),
        ("cd -- src/deep && make", &["cd -- src/deep"]),
    ]);
    let world = world();
    let here = world.base.path().join("src").display().to_string();
    assert_eq!(reading(&world, &format!("cd {here} && make")), [format!("cd {here}")]);
    for line in [
        "cd; make",
        "cd / && make",
        "cd /usr && make",
        "cd .. && make",
        "cd out && make",
        "cd out/.. && make",
        "cd src/../.. && make",
        "cd missing && make",
        "cd missing/../src && make",
        "cd .hidden && make",
        "cd .hidden/deep && make",
        "cd .git && make",
        "cd - && make",
        "cd ~ && make",
        "cd \"$x\" && make",
        "cd src/$x && make",
        "cd src && make && cd deep && make",
        "cd src; cd out; make",
        "for x in a b; do cd src; make; done",
        "while true; do cd src; make; done",
        "cd src > f; make",
    ] {
        assert!(!reading(&world, line).iter().any(|told| told.starts_with("cd")), "{line:?}");
    }
}

/// GT-01: what comes before may have changed the repository, and with it what git runs.
#[test]
fn git_is_told_only_before_what_may_change_its_repository() {
    check(&[
        ("git status && make", &["git status"]),
        ("git diff --stat; git add x; git commit -m x", &["git diff --stat"]),
        ("make && git status", &[]),
        ("tar xf t && ls && git status", &["ls"]),
        ("echo x > .git/config; git status", &[]),
        ("git status | make", &[]),
        ("make | git status", &[]),
        ("for x in a b; do git status; make; done", &[]),
        ("cd src && git status && make", &["cd src"]),
        ("git status > f; ls", &["ls"]),
        ("timeout 5 git status; ls; make", &["ls"]),
    ]);
    let world = world();
    let config = world.base.path().join(".git/config");
    fs::write(config, "[core]\nfsmonitor = touch CANARY\n").unwrap();
    assert_eq!(reading(&world, "git status; ls; make"), ["ls"]);
    assert_eq!(reading(&world, "git status; ls"), ["ls"]);
}

/// G-06.
#[test]
fn a_line_of_too_many_commands_tells_nothing() {
    let line: String = (0..300).map(|n| format!("echo {n}; ")).collect();
    assert_eq!(reading(&world(), &(line + "make")), Vec::<String>::new());
}

/// Both readers must see the same commands.
#[test]
fn where_the_readers_differ_nothing_is_told() {
    let world = world();
    let parsed = parse("ls; make");
    assert!(prove("ls -l; make", &parsed, &world.around()).each.is_empty());
    assert_eq!(prove("ls; make", &parsed, &world.around()).each, [true, false]);
}

/// One line of each kind by which a line can write after all.
const WRITING: &[&str] = &[
    "ls && touch CANARY",
    "false || touch CANARY",
    "ls | touch CANARY",
    "ls\ntouch CANARY",
    "ls & touch CANARY",
    "echo \"$(touch CANARY)\"",
    "cat <(touch CANARY)",
    "cat <<E\n$(touch CANARY)\nE",
    "a[$(touch CANARY)0]=1",
    "echo $((a[$(touch CANARY)0]))",
    "[[ -v \"a[$(touch CANARY)]\" ]]",
    "printf -v \"a[\\$(touch CANARY)]\" x",
    "ls;t\\ouch CANARY",
    "$'\\x74ouch' CANARY",
    "f() { touch CANARY; }; f",
    "alias x='touch CANARY'",
    "trap 'touch CANARY' EXIT",
    "env touch CANARY",
    "sh -c 'touch CANARY'",
    "timeout 5 touch CANARY",
    "ls | xargs touch",
    "xargs -a f touch",
    "PATH=.:$PATH ls",
    "LD_PRELOAD=./x ls",
    "GIT_EXTERNAL_DIFF=./x git diff",
    "find . -delete",
    "find . -exec touch CANARY \\;",
    "find . -fprintf CANARY x",
    "sort -o CANARY f",
    "sort --compress-program=./x f",
    "uniq f CANARY",
    "tree -o CANARY",
    "date -s x",
    "sed -n 'w CANARY' f",
    "sed -i s/a/b/ f",
    "sed 's/a/b/e' f",
    "awk 'BEGIN{system(\"touch CANARY\")}'",
    "awk '{print > \"CANARY\"}' f",
    "tar xf t",
    "rg --pre ./x y",
    "git -c core.pager=x log",
    "git -C evil status",
    "git diff --output=CANARY",
    "git branch x",
    "git config a b",
    "cd evil && git status",
    "echo x > CANARY",
    "echo x >> CANARY",
    "ls 2> CANARY",
    "> CANARY",
    "exec > CANARY",
    "ls &> CANARY",
    "echo x >&CANARY",
    "echo x | tee CANARY",
    "curl http://h",
    "cat x > /dev/tcp/h/1",
    "python3 -c 1",
    "make",
];

/// A line of which every command is told to read and no file to be written would run unasked under a
/// rule for any of them.
#[test]
fn no_line_that_writes_is_told_to_be_all_reading() {
    let world = world();
    let writes = |subject: &Subject| match subject {
        Subject::Path { access, .. } => *access != PathAccess::Read,
        Subject::Command { argv, opaque, .. } => *opaque && argv[0] == ">",
        Subject::Host(_) | Subject::Repo(_) | Subject::Mcp { .. } | Subject::Tool(_) => true,
    };
    let reads = |subject: &Subject| !matches!(subject, Subject::Command { read_only: false, .. });
    for line in WRITING {
        let told = told(&world, line);
        assert!(told.iter().any(writes) || !told.iter().all(reads), "{line:?}: {told:?}");
        assert!(prove(line, &parse(line), &world.around()).line.is_none(), "{line:?}");
    }
}
