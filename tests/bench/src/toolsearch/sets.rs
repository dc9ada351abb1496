//! The public sets below `data/toolsearch`, with their licences beside them: tools, and requests with the
//! tools that people judged right.
//!
//! | set | used for |
//! |---|---|
//! | `mcpproxy45`, `ironclaw72`, `sealtools` | weights were chosen on these |
//! | `sealtools`, out of domain | looked at only by measuring: no weight was chosen on it |

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;
use tollgate_search::{Document, arguments};

/// Tools and requests.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) tools: Vec<Tool>,
    pub(crate) requests: Vec<Request>,
    /// Requests that no tool fits.
    pub(crate) hopeless: Vec<Request>,
}

/// A tool of a set.
#[derive(Debug, Deserialize)]
pub(crate) struct Tool {
    pub(crate) name: String,
    #[serde(default)]
    server: String,
    pub(crate) description: String,
    #[serde(rename = "input_schema", deserialize_with = "read_arguments", default)]
    arguments: Vec<(String, String)>,
}

/// A request with its right answers.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    pub(crate) query: String,
    /// The names of all that were judged.
    pub(crate) gold: Vec<String>,
    /// How right each is; all the same where it does not say.
    #[serde(default)]
    pub(crate) relevance: BTreeMap<String, f64>,
}

const MCPPROXY: [&str; 2] = [
    include_str!("../../data/toolsearch/mcpproxy45/tools.jsonl"),
    include_str!("../../data/toolsearch/mcpproxy45/queries.jsonl"),
];
const IRONCLAW: [&str; 3] = [
    include_str!("../../data/toolsearch/ironclaw72/tools.jsonl"),
    include_str!("../../data/toolsearch/ironclaw72/queries.jsonl"),
    include_str!("../../data/toolsearch/ironclaw72/queries_nomatch.jsonl"),
];
const SEALTOOLS: [&str; 3] = [
    include_str!("../../data/toolsearch/sealtools/tools.jsonl"),
    include_str!("../../data/toolsearch/sealtools/queries.jsonl"),
    include_str!("../../data/toolsearch/sealtools/queries_ood.jsonl"),
];

/// All sets.
///
/// # Errors
/// A line of them cannot be read.
pub(crate) fn all() -> anyhow::Result<Vec<Set>> {
    let set = |name, [tools, requests, hopeless]: [&str; 3]| {
        anyhow::Ok(Set {
            name,
            tools: lines(tools)?,
            requests: lines(requests)?,
            hopeless: lines(hopeless)?,
        })
    };
    let [tools, within, outside] = SEALTOOLS;
    Ok(vec![
        set("mcpproxy45", [MCPPROXY[0], MCPPROXY[1], ""])?,
        set("ironclaw72", IRONCLAW)?,
        set("sealtools", [tools, within, ""])?,
        set("sealtools, unseen", [tools, outside, ""])?,
    ])
}

impl Set {
    /// As the search takes them: tools of servers that are trusted, or not.
    pub(crate) fn documents(&self, trusted: bool) -> Vec<Document<'_>> {
        self.tools.iter().map(|tool| Document { trusted, ..tool.document() }).collect()
    }
}

impl Tool {
    fn document(&self) -> Document<'_> {
        Document {
            name: &self.name,
            server: &self.server,
            description: &self.description,
            arguments: &self.arguments,
            ..Document::default()
        }
    }
}

impl Request {
    /// How right a tool is; 0 is not at all.
    pub(crate) fn relevance_of(&self, name: &str) -> f64 {
        if self.relevance.is_empty() {
            if self.gold.iter().any(|it| it == name) { 1.0 } else { 0.0 }
        } else {
            self.relevance.get(name).copied().unwrap_or(0.0)
        }
    }
}

fn lines<T: for<'a> Deserialize<'a>>(text: &str) -> anyhow::Result<Vec<T>> {
    let read =
        |line| serde_json::from_str(line).with_context(|| format!("a line of a set: {line}"));
    text.lines().map(read).collect()
}

fn read_arguments<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Vec<(String, String)>, D::Error> {
    Value::deserialize(from).map(|schema| arguments(&schema))
}
