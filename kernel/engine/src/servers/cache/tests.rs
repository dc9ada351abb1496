//! Goal: a file is of one program and its settings, and whatever is at its place is no error.

use std::time::Duration;

use serde_json::json;
use tollgate_core::{catalog::Provenance, safety::Trust};
use tollgate_proto::tool::v1::{Manifest, Source, SourceState, ToolSpec};

use super::*;
use crate::settings::{Clocks, LocalListen};

struct World {
    folder: tempfile::TempDir,
}

fn name() -> ServerName {
    ServerName::try_from("one").unwrap()
}

fn described(word: &str) -> Described {
    let manifest = Manifest { name: word.into(), ..Manifest::default() };
    let tool = ToolSpec { name: "look".into(), ..ToolSpec::default() };
    Described { manifest, tools: vec![tool] }.at_rest()
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(world.path("server"), "#!/bin/sh\n").unwrap();
        fs::write(world.path("script.py"), "print()\n").unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn settings(&self) -> ServerSettings {
        ServerSettings {
            reach: Reach::Local {
                program: self.path("server"),
                args: vec!["-u".into(), "script.py".into()],
                listen: LocalListen::default(),
                warden: false,
            },
            trust: Trust::Trusted,
            provenance: Provenance::Plugin,
            settings: json!({ "a": 1 }),
            env: Vec::new(),
            model: false,
            clocks: Clocks::default(),
        }
    }

    fn file(&self, settings: &ServerSettings) -> PathBuf {
        let cwd = Some(self.folder.path());
        file(&self.path("cache"), &name(), settings, cwd).unwrap()
    }
}

/// `[CAT-40]`
#[test]
fn a_file_is_of_one_program_and_its_settings() {
    let world = World::new();
    let settings = world.settings();
    let first = world.file(&settings);
    assert_eq!(world.file(&settings), first);
    let other = ServerSettings { settings: json!({ "a": 2 }), ..world.settings() };
    assert_ne!(world.file(&other), first);
    // The script that the program runs, and the program itself.
    for (name, content) in [("script.py", "print(1)\n"), ("server", "#!/bin/sh\n\n")] {
        let before = world.file(&settings);
        fs::write(world.path(name), content).unwrap();
        assert_ne!(world.file(&settings), before, "{name}");
    }
    // The same size and date.
    let before = world.file(&settings);
    let modified = fs::metadata(world.path("server")).unwrap().modified().unwrap();
    let again = world.path("again");
    fs::write(&again, "#!/bin/zs\n\n").unwrap();
    File::options().write(true).open(&again).unwrap().set_modified(modified).unwrap();
    fs::rename(&again, world.path("server")).unwrap();
    assert_ne!(world.file(&settings), before);
    fs::remove_file(world.path("server")).unwrap();
    assert_eq!(file(&world.path("cache"), &name(), &settings, None), None);
}

/// `[CAT-40]` Cut off, of another digest, garbage, empty, a pipe, a folder: nothing, and never an error.
#[test]
fn what_is_no_manifest_counts_as_nothing() {
    let world = World::new();
    let file = world.file(&world.settings());
    assert_eq!(read(&file), None, "there is none");
    write(&file, &name(), described("a"));
    assert_eq!(read(&file), Some(described("a")));
    let whole = fs::read(&file).unwrap();
    let mut other = whole.clone();
    let last = other.len() - 1;
    other[last] ^= 1;
    let half = whole[..whole.len() / 2].to_vec();
    for bytes in [half, other, b"garbage".to_vec(), Vec::new()] {
        fs::write(&file, &bytes).unwrap();
        assert_eq!(read(&file), None, "{bytes:?}");
        write(&file, &name(), described("b"));
        assert_eq!(read(&file), Some(described("b")));
    }
    fs::remove_file(&file).unwrap();
    nix::unistd::mkfifo(&file, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(read(&file), None);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(read(&file), None);
    write(&file, &name(), described("c"));
    assert_eq!(read(&file), Some(described("c")), "an empty folder gives way");
}

/// What is in the way and is not ours stays, and nothing is kept.
#[test]
fn a_folder_with_content_is_left() {
    let world = World::new();
    let file = world.file(&world.settings());
    fs::create_dir_all(file.join("a")).unwrap();
    write(&file, &name(), described("a"));
    assert!(file.join("a").is_dir());
    assert_eq!(read(&file), None);
}

/// `[CAT-40]` The folder stays small, and a file of another server is not touched.
#[test]
fn old_files_of_a_server_go() {
    let world = World::new();
    let folder = world.path("cache");
    fs::create_dir(&folder).unwrap();
    let other = folder.join("one-two-0123456789abcdef.binpb");
    fs::write(&other, "").unwrap();
    for number in 0..10_u64 {
        let file = folder.join(format!("one-{number:016x}.binpb"));
        write(&file, &name(), described("a"));
        fs::write(file.with_extension(BUILD), "").unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(number);
        File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    }
    let mut left: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let kept = (6..10)
        .flat_map(|number| ["binpb", "build"].map(|kind| format!("one-{number:016x}.{kind}")));
    let expected: Vec<_> = kept.chain(["one-two-0123456789abcdef.binpb".to_owned()]).collect();
    assert_eq!(left, expected);
}

/// `[CAT-13]` What is kept says nothing of what was connected.
#[test]
fn tools_of_sources_are_not_kept() {
    let world = World::new();
    let file = world.file(&world.settings());
    let source = |name: &str, state: SourceState| Source {
        name: name.into(),
        state: state.into(),
        detail: "since today".into(),
        ..Source::default()
    };
    let mut live = described("a");
    live.manifest.sources =
        vec![source("alpha", SourceState::Ready), source("off", SourceState::Disabled)];
    live.tools.push(ToolSpec { name: "of".into(), source: "alpha".into(), ..ToolSpec::default() });
    write(&file, &name(), live);
    let kept = read(&file).unwrap();
    let tools: Vec<_> = kept.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["look"]);
    let idle = Source { detail: String::new(), ..source("alpha", SourceState::Idle) };
    assert_eq!(kept.manifest.sources, [idle, source("off", SourceState::Disabled)]);
}
