//! Goal: a hook that cannot run is known before it runs, and a repository cannot put one in. HK-01
//! B109 CFG-07

use std::{fs, os::unix::fs::PermissionsExt};

use super::*;

/// A workspace with some files, and a folder of the user's for programs.
struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ground = Self { folder };
        fs::create_dir_all(ground.at("ws/bin")).unwrap();
        fs::create_dir_all(ground.at("bin")).unwrap();
        ground
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn file(&self, path: &str, content: impl AsRef<[u8]>, mode: u32) -> String {
        let path = self.at(path);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path.display().to_string()
    }

    fn search(&self) -> Vec<PathBuf> {
        let path = env::join_paths([
            PathBuf::from("."),
            PathBuf::new(),
            self.at("ws/bin"),
            self.at("link"),
            self.at("bin"),
            "/usr/bin".into(),
            "/bin".into(),
        ]);
        search_path(&path.unwrap(), &[self.at("ws")])
    }

    fn find(&self, words: &[&str]) -> Result<Program, String> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        find(&HookCommand::Argv(words), &self.at("ws"), &self.search())
    }

    #[track_caller]
    fn fails(&self, words: &[&str], part: &str) {
        let why = self.find(words).unwrap_err();
        assert!(why.contains(part), "{words:?}: {why:?} lacks {part:?}");
    }
}

/// CFG-07
#[test]
fn a_bare_name_is_never_found_in_the_workspace() {
    let ground = Ground::new();
    std::os::unix::fs::symlink(ground.at("ws/bin"), ground.at("link")).unwrap();
    ground.file("ws/guard", "#!/bin/sh\n", 0o755);
    ground.file("ws/bin/guard", "#!/bin/sh\n", 0o755);
    assert_eq!(ground.search(), [ground.at("bin"), "/usr/bin".into(), "/bin".into()]);
    ground.fails(&["guard"], "no program 'guard' in PATH");
    let users = ground.file("bin/guard", "#!/bin/sh\n", 0o755);
    assert_eq!(ground.find(&["guard", "x"]).unwrap().path, PathBuf::from(users));
}

/// CFG-07: an empty `PATH` would be the working directory.
#[test]
fn the_path_is_never_empty() {
    let system = SYSTEM_PATH.map(PathBuf::from);
    for path in ["", ".", "bin:.", "/w/bin:/w"] {
        assert_eq!(search_path(OsStr::new(path), &["/w".into()]), system, "{path}");
    }
}

/// HK-01
#[test]
fn what_cannot_be_started_is_told_before() {
    let ground = Ground::new();
    ground.fails(&["/no/such/bin"], "/no/such/bin: No such file");
    ground.fails(&["no-such-program"], "no program 'no-such-program'");
    ground.fails(&[], "empty command");
    ground.fails(&["/usr"], "not a file");
    let plain = ground.file("ws/plain.sh", "#!/bin/sh\n", 0o644);
    ground.fails(&[&plain], "not executable");
    let nothing = ground.file("ws/nothing", "exit 0\n", 0o755);
    ground.fails(&[&nothing], "exec format error");
    ground.fails(&[&ground.file("ws/empty", "", 0o755)], "exec format error");
    let mut other = fs::read("/proc/self/exe").unwrap();
    other.truncate(4096);
    other[18] ^= 0x55;
    ground.fails(&[&ground.file("ws/other", &other, 0o755)], "another kind of machine");
}

/// B109
#[test]
fn an_interpreters_script_must_be_there() {
    let ground = Ground::new();
    ground.file("ws/here.py", "", 0o644);
    for interpreter in ["sh", "perl"] {
        ground.fails(&[interpreter, "/no/such/hook"], "cannot read /no/such/hook");
        ground.fails(&[interpreter, "-x", "no.such", "here.py"], "cannot read");
        ground.find(&[interpreter, "here.py"]).unwrap();
        ground.find(&[interpreter, "--", "here.py"]).unwrap();
        ground.find(&[interpreter, "-e", "no script but code"]).unwrap();
        ground.find(&[interpreter]).unwrap();
    }
    ground.find(&["sh", "-c", "exit 2"]).unwrap();
    ground.find(&["sh", "-ec", "exit 2"]).unwrap();
    // Not an interpreter: its words are its own.
    ground.find(&["cat", "/no/such/hook.py"]).unwrap();
}

#[test]
fn a_line_for_the_shell_is_looked_at_where_it_is_plain() {
    let ground = Ground::new();
    let find =
        |line: &str| find(&HookCommand::Shell(line.to_owned()), &ground.at("ws"), &ground.search());
    assert!(find("python3 /no/such/hook.py").unwrap_err().contains("/no/such/hook.py"));
    assert!(find("sh no-such.sh arg").unwrap_err().contains("no-such.sh"));
    for line in ["exit 2", "python3 -c pass", "python3 \"$HOME/x.py\"", "jq -e .x || exit 2"] {
        let program = find(line).unwrap();
        assert_eq!(program.path, PathBuf::from(SHELL));
        assert_eq!(program.args, [OsString::from("-c"), line.into()]);
    }
}
