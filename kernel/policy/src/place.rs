//! Folders as people write them: with `~/`, through links, and some that do not exist yet.

use std::path::{Component, Path, PathBuf};

#[cfg(test)]
mod tests;

/// Reads a folder or file: absolute, or from `~/`. As far as it exists, without links.
///
/// # Errors
/// It is relative.
pub(crate) fn absolute(text: &str, home: Option<&Path>) -> Result<PathBuf, String> {
    let path = match from_home(text, home)? {
        Some((home, rest)) => PathBuf::from(format!("{home}{rest}")),
        None => PathBuf::from(text),
    };
    if path.is_absolute() {
        return Ok(resolved(&path));
    }
    Err(format!("'{text}' is relative, and nobody knows from where; begin with '/' or '~/'"))
}

/// The home folder and the rest with its '/', if the text begins with `~`.
fn from_home<'a>(
    text: &'a str,
    home: Option<&'a Path>,
) -> Result<Option<(&'a str, &'a str)>, String> {
    let Some(rest) = text.strip_prefix('~') else { return Ok(None) };
    if !rest.is_empty() && !rest.starts_with('/') {
        return Err(format!("'{text}': homes of other users are not known; write the whole path"));
    }
    let home = home.ok_or("no home folder is known for '~'; write the whole path")?;
    let home = home.to_str().ok_or("the home folder's name is not UTF-8; write the whole path")?;
    Ok(Some((home.trim_end_matches('/'), rest)))
}

/// The path without links, `.` and `..`, as far as it exists; what does not exist stays as written.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut there = path;
    loop {
        if let Ok(mut found) = there.canonicalize() {
            for name in missing.iter().rev() {
                match name {
                    Component::Normal(name) => found.push(name),
                    Component::ParentDir => _ = found.pop(),
                    Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
                }
            }
            return found;
        }
        let mut parts = there.components();
        match parts.next_back() {
            Some(last) if !parts.as_path().as_os_str().is_empty() => {
                missing.push(last);
                there = parts.as_path();
            }
            _ => return path.to_owned(),
        }
    }
}
