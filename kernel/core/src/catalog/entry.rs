//! One tool of the catalog: what its manifest says, and which server has it.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::contract::EXECUTE_TOOLS;
use crate::{
    call::Caller,
    digest::Digest,
    json,
    name::{ServerName, ToolName},
    safety::{Interrupt, Safety, Trust},
    schema::{self, Schema, SchemaError, Veiled},
};

/// When a model sees a tool.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Exposure {
    /// In the first request.
    Eager,
    /// Found by `tool_search`.
    Deferred,
    /// Never advertised, still executable.
    Hidden,
}

/// What a running call may ask the kernel for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostService {
    /// Another tool, through the gate.
    CallTool,
    /// The catalog's search.
    SearchTools,
    /// One model request without tools.
    Generate,
    /// A child turn loop.
    RunAgent,
    /// A question to the person.
    AskUser,
    /// Reads an artifact of this session.
    ReadArtifact,
    /// Keeps bytes as an artifact of this session.
    WriteArtifact,
}

/// Where a tool comes from.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// The kernel itself.
    Synthetic,
    /// A server that comes with Tollgate, under its own name.
    Builtin,
    /// Another configured server.
    Plugin,
    /// An MCP server behind a bridge.
    Mcp,
}

/// A condition on the arguments of a call.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct ArgumentIs {
    /// A property of the arguments' object.
    pub argument: String,
    /// The text that it must be, exactly.
    pub value: String,
}

impl ArgumentIs {
    /// Whether it holds.
    #[must_use]
    pub fn holds(&self, arguments: &serde_json::Value) -> bool {
        arguments.get(&self.argument).and_then(serde_json::Value::as_str) == Some(&*self.value)
    }
}

/// Something a tool needs from its host.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Requirement {
    /// "python3".
    pub name: String,
    /// Whether it was found.
    pub met: bool,
    /// What was found, or why not.
    pub found: String,
}

/// What a receipt says of a server, from its manifest.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct ServerFacts {
    /// The server's own name for itself.
    pub name: String,
    /// Product version.
    pub version: String,
    /// SHA-256 of the executable, if told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_sha256: Option<Digest>,
}

/// One tool.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The server that has it, by configured name.
    pub server: ServerName,
    /// The server's own facts.
    pub facts: Arc<ServerFacts>,
    /// How far the server's claims are believed.
    pub trust: Trust,
    /// Where it comes from.
    pub provenance: Provenance,
    /// The MCP server that has it behind its bridge, by configured name.
    pub source: Option<String>,
    /// The canonical name, or a hidden one with a schema of its own.
    pub name: ToolName,
    /// As its server knows it; differs where two tools of one name were told apart.
    pub served_as: ToolName,
    /// Of a hidden name: the tool that it means.
    pub means: Option<ToolName>,
    /// Of a hidden name that meant several tools: when it means this one.
    pub when: Option<ArgumentIs>,
    /// For people.
    pub title: String,
    /// For the model.
    pub description: String,
    /// Words for search.
    pub search_hint: String,
    /// JSON Schema of the arguments, exact bytes.
    pub input_schema: Bytes,
    /// Digest of `input_schema`.
    pub schema_sha256: Digest,
    /// When a model sees it.
    pub exposure: Exposure,
    /// The most that a call may do, claimed.
    pub safety: Safety,
    /// Whether the server must be asked what a call would do.
    pub prepares: bool,
    /// What interruption means.
    pub interrupt: Interrupt,
    /// Bytes of a result before it is spilled; 0: the tool bounds itself.
    pub result_bytes_max: u32,
    /// Who may call, beside the model and the user.
    pub callers: Vec<Caller>,
    /// Host services that its calls may ask for.
    pub host_services: Vec<HostService>,
    /// What it needs from its host.
    pub requirements: Vec<Requirement>,
    /// Other names of arguments and the canonical ones.
    pub argument_aliases: Vec<(String, String)>,
    /// Compiled at first use: most tools of a catalog are never called.
    pub compiled: Arc<OnceLock<Result<Schema, String>>>,
}

impl Entry {
    /// The name that rules, lists, hooks, people and receipts see, whatever name was asked for.
    #[must_use]
    pub fn canonical(&self) -> &ToolName {
        self.means.as_ref().unwrap_or(&self.name)
    }

    /// Its server's name for it, where the catalog had to give it another: what is denied under the one is
    /// denied under the other.
    #[must_use]
    pub fn told_apart(&self) -> Option<&str> {
        (self.means.is_none() && self.served_as != self.name).then(|| self.served_as.as_str())
    }

    /// Whether it is the kernel's own: no server is asked.
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        self.provenance == Provenance::Synthetic
    }

    /// Whether it is one of the product's own tools.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.provenance <= Provenance::Builtin
    }

    /// Whether its calls are programs of code mode, and what these ask for comes from a program.
    #[must_use]
    pub fn runs_programs(&self) -> bool {
        self.provenance == Provenance::Builtin && self.canonical().as_str() == EXECUTE_TOOLS
    }

    /// The compiled schema.
    ///
    /// # Errors
    /// A schema that cannot be used; found at the first call.
    pub fn schema(&self) -> Result<&Schema, &str> {
        self.compiled
            .get_or_init(|| {
                Schema::compile(&self.input_schema).map_err(|error: SchemaError| error.to_string())
            })
            .as_ref()
            .map_err(String::as_str)
    }

    /// The arguments of a call as they may be shown and kept (`[GATE-81]`). Text that is no JSON is
    /// kept only where no argument is secret, as it is; nothing is shown under a schema that cannot
    /// be used.
    #[must_use]
    pub fn veil(&self, arguments: &[u8]) -> Veiled {
        let marked = || Veiled { shown: schema::mark(arguments.len()), secrets: Vec::new() };
        let Ok(schema) = self.schema() else { return marked() };
        if !schema.has_secrets() {
            return Veiled::plain(arguments);
        }
        json::parse(arguments)
            .map_or_else(|_| marked(), |value| schema.veil(&value, &self.argument_aliases))
    }

    /// Whether an argument is secret, or that cannot be known.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        self.schema().map_or(true, Schema::has_secrets)
    }

    /// The requirement that is not met, if any.
    #[must_use]
    pub fn unmet(&self) -> Option<&Requirement> {
        self.requirements.iter().find(|requirement| !requirement.met)
    }
}
