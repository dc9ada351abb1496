//! What a server says of itself: its manifest, and `--manifest`, which prints it and starts nothing
//! ([CAT-40]).
//!
//! Invariant: the digest is the one that the same program has when a kernel starts it with the same
//! settings. Not here: `Describe` and its pages (`service.rs`).

use std::io::{self, IsTerminal, Write};

use prost::Message;
use serde_json::{Value, json};
use tollgate_proto::{
    manifest,
    tool::v1::{DescribeResponse, HiddenName, Manifest, ToolSpec},
};

use crate::{server::ServeError, service::PROTOCOL, tools::Tools};

/// The manifest of these tools, on one page however large.
///
/// # Errors
/// [`ServeError::Usage`]: old names that contradict each other.
pub(crate) fn describe(
    name: &str,
    version: &str,
    build_sha256: Vec<u8>,
    tools: &Tools,
) -> Result<DescribeResponse, ServeError> {
    tools.check().map_err(ServeError::Usage)?;
    let specs = tools.specs();
    let mut manifest = Manifest {
        name: name.to_owned(),
        version: version.to_owned(),
        build_sha256: build_sha256.into(),
        protocol_min: PROTOCOL,
        protocol_max: PROTOCOL,
        digest: bytes::Bytes::new(),
        notes: Vec::new(),
        sources: Vec::new(),
    };
    manifest.digest = manifest::digest(&manifest, &specs).to_vec().into();
    let next_page_token = String::new();
    Ok(DescribeResponse { manifest: Some(manifest), tools: specs, next_page_token })
}

/// Writes it to standard output: for a person as lines of JSON, for a program as the encoded message.
///
/// # Errors
/// [`ServeError::Io`]: nobody reads.
pub(crate) fn print(described: &DescribeResponse) -> Result<(), ServeError> {
    let mut out = io::stdout().lock();
    let bytes =
        if out.is_terminal() { lines(described).into_bytes() } else { described.encode_to_vec() };
    out.write_all(&bytes).and_then(|()| out.flush()).map_err(|source| ServeError::Io {
        what: "cannot write the manifest to standard output".into(),
        source,
    })
}

/// One line for the server, one for each tool. Schemas are left out: nobody reads them in a terminal.
fn lines(described: &DescribeResponse) -> String {
    let manifest = described.manifest.as_ref();
    let server = json!({
        "server": manifest.map_or("", |manifest| &manifest.name),
        "version": manifest.map_or("", |manifest| &manifest.version),
        "tools": described.tools.len(),
        "digest": hex(manifest.map_or(&[][..], |manifest| &manifest.digest)),
    });
    std::iter::once(server)
        .chain(described.tools.iter().map(tool))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn tool(spec: &ToolSpec) -> Value {
    let exposure = spec.exposure().as_str_name().trim_start_matches("EXPOSURE_").to_lowercase();
    let old_names: Vec<_> = spec.hidden_names.iter().map(old_name).collect();
    json!({
        "tool": spec.name,
        "title": spec.title,
        "exposure": exposure,
        "old_names": old_names,
    })
}

fn old_name(old: &HiddenName) -> String {
    match &old.when {
        None => old.name.clone(),
        Some(when) => format!("{} ({} {})", old.name, when.argument, when.value),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
