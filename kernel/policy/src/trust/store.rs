//! The store's text: JSON that Tollgate writes and a person can read.
//!
//! ```json
//! {"version": 1, "workspaces": {"/home/ada/work": {"owner": 1000, "files": {".mcp.json": "3f…"}}}}
//! ```
//!
//! A file that is not listed was not there when the user looked, so it does not count.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use tollgate_core::digest::Digest;

use crate::{PolicyError, PolicyFault, read::Content};

const VERSION: u32 = 1;

/// All trust.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Store {
    version: u32,
    /// By the folder's path without links.
    pub(super) workspaces: BTreeMap<PathBuf, Entry>,
}

/// One workspace.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// The folder's user id when trust was given.
    pub(super) owner: u32,
    /// What the user saw, by path within the workspace.
    pub(super) files: BTreeMap<PathBuf, Digest>,
}

impl Store {
    /// # Errors
    /// It is broken, or of a later version.
    pub(super) fn parse(path: &Path, read: &Content) -> Result<Self, PolicyError> {
        let Some(text) = read.text(path)? else {
            return Ok(Self { version: VERSION, workspaces: BTreeMap::new() });
        };
        let store: Self = serde_json::from_str(text).map_err(|error| {
            let what =
                format!("is no trust store ({error}); move it away and run `tollgate trust` anew");
            let line = Some(error.line()).filter(|line| *line > 0);
            PolicyError(vec![PolicyFault { file: path.into(), line, key: String::new(), what }])
        })?;
        if store.version == VERSION {
            return Ok(store);
        }
        let what = format!("has version {}, and this Tollgate knows {VERSION}", store.version);
        Err(PolicyError::of_file(path, what))
    }

    /// # Errors
    /// A path is no UTF-8.
    pub(super) fn to_text(&self) -> Result<String, String> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|error| format!("cannot be written: {error}"))
    }
}
