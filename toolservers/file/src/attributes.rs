//! Extended attributes, access control lists among them, given from one open file to another.
//!
//! Not carried: `security.capability` and bits that lend the owner's rights (set-user-ID,
//! set-group-ID). As with a write in place, they do not outlive another content.

use std::{
    ffi::{CString, OsStr},
    fs::File,
    os::unix::ffi::OsStrExt,
};

use rustix::{
    fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr},
    io::Errno,
};

use crate::{
    limits::{ATTRIBUTE_BYTES_MAX, ATTRIBUTES_BYTES_MAX},
    names,
};

/// Attributes that are bound to a content.
const BOUND: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// The access control list, which a new file may have from its directory.
const ACCESS_LIST: &str = "system.posix_acl_access";

/// Gives `new` the attributes of `old`; the names of those that it could not be given.
pub(crate) fn carry(old: &File, new: &File) -> Vec<String> {
    let mut list = Vec::with_capacity(ATTRIBUTES_BYTES_MAX);
    match flistxattr(old, rustix::buffer::spare_capacity(&mut list)) {
        // A file system without attributes.
        Err(Errno::NOTSUP) => return Vec::new(),
        Err(_) => return vec!["all".to_owned()],
        Ok(_) => {}
    }
    if !list.split(|byte| *byte == 0).any(|name| name == ACCESS_LIST.as_bytes()) {
        // It has none, or none can be had here.
        fremovexattr(new, ACCESS_LIST).ok();
    }
    let given = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let lost = given.filter(|name| {
        let lapses = BOUND.contains(name);
        lapses || one(old, new, name).is_err()
    });
    lost.map(|name| names::told(OsStr::from_bytes(name))).collect()
}

fn one(old: &File, new: &File, name: &[u8]) -> Result<(), Errno> {
    let name = CString::new(name).map_err(|_| Errno::INVAL)?;
    let mut value = Vec::with_capacity(ATTRIBUTE_BYTES_MAX);
    fgetxattr(old, &name, rustix::buffer::spare_capacity(&mut value))?;
    let mut has = Vec::with_capacity(value.len() + 1);
    // What a new file has anyway (a label of the system) need not be given.
    if fgetxattr(new, &name, rustix::buffer::spare_capacity(&mut has)).is_ok() && has == value {
        return Ok(());
    }
    fsetxattr(new, &name, &value, XattrFlags::empty())
}

#[cfg(test)]
mod tests;
