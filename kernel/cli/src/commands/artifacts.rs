//! `artifacts show ID`: the bytes of a result that was kept whole.

use std::io::Read as _;

use tollgate_engine::store::{ArtifactId, Artifacts};

use crate::{
    args::Artifacts as Command,
    exit::{Exit, Failure},
    output::write_out,
    start::Start,
};

/// Bytes that are written at once.
const PIECE_BYTES: usize = 64 * 1024;

/// Writes an artifact to standard output as it is.
///
/// # Errors
/// There is no such artifact, or it was changed.
pub(crate) fn run(start: &Start, Command::Show { id }: &Command) -> Result<Exit, Failure> {
    let prefixed = if id.starts_with("artifact:") { id.clone() } else { format!("artifact:{id}") };
    let id: ArtifactId = prefixed.parse().map_err(|error| Failure::new(Exit::Usage, error))?;
    let mut reader = Artifacts::open(&start.store()?).open_at(id, 0)?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match reader.read(&mut piece).map_err(|error| Failure::new(Exit::Failed, error))? {
            0 => return Ok(Exit::Done),
            bytes => write_out(piece.get(..bytes).unwrap_or_default()),
        }
    }
}
