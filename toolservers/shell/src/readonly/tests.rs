//! Goal: what only reads is proven, and nothing else is. [SHELL-04], [GATE-22], SH-01 … SH-15.

use super::*;

/// A folder with a plain repository, and elsewhere a file for every program of the table.
pub(crate) struct World {
    pub(crate) base: tempfile::TempDir,
    _programs: tempfile::TempDir,
    path: Vec<PathBuf>,
    roots: Vec<PathBuf>,
}

impl World {
    pub(crate) fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(base.path().join("src")).unwrap();
        std::fs::create_dir(base.path().join(".git")).unwrap();
        std::fs::write(base.path().join(".git/config"), "[core]\n\tbare = false\n").unwrap();
        let programs = tempfile::tempdir().unwrap();
        for name in PROGRAMS.iter().flat_map(|(names, _)| names.split(' ')).chain(["git"]) {
            std::fs::write(programs.path().join(name), "").unwrap();
        }
        let (path, roots) = (vec![programs.path().to_owned()], vec![base.path().to_owned()]);
        Self { base, _programs: programs, path, roots }
    }

    pub(crate) fn around(&self) -> Surroundings<'_> {
        Surroundings { path: &self.path, roots: &self.roots, cwd: self.base.path() }
    }

    fn prove(&self, line: &str) -> Result<Proof, Doubt> {
        prove(line, &self.around())
    }
}

#[track_caller]
fn reads(lines: &[&str]) {
    let world = World::new();
    for line in lines {
        if let Err(doubt) = world.prove(line) {
            panic!("{line:?}: {doubt}");
        }
    }
}

#[track_caller]
fn doubtful(lines: &[&str]) {
    let world = World::new();
    for line in lines {
        assert!(world.prove(line).is_err(), "{line:?}");
    }
}

/// SH-02.
#[test]
fn ordinary_reading_is_proven() {
    reads(&[
        "ls",
        "ls -la src",
        "cat f.txt | grep -n x | head -5",
        "wc -l *.txt",
        "find . -name '*.rs' -type f",
        "find . -name '*.txt' | xargs wc -l",
        "find . -exec wc -l {} +",
        "grep -rn \"$USER\" src",
        "sed -n 1,5p f.txt",
        "awk '{print $1}' f.txt",
        "sort -k2,2n -u f.txt",
        "uniq -c f.txt",
        "cut -d: -f1 f",
        "diff -u a b",
        "date",
        "date +%F",
        "test -f f.txt && echo yes",
        "[ \"$x\" = y ]",
        "echo $HOME",
        "rg -n x src",
        "rg -l x | sort",
        "jq . f",
        "xxd f",
        "tree -L 2",
        "unzip -l z",
        "node --version",
        "for f in *.txt; do wc -l \"$f\"; done",
        "if [ -f f ]; then cat f; fi",
        "cd src && ls",
        "printf '%s\\n' x",
        "while read -r l; do echo \"$l\"; done < f.txt",
        "cat f 2>/dev/null",
        "ls nosuch 2>&1",
        "tar tzf x.tgz",
        "timeout 5 cat f",
        "command -v ls",
        "env | grep PATH",
        "head -n5 f",
        "true",
        "/bin/ls",
        "ls -la && [[ -f f ]] && echo yes",
        "[[ ! -d $x ]] || ls",
        "[[ $x == a* ]]",
        "[[ \"$a\" =~ ^b ]]",
        "echo '1 + 2' | bc",
        "date -Iseconds",
        "base64 -w0 f",
        "strings -n 8 a.out | head",
        "zcat f.gz | wc -l",
        "less f",
        "fd -e rs -t f",
        "jq -r --arg a b '.x[] | select(.y == $a)' f",
        "sed -n '/a/{p;q}' f",
        "awk '$3 > 5 {print $1}' f",
        "timeout -k 1 -s KILL 5 cat f",
        "timeout --preserve-status 1m grep -r x .",
        "printf '%s ' a b; pwd",
        "pgrep -fl x",
        "iconv -f latin1 -t utf8 f",
        "shuf -n 1 f",
        "python3 --version",
        "cargo -V && node -v",
        "xargs",
    ]);
}

/// SH-02.
#[test]
fn git_that_reads_is_proven() {
    reads(&[
        "git status",
        "git status -sb",
        "git log --oneline -5",
        "git log -n 3 --format=%h -- src",
        "git diff HEAD~1",
        "git diff --stat",
        "git show HEAD:f",
        "git branch -a",
        "git branch --show-current",
        "git tag",
        "git tag -l 'v*'",
        "git remote -v",
        "git stash list",
        "git rev-parse HEAD",
        "git grep -n content",
        "git blame -L 1,5 f",
        "git config --get user.name",
        "git --no-pager log",
        "git ls-files | head",
        "git shortlog -sn",
        "cd src && git status && git log -3",
        "(cd src; git diff)",
        "git -C src status",
        "git --no-pager -C src log -1",
        "git status -uno",
        "git diff -M90% -C HEAD",
        "git branch --abbrev=7 -v",
        "git branch --list 'x*'",
        "git tag -n3 -l",
        "git config user.name",
        "git reflog -5",
        "git notes show HEAD",
        "git log --grep=signature",
        "git log --format='%h %an %gd'",
        "git log -S 'x' --ancestry-path a..b",
        "git whatchanged -1",
    ]);
}

