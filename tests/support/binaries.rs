//! Finds the real binaries: beside the test's own executable, where `cargo build --workspace` puts
//! them.

use std::path::{Path, PathBuf};

/// The path of a binary of the workspace. A missing one is a failure, never a skip.
#[must_use]
pub fn binary(name: &str) -> PathBuf {
    let path = target_dir().join(name);
    assert!(
        path.is_file(),
        "{} is missing; run `cargo build --workspace` (and `cargo build -p tollgate-tests --bins`) first",
        path.display()
    );
    path
}

/// The folder of the binaries: `target/debug`, from `target/debug/deps/it-…`.
fn target_dir() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its own executable");
    let mut folder = own.parent().expect("an executable is in a folder").to_owned();
    if folder.ends_with("deps") {
        folder.pop();
    }
    folder
}

/// The root of the source tree.
#[must_use]
pub fn workspace_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("`tests` is a folder of the workspace")
}
