//! From a stack of the engine to a place of the model's own text.

use super::super::PROGRAM_FILE;
use crate::source::Prepared;

/// Lines of a stack that are looked at; the engine writes ten.
const FRAMES_MAX: usize = 64;

/// Line and column of the innermost frame that is the program's, from 1 and in characters; (0, 0) if none is.
pub(in super::super) fn place_in(stack: &str, prepared: &Prepared) -> (u32, u32) {
    stack
        .lines()
        .take(FRAMES_MAX)
        .filter_map(script_place)
        .map(|(line, column)| prepared.place(line, column))
        .find(|place| *place != (0, 0))
        .unwrap_or((0, 0))
}

/// `    at f (program.js:3:14)` or `    at program.js:3:14`.
fn script_place(frame: &str) -> Option<(u32, u32)> {
    let (_, place) = frame.rsplit_once(PROGRAM_FILE)?;
    let (line, column) = place.strip_prefix(':')?.trim_end_matches(')').split_once(':')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}
