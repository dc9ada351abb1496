//! What a call would do: [`Safety`] and [`Subject`]s; and how far a server is believed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What one call would do, or at most may do. The default is the careful value.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Safety {
    /// Changes nothing outside the server's own memory.
    pub read_only: bool,
    /// May destroy what cannot be had again.
    pub destructive: bool,
    /// Running it twice with one call id is the same as once.
    pub idempotent: bool,
    /// Talks to things outside the server's host.
    pub open_world: bool,
    /// May run beside other concurrency-safe calls.
    pub concurrency_safe: bool,
}

impl Safety {
    /// Nothing is known.
    pub const WORST: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
        concurrency_safe: false,
    };

    /// What is believed of this claim: a server that is not trusted can only tighten.
    #[must_use]
    pub fn believed(self, trust: Trust) -> Self {
        match trust {
            Trust::Trusted => self,
            Trust::Untrusted => Self::WORST,
        }
    }
}

impl Default for Safety {
    fn default() -> Self {
        Self::WORST
    }
}

/// How far the kernel's configuration trusts a server's own claims.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Its claims are taken as they are.
    Trusted,
    /// Its claims can only tighten.
    #[default]
    Untrusted,
}

/// What interruption does to a running call.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Interrupt {
    /// It stops at once.
    Cancel,
    /// It finishes its atomic part first.
    #[default]
    Block,
}

/// Something a call touches; what rules match.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Subject {
    /// A file or folder.
    Path {
        /// Absolute, on the server's host.
        absolute: PathBuf,
        /// Relative to the root that holds it; absent when none does.
        #[serde(skip_serializing_if = "Option::is_none")]
        relative: Option<PathBuf>,
        /// How.
        access: Access,
        /// How far below it.
        #[serde(default, skip_serializing_if = "Reach::is_itself")]
        reach: Reach,
    },
    /// One simple command of a shell line.
    Command {
        /// Its words.
        argv: Vec<String>,
        /// The operator before it, or empty.
        operator: String,
        /// A word could not be resolved without running the line.
        opaque: bool,
        /// Proven to only read, by itself.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        read_only: bool,
    },
    /// "host" or "host:port".
    Host {
        /// Lower case.
        host: String,
    },
    /// A repository.
    Repo {
        /// Absolute.
        path: PathBuf,
    },
    /// A tool of an MCP server.
    Mcp {
        /// The server's configured name.
        server: String,
        /// The tool's name there.
        tool: String,
    },
    /// Another tool.
    Tool {
        /// Canonical name.
        name: String,
    },
    /// A kind that this kernel does not know; rules treat it as touching everything.
    Unknown,
}

impl Subject {
    /// Takes back what only a trusted server may claim.
    pub fn believe(&mut self, trust: Trust) {
        match self {
            Self::Command { read_only, .. } => *read_only &= trust == Trust::Trusted,
            Self::Path { reach: reach @ Reach::GrantedTree, access, .. }
                if trust == Trust::Untrusted || *access != Access::Read =>
            {
                *reach = Reach::Tree;
            }
            Self::Path { .. }
            | Self::Host { .. }
            | Self::Repo { .. }
            | Self::Mcp { .. }
            | Self::Tool { .. }
            | Self::Unknown => {}
        }
    }
}

/// How far below a path a call goes.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Nothing below it.
    #[default]
    Itself,
    /// All that lies below it too.
    Tree,
    /// It only reads, and what lies below it too, but for what its grant withholds.
    GrantedTree,
}

impl Reach {
    /// Whether nothing below is touched.
    #[must_use]
    pub fn is_itself(&self) -> bool {
        *self == Self::Itself
    }
}

/// How a path is touched.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Its content is read.
    Read,
    /// Its content is changed.
    Write,
    /// It comes to exist.
    Create,
    /// It ceases to exist; also what is not known.
    Delete,
}

/// How far a call's processes may reach, the narrowest first.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    /// Reads only.
    ReadOnly,
    /// Writes in the workspace, no network.
    WorkspaceWrite,
    /// The same, with network.
    Network,
    /// No sandbox.
    Off,
}

impl Sandbox {
    /// As it is written in arguments, cards and receipts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Network => "network",
            Self::Off => "off",
        }
    }
}

impl std::fmt::Display for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A call's wish for a wider sandbox (`[GATE-72]`).
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Escalation {
    /// What it wants.
    pub to: Sandbox,
    /// Why, in the model's words; at most 1 KiB.
    pub justification: String,
}
