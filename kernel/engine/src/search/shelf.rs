//! [`Shelf`]: the tools of a session that can be found, with the index over them.
//!
//! It is filled after authority, mode, surface and availability were applied, and leaves out what no call
//! can pass under this mode and posture: a tool that is not here changes no score, count or text
//! (`[CAT-14]`).
//!
//! Not here: filters ([`View`]), ranking (`tollgate-search`).

use std::sync::Arc;

use serde_json::Value;
use tollgate_core::{
    catalog::{Entry, View},
    safety::Trust,
    stance::{Mode, Posture, Stance},
};
use tollgate_search::{Document, Found, Index, Query, WordTable, arguments};

/// Tools that can do anything: they do not stand before a specific one unless they are named.
const ESCAPE_HATCHES: [&str; 17] = [
    "bash",
    "eval",
    "exec",
    "execute_code",
    "execute_command",
    "execute_javascript",
    "execute_python",
    "execute_tools",
    "process",
    "python",
    "rlm",
    "run_code",
    "run_command",
    "run_python",
    "run_shell_command",
    "shell",
    "terminal",
];

/// Tools that can be found.
#[derive(Debug)]
pub(crate) struct Shelf {
    entries: Vec<Arc<Entry>>,
    index: Index,
}

impl Shelf {
    /// All of a view that a call could use. `semantic`: also by meaning.
    pub(super) fn of(view: &View, stance: Stance, semantic: bool) -> Self {
        let found = view.shown().iter().filter(|entry| can_be_found(entry, stance));
        let entries: Vec<Arc<Entry>> = found.cloned().collect();
        let schemas: Vec<_> = entries.iter().map(|entry| arguments_of(entry)).collect();
        let documents: Vec<_> =
            entries.iter().zip(&schemas).map(|(entry, schema)| document(entry, schema)).collect();
        let index = if semantic {
            Index::with_table(&documents, WordTable::built_in())
        } else {
            Index::new(&documents)
        };
        Self { entries, index }
    }

    /// Finds what a query asks for.
    pub(super) fn search(&self, query: &Query) -> Found {
        self.index.search(query)
    }

    /// The tool of a position.
    pub(super) fn entry(&self, index: usize) -> Option<&Arc<Entry>> {
        self.entries.get(index)
    }

    /// Tools that are one too many to be found.
    pub(super) fn left_out(&self) -> usize {
        self.index.left_out()
    }
}

/// The server to which a tool is attributed; empty: the kernel.
pub(super) fn server_of(entry: &Entry) -> &str {
    if entry.is_synthetic() {
        return "";
    }
    entry.source.as_deref().unwrap_or(entry.server.as_str())
}

/// Whether a search may end at it. The search itself is no answer.
fn can_be_found(entry: &Entry, Stance { mode, posture }: Stance) -> bool {
    let is_read_only = entry.safety.believed(entry.trust).read_only;
    let may_pass = match (mode, posture) {
        // Whatever the call would be.
        (Mode::Plan, _) => is_read_only,
        // A call of a tool that is asked beforehand may turn out to change nothing.
        (Mode::Work | Mode::Operate, Posture::Never) => is_read_only || entry.prepares,
        (Mode::Work | Mode::Operate, Posture::Ask | Posture::AutoReview | Posture::FullAccess) => {
            true
        }
    };
    may_pass && !entry.is_synthetic()
}

fn arguments_of(entry: &Entry) -> Vec<(String, String)> {
    arguments(&serde_json::from_slice(&entry.input_schema).unwrap_or(Value::Null))
}

fn document<'a>(entry: &'a Entry, arguments: &'a [(String, String)]) -> Document<'a> {
    Document {
        name: entry.name.as_str(),
        server: server_of(entry),
        title: &entry.title,
        hint: &entry.search_hint,
        description: &entry.description,
        arguments,
        trusted: entry.trust == Trust::Trusted,
        native: entry.is_native(),
        escape_hatch: is_escape_hatch(entry),
    }
}

/// By its name, or what its server calls it: `mcp_blender_execute_python`.
fn is_escape_hatch(entry: &Entry) -> bool {
    let name = entry.name.as_str().to_ascii_lowercase();
    ESCAPE_HATCHES.iter().any(|hatch| {
        let before = name.strip_suffix(hatch);
        before.is_some_and(|it| it.is_empty() || (it.starts_with("mcp_") && it.ends_with('_')))
    })
}
