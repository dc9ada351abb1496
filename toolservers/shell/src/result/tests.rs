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
        confined: String::new(),
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
         were passed on to be kept as an artifact; the {} after them are not kept …]\n",
        cut.output.left_out.lines,
        cut.output.left_out.bytes,
        long.len(),
        long.len() - 1000
    );
    assert!(shown.contains(&counts));
}

/// [SHELL-02] Bytes that are no text are longer when they are shown, and the counts say of which they are.
#[test]
fn counts_of_what_is_no_text_say_so() {
    let zeros = finished(&[0; 100_000], Ending::Code(0), Stop::Itself);
    let shown = text(&zeros, &[]);
    let left = 400_001 - 24_800;
    let counts = format!(
        "[… left out here: 0 lines, {left} bytes as they would be shown, {left} bytes of them from the beginning of \
         the next line; the whole output has 1 lines, 100000 bytes, and all of it was passed on to be kept as an \
         artifact …]\n"
    );
    assert!(shown.starts_with(&counts), "{shown:.300}");
}

/// [SHELL-02] Notes name paths; however long these are, the text is bounded and its last line whole.
#[test]
fn long_notes_are_shortened_and_the_end_is_not() {
    let long: String = (1..=200_000).map(|n| format!("{n}\n")).collect();
    let cut =
        Finished { background: 3, ..finished(long.as_bytes(), Ending::Code(0), Stop::TimedOut) };
    let notes = [format!("[{} a]", "p".repeat(9000)), format!("[{} b]", "é".repeat(9000))];
    let shown = text(&cut, &notes);
    assert!(shown.chars().count() <= RESULT_CHARS_MAX);
    assert!(shown.ends_with("or smaller steps may help]"));
    let lines: Vec<&str> = shown.lines().rev().take(4).collect();
    assert!(lines[1].starts_with("[3 processes"), "{lines:?}");
    assert!(lines[2].starts_with("[éé") && lines[2].ends_with("é b]"), "{lines:?}");
    assert!(lines[3].contains("pp…pp"), "{lines:?}");
    let short = finished(b"x", Ending::Code(0), Stop::Itself);
    assert!(text(&short, &notes).contains(&notes[0]), "there is room enough");
}
