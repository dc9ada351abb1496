//! Which sessions there are: cheaply, from the first line of each log and its end.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use tollgate_core::name::{SessionId, nearest};

use super::{Head, SessionError, SessionRecord};
use crate::store::{
    FileError, StateDir,
    framed::Reader,
    limits::{
        FRAME_BYTES_MAX, MATCHES_NAMED_MAX, PROMPT_CHARS_MAX, PROMPT_SEARCH_BYTES_MAX,
        PROMPT_SEARCH_STEP_BYTES,
    },
};

/// How the record of a person's message begins, behind its frame.
const USER_KEY: &[u8] = b",\"record\":{\"type\":\"user\",";
/// How the record of a prepared request begins, likewise.
const REQUEST_KEY: &[u8] = b",\"record\":{\"type\":\"request\",";

/// What a list of sessions shows of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The session.
    pub id: SessionId,
    /// Its first record; none when that is damaged.
    pub head: Option<Head>,
    /// When its log was last written, ms since the epoch.
    pub used_unix_ms: u64,
    /// Size of its log.
    pub bytes: u64,
    /// Turns begun; none when not known without reading the whole log.
    pub turns: Option<u32>,
    /// The newest message of a person, at most [`PROMPT_CHARS_MAX`] characters; none when there is
    /// none, or when `turns` is none.
    pub last_prompt: Option<String>,
}

/// The newest sessions, at most `limit`: those used last come first. Blocking.
///
/// # Errors
/// [`SessionError::File`]; a damaged log is listed with what is known of it.
pub fn list(state: &StateDir, limit: usize) -> Result<Vec<Summary>, SessionError> {
    let mut found = Vec::new();
    for id in ids_in(state.sessions())? {
        let path = path(state, &id);
        let metadata = path.metadata().map_err(FileError::at("look at", &path))?;
        let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
        found.push((modified, id, path));
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.into_iter().take(limit).map(|(used, id, path)| summary(id, &path, used)).collect()
}

/// The session that was used last. Blocking.
///
/// # Errors
/// As [`list`].
pub fn latest(state: &StateDir) -> Result<Option<Summary>, SessionError> {
    Ok(list(state, 1)?.pop())
}

/// The newest [`SessionRecord::Request`] of a session that can be read; the session may be running.
/// Blocking, and as long as the log after it.
///
/// # Errors
/// [`SessionError::Unknown`] and [`SessionError::File`].
pub fn last_request(
    state: &StateDir,
    id: &SessionId,
) -> Result<Option<SessionRecord>, SessionError> {
    let path = path(state, id);
    if !path.exists() {
        return Err(unknown(state, id.as_str()));
    }
    let file = File::open(&path).map_err(FileError::at("open", &path))?;
    let bytes = file.metadata().map_err(FileError::at("look at", &path))?.len();
    let last = last(&file, bytes, 0, REQUEST_KEY).map_err(FileError::at("read", &path))?;
    Ok(last)
}

/// The session of this id, or the only one whose id begins so. Blocking.
///
/// # Errors
/// [`SessionError::Unknown`], [`SessionError::Ambiguous`], [`SessionError::File`].
pub fn find(state: &StateDir, asked: &str) -> Result<SessionId, SessionError> {
    let mut matches = ids_in(state.sessions())?;
    matches.retain(|id| !asked.is_empty() && id.as_str().starts_with(asked));
    if let Some(exact) = matches.iter().find(|id| id.as_str() == asked) {
        return Ok(exact.clone());
    }
    matches.sort_unstable_by(|a, b| b.cmp(a));
    match matches.as_slice() {
        [] => Err(unknown(state, asked)),
        [only] => Ok(only.clone()),
        _ => {
            matches.truncate(MATCHES_NAMED_MAX);
            Err(SessionError::Ambiguous { asked: asked.to_owned(), matches })
        }
    }
}

/// The error for a session that is not there, with what may have been meant.
pub(in crate::store) fn unknown(state: &StateDir, asked: &str) -> SessionError {
    let ids = match ids_in(state.sessions()) {
        Ok(ids) => ids,
        Err(error) => return error.into(),
    };
    let near = nearest(asked, ids.iter().map(SessionId::as_str));
    let nearest = ids.iter().filter(|id| near.contains(&id.as_str())).cloned().collect();
    let asked = asked.chars().take(80).flat_map(char::escape_default).collect();
    SessionError::Unknown { asked, nearest }
}

/// Where a session's log is.
pub(in crate::store) fn path(state: &StateDir, id: &SessionId) -> PathBuf {
    state.sessions().join(format!("{id}.jsonl"))
}

/// The sessions that have a log in a directory, in no order.
pub(in crate::store) fn ids_in(directory: &Path) -> Result<Vec<SessionId>, FileError> {
    let failed = || FileError::at("list", directory);
    let mut ids = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed())? {
        let name = entry.map_err(failed())?.file_name();
        let id = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
        ids.extend(id.and_then(|id| SessionId::try_from(id).ok()));
    }
    Ok(ids)
}

