//! The files of a project that could run or steer something, as they are now.
//!
//! Invariant: nothing outside the project is read for it, also not through links.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use tollgate_core::digest::Digest;

use crate::{
    PolicyError, hooks,
    limits::{HOOK_PROGRAMS_MAX, PROJECT_DEPTH_MAX, PROJECT_FILES_MAX},
    read,
};

/// The project's MCP servers.
pub(crate) const MCP: &str = ".mcp.json";
/// The project's hooks.
pub(crate) const HOOKS: &str = ".tollgate/hooks.toml";
const SKILLS: &str = ".tollgate/skills";
const FIXED: &[(&str, &str)] = &[
    (MCP, "MCP servers: programs that Tollgate would start"),
    (HOOKS, "hooks: programs that run by themselves"),
    (".tollgate/law.toml", "law: it only tightens, and holds in any case"),
    (".tollgate/config.toml", "configuration: it only tightens"),
];

/// A file that trust covers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProjectFile {
    /// Within the workspace.
    pub path: PathBuf,
    /// What it could do, for people.
    pub what: &'static str,
    /// How it is, compared with what the user last saw.
    pub state: State,
    /// Of its content; `None`: it is not there any more.
    pub sha256: Option<Digest>,
}

/// How a file is, compared with what the user last saw.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum State {
    /// The user has not seen it.
    New,
    /// It is another than the user saw.
    Changed,
    /// It is what the user saw.
    Same,
    /// The user saw it, and it is gone.
    Removed,
}

/// All files that trust covers, by path. `root`: without links. `seen`: what the user last saw.
///
/// # Errors
/// One of them cannot be read, leaves the project, or there are too many.
pub(super) fn review(
    root: &Path,
    seen: &BTreeMap<PathBuf, Digest>,
) -> Result<Vec<ProjectFile>, PolicyError> {
    let mut found: BTreeMap<PathBuf, (&'static str, Digest)> = BTreeMap::new();
    for (name, what) in FIXED {
        if let Some(bytes) = take(root, Path::new(name))? {
            found.insert(PathBuf::from(name), (what, Digest::of(&bytes)));
            if *name == HOOKS {
                for program in programs(root, &bytes)? {
                    if let Some(bytes) = take(root, &program)? {
                        found.insert(program, ("a program that a hook runs", Digest::of(&bytes)));
                    }
                }
            }
        }
    }
    skills(root, Path::new(SKILLS), 0, &mut found)?;
    let removed = seen.keys().filter(|path| !found.contains_key(*path));
    let mut files: Vec<ProjectFile> = removed
        .map(|path| ProjectFile {
            path: path.clone(),
            what: "was there when you trusted the project",
            state: State::Removed,
            sha256: None,
        })
        .collect();
    files.extend(found.into_iter().map(|(path, (what, digest))| {
        let state = match seen.get(&path) {
            None => State::New,
            Some(old) if *old == digest => State::Same,
            Some(_) => State::Changed,
        };
        ProjectFile { path, what, state, sha256: Some(digest) }
    }));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Programs in the project that its hooks name, within the project.
///
/// # Errors
/// The hooks are broken: they could not count either.
pub(crate) fn programs(root: &Path, hooks: &[u8]) -> Result<Vec<PathBuf>, PolicyError> {
    let path = root.join(HOOKS);
    let text = str::from_utf8(hooks)
        .map_err(|_| PolicyError::of_file(&path, "is not UTF-8; save it as UTF-8"))?;
    let file = hooks::parse(&path, text, None)?;
    let mut programs: Vec<PathBuf> = Vec::new();
    for program in file.hooks.iter().flat_map(|hook| hook.programs(root)) {
        let inside = crate::place::resolved(&program).strip_prefix(root).ok().map(Path::to_owned);
        programs.extend(inside.filter(|inside| !programs.contains(inside)));
    }
    if programs.len() > HOOK_PROGRAMS_MAX {
        let what = format!("names more than {HOOK_PROGRAMS_MAX} programs of the project");
        return Err(PolicyError::of_file(path, what));
    }
    Ok(programs)
}

/// All files below a folder, by name.
fn skills(
    root: &Path,
    folder: &Path,
    depth: usize,
    found: &mut BTreeMap<PathBuf, (&'static str, Digest)>,
) -> Result<(), PolicyError> {
    let fault = |path: &Path, what: String| PolicyError::of_file(root.join(path), what);
    let entries = match fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(fault(folder, format!("cannot be read: {error}"))),
    };
    if depth > PROJECT_DEPTH_MAX {
        return Err(fault(folder, format!("is deeper than {PROJECT_DEPTH_MAX} folders")));
    }
    for entry in entries {
        let entry = entry.map_err(|error| fault(folder, format!("cannot be read: {error}")))?;
        let path = folder.join(entry.file_name());
        let kind =
            entry.file_type().map_err(|error| fault(&path, format!("cannot be read: {error}")))?;
        if kind.is_dir() {
            skills(root, &path, depth + 1, found)?;
        } else if let Some(bytes) = take(root, &path)? {
            found.insert(path, ("a skill: text that steers the model", Digest::of(&bytes)));
        }
        if found.len() > PROJECT_FILES_MAX {
            return Err(fault(folder, format!("holds more than {PROJECT_FILES_MAX} files")));
        }
    }
    Ok(())
}

/// A file of the project; `None`: there is none.
fn take(root: &Path, name: &Path) -> Result<Option<Vec<u8>>, PolicyError> {
    let path = root.join(name);
    let whole = crate::place::resolved(&path);
    if !whole.starts_with(root) {
        return Err(PolicyError::of_file(path, "is a link that leaves the project"));
    }
    read::take(&path, |_| Ok(())).map_err(|what| PolicyError::of_file(path, what))
}
