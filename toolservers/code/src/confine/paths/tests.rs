//! Goal: Landlock holds by itself, without the filter that would hide it in a whole process (`CM-06`).

use std::{
    fs::{self, File},
    io,
    net::TcpListener,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener, UnixStream},
    },
};

use landlock::{LandlockStatus, RulesetStatus};

use super::{close, restrict};

#[track_caller]
fn denied<T>(result: io::Result<T>) {
    let error = result.err().expect("it worked");
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
}

/// In a thread of its own, which takes the restriction with it.
#[test]
fn with_landlock_alone_nothing_can_be_opened_made_bound_or_reached() {
    let folder = tempfile::tempdir().unwrap();
    let name =
        SocketAddr::from_abstract_name(folder.path().as_os_str().as_encoded_bytes()).unwrap();
    let _listening = UnixListener::bind_addr(&name).unwrap();
    let inside = folder.path().join("made");
    let restricted = std::thread::spawn(move || {
        let status = restrict().unwrap();
        let LandlockStatus::Available { effective_abi, .. } = status.landlock else {
            // This host has none: then `close` says so, and nothing else can be shown.
            return assert_eq!(status.ruleset, RulesetStatus::NotEnforced);
        };
        denied(fs::read("/etc/passwd"));
        denied(fs::read("/proc/self/environ"));
        denied(fs::read_dir("/"));
        denied(File::create(&inside));
        denied(fs::create_dir(&inside));
        denied(std::process::Command::new("/bin/true").spawn());
        if effective_abi >= landlock::ABI::V4 {
            denied(TcpListener::bind("127.0.0.1:0"));
        }
        if effective_abi >= landlock::ABI::V6 {
            denied(UnixStream::connect_addr(&name));
        }
    });
    restricted.join().unwrap();
    assert!(fs::read("/etc/passwd").is_ok(), "this thread is restricted too");
}

#[test]
fn with_threads_that_it_would_not_hold_for_it_is_missing() {
    // The harness runs a test beside its own thread.
    assert!(close().unwrap_err().contains("threads run already"));
}
