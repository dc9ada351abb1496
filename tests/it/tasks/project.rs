//! The project in which the tasks are done: laid out and committed once, and copied for each task.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use tollgate_tests::{World, workspace_root};

/// Two commits, a branch beside them, and nothing that is not committed.
const HISTORY: &str = "
    mv gitignore .gitignore
    git init -q -b main
    git config user.name Ada
    git config user.email ada@example.invalid
    git add -A
    git commit -qm 'Begin'
    git switch -qc side
    echo side >side.txt
    git add side.txt
    git commit -qm 'A file on the side'
    git switch -q main
    sed -i '1i \"\"\"Sums and differences.\"\"\"\\n\\n' calc.py
    git commit -qam 'Say what calc is for'
";

/// A trusted project, at the same path for every task.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) world: World,
}

impl Project {
    /// A home that trusts the project and knows the servers.
    pub(super) fn new() -> Self {
        let world = World::new();
        let template = world.beside("template");
        copy(&workspace_root().join("tests/it/tasks/project"), &template);
        sh(&world, &template, &format!("set -e{HISTORY}"));
        let project = Self { world };
        project.renew(&BTreeMap::new());
        project.world.tollgate(["trust", "--yes"]).run().success();
        project.world.warm();
        project
    }

    /// The project as it was committed, and `files` beside it.
    pub(super) fn renew(&self, files: &BTreeMap<String, String>) {
        fs::remove_dir_all(self.world.workspace()).unwrap();
        copy(&self.world.beside("template"), &self.world.workspace());
        for (path, content) in files {
            self.world.write(path, content);
        }
    }

    /// A line for `sh` succeeds in the project.
    #[track_caller]
    pub(super) fn check(&self, line: &str) {
        sh(&self.world, &self.world.workspace(), line);
    }
}

/// Runs a line with no settings of whoever runs the tests.
#[track_caller]
fn sh(world: &World, folder: &Path, line: &str) {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("HOME", world.folder());
    let out = command.output().unwrap();
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(done.success(), "{} is copied to {}", from.display(), to.display());
}
