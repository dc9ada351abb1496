//! The throw-away repository in which the lines of `tests/data/shell_gold.jsonl` were run, made again.
//!
//! Not here: what is asked of it (`gold`, `ran`).

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::{
    parse::parse,
    proof::{Proven, prove},
    readonly::Surroundings,
    readonly_table::PROGRAMS,
};

/// The script that makes it.
const SETUP: &str = include_str!("../../../../tests/data/shell_gold_setup.sh");

/// The repository, and elsewhere a file for each program of the table.
pub(crate) struct Ground {
    pub(crate) base: TempDir,
    programs: TempDir,
    path: Vec<PathBuf>,
    roots: Vec<PathBuf>,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        fill(base.path());
        let programs = tempfile::tempdir().unwrap();
        for name in PROGRAMS.iter().flat_map(|(names, _)| names.split(' ')).chain(["git"]) {
            fs::write(programs.path().join(name), "").unwrap();
        }
        let path = vec![programs.path().to_owned()];
        let roots = vec![base.path().canonicalize().unwrap()];
        Self { base, programs, path, roots }
    }

    /// With the programs of this machine in place of the files.
    pub(crate) fn with_real_programs() -> Self {
        let system = ["/usr/local/bin", "/usr/bin", "/bin"];
        Self { path: system.iter().map(PathBuf::from).collect(), ..Self::new() }
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.roots[0]
    }

    pub(crate) fn around(&self) -> Surroundings<'_> {
        debug_assert!(self.programs.path().is_dir(), "they last as long as this");
        Surroundings { path: &self.path, roots: &self.roots, cwd: self.cwd() }
    }

    pub(crate) fn prove(&self, line: &str) -> Proven {
        prove(line, &parse(line), &self.around())
    }

    /// Whether the gate would let it run without a question.
    pub(crate) fn reads(&self, line: &str) -> bool {
        self.prove(line).line.is_some()
    }
}

/// Makes the files and the history.
fn fill(base: &Path) {
    let status = in_place(base, "bash").args(["-c", SETUP]).status().unwrap();
    assert!(status.success(), "the repository is made");
}

/// A program that runs there, with an environment of its own.
pub(crate) fn in_place(base: &Path, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(base).env_clear();
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", base);
    command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LANG", "C.UTF-8"), ("TERM", "dumb")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
