//! The key of a kernel whose servers run elsewhere: made once, kept in a file, its public half pinned by
//! the servers (`--grant-keys`).
//!
//! The file holds 64 hex digits and is readable by its owner only.

use std::{
    io::Write as _,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use tollgate_core::digest::Digest;
use tollgate_proto::grant::{SigningKey, VerifyingKey};

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GrantKeyError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: std::io::Error,
    },
    /// The file is no key.
    #[error("{}: not the 64 hex digits of an Ed25519 key; `tollgate servers grant-key FILE` makes one", path.display())]
    Form {
        /// The file.
        path: PathBuf,
    },
    /// Others can read the file.
    #[error("{}: others can read this secret; `chmod 600` it", path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
}

/// 32 bytes of the system's generator.
///
/// # Errors
/// The system has none.
pub fn random() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

/// Reads a kernel's key.
///
/// # Errors
/// See [`GrantKeyError`].
pub fn read(path: &Path) -> Result<SigningKey, GrantKeyError> {
    let file = |error| GrantKeyError::File { path: path.to_owned(), error };
    if std::fs::metadata(path).map_err(file)?.mode() & 0o077 != 0 {
        return Err(GrantKeyError::Open { path: path.to_owned() });
    }
    let text = std::fs::read_to_string(path).map_err(file)?;
    let secret = Digest::from_hex(text.trim())
        .ok_or_else(|| GrantKeyError::Form { path: path.to_owned() })?;
    Ok(SigningKey::ed25519(&secret.0))
}

/// The line for a server's `--grant-keys`; the key is made if the file does not exist.
///
/// # Errors
/// See [`GrantKeyError`].
pub fn line(path: &Path, id: &str) -> Result<String, GrantKeyError> {
    if !path.exists() {
        create(path).map_err(|error| GrantKeyError::File { path: path.to_owned(), error })?;
    }
    let public = match read(path)?.verifying() {
        VerifyingKey::Ed25519(key) => Digest(key.to_bytes()),
        VerifyingKey::Hmac(_) => return Err(GrantKeyError::Form { path: path.to_owned() }),
    };
    Ok(format!("{id} ed25519 {public}"))
}

fn create(path: &Path) -> std::io::Result<()> {
    let secret = Digest(random()?);
    let mut file =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{secret}")?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    //! Goal: one file, one public line; nothing of others is used.

    use std::os::unix::fs::PermissionsExt as _;

    use super::{GrantKeyError, line};

    #[test]
    fn a_key_is_made_once_and_gives_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("grant.key");
        let made = line(&file, "laptop").unwrap();
        assert!(made.starts_with("laptop ed25519 ") && made.len() == 15 + 64, "{made}");
        assert_eq!(line(&file, "laptop").unwrap(), made);
        let secret = std::fs::read_to_string(&file).unwrap();
        assert!(!made.contains(secret.trim()));
    }

    #[test]
    fn a_secret_that_others_can_read_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("grant.key");
        line(&file, "laptop").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(line(&file, "laptop"), Err(GrantKeyError::Open { .. })));
    }

    #[test]
    fn what_is_no_key_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("grant.key");
        line(&file, "laptop").unwrap();
        std::fs::write(&file, "hello").unwrap();
        assert!(matches!(line(&file, "laptop"), Err(GrantKeyError::Form { .. })));
    }
}
