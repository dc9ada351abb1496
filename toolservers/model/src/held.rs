//! What the process is held to (`[GATE-70]`): the network, and of files what names and certificates need;
//! it changes none and starts no program.
//!
//! `script:` and `replay:` name their files in a request, which may lie anywhere: unless the settings rule
//! them out, all files can be read.
//!
//! Not here: which hosts it may reach; that is its providers' addresses, in its own code.

use std::{env, io, path::PathBuf};

use tollgate_confine::{
    Requirement,
    paths::{self, Access},
    server::Plan,
    syscalls::Doors,
};

/// What the C library reads to find a host, with the libraries that it loads for that, and where systems
/// have their certificates. Of `/etc` all: what is in there is replaced when the network changes, and a new
/// file would not be on the list.
const NAMES_AND_CERTIFICATES: [&str; 12] = [
    "/etc",
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/NetworkManager",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
    "/var/lib/ca-certificates",
    "/nix/store",
];

/// Further certificates, as OpenSSL has it.
const CERTIFICATES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/// What this server needs.
///
/// # Errors
/// `/` cannot be listed.
pub(crate) fn plan(requirement: Requirement, scripts: bool) -> io::Result<Plan> {
    let read = if scripts {
        let mut all = paths::top(&[paths::DEVICES])?;
        // Of the folder of devices, what is a folder of files.
        all.push("/dev/shm".into());
        all
    } else {
        let told = CERTIFICATES.iter().filter_map(env::var_os).map(PathBuf::from);
        NAMES_AND_CERTIFICATES.iter().map(PathBuf::from).chain(told).collect()
    };
    let access = Access { read, tcp: true, ..Access::default() };
    let doors = Doors { streams: true, datagrams: true, ..Doors::default() };
    Ok(Plan { requirement, access, doors, ..Plan::default() })
}
