//! [CAT-40] [CAT-13] What a server offers is known without a start, is true to its program, and follows the
//! live server at the next turn; sources are connected within a bound and never invented.

mod discovery;
mod live;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use tollgate_tests::{
    Ran, Script, World, binary,
    eventually::eventually_true,
    kernel::{Client, Kernel},
    python,
};

/// A server that is trusted, with its tools in every request.
const TRUSTED: &str =
    "trust = \"trusted\"\n[tools]\nalways_load = [\"look\", \"again\", \"fresh\"]";

/// A world with a hostile server of a program at `path`, which leaves a line each time it prints.
fn world_of(path: &Path, behaviour: &str, more: &str) -> World {
    let world = World::new();
    let prints = world.beside("prints");
    world.config(&format!(
        "[servers.hostile]\ncommand = [{path:?}, \"{behaviour}\"]\nsettings.prints = {prints:?}\n{more}"
    ))
}

fn world(behaviour: &str, more: &str) -> World {
    world_of(&binary("tollgate-hostile"), behaviour, more)
}

/// A kernel that serves one session of a script, in which nobody is asked.
async fn serving(world: &World, script: &Script) -> (Kernel, Client) {
    let kernel = Kernel::start(world, []);
    let session = kernel.session(world, script).await;
    session.stance("", "full-access").await.expect("the posture can be had");
    (kernel, session)
}

/// How often the hostile server has printed its manifest.
fn prints(world: &World) -> usize {
    fs::read_to_string(world.beside("prints")).unwrap_or_default().lines().count()
}

/// Servers that were ever started here: each has a log then.
fn started(world: &World) -> Vec<String> {
    let logs = fs::read_dir(world.state("logs")).into_iter().flatten();
    let names = logs.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> =
        names.filter_map(|name| name.strip_suffix(".log").map(str::to_owned)).collect();
    names.sort();
    names
}

fn kept(world: &World, server: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(world.home().join("cache/manifests")).into_iter().flatten();
    let paths = files.map(|entry| entry.unwrap().path());
    let is_of = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(&format!("{server}-")) && name.ends_with(".binpb")
    };
    paths.filter(is_of).collect()
}

/// Lists the tools; the hostile server's must be among them.
#[track_caller]
fn list(world: &World) -> Ran {
    let ran = world.tollgate(["tools", "list"]).run().success();
    assert!(ran.text().contains("look"), "{ran}");
    ran
}

/// [ARCH-04] The first listing of all starts nothing, also of the servers that come with Tollgate; and the
/// second does not even ask.
#[test]
fn a_cold_start_starts_no_server() {
    let world = world("printing", "");
    let first = list(&world);
    for tool in ["read", "bash"] {
        assert!(first.text().contains(tool), "{first}");
    }
    assert_eq!(started(&world), [""; 0]);
    assert_eq!((prints(&world), kept(&world, "hostile").len()), (1, 1));
    assert!(!kept(&world, "file").is_empty() && !kept(&world, "shell").is_empty());
    // Settings may hold secrets: what the server was told is gone.
    let runtime = fs::read_dir(world.home().join("run")).into_iter().flatten();
    assert_eq!(runtime.count(), 0);
    let second = list(&world);
    assert_eq!(second.text(), first.text());
    assert_eq!((started(&world), prints(&world)), (Vec::new(), 1));
    world.is_quiet();
}

/// A program that was built again, touched, or exchanged by one of the same size and date is asked anew.
#[test]
fn a_new_program_is_asked_anew() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("server");
    fs::copy(binary("tollgate-hostile"), &program).unwrap();
    let world = world_of(&program, "printing", "");
    list(&world);
    list(&world);
    assert_eq!(prints(&world), 1);
    let file = fs::OpenOptions::new().append(true).open(&program).unwrap();
    std::io::Write::write_all(&mut &file, b"\n").unwrap();
    drop(file);
    list(&world);
    assert_eq!(prints(&world), 2, "one byte more");
    let modified = fs::metadata(&program).unwrap().modified().unwrap();
    let touch = |time| fs::File::open(&program).unwrap().set_modified(time).unwrap();
    touch(modified + Duration::from_secs(1));
    list(&world);
    assert_eq!(prints(&world), 3, "another date");
    touch(modified);
    list(&world);
    assert_eq!(prints(&world), 4, "the date put back");
    list(&world);
    assert_eq!((prints(&world), started(&world)), (4, Vec::new()));
    assert!(kept(&world, "hostile").len() <= 4, "{:?}", kept(&world, "hostile"));
}

