//! A whole file as it was at one moment: what `write` replaces and `edit` matches against.

use std::{
    fs::{File, Metadata},
    io::Read,
};

use sha2::{Digest, Sha256};

use crate::{
    failed::{Class, Failed},
    index::Version,
    limits::WHOLE_BYTES_MAX,
    roots::Place,
};

/// A whole file as it was.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) bytes: Vec<u8>,
    pub(crate) sha256: [u8; 32],
    pub(crate) metadata: Metadata,
    /// The file itself, open for reading: what else it has is asked of it.
    pub(crate) file: File,
}

impl Snapshot {
    /// Takes the file at a place; `None` if there is nothing.
    ///
    /// # Errors
    /// Those of [`Place::open`] but `not_found`; `too_large`; `stale` if it changed meanwhile.
    pub(crate) fn take(place: &Place) -> Result<Option<Self>, Failed> {
        if !place.exists() {
            return Ok(None);
        }
        let (file, metadata) = match place.open() {
            Err(failed) if failed.class == Class::NotFound => return Ok(None),
            opened => opened?,
        };
        Self::read(file, metadata, &place.shown).map(Some)
    }

    /// Takes the file that is at a place by now, also if there was none when it was located.
    ///
    /// # Errors
    /// Those of [`Place::open`]; `too_large`; `stale` if it changed meanwhile.
    pub(crate) fn take_now(place: &Place) -> Result<Self, Failed> {
        let (file, metadata) = place.open_now()?;
        Self::read(file, metadata, &place.shown)
    }

    /// Reads an open file to its end.
    ///
    /// # Errors
    /// `too_large`; `stale` if it changed meanwhile; the operating system's error.
    pub(crate) fn read(file: File, metadata: Metadata, shown: &str) -> Result<Self, Failed> {
        let failed = |error| Failed::io("read", shown, &error);
        let size = metadata.len();
        if size > WHOLE_BYTES_MAX {
            let message = format!(
                "{shown} has {size} bytes; files of more than {WHOLE_BYTES_MAX} bytes are not edited \
                 or replaced whole. Use a program for it (bash: sed -i, split)"
            );
            return Err(Failed::new(Class::TooLarge, message));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        (&file).take(WHOLE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
        let now = file.metadata().map_err(failed)?;
        if Version::of(&now) != Version::of(&metadata) || bytes.len() as u64 != size {
            let message = format!("{shown} is being changed by another program; try again");
            return Err(Failed::new(Class::Stale, message));
        }
        let sha256 = Sha256::digest(&bytes).into();
        Ok(Self { bytes, sha256, metadata, file })
    }
}

/// Refuses if a file is another one than its caller says by a digest.
///
/// # Errors
/// `stale`.
pub(crate) fn as_expected(
    place: &Place,
    now: Option<&Snapshot>,
    expected: Option<[u8; 32]>,
) -> Result<(), Failed> {
    if expected.is_none() || now.map(|now| now.sha256) == expected {
        return Ok(());
    }
    let message = format!(
        "{} is not the file whose digest was given; nothing was written. Read it again",
        place.shown
    );
    Err(Failed::new(Class::Stale, message))
}
