//! A server's manifest: asked for in pages, checked, kept as a file, made into catalog entries.
//!
//! The file's name says what it is of: the program with its size and time, or the endpoint, and the
//! settings. Its content is checked against its own digest, so that a damaged file is asked for anew.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use prost::Message;
use tokio::time::timeout;
use tollgate_core::{
    catalog::{Entry, ServerFacts},
    digest::Digest,
    limits::{SCHEMA_BYTES_MAX, SERVER_TOOLS_MAX},
    name::{ServerName, ToolName},
    safety::Trust,
};
use tollgate_proto::{
    manifest,
    tool::v1::{DescribeRequest, DescribeResponse, Manifest, ToolSpec},
};

use super::{
    connect::{Channel, tool_client},
    error::ServerError,
    limits::{DESCRIBE_BYTES_MAX, DESCRIBE_PAGES_MAX, DESCRIBE_WITHIN},
    wire,
};
use crate::settings::{Reach, ServerSettings};

/// A manifest with its tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The server's part.
    pub manifest: Manifest,
    /// Its tools, in order.
    pub tools: Vec<ToolSpec>,
}

impl Described {
    /// The digest over both parts, computed here.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest(manifest::digest(&self.manifest, &self.tools))
    }

    /// What receipts say of the server.
    #[must_use]
    pub fn facts(&self) -> ServerFacts {
        wire::facts(&self.manifest)
    }

    /// The catalog's entries.
    ///
    /// # Errors
    /// A tool that breaks the contract: then none of the server's tools is taken.
    pub fn entries(&self, server: &ServerName, trust: Trust) -> Result<Vec<Entry>, ServerError> {
        let facts = Arc::new(self.facts());
        let broken = |tool: &str, why: String| {
            let tool: String = tool.chars().take(64).flat_map(char::escape_default).collect();
            ServerError::Contract(format!("its tool '{tool}' is not usable: {why}"))
        };
        if self.tools.len() > SERVER_TOOLS_MAX {
            return Err(broken("…", format!("more than {SERVER_TOOLS_MAX} tools")));
        }
        let mut entries = Vec::new();
        for spec in &self.tools {
            let canonical = ToolName::try_from(spec.name.as_str())
                .map_err(|error| broken(&spec.name, error.to_string()))?;
            let mut names = vec![(spec.name.as_str(), &spec.input_schema, false)];
            names.extend(
                spec.hidden_names.iter().map(|it| (it.name.as_str(), &it.input_schema, true)),
            );
            for (name, schema, hidden) in names {
                let tool = ToolName::try_from(name).map_err(|e| broken(name, e.to_string()))?;
                if schema.len() > SCHEMA_BYTES_MAX {
                    return Err(broken(
                        name,
                        format!("its schema is over {SCHEMA_BYTES_MAX} bytes"),
                    ));
                }
                if serde_json::from_slice::<&serde_json::value::RawValue>(schema).is_err() {
                    return Err(broken(name, "its schema is no JSON".into()));
                }
                entries.push(Entry {
                    server: server.clone(),
                    facts: Arc::clone(&facts),
                    trust,
                    name: tool,
                    means: hidden.then(|| canonical.clone()),
                    input_schema: schema.clone(),
                    schema_sha256: Digest::of(schema),
                    exposure: wire::exposure(spec.exposure(), hidden),
                    compiled: Arc::new(OnceLock::new()),
                    ..wire::entry(spec)
                });
            }
        }
        Ok(entries)
    }
}

/// Asks a server for its manifest, all pages.
pub(super) async fn ask(channel: &Channel) -> Result<Described, ServerError> {
    let pages = async {
        let mut client = tool_client(channel);
        let mut described: Option<Described> = None;
        let (mut page_token, mut bytes) = (String::new(), 0);
        for _ in 0..DESCRIBE_PAGES_MAX {
            let DescribeResponse { manifest, tools, next_page_token } =
                client.describe(DescribeRequest { page_token }).await?.into_inner();
            let manifest = manifest
                .ok_or_else(|| ServerError::Contract("a page without a manifest".into()))?;
            bytes += tools.iter().map(Message::encoded_len).sum::<usize>();
            let described =
                described.get_or_insert_with(|| Described { manifest, tools: Vec::new() });
            described.tools.extend(tools);
            if bytes > DESCRIBE_BYTES_MAX || described.tools.len() > SERVER_TOOLS_MAX {
                return Err(ServerError::Contract(format!(
                    "more than {SERVER_TOOLS_MAX} tools, or {DESCRIBE_BYTES_MAX} bytes of them"
                )));
            }
            if next_page_token.is_empty() {
                return Ok(described.clone());
            }
            page_token = next_page_token;
        }
        Err(ServerError::Contract(format!("more than {DESCRIBE_PAGES_MAX} pages of tools")))
    };
    timeout(DESCRIBE_WITHIN, pages)
        .await
        .map_err(|_| ServerError::Silent { what: "Describe", within: DESCRIBE_WITHIN })?
}

/// The cache file of a server as it is configured now; `None` when the program is not there.
pub(super) fn cache_file(
    folder: &Path,
    server: &ServerName,
    settings: &ServerSettings,
) -> Option<PathBuf> {
    let of = match &settings.reach {
        Reach::Local { program, args, .. } => {
            let meta = std::fs::metadata(program).ok()?;
            let modified = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            format!("{}\0{args:?}\0{}\0{}", program.display(), meta.len(), modified.as_nanos())
        }
        Reach::Remote { endpoint, .. } => endpoint.clone(),
    };
    let key = Digest::of(format!("{of}\0{}", settings.settings).as_bytes()).to_string();
    let short: String = key.chars().take(16).collect();
    Some(folder.join(format!("{server}-{short}.binpb")))
}

/// The digest of a local server's program, looked up once for each cache file. Blocking.
pub(super) fn build_sha256(file: &Path, program: &Path) -> Option<Digest> {
    let beside = file.with_extension("build");
    let known = std::fs::read_to_string(&beside).ok();
    if let Some(digest) = known.as_deref().and_then(Digest::from_hex) {
        return Some(digest);
    }
    let digest = Digest::of(&std::fs::read(program).ok()?);
    keep(&beside, digest.to_string().as_bytes());
    Some(digest)
}

/// Reads a cached manifest; `None` when there is none that is whole.
pub(super) fn read(file: &Path) -> Option<Described> {
    let bytes = std::fs::read(file).ok()?;
    let page = DescribeResponse::decode(&bytes[..]).ok()?;
    let described = Described { manifest: page.manifest?, tools: page.tools };
    (described.manifest.digest[..] == described.digest().0).then_some(described)
}

/// Keeps a manifest. A cache that cannot be written costs time, nothing else.
pub(super) fn write(file: &Path, described: &Described) {
    let page = DescribeResponse {
        manifest: Some(described.manifest.clone()),
        tools: described.tools.clone(),
        next_page_token: String::new(),
    };
    keep(file, &page.encode_to_vec());
}

fn keep(file: &Path, bytes: &[u8]) {
    let written = || -> std::io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        std::io::Write::write_all(&mut temporary, bytes)?;
        temporary.persist(file)?;
        Ok(())
    };
    if let Err(error) = written() {
        tracing::warn!(file = %file.display(), %error, "what was learnt of a server was not kept");
    }
}
