//! Goal: every row of the table of answers. [GATE-40] HK-02 HK-04 B101 B109

use super::*;

const DENIES: &str = r#"{"decision":"deny","reason":"no"}"#;

fn about(words: &[String]) -> About<'_> {
    About { event: "PreToolUse", tool: Some("bash"), words }
}

fn run(end: CaptureEnd, stdout: &str, stderr: &str) -> Result<Answer, String> {
    let words = ["python3".to_owned(), "/h/guard.py".to_owned()];
    let captured = Captured { end, stdout: stdout.into(), stderr: stderr.into() };
    read(&captured, about(&words))
}

/// An answer as "WORD REASON", or "fault" with a part of why.
#[track_caller]
fn check(code: i32, stdout: &str, stderr: &str, expected: Result<(Word, &str), &str>) {
    let answer = run(CaptureEnd::Exited(Exit::Code(code)), stdout, stderr);
    match (&answer, expected) {
        (Ok(said), Ok((word, reason))) => {
            assert_eq!((said.word, said.reason.as_str()), (word, reason), "{stdout:?} {stderr:?}");
        }
        (Err(why), Err(part)) => assert!(why.contains(part), "{why:?} lacks {part:?}"),
        _ => panic!("{answer:?}, expected {expected:?} of {stdout:?}, {stderr:?}"),
    }
}

#[test]
fn silence_and_exit_0_are_no_verdict() {
    check(0, "", "", Ok((Word::Pass, "")));
    check(0, " \n", "a word for the log", Ok((Word::Pass, "")));
    check(0, "{}", "", Ok((Word::Pass, "")));
    check(
        0,
        r#"{"decision":null,"systemMessage":"x","suppressOutput":true}"#,
        "",
        Ok((Word::Pass, "")),
    );
}