fn summary(id: SessionId, path: &Path, used: SystemTime) -> Result<Summary, SessionError> {
    let file = File::open(path).map_err(FileError::at("open", path))?;
    let bytes = file.metadata().map_err(FileError::at("look at", path))?.len();
    let head = match record_at(&file, 0).map_err(FileError::at("read", path))? {
        Some(SessionRecord::Session(head)) => Some(head),
        _ => None,
    };
    let last = last_user(&file, bytes).map_err(FileError::at("read", path))?;
    let (turns, last_prompt) = match last {
        Some((turn, text)) => (Some(turn), Some(text.chars().take(PROMPT_CHARS_MAX).collect())),
        None if bytes <= PROMPT_SEARCH_BYTES_MAX => (Some(0), None),
        None => (None, None),
    };
    let used = used.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let used_unix_ms = u64::try_from(used).unwrap_or(u64::MAX);
    Ok(Summary { id, head, used_unix_ms, bytes, turns, last_prompt })
}

/// The newest message of a person with its turn, from the end of the log backwards.
fn last_user(file: &File, bytes: u64) -> io::Result<Option<(u32, String)>> {
    let floor = bytes.saturating_sub(PROMPT_SEARCH_BYTES_MAX);
    Ok(match last(file, bytes, floor, USER_KEY)? {
        Some(SessionRecord::User { turn, text }) => Some((turn, text)),
        Some(_) | None => None,
    })
}

/// The newest whole record that begins with a key, from the end of the log backwards to an offset.
fn last(file: &File, bytes: u64, floor: u64, key: &[u8]) -> io::Result<Option<SessionRecord>> {
    // Bytes of a line within which the key stands, if it does.
    let within = FRAME_BYTES_MAX + key.len();
    let mut upper = bytes;
    while upper > floor {
        let lower = upper.saturating_sub(PROMPT_SEARCH_STEP_BYTES as u64).max(floor);
        // A line that begins in this step may have its key behind it.
        let until = (upper + within as u64).min(bytes);
        let mut step = vec![0; usize::try_from(until - lower).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut step, lower)?;
        let line_ends = step.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
        for start in line_ends.map(|(at, _)| at + 1) {
            let head = step.get(start..).unwrap_or_default();
            let head = head.get(..within).unwrap_or(head);
            if head.windows(key.len()).any(|window| window == key)
                && let Some(record) = record_at(file, lower + start as u64)?
            {
                return Ok(Some(record));
            }
        }
        upper = lower;
    }
    Ok(None)
}

/// The record of the line that begins at an offset, if it is whole.
fn record_at(file: &File, offset: u64) -> io::Result<Option<SessionRecord>> {
    let mut reader = Reader::new(At { file, offset });
    let line = reader.next_line()?;
    Ok(line.and_then(|line| serde_json::from_slice(line.record.ok()?).ok()))
}

/// Reads from an offset on, whatever the file's own position.
struct At<'a> {
    file: &'a File,
    offset: u64,
}

impl io::Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}