/// SH-07, SH-08, SH-10.
#[test]
fn options_and_operands_that_write_or_run_are_not() {
    doubtful(&[
        "sort -o C f",
        "sort -oC f",
        "sort --outp=C f",
        "sort --output C f",
        "sort --compress-program=./e f",
        "uniq f C",
        "xxd f C",
        "xxd -ps f C",
        "xxd -r f",
        "rg --pre ./e x",
        "rg -z x",
        "tree -o C",
        "tree -aLo 2 C",
        "date -s x",
        "date 010100002030",
        "hostname x",
        "tar xf t",
        "tar tf h:x",
        "tar -I e -tf x",
        "unzip z",
        "find . -delete",
        "find . -exec touch {} +",
        "find . -fprint C",
        "find . -ok ls ;",
        "file -C",
        "diff -l a b",
        "find . -exec wc \"$x\" -delete \\;",
        "xargs touch",
        "xargs -n $x wc",
        "xargs -I{} {} x",
        "xargs sh -c x",
        "printf -v x y",
        "printf '%n' PATH",
        "test -v 'a[$(x)]'",
        "[ -v x ]",
        "[ \"$a\" \"$b\" ]",
        "[ $x ]",
        "read PATH",
        "read \"$x\"",
        "cd a b",
        "env X=1 ls",
        "env ls",
        "tee f",
        "touch f",
        "unknown-program",
        "sort $x",
        "sort *",
        "sort \"$x\"",
        "git $x",
        "timeout -s KILL 5 touch f",
        "timeout 5 touch f",
        "nice touch f",
        "nice -n $x ls",
        "node -e 1",
        "bash -c ls",
        "command cd x",
        "./ls",
        "src/ls",
        "/tmp/ls",
        "$x",
        "python3 -c 1",
    ]);
}

/// SH-07, SH-08, SH-10.
#[test]
fn options_of_further_programs_are_not() {
    doubtful(&[
        "python3 --version x",
        "node -v -e 1",
        "less '+!touch C' f",
        "less +F f",
        "less -o C f",
        "less \"$x\"",
        "strings @f",
        "zcat -S x f",
        "fd -x touch",
        "fd -X touch",
        "fd x --exec touch",
        "fd -l",
        "shuf -o C f",
        "iconv -o C f",
        "base64 -o C f",
        "pgrep --signal KILL x",
        "jq -i . f",
        "getconf -v ./x y",
        "arch ls",
        "mount x y",
        "objdump --plugin ./e f",
        "nm --plugin ./e f",
        "[[ -v 'a[0]' ]]",
        "[[ a -eq b ]]",
        "[[ x ]]",
        "[[ -f x && -f y ]]",
        "[[ a < b ]]",
        "[[ -f x ]] y",
        "'[[' -f x ]]",
        "\\[[ -f x ]]",
        "timeout 5 [[ -f x ]]",
        "sed 's/a/b/;w C' f",
        "sed -n '/a/{w C\n}' f",
        "sed -e 'a\\' -e 'w C' f",
        "awk '$3 > 5 {print > \"f\"}' f",
        "awk '{print \"}\" > \"f\"}' f",
        "awk -W exec=f",
        "awk -i inplace 1 f",
        "cat ~+/f",
    ]);
}

/// GT-01, GT-02.
#[test]
fn git_that_writes_or_runs_is_not() {
    doubtful(&[
        "git -c core.pager=x log",
        "git -C evil status",
        "git --git-dir=x log",
        "git --exec-path=. log",
        "git diff --output=C",
        "git diff --ext-diff",
        "git log --textconv",
        "git grep -Ox y",
        "git grep -nOx y",
        "git branch x",
        "git branch -l x",
        "git branch -d x",
        "git tag v1",
        "git tag -l v1 -d v2",
        "git stash",
        "git stash pop",
        "git remote add a b",
        "git remote update",
        "git config a b",
        "git config --get a --unset b",
        "git reflog expire --all",
        "git worktree add x",
        "git symbolic-ref HEAD x",
        "git log --format=%G?",
        "git show --show-signature",
        "git fetch",
        "git commit",
        "git checkout x",
        "cd evil && git status",
        "git ls-remote x",
        "git shortlog -n --output=C",
        "timeout 5 git status",
        "git cat-file --textconv x",
    ]);
}

