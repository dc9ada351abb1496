//! Whether the git repository of a folder is plain: reading it runs nothing.
//!
//! Git runs programs that a repository's own configuration names: monitors, external diffs, text
//! converters, filters, signature checkers, transports; and it reads the repositories of submodules
//! with *their* configuration. A repository is plain if its configuration holds only keys that are
//! listed here, it has no hook for index changes, and no submodules. The person's own configuration
//! is trusted. The environment of a reading call takes away what it can besides (`env`).

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{limits::GIT_CONFIG_BYTES_MAX, words::Doubt};

#[cfg(test)]
mod tests;

/// Sections and keys that start nothing, as `section.key`, `section.*.key` with a subsection, or
/// whole sections (`section.`).
const PLAIN_KEYS: &[&str] = &[
    "advice.",
    "branch.",
    "color.",
    "gc.",
    "init.",
    "pack.",
    "pull.",
    "push.",
    "user.",
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.precomposeunicode",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.symlinks",
    "extensions.objectformat",
    "extensions.refstorage",
    "extensions.worktreeconfig",
    "fetch.prune",
    "merge.conflictstyle",
    "merge.ff",
    "rebase.autosquash",
    "rebase.autostash",
    "remote.*.fetch",
    "remote.*.prune",
    "remote.*.pushurl",
    "remote.*.tagopt",
    "remote.*.url",
    "remote.pushdefault",
    "rerere.enabled",
    "status.showuntrackedfiles",
];

/// Files by which a folder asks for another version of a tool, or for one of its own, wherever below it the
/// tool is run.
const VERSION_FILES: &[&str] = &[
    ".python-version",
    ".node-version",
    ".nvmrc",
    ".tool-versions",
    ".mise",
    ".mise.toml",
    ".mise.local.toml",
    ".config/mise",
    ".config/mise.toml",
    ".prototools",
    ".rtx.toml",
    "mise",
    "mise.toml",
    "mise.local.toml",
    "package.json",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// Checks that neither a folder nor one above it names the version of a tool: `cargo --version` of rustup
/// runs what `rust-toolchain.toml` points to, which may be a file of the workspace.
///
/// # Errors
/// One does.
pub(crate) fn check_no_versions(cwd: &Path) -> Result<(), Doubt> {
    let cwd = cwd.canonicalize().map_err(|_| "the working directory does not exist")?;
    let names = |folder: &Path| {
        VERSION_FILES.iter().any(|name| folder.join(name).symlink_metadata().is_ok())
    };
    if cwd.ancestors().any(names) {
        Err("the folder asks for a version of its own")
    } else {
        Ok(())
    }
}

/// Bytes of an index that is looked through for submodules.
const INDEX_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The mode of a submodule in an index: octal 160000, four bytes, highest first.
const SUBMODULE_MODE: &[u8] = &[0, 0, 0xe0, 0];

/// Checks the repository that git would find from `cwd`; none at all is plain. All folders above are
/// looked at, since git passes over a `.git` that it finds broken.
///
/// # Errors
/// Reading it could run something, or it cannot be told.
pub(crate) fn check_plain(cwd: &Path) -> Result<(), Doubt> {
    let cwd = cwd.canonicalize().map_err(|_| "the working directory does not exist")?;
    for folder in cwd.ancestors() {
        let marker = folder.join(".git");
        if marker.symlink_metadata().is_ok() {
            check_repository(&git_folder(&marker)?)?;
        }
        if folder.join("HEAD").exists() && folder.join("objects").exists() {
            return Err("the folder is a bare repository");
        }
    }
    Ok(())
}

/// The folder itself, or the one that a worktree's `.git` file names.
fn git_folder(marker: &Path) -> Result<PathBuf, Doubt> {
    if marker.is_dir() {
        return Ok(marker.to_owned());
    }
    let text = read(marker)?;
    let target = text.strip_prefix("gitdir: ").ok_or("a .git file cannot be read")?.trim_end();
    Ok(marker.parent().unwrap_or(marker).join(target))
}

fn check_repository(folder: &Path) -> Result<(), Doubt> {
    let common = match fs::read_to_string(folder.join("commondir")) {
        Ok(text) => folder.join(text.trim_end()),
        Err(_) => folder.to_owned(),
    };
    check_config(&read(&common.join("config"))?)?;
    let of_worktree = folder.join("config.worktree");
    if of_worktree.exists() {
        check_config(&read(&of_worktree)?)?;
    }
    if common.join("hooks/post-index-change").exists() {
        return Err("the repository has a hook for index changes");
    }
    if common.join("modules").exists() || has_submodules(&folder.join("index"))? {
        return Err("the repository has submodules");
    }
    Ok(())
}

/// Looks for a submodule's mode anywhere in the index. A false alarm costs a question.
fn has_submodules(index: &Path) -> Result<bool, Doubt> {
    let Ok(metadata) = index.metadata() else { return Ok(false) };
    if metadata.len() > INDEX_BYTES_MAX {
        return Err("the repository's index is too large to look at");
    }
    let bytes = fs::read(index).map_err(|_| "the repository's index cannot be read")?;
    // "link": the entries are in another file.
    let holds = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    Ok(holds(SUBMODULE_MODE) || holds(b"link\0\0\0"))
}

fn read(path: &Path) -> Result<String, Doubt> {
    let metadata = path.metadata().map_err(|_| "the repository's configuration cannot be read")?;
    if !metadata.is_file() || metadata.len() > GIT_CONFIG_BYTES_MAX {
        return Err("the repository's configuration cannot be read");
    }
    fs::read_to_string(path).map_err(|_| "the repository's configuration cannot be read")
}

/// Whether a configuration has only keys that start nothing, and `more` such keys.
pub(crate) fn is_plain_config(text: &str, more: &[&str]) -> bool {
    check_keys(text, more).is_ok()
}

fn check_config(text: &str) -> Result<(), Doubt> {
    check_keys(text, &[])
}

/// Checks each key of a configuration, read line by line; what is written otherwise is a doubt.
fn check_keys(text: &str, more: &[&str]) -> Result<(), Doubt> {
    let mut section = String::new();
    let mut subsection = false;
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.ends_with('\\') {
            return Err("the repository's configuration goes on over lines");
        }
        if let Some(header) = line.strip_prefix('[') {
            let header =
                header.strip_suffix(']').ok_or("the repository's configuration is unusual")?;
            let (name, rest) = header.split_once(' ').unwrap_or((header, ""));
            if name.contains(['"', ']']) || rest.contains(']') {
                return Err("the repository's configuration is unusual");
            }
            section = name.to_ascii_lowercase();
            subsection = !rest.is_empty();
            continue;
        }
        let key = line.split(['=', ' ', '\t']).next().unwrap_or_default().to_ascii_lowercase();
        let full =
            if subsection { format!("{section}.*.{key}") } else { format!("{section}.{key}") };
        let plain =
            |listed: &&str| full == *listed || (listed.ends_with('.') && full.starts_with(listed));
        if !PLAIN_KEYS.iter().chain(more).any(plain) {
            return Err("the repository's configuration may run programs");
        }
    }
    Ok(())
}
