//! What a launcher is told, as bytes: records of a kind (one byte), a text and NUL, since a path may hold
//! anything else.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::PathBuf,
};

use crate::Requirement;

/// Bytes of a plan, at most.
const BYTES_MAX: usize = 4 * 1024 * 1024;

/// The confinement of one program.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Plan {
    /// How much must hold.
    pub requirement: Requirement,
    /// The process whose namespaces are joined; none: there are none.
    pub holder: Option<i32>,
    /// The host's network; otherwise the namespaces' own, or none.
    pub network: bool,
    /// Where the program starts, absolute.
    pub cwd: PathBuf,
    /// Existing folders that it may change.
    pub write: Vec<PathBuf>,
    /// See [`crate::mounts::View::held`].
    pub held: Vec<PathBuf>,
    /// See [`crate::mounts::View::masked`].
    pub masked: Vec<PathBuf>,
    /// See [`crate::mounts::View::blank_file`].
    pub blank_file: PathBuf,
    /// See [`crate::mounts::View::blank_file`].
    pub blank_folder: PathBuf,
    /// Processes of these namespaces, at most; 0: as many as the host lets.
    pub processes: u64,
}

impl Plan {
    /// As a launcher reads it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut put = |kind: u8, text: &[u8]| {
            bytes.push(kind);
            bytes.extend_from_slice(text);
            bytes.push(0);
        };
        put(b'q', word_of(self.requirement).as_bytes());
        put(b'n', if self.network { b"1" } else { b"0" });
        put(b'p', self.processes.to_string().as_bytes());
        if let Some(holder) = self.holder {
            put(b'j', holder.to_string().as_bytes());
        }
        let one = [(b'c', &self.cwd), (b'f', &self.blank_file), (b'd', &self.blank_folder)];
        for (kind, path) in one {
            put(kind, path.as_os_str().as_bytes());
        }
        for (kind, paths) in [(b'w', &self.write), (b'h', &self.held), (b'm', &self.masked)] {
            for path in paths {
                put(kind, path.as_os_str().as_bytes());
            }
        }
        bytes
    }

    /// Reads it back; an error says what is wrong.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > BYTES_MAX || bytes.last() != Some(&0) {
            return Err("the plan is cut off".into());
        }
        let mut plan = Self::default();
        for record in bytes.strip_suffix(&[0]).unwrap_or_default().split(|byte| *byte == 0) {
            let (kind, text) = record.split_first().ok_or("the plan has an empty record")?;
            plan.take(*kind, text)?;
        }
        Ok(plan)
    }

    fn take(&mut self, kind: u8, text: &[u8]) -> Result<(), String> {
        let path = || PathBuf::from(OsString::from_vec(text.to_vec()));
        let words = || String::from_utf8_lossy(text);
        let wrong = || format!("the plan says '{}' of {}", words(), kind.escape_ascii());
        match kind {
            b'q' => self.requirement = requirement_of(&words()).ok_or_else(wrong)?,
            b'n' => self.network = text == b"1",
            b'p' => self.processes = words().parse().map_err(|_| wrong())?,
            b'j' => self.holder = Some(words().parse().map_err(|_| wrong())?),
            b'c' => self.cwd = path(),
            b'f' => self.blank_file = path(),
            b'd' => self.blank_folder = path(),
            b'w' => self.write.push(path()),
            b'h' => self.held.push(path()),
            b'm' => self.masked.push(path()),
            _ => return Err(wrong()),
        }
        Ok(())
    }
}

fn word_of(requirement: Requirement) -> &'static str {
    match requirement {
        Requirement::Required => "required",
        Requirement::BestEffort => "best-effort",
        Requirement::Off => "off",
    }
}

fn requirement_of(word: &str) -> Option<Requirement> {
    let all = [Requirement::Required, Requirement::BestEffort, Requirement::Off];
    all.into_iter().find(|requirement| word_of(*requirement) == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let odd = PathBuf::from(OsString::from_vec(b"/a\nb \xff\\".to_vec()));
        let plan = Plan {
            requirement: Requirement::Required,
            holder: Some(17),
            network: true,
            cwd: odd.clone(),
            write: vec!["/w".into(), odd.clone()],
            held: vec!["/w/.git/hooks".into()],
            masked: vec![odd],
            blank_file: "/b/file".into(),
            blank_folder: "/b/folder".into(),
            processes: 4096,
        };
        assert_eq!(Plan::from_bytes(&plan.to_bytes()), Ok(plan));
        assert_eq!(Plan::from_bytes(&Plan::default().to_bytes()), Ok(Plan::default()));
    }

    #[test]
    fn a_broken_plan_is_none() {
        let whole = Plan { cwd: "/w".into(), ..Plan::default() }.to_bytes();
        for bytes in [&b""[..], b"c/w", b"\0", b"q\0", b"qall\0", b"x/w\0", b"jone\0"] {
            assert!(Plan::from_bytes(bytes).is_err(), "{}", bytes.escape_ascii());
        }
        assert!(Plan::from_bytes(whole.get(..whole.len() - 1).unwrap()).is_err());
    }
}
