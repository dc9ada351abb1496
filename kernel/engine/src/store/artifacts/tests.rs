//! Goal: an artifact is there whole or not at all, and what was changed is an error ([STORE-02], RL-06).

use std::io::Read as _;

use super::*;
use crate::store::{
    limits::ARTIFACT_BUFFER_BYTES,
    tests::{child_directory, limit_file_size, mode_of, passes_again, state, temp},
};

/// SHA-256 of "abc", FIPS 180-2.
const HEX: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const ABC: &str = "artifact:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// All files of the artifacts, without the directories.
fn files(state: &StateDir) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for directory in fs::read_dir(state.artifacts()).unwrap() {
        for file in fs::read_dir(directory.unwrap().path()).unwrap() {
            all.push(file.unwrap().path());
        }
    }
    all
}

#[test]
fn an_artifact_is_found_by_its_content() {
    let (_temp, state) = state();
    let artifacts = Artifacts::open(&state);
    for durability in [Durability::Process, Durability::Device] {
        assert_eq!(artifacts.put(b"abc", durability).unwrap().to_string(), ABC);
    }
    let path = state.artifacts().join("ba").join(HEX);
    assert_eq!(files(&state), std::slice::from_ref(&path));
    assert_eq!((mode_of(&path), mode_of(path.parent().unwrap())), (0o600, 0o700));
    let id = ABC.parse().unwrap();
    assert_eq!(artifacts.size(id).unwrap(), 3);
    assert_eq!(artifacts.read(id, 3).unwrap(), b"abc");
    let error = artifacts.read(id, 2).unwrap_err().to_string();
    assert!(error.contains("has 3 bytes") && error.contains("in parts"), "{error}");
    for (offset, rest) in [(0, "abc"), (1, "bc"), (3, ""), (99, "")] {
        let mut text = String::new();
        artifacts.open_at(id, offset).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, rest);
    }
    let empty = artifacts.put(b"", Durability::Process).unwrap();
    assert_eq!((artifacts.size(empty).unwrap(), artifacts.read(empty, 0).unwrap()), (0, vec![]));
}

#[test]
fn an_id_has_one_spelling() {
    let id: ArtifactId = ABC.parse().unwrap();
    assert_eq!(id.to_string(), ABC);
    let upper = format!("artifact:{}", HEX.to_uppercase());
    let short = ABC.replacen("ba", "b", 1);
    let signed = ABC.replacen(":ba", ":+a", 1);
    for text in ["", "artifact:", "artifact:../../x", HEX, &short, &upper, &signed] {
        let error = text.parse::<ArtifactId>().unwrap_err().to_string();
        assert!(error.contains("64 lower-case hex digits"), "{error}");
    }
}

#[test]
fn an_artifact_shows_only_when_it_is_finished() {
    let (_temp, state) = state();
    let artifacts = Artifacts::open(&state);
    let mut writer = artifacts.writer(1_000_000).unwrap();
    let mut whole = Vec::<u8>::new();
    for piece in [&b"abc"[..], &[7; 100_000], b""] {
        writer.write(piece).unwrap();
        whole.extend(piece);
    }
    let [partial] = &files(&state)[..] else { unreachable!() };
    assert!(partial.parent().unwrap().ends_with("partial"));
    assert_eq!(mode_of(partial), 0o600);
    let finished = writer.finish(Durability::Process).unwrap();
    assert_eq!((finished.bytes, finished.cut), (100_003, None));
    assert_eq!(artifacts.read(finished.id, 200_000).unwrap(), whole);
    assert_eq!(files(&state).len(), 1);

    let mut dropped = artifacts.writer(10).unwrap();
    dropped.write(b"x").unwrap();
    assert_eq!(files(&state).len(), 2);
    drop(dropped);
    assert_eq!(files(&state).len(), 1);
}

#[test]
fn what_is_beyond_the_quota_is_counted_and_told() {
    let (_temp, state) = state();
    let artifacts = Artifacts::open(&state);
    let mut writer = artifacts.writer(3).unwrap();
    writer.write(b"abc").unwrap();
    assert_eq!((writer.bytes(), writer.cut()), (3, None), "at the quota nothing is cut");
    writer.write(b"de").unwrap();
    writer.write(b"f").unwrap();
    let cut = Some(Cut { dropped_bytes: 3 });
    assert_eq!((writer.bytes(), writer.cut()), (3, cut));
    let finished = writer.finish(Durability::Process).unwrap();
    assert_eq!((finished.id.to_string().as_str(), finished.bytes, finished.cut), (ABC, 3, cut));
}

#[test]
fn changed_content_is_an_error_on_a_full_read() {
    let (_temp, state) = state();
    let artifacts = Artifacts::open(&state);
    let id = artifacts.put(b"abc", Durability::Process).unwrap();
    for changed in ["abd", "ab", "abcd", ""] {
        fs::write(artifacts.path(id), changed).unwrap();
        let error = artifacts.read(id, 100).unwrap_err();
        assert!(matches!(error, ArtifactError::Changed { .. }), "{error}");
        let mut text = String::new();
        let error = artifacts.open_at(id, 0).unwrap().read_to_string(&mut text).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains(ABC), "{error}");
    }
    artifacts.put(b"abc", Durability::Process).unwrap();
    assert_eq!(artifacts.read(id, 100).unwrap(), b"abc", "made again, it is mended");
}

#[test]
fn an_artifact_that_is_not_there_is_told() {
    let (_temp, state) = state();
    let id = ABC.parse().unwrap();
    let error = Artifacts::open(&state).size(id).unwrap_err().to_string();
    assert!(error.contains(ABC) && error.contains("TOLLGATE_HOME"), "{error}");
}

#[test]
fn what_a_kill_left_unfinished_is_removed_after_a_day() {
    let (_temp, state) = state();
    let artifacts = Artifacts::open(&state);
    let writer = artifacts.writer(10).unwrap();
    let now = SystemTime::now();
    artifacts.sweep(now + PARTIAL_KEPT / 2);
    assert_eq!(files(&state).len(), 1, "another kernel may be writing it");
    artifacts.sweep(now + PARTIAL_KEPT * 2);
    assert_eq!(files(&state).len(), 0);
    assert!(writer.finish(Durability::Process).is_err());
}

/// [STORE-04] RL-06
#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let Some(directory) = child_directory() else {
        let name = "store::artifacts::tests::a_full_disk_is_told_and_leaves_nothing";
        return passes_again(name, temp().path());
    };
    let state = StateDir::open(&directory).unwrap();
    let artifacts = Artifacts::open(&state);
    limit_file_size(Some(1000));
    let mut writer = artifacts.writer(1_000_000).unwrap();
    let error = writer.write(&[0; ARTIFACT_BUFFER_BYTES]).unwrap_err().to_string();
    assert!(error.starts_with("cannot write /") && error.contains("ulimit"), "{error}");
    assert!(matches!(writer.write(b"x"), Err(ArtifactError::Incomplete)));
    assert!(matches!(writer.finish(Durability::Process), Err(ArtifactError::Incomplete)));
    // What is gathered and not written yet fails at the end.
    let error = artifacts.put(&[0; 2000], Durability::Process).unwrap_err();
    assert!(matches!(error, ArtifactError::File(_)), "{error}");
    assert_eq!(files(&state).len(), 0);
    limit_file_size(None);
    artifacts.put(&[0; 2000], Durability::Process).unwrap();
}