/// Other settings are another offer, and both stay known.
#[test]
fn other_settings_are_asked_for() {
    let world = world("printing", "");
    let config = world.home().join("config/config.toml");
    let first = fs::read_to_string(&config).unwrap();
    let other = format!("{first}settings.discover = \"hang\"\n");
    for (config_text, expected) in [(&first, 1), (&other, 2), (&first, 2), (&other, 2)] {
        fs::write(&config, config_text).unwrap();
        list(&world);
        assert_eq!(prints(&world), expected);
    }
}

/// Whatever is at the place of the cache: asked anew, and never an error.
#[test]
fn a_damaged_cache_is_made_again() {
    let world = world("printing", "");
    list(&world);
    let [file] = &kept(&world, "hostile")[..] else { panic!("one file is kept") };
    let whole = fs::read(file).unwrap();
    let cut = whole[..whole.len() - 7].to_vec();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x20;
    for (what, bytes) in [
        ("cut", cut),
        ("flipped", flipped),
        ("garbage", b"\xff\xff".to_vec()),
        ("empty", Vec::new()),
    ] {
        let before = prints(&world);
        fs::write(file, bytes).unwrap();
        let ran = list(&world);
        assert_eq!((prints(&world), ran.stderr.as_str()), (before + 1, ""), "{what}: {ran}");
        assert_eq!(fs::read(file).unwrap(), whole, "{what}: it is whole again");
    }
    fs::remove_file(file).unwrap();
    fs::create_dir(file).unwrap();
    list(&world);
    assert_eq!(fs::read(file).unwrap(), whole, "a folder in its place");
    assert_eq!(started(&world), [""; 0]);
}

/// A cache that cannot be written costs time and nothing else.
#[test]
fn a_cache_that_cannot_be_kept() {
    let world = world("printing", "");
    fs::create_dir_all(world.home().join("cache")).unwrap();
    fs::write(world.home().join("cache/manifests"), "no folder").unwrap();
    list(&world);
    list(&world);
    assert_eq!((prints(&world), started(&world)), (2, Vec::new()));
}

/// A server that does not print, or prints nonsense, is started once, asked and stopped.
#[test]
fn a_server_that_does_not_print_is_started() {
    for behaviour in ["plain", "garbled", "forged", "babbling", "stuck"] {
        let world = world(behaviour, "clocks.hello_ms = 3000");
        list(&world);
        assert_eq!(started(&world), ["hostile"], "{behaviour}");
        world.is_quiet();
        let log = world.state("logs/hostile.log");
        let before = fs::read(&log).unwrap();
        list(&world);
        assert_eq!(fs::read(&log).unwrap(), before, "{behaviour}: once");
        assert_eq!(kept(&world, "hostile").len(), 1, "{behaviour}");
    }
}

/// A server that can neither print nor be started has its reason told, and takes nothing with it.
#[test]
fn a_server_that_cannot_be_had_is_told() {
    let world = world("exit", "");
    let ran = world.tollgate(["tools", "list"]).run().success();
    let all = ran.text() + &ran.stderr;
    assert!(all.contains("read") && all.contains("ended with exit code 7"), "{ran}");
}

/// [SDK-02] A program of another language prints as well; of `python server.py` the script counts.
#[test]
fn a_python_server_is_known_without_a_start() {
    let world = World::new();
    let folder = world.beside("python");
    copy_tree(&python::folder(), &folder);
    let (python, server) = (python::python(), folder.join("echo_server.py"));
    let world = world.config(&format!(
        "[servers.pyecho]\ncommand = [{python:?}, {server:?}]\nlisten = \"path\"\nclocks.hello_ms = 30000"
    ));
    let listed = |name: &str| {
        let ran = world.tollgate(["tools", "list"]).run().success();
        assert!(ran.text().contains(name), "{ran}");
    };
    listed("pyecho");
    assert_eq!(started(&world), [""; 0]);
    let text = fs::read_to_string(&server).unwrap().replace("pylines", "pyrows");
    fs::write(&server, text).unwrap();
    listed("pyrows");
    assert_eq!(started(&world), [""; 0]);
    eventually_true("nothing runs", || world.processes().is_empty());
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, there) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_tree(&path, &there);
        } else {
            fs::copy(&path, &there).unwrap();
        }
    }
}
