//! A tool as the search sees it.
//!
//! Not here: which tools there are. The caller leaves out what authority, mode or availability take away,
//! so that a tool that is not there changes no score, count or text `[CAT-14]`.

/// What may be found of one tool.
#[derive(Clone, Copy, Debug, Default)]
pub struct Document<'a> {
    /// The canonical name, for instance `read` or `mcp_github_create_issue`.
    pub name: &'a str,
    /// The server that it is attributed to; empty for tools of the kernel.
    pub server: &'a str,
    /// The human title, or empty.
    pub title: &'a str,
    /// The author's words that are not in the name, or empty.
    pub hint: &'a str,
    /// What the tool says of itself.
    pub description: &'a str,
    /// Arguments with their descriptions, nested ones too ([`crate::arguments`]).
    pub arguments: &'a [(String, String)],
    /// Whether what the server writes is believed; if not, prose weighs less and is capped.
    pub trusted: bool,
    /// Whether it is one of the product's own tools; a native tool stands before others of its score.
    pub native: bool,
    /// Whether it can do anything (shell, code): such a tool does not outrank a specific one unless it is
    /// named.
    pub escape_hatch: bool,
}
