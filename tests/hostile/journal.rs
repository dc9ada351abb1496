//! A line for each call that begins, so that a test can count how often it ran.

use std::{fs::OpenOptions, io::Write as _, path::Path};

use tollgate_proto::tool::v1::Start;

/// Writes the line. Answers how many lines of this call are there now.
pub(crate) fn note(journal: Option<&Path>, start: &Start) -> usize {
    let Some(path) = journal else { return 1 };
    let line = format!("{} {} {}\n", start.tool, start.call_id, start.attempt);
    let file = OpenOptions::new().create(true).append(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
        eprintln!("the journal cannot be written: {error}");
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter(|line| line.contains(&start.call_id)).count()
}
