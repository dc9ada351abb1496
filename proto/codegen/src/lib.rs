//! Compiles the `.proto` files with protox (no `protoc`) and generates the Rust code.
//!
//! [`generate`] returns text and bytes; `main.rs` writes them into the tree, and a test of
//! `tollgate-proto` compares them with what is committed.

use std::{collections::BTreeMap, path::Path};

use prost::Message;

/// The files of the contract, relative to `proto/`.
pub const FILES: [&str; 8] = [
    "tollgate/tool/v1/content.proto",
    "tollgate/tool/v1/grant.proto",
    "tollgate/tool/v1/manifest.proto",
    "tollgate/tool/v1/session.proto",
    "tollgate/tool/v1/tool_server.proto",
    "tollgate/blob/v1/blob.proto",
    "tollgate/model/v1/model.proto",
    "tollgate/kernel/v1/kernel.proto",
];

/// What is generated from the contract.
#[derive(Debug)]
pub struct Generated {
    /// File name in `proto/src/generated/` → Rust source.
    pub sources: BTreeMap<String, String>,
    /// An encoded `google.protobuf.FileDescriptorSet`, with comments left out.
    pub descriptors: Vec<u8>,
}

/// Compiles [`FILES`] below `root` (the `proto/` folder).
///
/// # Errors
/// A `.proto` file that does not compile, or a temporary folder that cannot be written.
pub fn generate(root: &Path) -> anyhow::Result<Generated> {
    let set = protox::compile(FILES.map(|file| root.join(file)), [root])?;
    let mut bare = set.clone();
    for file in &mut bare.file {
        file.source_code_info = None;
    }
    let out = tempfile::tempdir()?;
    tonic_prost_build::configure()
        .bytes(".")
        // The two large frames are boxed, so that a queue of frames stays small.
        .boxed(".tollgate.tool.v1.ServerFrame.frame.completed")
        .boxed(".tollgate.tool.v1.KernelFrame.frame.start")
        .out_dir(out.path())
        .compile_fds(set)?;
    let mut sources = BTreeMap::new();
    for entry in std::fs::read_dir(out.path())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        sources.insert(name, std::fs::read_to_string(entry.path())?);
    }
    Ok(Generated { sources, descriptors: bare.encode_to_vec() })
}
