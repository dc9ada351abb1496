//! The text and the facts of a result.
//!
//! Invariants: at most 30,000 characters; the last line, which says how the command ended, and the
//! notes before it are never cut; nothing is said of success or failure but how it ended (B050).

use std::{path::Path, time::Duration};

use nix::sys::signal::Signal;
use tollgate_sdk::serde_json::{Value, json};

use crate::{
    capture::Captured,
    limits::{RESULT_CHARS_MAX, TIMEOUT_SECONDS_MAX},
    reap::Ending,
    run::{Finished, Stop},
};

#[cfg(test)]
mod tests;

/// The text for the model: output, what was left out, notes, and how it ended.
pub(crate) fn text(finished: &Finished, notes: &[String]) -> String {
    let output = &finished.output;
    let mut text = output.head.clone();
    if output.left_out.bytes > 0 {
        text.push_str(&left_out(output, finished.passed_on));
    }
    text.push_str(&output.tail);
    if output.lines == 0 {
        text.push_str("(no output)\n");
    }
    let end = last_line(finished);
    let notes: Vec<String> = notes.iter().cloned().chain(own_notes(finished)).collect();
    let used = text.chars().count() + end.chars().count();
    // Each with its line end; they name paths, which may be long.
    let most = (RESULT_CHARS_MAX.saturating_sub(used) / notes.len().max(1)).saturating_sub(1);
    for note in &notes {
        text.push_str(&shortened(note, most));
        text.push('\n');
    }
    text.push_str(&end);
    text
}

/// `{"exit_code": int|null, "signal": name|null, "duration_ms": int, "timed_out": bool, "cwd": path,
/// "bytes": int, "lines": int, "background": int}`
pub(crate) fn metadata(finished: &Finished, cwd: &Path) -> Value {
    let (code, signal) = match finished.ending {
        Some(Ending::Code(code)) => (Some(code), None),
        Some(Ending::Signal(number)) => (None, Some(signal_name(number))),
        None => (None, None),
    };
    json!({
        "exit_code": code,
        "signal": signal,
        "duration_ms": u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
        "timed_out": finished.stop == Stop::TimedOut,
        "cwd": cwd.to_string_lossy(),
        "bytes": finished.output.bytes,
        "lines": finished.output.lines,
        "background": finished.background,
    })
}

/// What is missing, and what of the whole there is elsewhere. Whether that could be kept, and under which
/// name, only the kernel knows.
fn left_out(output: &Captured, passed_on: u64) -> String {
    let left = output.left_out;
    let kept = if passed_on >= output.bytes {
        "all of it was passed on to be kept as an artifact".to_owned()
    } else if passed_on == 0 {
        "none of it is kept".to_owned()
    } else {
        format!(
            "its first {passed_on} bytes were passed on to be kept as an artifact; the {} after them are not kept",
            output.bytes - passed_on
        )
    };
    let line = match left.bytes_of_line {
        0 => String::new(),
        bytes => format!(", {bytes} bytes of them from the beginning of the next line"),
    };
    // What is cleaned is not what was written; the end of the last line may be ours.
    let cleaned = (output.head.len() + output.tail.len()) as u64 + left.bytes;
    let as_shown = if cleaned.abs_diff(output.bytes) > 1 { " as they would be shown" } else { "" };
    format!(
        "[… left out here: {} lines, {} bytes{as_shown}{line}; the whole output has {} lines, {} bytes, and {kept} …]\n",
        left.lines, left.bytes, output.lines, output.bytes
    )
}

/// A text of at most so many characters, without its middle if it has more.
fn shortened(text: &str, most: usize) -> String {
    let chars = text.chars().count();
    if chars <= most {
        return text.to_owned();
    }
    let begin = most / 2;
    let end = most.saturating_sub(begin + 1);
    let shown = text.chars().take(begin).chain(['…']);
    shown.chain(text.chars().skip(chars - end)).collect()
}

pub(crate) fn own_notes(finished: &Finished) -> Vec<String> {
    let mut notes = Vec::new();
    match finished.background {
        0 => {}
        1 => notes.push("[1 process goes on in the background until this session ends]".to_owned()),
        more => notes
            .push(format!("[{more} processes go on in the background until this session ends]")),
    }
    if finished.survivors > 0 {
        notes.push(format!("[{} processes could not be ended]", finished.survivors));
    }
    notes
}

pub(crate) fn last_line(finished: &Finished) -> String {
    let after = time(finished.duration);
    match (finished.stop, finished.ending) {
        (Stop::Itself, Some(Ending::Code(code))) => format!("[exit code {code} after {after}]"),
        (Stop::Itself, Some(Ending::Signal(number))) => {
            format!("[ended by {}, signal {number}, after {after}]", signal_name(number))
        }
        (Stop::Itself, None) => format!("[how it ended is not known, after {after}]"),
        (Stop::TimedOut, _) => format!(
            "[timed out after {after}; it and all that it started were stopped. A larger timeout (at most \
             {TIMEOUT_SECONDS_MAX} seconds) or smaller steps may help]"
        ),
        (Stop::Cancelled, _) => {
            format!("[stopped on request after {after}; all that it started was stopped too]")
        }
    }
}

/// "12 ms", "3.4 s".
pub(crate) fn time(duration: Duration) -> String {
    match duration.as_millis() {
        millis @ 0..1000 => format!("{millis} ms"),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}

/// "SIGKILL"; a real-time signal by its number.
pub(crate) fn signal_name(number: i32) -> String {
    Signal::try_from(number)
        .map_or_else(|_| format!("SIG{number}"), |signal| signal.as_str().to_owned())
}
