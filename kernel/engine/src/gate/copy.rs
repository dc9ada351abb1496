//! The copy of each receipt that managed policy may want (`[GATE-51]`): `DIR/SESSION.jsonl`, a line each.
//!
//! Invariant: no call runs while its receipt could not be copied, and a receipt that could not be is an
//! error that ends the session's calls (it fails closed).

use std::{
    fs::{File, OpenOptions},
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use tollgate_core::receipt::Receipt;

use crate::{context::SessionContext, error::KernelError};

/// Whether a receipt could be copied now, if one has to be.
///
/// # Errors
/// It could not.
pub(super) fn ready(cx: &SessionContext) -> Result<(), KernelError> {
    files(cx).try_for_each(|file| file.map(drop))
}

/// Copies a receipt to wherever managed policy wants it.
///
/// # Errors
/// It cannot be written.
pub(super) fn keep(cx: &SessionContext, receipt: &Receipt) -> Result<(), KernelError> {
    for file in files(cx) {
        let (mut file, path) = file?;
        let mut line = serde_json::to_vec(receipt).map_err(|error| failed(&path, error.into()))?;
        line.push(b'\n');
        // One write, so that lines of several kernels do not mix.
        file.write_all(&line).map_err(|source| failed(&path, source))?;
    }
    Ok(())
}

/// This session's file in each folder that wants copies.
fn files(cx: &SessionContext) -> impl Iterator<Item = Result<(File, PathBuf), KernelError>> {
    let folders = cx.policies.current().policy.managed.receipts.clone();
    let name = format!("{}.jsonl", cx.id);
    folders.into_iter().map(move |folder| {
        let path = folder.join(&name);
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
        file.map_err(|source| failed(&path, source)).map(|file| (file, path))
    })
}

fn failed(path: &Path, source: std::io::Error) -> KernelError {
    let what = format!(
        "cannot write the copy of receipts that managed policy wants in {}, so nothing runs",
        path.display()
    );
    KernelError::Io { what, source }
}
