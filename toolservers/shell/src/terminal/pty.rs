//! A pseudo-terminal: our end, the path of the other, its size.
//!
//! The program opens the other end by its path once it leads a session, which makes that its controlling
//! terminal (`tty_ioctl(4)`): Ctrl-C reaches what runs in its foreground.
//!
//! Not here: starting the program (`spawn`), reading and writing (`pipes` of `process`).

use std::{
    ffi::CString,
    io,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{
        InputModes, LocalModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize,
    },
};

use super::screen::Size;

/// A pseudo-terminal that no program has opened yet.
#[derive(Debug)]
pub(crate) struct Pty {
    /// Ours: keys are written to it and output is read from it.
    pub(crate) end: OwnedFd,
    /// What the program opens as its standard streams.
    pub(crate) path: CString,
}

impl Pty {
    /// Opens one.
    ///
    /// # Errors
    /// The system has none left, or no folder of them.
    pub(crate) fn open(size: Size) -> io::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let end = openpt(flags)?;
        grantpt(&end)?;
        unlockpt(&end)?;
        let path = ptsname(&end, Vec::new())?;
        let mut modes = tcgetattr(&end)?;
        // Erasing a character erases all of its bytes.
        modes.input_modes |= InputModes::IUTF8;
        tcsetattr(&end, OptionalActions::Now, &modes)?;
        resize(&end, size)?;
        Ok(Self { end, path })
    }
}

/// Sets its size; the program is told by SIGWINCH.
///
/// # Errors
/// Nothing is at its other end any more.
pub(super) fn resize(end: impl AsFd, size: Size) -> io::Result<()> {
    let size =
        Winsize { ws_row: size.rows.get(), ws_col: size.cols.get(), ws_xpixel: 0, ws_ypixel: 0 };
    Ok(tcsetwinsize(end, size)?)
}

/// Whether the terminal itself collects lines, as it does for programs that do nothing else: then it drops
/// what of a line is too long.
pub(super) fn collects_lines(end: impl AsFd) -> bool {
    tcgetattr(end).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ICANON))
}
