//! A rename to a name that is free, and stays nobody else's.

use std::{os::fd::OwnedFd, path::Path};

use nix::{
    errno::Errno,
    fcntl::{AtFlags, RenameFlags, renameat, renameat2},
    sys::stat::fstatat,
};

/// Renames an entry of a directory to a name of a directory that nothing has.
///
/// # Errors
/// `EEXIST` if something has it; `EXDEV` across file systems; what else the operating system says.
/// Nothing changed then.
pub(crate) fn rename_new(
    from: &OwnedFd,
    name: &Path,
    to: &OwnedFd,
    new_name: &Path,
) -> nix::Result<()> {
    match renameat2(from, name, to, new_name, RenameFlags::RENAME_NOREPLACE) {
        // A file system without this flag: a look just before must do.
        Err(Errno::EINVAL | Errno::ENOSYS) => {
            if fstatat(to, new_name, AtFlags::AT_SYMLINK_NOFOLLOW).is_ok() {
                return Err(Errno::EEXIST);
            }
            renameat(from, name, to, new_name)
        }
        other => other,
    }
}
