//! `receipts export`: every record as a line of JSON, for other programs and other places.
//!
//! A line of a call (`decided`, `receipt`) is the exact text of the log, so that SHA-256 over it is the
//! next line's `prev`; a line of a question has its session in front.

use std::{
    fs::OpenOptions,
    io::{self, BufWriter, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use anyhow::Context as _;
use serde::Serialize;
use tollgate_core::{
    name::SessionId,
    receipt::{Link, Record},
};
use tollgate_engine::store::{StateDir, receipts, session};

use crate::{
    exit::{Exit, Failure},
    output::{line_err, write_out},
    start::Start,
    text,
};

/// A record with its session.
#[derive(Serialize)]
struct Line<'a> {
    session: &'a SessionId,
    #[serde(flatten)]
    link: &'a Link,
}

/// Writes the records of one session, or of all.
///
/// # Errors
/// There is no such session, the store cannot be read, or the file is there already.
pub(super) fn run(
    start: &Start,
    state: &StateDir,
    asked: Option<&str>,
    all: bool,
    output: Option<&Path>,
) -> Result<Exit, Failure> {
    let sessions: Vec<SessionId> = match asked {
        Some(asked) => vec![session::find(state, asked)?],
        None if all => session::list(state, usize::MAX)?.into_iter().map(|it| it.id).collect(),
        None => session::latest(state)?.map(|it| it.id).into_iter().collect(),
    };
    let failed = |error: io::Error| {
        let to = output.map_or("standard output".to_owned(), |file| file.display().to_string());
        Failure::new(Exit::Failed, anyhow::Error::new(error).context(format!("cannot write {to}")))
    };
    let mut sink: Box<dyn Write> = match output {
        None => Box::new(Stdout),
        Some(file) => {
            let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
            let made = made.with_context(|| format!("cannot make {}", file.display()));
            Box::new(BufWriter::new(made.map_err(|error| Failure::new(Exit::Usage, error))?))
        }
    };
    let mut count = 0;
    for id in &sessions {
        let mut written = Ok(());
        let repairs = receipts::links(state, id, |_, link, text| {
            if written.is_ok() {
                written = line(&mut sink, id, &link, text);
                count += 1;
            }
        })?;
        written.map_err(failed)?;
        for told in repairs.to_string().lines() {
            line_err(&start.output.stderr_paint.yellow(told));
        }
    }
    sink.flush().map_err(failed)?;
    if let Some(file) = output {
        line_err(&format!("{} in {}", text::count(count, "record"), file.display()));
    }
    Ok(Exit::Done)
}

fn line(sink: &mut dyn Write, session: &SessionId, link: &Link, text: &[u8]) -> io::Result<()> {
    match &link.record {
        Record::Decided(_) | Record::Receipt(_) => sink.write_all(text)?,
        Record::Asked(_) | Record::Answered(_) => {
            sink.write_all(&serde_json::to_vec(&Line { session, link })?)?;
        }
    }
    sink.write_all(b"\n")
}

/// Standard output, of which a reader may have had enough.
struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_out(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
