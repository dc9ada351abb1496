//! What a session's first request carries (`[CAT-01]`): the one list, and who else may be in it.

mod report;

use serde::{Deserialize, Serialize};

use super::{Entry, Exposure};
use crate::authority::rules::NamePattern;

pub use report::{Apart, Contract, Report, ToolSize};

/// The native tools of a first request, in the order in which a model sees them.
pub const DEFAULT_ACTIVE_NATIVE_TOOLS: [&str; 11] = [
    "read",
    "write",
    "edit",
    "bash",
    "agent",
    "workflow",
    "todo_write",
    "create_goal",
    "get_goal",
    "update_goal",
    "load_skill",
];
/// The kernel's own tool, after them.
pub const TOOL_SEARCH: &str = "tool_search";
/// Code mode, last.
pub const EXECUTE_TOOLS: &str = "execute_tools";
/// All that a model sees under [`Surface::Simple`].
const SIMPLE: [&str; 3] = ["read", "edit", "bash"];

/// How much of the catalog a model gets (`[CAT-04]`).
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// The contract, and what `tool_search` finds.
    #[default]
    Full,
    /// `read`, `edit` and `bash` only.
    Simple,
    /// `tool_search` and `execute_tools`; the rest is called inside programs.
    Code,
}

impl Surface {
    /// All, in the order of their documentation.
    pub const ALL: [Self; 3] = [Self::Full, Self::Simple, Self::Code];

    /// As it is written in files and flags.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Simple => "simple",
            Self::Code => "code",
        }
    }

    /// Whether a tool of this name belongs to the catalog at all.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        match self {
            Self::Full | Self::Code => true,
            Self::Simple => SIMPLE.contains(&name),
        }
    }

    /// Whether a model may call a tool of this name directly.
    #[must_use]
    pub fn shows(self, name: &str) -> bool {
        match self {
            Self::Full => true,
            Self::Simple => SIMPLE.contains(&name),
            Self::Code => [TOOL_SEARCH, EXECUTE_TOOLS].contains(&name),
        }
    }
}

impl std::fmt::Display for Surface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The names of the contract, in order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    DEFAULT_ACTIVE_NATIVE_TOOLS.into_iter().chain([TOOL_SEARCH, EXECUTE_TOOLS])
}

/// The place of a name in the contract; `None`: it has none.
#[must_use]
pub fn place(name: &str) -> Option<usize> {
    names().position(|it| it == name)
}

/// When a model sees a tool: what its manifest claims counts for hidden tools only (`[CAT-05]`). Without
/// code mode, programs are found as other tools are (`[CODE-16]`).
pub(super) fn exposure(entry: &Entry, always_load: &[NamePattern], code_mode: bool) -> Exposure {
    if entry.exposure == Exposure::Hidden {
        return Exposure::Hidden;
    }
    let name = entry.name.as_str();
    let is_of_contract = entry.is_native() && place(name).is_some();
    let eager = (is_of_contract && (code_mode || !entry.runs_programs()))
        || always_load.iter().any(|pattern| pattern.matches(name));
    if eager { Exposure::Eager } else { Exposure::Deferred }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[CAT-01]`: eleven natives, then search, then code mode.
    #[test]
    fn the_contract_is_this_list() {
        let said = "read write edit bash agent workflow todo_write create_goal get_goal \
                    update_goal load_skill";
        assert_eq!(DEFAULT_ACTIVE_NATIVE_TOOLS.join(" "), said);
        let places: Vec<_> =
            ["read", "load_skill", TOOL_SEARCH, EXECUTE_TOOLS, "grep"].map(place).into();
        assert_eq!(places, [Some(0), Some(10), Some(11), Some(12), None]);
    }

    /// `[CAT-04]`
    #[test]
    fn surfaces_show_and_have_what_they_say() {
        let shown = |surface: Surface| {
            let names = ["read", "write", "edit", "bash", TOOL_SEARCH, EXECUTE_TOOLS, "grep"];
            names.into_iter().filter(|name| surface.shows(name)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(Surface::Full), "read write edit bash tool_search execute_tools grep");
        assert_eq!(shown(Surface::Simple), "read edit bash");
        assert_eq!(shown(Surface::Code), "tool_search execute_tools");
        assert!(Surface::Code.has("read") && !Surface::Simple.has("write"));
    }
}