/// GT-01, GT-02 A word is a value only where git takes it for one; otherwise it makes a branch or a tag.
#[test]
fn git_that_takes_a_word_otherwise_is_not() {
    doubtful(&[
        "git branch --abbrev C",
        "git branch --color C",
        "git branch --column C",
        "git branch -v C",
        "git branch -vC x",
        "git tag -n C",
        "git tag -n 3",
        "git tag --color C",
        "git config edit",
        "git config --local edit",
        "git config a.b c",
        "git config --add a.b c",
        "git config get a",
        "git reflog delete x",
        "git notes add -m x",
        "git notes list --ref x",
        "git ls-files --help",
        "git rev-parse $x",
        "git rev-parse \"$x\"",
        "git log --format=%+G?",
        "git log '--format=%h %-GG'",
        "git log --format='% GK'",
        "git for-each-ref --format='%(*signature)'",
        "git for-each-ref --sort=signature",
        "git for-each-ref --sort -signature:grade",
        "git branch --sort signature",
        "git -C src -C x status",
        "git -C \"$x\" status",
        "git -C nosuch status",
        "cd src && git -C .. status",
        "cd src; cd x; git status",
        "cd nosuch && git status",
        "cd - && git status",
        "cd && git status",
        "cd ~ && git status",
        "for i in 1 2; do cd src; git status; done",
        "git log --output=C",
        "git diff --outp=C",
        "git status -x",
    ]);
}

#[test]
fn a_repository_that_runs_something_is_doubtful() {
    let world = World::new();
    let config = world.base.path().join(".git/config");
    std::fs::write(config, "[core]\nfsmonitor = touch CANARY\n").unwrap();
    assert!(world.prove("git status").is_err());
    assert!(world.prove("ls").is_ok());
}

/// SH-14 A folder to which a line goes is looked at as the one in which it starts.
#[test]
fn a_repository_to_which_a_line_goes_is_looked_at() {
    let world = World::new();
    let evil = world.base.path().join("evil/.git");
    std::fs::create_dir_all(&evil).unwrap();
    std::fs::write(evil.join("config"), "[core]\nfsmonitor = touch CANARY\n").unwrap();
    std::fs::create_dir_all(world.base.path().join("plain/deep")).unwrap();
    std::os::unix::fs::symlink("../evil", world.base.path().join("plain/away")).unwrap();
    std::os::unix::fs::symlink("../plain/deep", world.base.path().join("evil/back")).unwrap();
    for folder in ["plain", "plain/deep", "./plain/", "plain/deep/..", "."] {
        for line in
            ["cd DIR && git status", "cd DIR; git log", "git -C DIR diff", "(cd DIR && git show)"]
        {
            let line = line.replace("DIR", folder);
            assert!(world.prove(&line).is_ok(), "{line}: {:?}", world.prove(&line));
        }
    }
    for folder in ["evil", "plain/../evil", "plain/away", "plain/away/.", "evil/back/.."] {
        for line in ["cd DIR && git status", "git -C DIR status", "cd DIR && ls; git status"] {
            let line = line.replace("DIR", folder);
            assert!(world.prove(&line).is_err(), "{line}");
        }
    }
    assert!(world.prove("cd evil && ls").is_ok());
}

/// `cargo --version` of rustup runs the program that `rust-toolchain.toml` points to.
#[test]
fn a_version_that_the_folder_asks_for_is_doubtful() {
    let world = World::new();
    assert!(world.prove("cargo --version; python3 -V").is_ok());
    assert!(world.prove("cd src && cargo --version").is_ok());
    std::fs::write(world.base.path().join("src/rust-toolchain.toml"), "").unwrap();
    assert!(world.prove("cargo --version").is_ok());
    assert!(world.prove("cd src && cargo --version").is_err());
    assert!(world.prove("timeout 5 cargo --version").is_err());
    std::fs::write(world.base.path().join(".python-version"), "../../evil").unwrap();
    assert!(world.prove("python3 --version").is_err());
}

/// SH-15 A program that is run by the one that is named, and one of the workspace's that has the name of a
/// command of the shell.
#[test]
fn a_helper_in_the_workspace_proves_nothing() {
    let mut world = World::new();
    let folder = world.base.path().join("bin");
    std::fs::create_dir(&folder).unwrap();
    for name in ["grep", "gzip", "echo"] {
        std::fs::write(folder.join(name), "").unwrap();
    }
    world.path.insert(0, folder);
    for line in [
        "egrep x f",
        "grep x f",
        "tar tzf x.tgz",
        "timeout 5 echo",
        "xargs",
        "command echo x",
        "zcat f",
    ] {
        assert!(world.prove(line).is_err(), "{line}");
    }
    for line in ["echo x", "cat f", "timeout 5 cat f"] {
        assert!(world.prove(line).is_ok(), "{line}");
    }
}

/// SH-15.
#[test]
fn a_program_of_the_workspace_proves_nothing() {
    let mut world = World::new();
    let folder = world.base.path().join("bin");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("ls"), "#!/bin/sh\ntouch CANARY\n").unwrap();
    world.path.insert(0, folder);
    assert!(world.prove("ls").is_err());
    assert!(world.prove("cat f").is_ok());
}

#[test]
fn only_cd_moves() {
    let world = World::new();
    assert!(world.prove("cd . && ls").unwrap().moves);
    assert!(!world.prove("ls").unwrap().moves);
}
