//! Goal: a bounded text whose last line says how it ended.

use std::time::Duration;

use super::*;
use crate::{capture::Capture, limits::RESULT_CHARS_MAX};

fn finished(output: &[u8], ending: Ending, stop: Stop) -> Finished {
    let mut capture = Capture::default();
    capture.push(output);
    Finished {
        ending: Some(ending),
        stop,
        duration: Duration::from_millis(12),
        passed_on: output.len() as u64,
        output: capture.finish(),
        background: 0,
        survivors: 0,
        last_cwd: None,
        pipe: None,
    }
}

/// B043.
#[test]
fn a_command_without_output_says_so() {
    let silent = finished(b"", Ending::Code(0), Stop::Itself);
    assert_eq!(text(&silent, &[]), "(no output)\n[exit code 0 after 12 ms]");
}

#[test]
fn notes_stand_between_output_and_end() {
    let noted = Finished { background: 2, ..finished(b"hi", Ending::Code(3), Stop::Itself) };
    assert_eq!(
        text(&noted, &["[a note]".into()]),
        "hi\n[a note]\n[2 processes go on in the background until this session ends]\n[exit code 3 after 12 ms]"
    );
}

/// B049.
#[test]
fn a_signal_is_named() {
    let killed = finished(b"x", Ending::Signal(9), Stop::Itself);
    assert_eq!(text(&killed, &[]), "x\n[ended by SIGKILL, signal 9, after 12 ms]");
    let facts = metadata(&killed, Path::new("/w"));
    assert_eq!((&facts["signal"], &facts["exit_code"]), (&json!("SIGKILL"), &json!(null)));
    assert_eq!(
        metadata(&finished(b"", Ending::Signal(40), Stop::Itself), Path::new("/w"))["signal"],
        "SIG40"
    );
}

#[test]
fn a_timeout_says_what_helps() {
    let late = finished(b"x", Ending::Signal(15), Stop::TimedOut);
    assert!(text(&late, &[]).ends_with("at most 600 seconds) or smaller steps may help]"));
    assert_eq!(metadata(&late, Path::new("/w"))["timed_out"], true);
}

/// [SHELL-02], B044.
#[test]
fn a_long_output_is_cut_with_exact_counts_and_keeps_its_end() {
    let long: String =
        (1..=200_000).map(|n| format!("{n}\n")).collect::<String>() + "E: last line failed\n";
    let cut =
        Finished { passed_on: 1000, ..finished(long.as_bytes(), Ending::Code(2), Stop::Itself) };
    let shown = text(&cut, &["n".repeat(600)]);
    assert!(shown.chars().count() <= RESULT_CHARS_MAX);
    assert!(shown.ends_with("\n[exit code 2 after 12 ms]"));
    assert!(shown.contains("E: last line failed\n"));
    let counts = format!(
        "[… left out here: {} lines, {} bytes; the whole output has 200001 lines, {} bytes, and its first 1000 bytes \
         are kept as an artifact …]\n",
        cut.output.left_out.lines,
        cut.output.left_out.bytes,
        long.len()
    );
    assert!(shown.contains(&counts));
}
