//! Replaces a file of the user's as a whole: readers see the old text or the new one, also after a crash.
//!
//! Invariants: 0600 in a folder that is made 0700; a link stays a link, and its target is replaced (a
//! user's dotfiles are often links).

use std::{
    fs::{self, DirBuilder, File},
    io::Write as _,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

#[cfg(test)]
mod tests;

/// Replaces the text of a file if, when the new text is on disk, `is_unchanged` still says so; whether
/// it did.
///
/// # Errors
/// It cannot be written, as a clause; the old text stands then.
pub(crate) fn replace(
    path: &Path,
    text: &str,
    is_unchanged: impl FnOnce() -> bool,
) -> Result<bool, String> {
    let unwritable = |error: std::io::Error| format!("cannot be written: {error}");
    let target = target(path)?;
    let folder = target.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unwritable)?;
    // A temporary file is 0600 from its first byte on.
    let mut file =
        tempfile::Builder::new().prefix(".tollgate-").tempfile_in(folder).map_err(unwritable)?;
    file.write_all(text.as_bytes()).map_err(unwritable)?;
    file.as_file().sync_all().map_err(unwritable)?;
    if !is_unchanged() {
        return Ok(false);
    }
    file.persist(&target).map_err(|error| unwritable(error.error))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(unwritable)?;
    Ok(true)
}

/// The file behind a link, or the file itself.
fn target(path: &Path) -> Result<PathBuf, String> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => fs::canonicalize(path)
            .map_err(|error| format!("is a link that leads nowhere ({error}); nothing was stored")),
        Ok(_) | Err(_) => Ok(path.to_owned()),
    }
}
