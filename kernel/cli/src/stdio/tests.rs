//! Goal: a line does exactly what it says, or nothing.

use super::*;

#[track_caller]
fn check(line: &str, expected: Said) {
    assert_eq!(meaning(&Line::Whole(line.into())), Ok(expected), "{line}");
}

/// A line that does nothing, and a part of what is told.
#[track_caller]
fn wrong(line: &str, part: &str) {
    match meaning(&Line::Whole(line.into())) {
        Err(why) => assert!(why.contains(part), "{line}: {why}"),
        Ok(said) => panic!("{line} means {said:?}"),
    }
}

fn answered(answer: Answer) -> Said {
    Said::Answer("a".into(), answer)
}

/// [CLI-03] [GATE-12] What can be said.
#[test]
fn lines_say_what_they_say() {
    check(r#"{"approval":"a","answer":"once"}"#, answered(Answer::Once));
    check(r#" { "answer" : "session", "approval" : "a" } "#, answered(Answer::Session));
    check(r#"{"approval":"a","answer":"always"}"#, answered(Answer::Always));
    check(r#"{"approval":"a","answer":"stop"}"#, answered(Answer::Stop));
    check(r#"{"approval":"a","answer":"deny"}"#, answered(Answer::Deny(None)));
    check(
        r#"{"approval":"a","answer":"deny","message":"use make"}"#,
        answered(Answer::Deny(Some("use make".into()))),
    );
    check(r#"{"mode":"plan"}"#, Said::Stance(Some(Mode::Plan), None));
    check(r#"{"posture":"full-access"}"#, Said::Stance(None, Some(Posture::FullAccess)));
    check(
        r#"{"mode":"work","posture":"never"}"#,
        Said::Stance(Some(Mode::Work), Some(Posture::Never)),
    );
    check(r#"{"cancel":true}"#, Said::Cancel);
    check("  ", Said::Nothing);
}

/// [AP-11] Only a whole and exact answer is one.
#[test]
fn everything_else_says_nothing() {
    for (line, part) in [
        ("yes", "expected value"),
        (r#"{"approval":"a"}"#, "a line is"),
        (r#"{"answer":"once"}"#, "a line is"),
        (r#"{"approval":"a","answer":"yes"}"#, "yes"),
        (r#"{"approval":"a","answer":"ONCE"}"#, "ONCE"),
        (r#"{"approval":"a","answer":"once","answer":"deny"}"#, "duplicate"),
        (r#"{"approval":"a","answer":"once","sure":true}"#, "sure"),
        (r#"{"Approval":"a","answer":"once"}"#, "Approval"),
        (r#"{"approval":"a","answer":"once","message":"x"}"#, "deny"),
        (r#"{"approval":"a","answer":"once","mode":"work"}"#, "a line is"),
        (r#"{"approval":1,"answer":"once"}"#, "string"),
        (r#"{"approval":"a","answer":"once"} {"cancel":true}"#, "trailing"),
        (r#"{"approval":"a","answer":"once""#, "EOF"),
        (r#"[{"approval":"a","answer":"once"}]"#, ""),
        (r#"{"mode":"full"}"#, "full"),
        (r#"{"mode":null}"#, "a line is"),
        (r#"{"cancel":false}"#, "a line is"),
        ("{}", "a line is"),
    ] {
        wrong(line, part);
    }
    assert!(meaning(&Line::Whole(b"\xff\xfe".to_vec())).is_err());
    assert!(meaning(&Line::TooLong).unwrap_err().contains("65536"));
    let message = "x".repeat(MESSAGE_BYTES_MAX + 1);
    wrong(&format!(r#"{{"approval":"a","answer":"deny","message":"{message}"}}"#), "4096");
    wrong(&"[".repeat(10_000), "");
}

fn lines_of(input: &[u8]) -> Vec<Line> {
    let (lines, mut read) = mpsc::channel(16);
    read_lines(&mut &*input, &lines);
    drop(lines);
    std::iter::from_fn(|| read.blocking_recv()).collect()
}

fn whole(text: &str) -> Line {
    Line::Whole(text.into())
}

/// A line that is too long is passed over as a whole; the next one counts.
#[test]
fn lines_are_bounded() {
    assert_eq!(lines_of(b"a\n\nb"), [whole("a"), whole(""), whole("b")]);
    assert_eq!(lines_of(b""), []);
    let most = "x".repeat(STDIO_LINE_BYTES_MAX);
    assert_eq!(lines_of(format!("{most}\nb\n").as_bytes()), [whole(&most), whole("b")]);
    for more in [1, 2, STDIO_LINE_BYTES_MAX * 3] {
        let long = format!("{most}{}\nb\n", "y".repeat(more));
        assert_eq!(lines_of(long.as_bytes()), [Line::TooLong, whole("b")], "{more}");
    }
    assert_eq!(lines_of(format!("{most}yy").as_bytes()), [Line::TooLong]);
}

/// What is missing beside `--approvals stdio` is told.
#[test]
fn stdio_needs_events_and_a_message() {
    let stdio = Some(Approvals::Stdio);
    let events = Some(OutputFormat::StreamJson);
    assert!(check_of(stdio, events, Some("go")).is_none());
    assert!(check_of(None, None, None).is_none());
    assert!(check_of(Some(Approvals::Deny), Some(OutputFormat::Json), None).is_none());
    for format in [None, Some(OutputFormat::Json), Some(OutputFormat::Text)] {
        assert!(check_of(stdio, format, Some("go")).unwrap().contains("stream-json"));
    }
    for prompt in [None, Some("-")] {
        assert!(check_of(stdio, events, prompt).unwrap().contains("command line"));
    }
}

fn check_of(
    approvals: Option<Approvals>,
    format: Option<OutputFormat>,
    prompt: Option<&str>,
) -> Option<String> {
    super::check(approvals, format, prompt).err().map(|failure| failure.chain())
}
