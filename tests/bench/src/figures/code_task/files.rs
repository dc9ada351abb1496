//! The files of the task: 200 of this repository's own sources, and the report that is right of them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};

/// Files of the task.
const FILES: usize = 200;
/// Bytes and lines of a file that one `read` shows whole, with room.
const FILE_BYTES_MAX: usize = 40 * 1024;
const FILE_LINES_MAX: usize = 1_000;
/// Files that the report names as the longest.
const LONGEST: usize = 10;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Paths below the workspace, sorted, with their texts.
#[derive(Debug)]
pub(super) struct Files(Vec<(String, String)>);

impl Files {
    /// As many as wanted of the kernel's sources, spread over them.
    ///
    /// # Errors
    /// They cannot be read, or are too few.
    pub(super) fn collect() -> anyhow::Result<Self> {
        let root = Path::new(REPOSITORY).join("kernel");
        let mut all = Vec::new();
        gather(&root, &mut all)?;
        all.sort();
        let mut files = Vec::new();
        for path in &all {
            let text = fs::read_to_string(path)?;
            if text.len() > FILE_BYTES_MAX || text.lines().count() > FILE_LINES_MAX {
                continue;
            }
            let below = path.strip_prefix(&root)?.to_str().context("a path is no text")?;
            files.push((format!("src/{below}"), text));
        }
        ensure!(files.len() >= FILES, "{} has only {} files", root.display(), files.len());
        let (kept, all) = (FILES, files.len());
        let is_kept = |number: usize| number * kept / all != (number + 1) * kept / all;
        let files = files.into_iter().enumerate().filter(|(number, _)| is_kept(*number));
        let mut files: Vec<_> = files.map(|(_, file)| file).collect();
        // By the path as a program sorts it, not by its parts.
        files.sort();
        Ok(Self(files))
    }

    /// Writes them below `workspace`.
    ///
    /// # Errors
    /// The disk.
    pub(super) fn copy_to(&self, workspace: &Path) -> anyhow::Result<()> {
        for (path, text) in &self.0 {
            let path = workspace.join(path);
            fs::create_dir_all(path.parent().context("a file has a folder")?)?;
            fs::write(path, text)?;
        }
        Ok(())
    }

    /// Their paths in the workspace.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(path, _)| path.as_str())
    }

    /// What the task asks for.
    pub(super) fn report(&self) -> String {
        let mut lines: Vec<(&str, usize)> =
            self.0.iter().map(|(path, text)| (path.as_str(), text.lines().count())).collect();
        let sum: usize = lines.iter().map(|(_, lines)| lines).sum();
        let functions =
            self.0.iter().flat_map(|(_, text)| text.lines()).filter(|it| it.contains("pub fn "));
        let head = format!("# {FILES} files, {sum} lines, {} `pub fn`", functions.count());
        lines.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let longest = lines.iter().take(LONGEST).map(|(path, lines)| format!("- {path}: {lines}"));
        let syncing = self.0.iter().filter(|(_, text)| text.contains("tokio::sync"));
        let syncing = syncing.map(|(path, _)| format!("- {path}"));
        let mut report = vec![head, String::new(), "## Longest".to_owned()];
        report.extend(longest);
        report.extend([String::new(), "## With tokio::sync".to_owned()]);
        report.extend(syncing);
        report.push(String::new());
        report.join("\n")
    }
}

/// All Rust files below a folder.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
