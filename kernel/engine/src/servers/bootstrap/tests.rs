//! Goal: each server has a folder of its own that lasts, and that nobody else looks into.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;
use crate::{
    process::{RuntimeDir, Spawner},
    secrets::LogSecrets,
};

#[test]
fn a_server_has_a_private_folder_that_lasts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let ground = Ground {
        spawner: Spawner::default(),
        runtime: RuntimeDir::create(Some(&path.join("run"))).unwrap(),
        manifests: path.join("manifests"),
        logs: path.join("logs"),
        states: path.join("servers"),
        log: String::new(),
        session: "s".into(),
        roots: vec![path.clone()],
        secrets: LogSecrets::default(),
    };
    let of = |name: &str| state_of(&ServerName::try_from(name).unwrap(), &ground).unwrap();
    let (shell, file) = (of("shell"), of("file"));
    assert_eq!((&shell, &file), (&path.join("servers/shell"), &path.join("servers/file")));
    for made in [&shell, &file, &path.join("servers")] {
        let mode = fs::metadata(made).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "{}", made.display());
    }
    fs::write(shell.join("kept"), "x").unwrap();
    assert!(of("shell").join("kept").exists(), "the next process finds it");
    fs::write(path.join("servers/blocked"), "").unwrap();
    let error = state_of(&ServerName::try_from("blocked").unwrap(), &ground).unwrap_err();
    assert!(error.to_string().contains("servers/blocked cannot be made"), "{error}");
}
