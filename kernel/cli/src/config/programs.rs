//! Finds the program of a local server (`[CLI-09]`): beside this executable, in `libexec`, by `PATH`.
//!
//! | in `command` | looked for |
//! |---|---|
//! | a path | there; a relative one begins where the configuration file is |
//! | a bare name | beside `tollgate`, then in `../libexec/tollgate`, then in `PATH` |
//!
//! The built-in servers are not looked for in `PATH`: they belong to this `tollgate`.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// Where programs are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    /// Beside the executable, and its `libexec`.
    pub(crate) own: Vec<PathBuf>,
    /// The folders of `PATH`.
    pub(crate) path: Vec<PathBuf>,
}

/// A program that is nowhere.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct NotFound {
    /// The places of its own where it was looked for.
    pub(crate) looked: Vec<PathBuf>,
    /// It was looked for in `PATH` too.
    pub(crate) in_path: bool,
}

impl Programs {
    /// Of this process.
    pub(crate) fn of_process(executable: &Path) -> Self {
        let beside = executable.parent().unwrap_or(Path::new("/"));
        let above = beside.parent().unwrap_or(Path::new("/"));
        let own = vec![beside.to_owned(), above.join("libexec").join("tollgate")];
        let path = env::var_os("PATH").map(|path| env::split_paths(&path).collect());
        Self { own, path: path.unwrap_or_default() }
    }

    /// The program, absolute.
    ///
    /// # Errors
    /// It is in none of the places.
    pub(crate) fn find(&self, program: &str, is_built_in: bool) -> Result<PathBuf, NotFound> {
        let is_bare = !program.contains('/');
        let in_path = is_bare && !is_built_in;
        let looked = if is_bare {
            self.own.iter().map(|folder| folder.join(program)).collect()
        } else {
            vec![PathBuf::from(program)]
        };
        let folders = self.path.iter().filter(|folder| in_path && folder.is_absolute());
        let others = folders.map(|folder| folder.join(program));
        let found = looked.iter().cloned().chain(others).find(|place| is_program(place));
        found.ok_or(NotFound { looked, in_path })
    }
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let looked: Vec<_> = self.looked.iter().map(|place| place.display().to_string()).collect();
        f.write_str(&looked.join(", "))?;
        f.write_str(if self.in_path { " and in PATH" } else { "" })
    }
}
