//! A mount namespace of one program: everything read-only but what it may write, some places unreadable,
//! its own `/proc`, terminals and `/dev/shm`.
//!
//! Mounts hold by place where Landlock holds by folder: they are the exceptions inside a writable folder,
//! and close what Landlock leaves open outside of it (`chmod`, times, attributes).
//!
//! Invariants: every step that takes something away works, or nothing runs; after the last one, every
//! mount that can be reached and that no writable folder holds is read-only; a covered place cannot be
//! uncovered, moved or replaced from inside (it is busy), and nothing may mount there (`tests/child.rs`).
//!
//! Not here: what came to a place of a held name after the view was shown (whoever started the program
//! looks afterwards), and the folder above a place, which can be renamed with it.

mod table;

use std::{
    io,
    path::{Path, PathBuf},
};

use nix::{
    errno::Errno,
    mount::{MsFlags, mount},
    sched::{CloneFlags, unshare},
};

/// Memory that is shared by name.
pub(crate) const SHARED_MEMORY: &str = "/dev/shm";

/// Terminals that programs make.
pub(crate) const TERMINALS: &str = "/dev/pts";

/// Makes a terminal.
const TERMINAL_MAKER: &str = "/dev/ptmx";

/// Views of the kernel's own: nobody changes them, not even below a writable `/`. For user 0 they are the
/// whole machine's settings.
const KERNEL: [&str; 2] = ["/proc", "/sys"];

/// What the program finds.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// Folders that stay writable.
    pub write: &'a [PathBuf],
    /// Files and folders that it cannot change, though they lie in such a folder. Links are followed; what
    /// is not there is passed over.
    pub held: &'a [PathBuf],
    /// Files and folders that it cannot read; the same.
    pub masked: &'a [PathBuf],
    /// Memory that is shared by name is its own, and not where it works.
    pub own_memory: bool,
    /// An empty file and an empty folder of mode 0 that cover them.
    pub blank_file: &'a Path,
    /// See `blank_file`.
    pub blank_folder: &'a Path,
}

/// A step that failed, with its place.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} {}: {why}", place.display())]
pub struct MountError {
    what: &'static str,
    place: PathBuf,
    why: io::Error,
}

/// Leaves the mounts that others see, for this process alone.
///
/// # Errors
/// The host does not allow it.
pub fn own() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    // Nothing comes in any more, nothing goes out.
    Ok(mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None::<&str>)?)
}

/// Shows this process the view. It must be in its mount namespace, and in the PID namespace of `/proc`.
///
/// # Errors
/// The first step that failed; the process should end.
pub fn show(view: &View<'_>) -> Result<(), MountError> {
    let mut write = there(view.write, "keep writable")?;
    let held = there(view.held, "hold")?;
    let masked = there(view.masked, "close")?;
    if view.own_memory {
        write.extend(shared_memory()?);
    }
    write.extend(terminals()?);
    for folder in &write {
        bind(folder, folder, "keep writable")?;
    }
    for place in &held {
        bind(place, place, "hold")?;
    }
    for place in &masked {
        let blank = if place.is_dir() { view.blank_folder } else { view.blank_file };
        bind(blank, place, "close")?;
    }
    let kernel = KERNEL.map(PathBuf::from);
    seal(&write, &[held, masked, kernel.into()].concat())?;
    // Where part of the host's is covered, as in a container, no new one may be had: then the old one
    // stays, which shows processes that cannot be reached.
    let flags = QUIET | MsFlags::MS_RDONLY;
    mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>).ok();
    Ok(())
}

/// Nothing on such a mount runs, lends its owner or is a device.
const QUIET: MsFlags = MsFlags::MS_NOSUID.union(MsFlags::MS_NODEV).union(MsFlags::MS_NOEXEC);

/// These places without links. Since one was found it may have gone, by a command beside this one; but one
/// that this process cannot look at may be there, and be opened to the program by the program.
fn there(places: &[PathBuf], what: &'static str) -> Result<Vec<PathBuf>, MountError> {
    let gone = [Errno::ENOENT, Errno::ENOTDIR, Errno::ELOOP].map(|errno| errno as i32);
    let mut found = Vec::with_capacity(places.len());
    for place in places {
        match place.canonicalize() {
            Ok(place) => found.push(place),
            Err(error) if error.raw_os_error().is_some_and(|errno| gone.contains(&errno)) => {}
            Err(error) => return Err(failed(what, place)(error)),
        }
    }
    Ok(found)
}

/// Memory that is shared by name is shared with nobody else. Answers what was made.
fn shared_memory() -> Result<Option<PathBuf>, MountError> {
    let place = Path::new(SHARED_MEMORY);
    if !place.is_dir() {
        return Ok(None);
    }
    let options = Some("size=50%,mode=1777");
    mount(Some("shm"), place, Some("tmpfs"), QUIET, options)
        .map_err(failed("give its own", place))?;
    Ok(Some(place.to_owned()))
}

/// Terminals of its own: those of the host are where the user types. Answers what was made.
fn terminals() -> Result<Option<PathBuf>, MountError> {
    let place = Path::new(TERMINALS);
    if !place.is_dir() {
        return Ok(None);
    }
    let (flags, options) = (MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC, "ptmxmode=0666,mode=0620");
    mount(Some("devpts"), place, Some("devpts"), flags, Some(options))
        .map_err(failed("give its own", place))?;
    // Elsewhere it is a link to the one in the folder.
    let maker = Path::new(TERMINAL_MAKER);
    if maker.symlink_metadata().is_ok_and(|found| !found.is_symlink()) {
        bind(&place.join("ptmx"), maker, "give its own")?;
    }
    Ok(Some(place.to_owned()))
}

/// Makes every mount read-only but those whose nearest folder of these lists is one of `write`.
fn seal(write: &[PathBuf], sealed: &[PathBuf]) -> Result<(), MountError> {
    let nearest = |folders: &[PathBuf], place: &Path| {
        let holds = folders.iter().filter(|folder| place.starts_with(folder));
        holds.map(|folder| folder.components().count()).max()
    };
    for entry in table::read().map_err(failed("read", Path::new(table::PLACE)))? {
        let place = &entry.place;
        if entry.is_read_only() || nearest(write, place) > nearest(sealed, place) {
            continue;
        }
        // What else restricts it must be said again, or the kernel refuses.
        let flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | entry.flags();
        let done = mount(None::<&str>, place, None::<&str>, flags, None::<&str>);
        // One that another mount covers cannot be reached, and so not written.
        if let Err(error) = done
            && entry.is_seen()
        {
            return Err(failed("seal", place)(error));
        }
    }
    Ok(())
}

fn bind(from: &Path, to: &Path, what: &'static str) -> Result<(), MountError> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(from), to, None::<&str>, flags, None::<&str>).map_err(failed(what, to))
}

fn failed<E: Into<io::Error>>(what: &'static str, place: &Path) -> impl Fn(E) -> MountError {
    move |why| MountError { what, place: place.to_owned(), why: why.into() }
}
