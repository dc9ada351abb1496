//! What an open descriptor is, before a byte of it is read.
//!
//! Invariant: nothing but a regular file of an ordinary file system passes, so that no read blocks
//! or is endless (test `special_files_are_refused_at_once`).

use std::{
    fs::{File, FileType, Metadata},
    os::{fd::AsFd, unix::fs::FileTypeExt},
};

use nix::sys::statfs::{
    CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, FsType, PROC_SUPER_MAGIC,
    SECURITYFS_MAGIC, SELINUX_MAGIC, SYSFS_MAGIC, TRACEFS_MAGIC, fstatfs,
};

use crate::failed::{Class, Failed};

/// File systems whose files are made by the kernel while they are read.
const KERNEL_FILE_SYSTEMS: [FsType; 8] = [
    PROC_SUPER_MAGIC,
    SYSFS_MAGIC,
    DEBUGFS_MAGIC,
    TRACEFS_MAGIC,
    SECURITYFS_MAGIC,
    SELINUX_MAGIC,
    CGROUP_SUPER_MAGIC,
    CGROUP2_SUPER_MAGIC,
];

/// Gives the metadata of a regular file.
///
/// # Errors
/// `is_directory`, `special_file` with the kind, or the operating system's error.
pub(crate) fn regular(file: &File, shown: &str) -> Result<Metadata, Failed> {
    let metadata = file.metadata().map_err(|error| Failed::io("look at", shown, &error))?;
    if metadata.is_dir() {
        return Err(Failed::new(Class::IsDirectory, format!("{shown} is a directory, not a file")));
    }
    if !metadata.is_file() {
        return Err(special(shown, name(metadata.file_type())));
    }
    match fstatfs(file) {
        Ok(system) if KERNEL_FILE_SYSTEMS.contains(&system.filesystem_type()) => {
            Err(special(shown, "a file of a kernel file system"))
        }
        Ok(_) => Ok(metadata),
        Err(error) => Err(Failed::io("look at", shown, &error.into())),
    }
}

/// Whether a descriptor lies in a file system whose files the kernel makes up.
pub(crate) fn is_kernel(descriptor: impl AsFd) -> bool {
    fstatfs(descriptor).is_ok_and(|system| KERNEL_FILE_SYSTEMS.contains(&system.filesystem_type()))
}

/// The refusal of something that is no regular file.
pub(crate) fn special(shown: &str, kind: &str) -> Failed {
    Failed::new(
        Class::SpecialFile,
        format!("{shown} is {kind}, not a regular file: reading or writing it may never end"),
    )
}

fn name(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "a FIFO (named pipe)"
    } else if kind.is_socket() {
        "a Unix socket"
    } else if kind.is_char_device() {
        "a character device"
    } else if kind.is_block_device() {
        "a block device"
    } else {
        "a special file"
    }
}
