//! Goal: the contract stays what it was. Generated code is fresh, old bytes mean what they meant, a
//! peer of another version is understood, and grants are refused as the vectors say.
//!
//! `TOLLGATE_REGENERATE=1` makes these tests write what they compare with: `vectors/grants.json`
//! whole, and of `golden/messages` only files that are missing. A golden message that a release has
//! known is never deleted: its bytes are out in the world.

mod bootstrap;
mod fresh;
mod golden;
mod manifest;
mod samples;
mod tolerance;
mod vector_list;
mod vectors;
mod walk;

use std::path::{Path, PathBuf};

/// A file or folder below `proto/`.
fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Whether to write what is compared.
fn regenerates() -> bool {
    std::env::var_os("TOLLGATE_REGENERATE").is_some()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}
