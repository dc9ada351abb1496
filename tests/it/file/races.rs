//! Death at any moment, and many calls at once, on a running server without a kernel.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::json;
use tollgate_proto::tool::v1::{completed::Outcome, server_frame::Frame as FromServer};
use tollgate_tests::{
    World, binary,
    peer::{self, Peer},
    server::ToolServer,
    world::text,
};

/// Deaths of the server.
const KILLS: usize = 60;
/// Bytes of the file that it writes meanwhile.
const BYTES: usize = 2 * 1024 * 1024;

async fn peer(world: &World, server: &ToolServer) -> Peer {
    let channel = peer::unix(&server.socket).await.expect("the server lets its kernel in");
    Peer::attach(channel, server.credentials.clone(), &world.workspace()).await
}

fn temporaries(folder: &Path) -> Vec<fs::DirEntry> {
    let entries = fs::read_dir(folder).expect("the workspace is read").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp")).collect()
}

/// Kills a process once the temporary file has so many bytes, or is gone again.
fn kill_at(pid: i32, folder: &Path, bytes: u64, stop: &AtomicBool) {
    let mut was_there = false;
    while !stop.load(Ordering::Relaxed) {
        let sizes = temporaries(folder).into_iter().filter_map(|it| it.metadata().ok());
        let size = sizes.map(|it| it.len()).max();
        was_there |= size.is_some();
        if size.is_some_and(|size| size >= bytes) || (was_there && size.is_none()) {
            break;
        }
    }
    kill(Pid::from_raw(pid), Signal::SIGKILL).ok();
}

/// FS-12 B025 `kill -9` of the server while it edits or writes: the old or the new content, whole, and after
/// the next write of the next server nothing is left beside it.
#[tokio::test]
async fn a_killed_server_leaves_the_old_or_the_new() {
    let world = World::in_memory();
    let file = world.workspace().join("f");
    let content = |mark: char| format!("{mark}\n{}", "0123456789abcdef\n".repeat(BYTES / 17));
    world.write("f", content('a'));
    let (mut old, mut new) = (0, 0);
    let mut mark = 'a';
    for round in 0..KILLS {
        let server = ToolServer::by_line(&world, &binary("tollgate-file"), &[]);
        let mut peer = peer(&world, &server).await;
        // The strays of the one before go with the first write beside them.
        let sweep = json!({ "path": "small", "content": format!("{round}\n") });
        let swept = peer.granted(&format!("s-{round}"), "write", &sweep).await;
        assert_eq!(swept.outcome(), Outcome::Succeeded, "{swept:?}");
        assert!(temporaries(&world.workspace()).is_empty(), "round {round}");
        let next = if mark == 'a' { 'b' } else { 'a' };
        let arguments = json!({
            "path": "f",
            "edits": [{ "old": format!("{mark}\n0123"), "new": format!("{next}\n0123") }],
        });
        let grant = peer.sign(&peer.claims(&format!("c-{round}"), "edit", &arguments));
        let stop = Arc::new(AtomicBool::new(false));
        // At every stage of it: at its first byte, between, at its last one, and after the rename.
        let bytes = (BYTES * (round % 10) / 8) as u64;
        let killer = {
            let (pid, folder, stop) = (server.process.pid, world.workspace(), stop.clone());
            thread::spawn(move || kill_at(pid, &folder, bytes, &stop))
        };
        peer.send_start(&format!("c-{round}"), "edit", &arguments, Some(grant)).await;
        // Until it is dead, or done before anybody saw its temporary file.
        while let Some(frame) = peer.next().await {
            if matches!(frame, FromServer::Completed(_)) {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        killer.join().expect("the killer ends");
        let ended = server.process.finish();
        assert_eq!(ended.code, 128 + 9, "{ended}");
        let is = fs::read_to_string(&file).expect("the file is there");
        if is == content(next) {
            (mark, new) = (next, new + 1);
        } else {
            assert!(is == content(mark), "round {round}: neither the old nor the new content");
            old += 1;
        }
        fs::remove_file(&server.socket).ok();
    }
    assert!(old > 0 && new > 0, "{old} old, {new} new: the kills came at one moment only");
}

/// B017 B019 Edits of one file that are asked for together, under several spellings of its path and through a
/// link, are all there in the end.
#[tokio::test]
async fn edits_of_one_file_follow_one_another() {
    let world = World::new();
    let lines: String = (0..10).map(|k| format!("k{k}=0\n")).collect();
    world.write("d/f.txt", &lines);
    std::os::unix::fs::symlink("d/f.txt", world.workspace().join("link.txt")).unwrap();
    let server = ToolServer::by_line(&world, &binary("tollgate-file"), &[]);
    let mut peer = peer(&world, &server).await;
    for round in 0..5 {
        world.write("d/f.txt", &lines);
        let paths = ["d/f.txt", "./d/../d/f.txt", "link.txt", "d//f.txt"];
        for k in 0..10 {
            let edit = json!({ "old": format!("k{k}=0\n"), "new": format!("k{k}={k}{k}\n") });
            let arguments = json!({ "path": paths[k % 4], "edits": [edit] });
            let id = format!("c-{round}-{k}");
            let grant = peer.sign(&peer.claims(&id, "edit", &arguments));
            peer.send_start(&id, "edit", &arguments, Some(grant)).await;
        }
        for _ in 0..10 {
            let done = peer.completed().await;
            assert_eq!(done.outcome(), Outcome::Succeeded, "{done:?}");
        }
        let expected: String = (0..10).map(|k| format!("k{k}={k}{k}\n")).collect();
        assert_eq!(world.read("d/f.txt"), expected, "round {round}");
    }
}

/// B025 A disk that is full, for which a limit of a file's size stands: the old content stays, the call says
/// why, and nothing is left beside it.
#[tokio::test]
async fn a_write_that_does_not_fit_changes_nothing() {
    let world = World::new();
    world.write("f", "old\n");
    let program = binary("tollgate-file");
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$0\"";
    let shell = Path::new("/bin/bash");
    let server = ToolServer::by_line(&world, shell, &["-c", limited, &text(&program)]);
    let mut peer = peer(&world, &server).await;
    for path in ["f", "new"] {
        let arguments = json!({ "path": path, "content": "x".repeat(100 * 1024) });
        let done = peer.granted(&format!("c-{path}"), "write", &arguments).await;
        assert_eq!(done.outcome(), Outcome::Failed, "{done:?}");
        assert!(format!("{done:?}").contains("cannot write"), "{done:?}");
    }
    assert_eq!((world.read("f"), world.has("new")), ("old\n".to_owned(), false));
    assert!(temporaries(&world.workspace()).is_empty());
    let small = peer.granted("c-small", "write", &json!({ "path": "f", "content": "new\n" })).await;
    assert_eq!((small.outcome(), world.read("f").as_str()), (Outcome::Succeeded, "new\n"));
}
