//! `artifacts show ID`: the bytes of a result that was kept whole.

use std::io::{BufRead as _, BufReader, Read as _};

use tollgate_engine::store::{ArtifactId, Artifacts};

use crate::{
    args::Artifacts as Command,
    exit::{Exit, Failure},
    output::write_out,
    start::Start,
    visible,
};

/// Bytes that are written at once; to a terminal a line at once, if it has no more.
const PIECE_BYTES: u64 = 64 * 1024;

/// Writes an artifact to standard output: as it is, and to a terminal as a person may see it.
///
/// # Errors
/// There is no such artifact, or it was changed.
pub(crate) fn run(start: &Start, Command::Show { id }: &Command) -> Result<Exit, Failure> {
    let prefixed = if id.starts_with("artifact:") { id.clone() } else { format!("artifact:{id}") };
    let id: ArtifactId = prefixed.parse().map_err(|error| Failure::new(Exit::Usage, error))?;
    let mut reader = BufReader::new(Artifacts::open(&start.store()?).open_at(id, 0)?);
    let is_terminal = start.output.stdout_is_terminal;
    loop {
        let mut piece = Vec::new();
        let mut next = reader.by_ref().take(PIECE_BYTES);
        let read = match is_terminal {
            true => next.read_until(b'\n', &mut piece),
            false => next.read_to_end(&mut piece),
        };
        match read.map_err(|error| Failure::new(Exit::Failed, error))? {
            0 => return Ok(Exit::Done),
            _ if is_terminal => write_out(shown(&piece).as_bytes()),
            _ => write_out(&piece),
        }
    }
}

/// Text without what a terminal obeys; bytes that are no text by their numbers.
fn shown(piece: &[u8]) -> String {
    let parts = piece.utf8_chunks();
    parts
        .flat_map(|it| [visible::lines(it.valid()), it.invalid().escape_ascii().to_string()])
        .collect()
}