#[test]
fn a_verdict_is_read_in_either_shape() {
    check(0, DENIES, "", Ok((Word::Deny, "no")));
    check(0, r#"{"decision":"block","reason":"no"}"#, "", Ok((Word::Deny, "no")));
    check(0, r#"{"decision":"approve"}"#, "", Ok((Word::Allow, "")));
    check(0, r#"{"decision":"allow","reason":"fine"}"#, "", Ok((Word::Allow, "fine")));
    check(0, r#"{"decision":"ask","reason":"look"}"#, "", Ok((Word::Ask, "look")));
    for (said, word) in [("allow", Word::Allow), ("ask", Word::Ask), ("deny", Word::Deny)] {
        let inner = format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{said}","permissionDecisionReason":"r"}}}}"#
        );
        check(0, &inner, "", Ok((word, "r")));
    }
    check(0, r#"{"continue":false,"stopReason":"enough"}"#, "", Ok((Word::Deny, "enough")));
    check(0, r#"{"continue":true}"#, "", Ok((Word::Pass, "")));
}

#[test]
fn of_two_verdicts_in_one_answer_the_stricter_holds() {
    let both = r#"{"decision":"approve","reason":"a","hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"d"}}"#;
    check(0, both, "", Ok((Word::Deny, "d")));
    let both = r#"{"decision":"block","reason":"a","hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"d"}}"#;
    check(0, both, "", Ok((Word::Deny, "a")));
}

/// HK-04 CX#28437 CX#41979
#[test]
fn what_is_no_verdict_is_a_fault() {
    for broken in
        ["{bad", "denied", "{\"decision\":\"deny\"", "{}{}", "[]", "\"deny\"", "null", "1"]
    {
        let why =
            if broken.starts_with(['[', '"', 'n', '1']) { "not an object" } else { "no JSON" };
        check(0, broken, "", Err(why));
    }
    check(0, r#"{"decision":"allow","decision":"deny"}"#, "", Err("twice"));
    check(0, r#"{"decision":"perhaps"}"#, "", Err("unknown decision 'perhaps'"));
    check(0, r#"{"decision":"DENY"}"#, "", Err("unknown decision"));
    check(0, r#"{"decision":true}"#, "", Err("boolean, not a string"));
    check(0, r#"{"decision":"deny","reason":7}"#, "", Err("integer, not a string"));
    check(0, r#"{"updatedInput":"x"}"#, "", Err("string, not an object"));
    check(0, r#"{"additionalContext":[]}"#, "", Err("array, not a string"));
    check(0, r#"{"hookSpecificOutput":1}"#, "", Err("integer, not an object"));
    check(0, r#"{"continue":"no"}"#, "", Err("string, not a boolean"));
    check(0, r#"{"hookSpecificOutput":{"permissionDecision":"defer"}}"#, "", Err("'defer'"));
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
    check(0, &deep, "", Err("no JSON"));
}

/// HK-06
#[test]
fn an_answer_for_something_else_is_a_fault() {
    check(0, r#"{"tool_name":"bash","decision":"allow"}"#, "", Ok((Word::Allow, "")));
    check(0, r#"{"tool_name":"write","decision":"allow"}"#, "", Err("'write', not 'bash'"));
    let other = r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse"}}"#;
    check(0, other, "", Err("'PostToolUse', not 'PreToolUse'"));
}

/// HK-02
#[test]
fn any_other_end_is_a_fault_also_with_a_verdict() {
    for code in [1, 3, 126, 127, 134, 137, 139, 255] {
        check(code, "", "", Err(&format!("exit code {code}")));
        check(code, r#"{"decision":"allow"}"#, "why", Err("why"));
        check(code, DENIES, "", Err("exit code"));
    }
    let rows = [
        (CaptureEnd::Exited(Exit::Signal(11)), "SIGSEGV"),
        (CaptureEnd::Exited(Exit::Unknown), "unknown"),
        (CaptureEnd::TimedOut, "did not end in its time"),
        (CaptureEnd::TooMuch, "printed more"),
        (CaptureEnd::Cancelled, "given up"),
    ];
    for (end, part) in rows {
        let why = run(end, r#"{"decision":"allow"}"#, "").unwrap_err();
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn exit_2_denies_with_the_reason_that_there_is() {
    check(2, "", "not on a Friday\n", Ok((Word::Deny, "not on a Friday")));
    check(2, DENIES, "noise", Ok((Word::Deny, "no")));
    check(2, r#"{"decision":"allow"}"#, "stop", Ok((Word::Deny, "stop")));
    check(2, "{bad", "stop", Ok((Word::Deny, "stop")));
    check(2, "", "", Ok((Word::Deny, "it ended with exit code 2 and gave no reason")));
    check(
        2,
        "",
        "guard.py: permission denied for production",
        Ok((Word::Deny, "guard.py: permission denied for production")),
    );
}

/// B109: an interpreter also ends with 2 when it never came to the hook.
#[test]
fn an_interpreters_complaint_is_no_denial() {
    for complaint in [
        "python3: can't open file '/no/hook.py': [Errno 2] No such file or directory",
        "/usr/bin/python3.11: can't open file '/no/hook.py': [Errno 2] No such file",
        "Unknown option: -Z\npython3: unknown option -Z",
        "usage: python3 [option] ... [-c cmd | -m mod | file | -] [arg] ...",
        "usage: guard.py [-h]\nguard.py: error: unrecognized arguments: x",
        "sh: 0: cannot open /no/hook.sh: No such file",
        "/bin/sh: 1: Syntax error: Unterminated quoted string",
        "/h/guard.py: 3: Syntax error: \"fi\" unexpected",
        "guard.py: line 3: syntax error near unexpected token `fi'",
        "Can't open perl script \"/no/hook.pl\": No such file or directory",
    ] {
        check(2, "", complaint, Err("failed to start"));
        check(2, DENIES, complaint, Ok((Word::Deny, "no")));
    }
}

#[test]
fn a_reason_is_bounded_and_visible() {
    let long = "\u{1b}[31mx".repeat(10_000);
    let said = run(CaptureEnd::Exited(Exit::Code(2)), "", &long).unwrap();
    assert!(said.reason.len() <= REASON_BYTES_MAX && !said.reason.contains('\u{1b}'));
    let json = format!(r#"{{"decision":"deny","reason":"{}"}}"#, "y".repeat(10_000));
    let said = run(CaptureEnd::Exited(Exit::Code(0)), &json, "").unwrap();
    assert_eq!(said.reason.len(), REASON_BYTES_MAX);
}

#[test]
fn input_and_context_come_from_either_shape() {
    let said = run(
        CaptureEnd::Exited(Exit::Code(0)),
        r#"{"updatedInput":{"command":"ls"},"additionalContext":"c"}"#,
        "",
    );
    let expected = Answer {
        updated: Some(serde_json::json!({ "command": "ls" })),
        context: Some("c".to_owned()),
        ..Answer::default()
    };
    assert_eq!(said.as_ref(), Ok(&expected));
    let inner = run(
        CaptureEnd::Exited(Exit::Code(0)),
        r#"{"hookSpecificOutput":{"updatedInput":{"command":"ls"},"additionalContext":"c"}}"#,
        "",
    );
    assert_eq!(inner.as_ref(), Ok(&expected));
}
