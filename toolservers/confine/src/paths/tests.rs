//! Goal: Landlock holds by itself, without the filter and the mounts that would hide it in a whole process
//! (`CM-06`). Each test restricts a thread of its own, which takes that with it.

use std::{
    fs::{File, OpenOptions},
    net::TcpListener,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener, UnixStream},
    },
};

use super::*;

#[track_caller]
fn denied<T>(result: io::Result<T>) {
    let error = result.err().expect("it worked");
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
}

/// Does this in a restricted thread, with the version that holds there; not at all where there is none.
fn restricted(access: Access, act: impl FnOnce(ABI) + Send + 'static) {
    let thread = std::thread::spawn(move || {
        let status = apply(&access).unwrap();
        match status.landlock {
            LandlockStatus::Available { effective_abi, .. } => act(effective_abi),
            // Then `restrict` says so, and nothing else can be shown.
            LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => {
                assert_eq!(status.ruleset, RulesetStatus::NotEnforced);
            }
        }
    });
    thread.join().unwrap();
}

#[test]
fn with_nothing_listed_nothing_can_be_opened_made_bound_or_reached() {
    let folder = tempfile::tempdir().unwrap();
    let name =
        SocketAddr::from_abstract_name(folder.path().as_os_str().as_encoded_bytes()).unwrap();
    let _listening = UnixListener::bind_addr(&name).unwrap();
    let inside = folder.path().join("made");
    restricted(Access::default(), move |version| {
        denied(fs::read("/etc/passwd"));
        denied(fs::read("/proc/self/environ"));
        denied(fs::read_dir("/"));
        denied(File::create(&inside));
        denied(fs::create_dir(&inside));
        denied(std::process::Command::new("/bin/true").spawn());
        if version >= ABI::V4 {
            denied(TcpListener::bind("127.0.0.1:0"));
        }
        if version >= ABI::V6 {
            denied(UnixStream::connect_addr(&name));
        }
    });
    assert!(fs::read("/etc/passwd").is_ok(), "this thread is restricted too");
}

#[test]
fn only_what_is_listed_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let [list, read, write, rest] =
        ["list", "read", "write", "rest"].map(|name| folder.path().join(name));
    for folder in [&list, &read, &write, &rest] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("file"), "text").unwrap();
    }
    let access = Access {
        list: vec![list.clone()],
        // One that is not there is passed over.
        read: vec![read.clone(), rest.join("missing")],
        write: vec![write.clone()],
        tcp: true,
    };
    restricted(access, move |_| {
        assert_eq!(fs::read_dir(&list).unwrap().count(), 1);
        denied(fs::read(list.join("file")));
        assert_eq!(fs::read(read.join("file")).unwrap(), b"text");
        assert_eq!(fs::read_dir(&read).unwrap().count(), 1);
        denied(OpenOptions::new().write(true).open(read.join("file")));
        denied(fs::rename(write.join("file"), read.join("moved")));
        fs::write(write.join("file"), "other").unwrap();
        fs::create_dir(write.join("folder")).unwrap();
        fs::rename(write.join("file"), write.join("folder/file")).unwrap();
        fs::remove_file(write.join("folder/file")).unwrap();
        denied(fs::read(rest.join("file")));
        denied(fs::read_dir(&rest));
        // What comes to exist later is not listed.
        denied(File::create(rest.join("missing")));
        drop(TcpListener::bind("127.0.0.1:0").unwrap());
    });
}

#[test]
fn with_threads_that_it_would_not_hold_for_it_is_missing() {
    // The harness runs a test beside its own thread.
    assert!(restrict(&Access::default()).unwrap_err().contains("threads run already"));
}
