//! Goal: nothing but one strict verdict of low or medium risk lets a call run [GATE-32] [AP-13].

use tokio::time::sleep;

use super::*;
use crate::store::session::ToolCall;

fn answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), stop: "end", ..Answer::default() }
}

/// The single toucher: an answer, whether the call may run, and a part of the reason.
#[track_caller]
fn check(answer: &Answer, allowed: bool, reason: &str) {
    let judged = verdict::of(answer).unwrap_or_else(|why| Judged::no(&why));
    assert_eq!(judged.allowed, allowed, "{answer:?}: {judged:?}");
    assert!(judged.reason.contains(reason), "{answer:?}: {judged:?}");
    assert!(judged.reason.len() < 420 && !judged.reason.contains(char::is_control), "{judged:?}");
}

#[test]
fn a_strict_verdict_counts() {
    let rows = [
        (
            r#"{"risk":"low","decision":"allow","reason":"runs tests"}"#,
            true,
            "low risk: runs tests",
        ),
        (
            "\n {\"reason\":\"r\",\"decision\":\"allow\",\"risk\":\"medium\"}\t\n",
            true,
            "medium risk: r",
        ),
        (r#"{"risk":"low","decision":"allow","reason":""}"#, true, "no reason"),
        (r#"{"risk":"low","decision":"deny","reason":"no"}"#, false, "low risk: no"),
    ];
    for (text, allowed, reason) in rows {
        check(&answer(text), allowed, reason);
    }
}

#[test]
fn high_risk_never_runs() {
    for risk in ["high", "critical"] {
        let text = format!(r#"{{"risk":"{risk}","decision":"allow","reason":"r"}}"#);
        check(&answer(&text), false, risk);
    }
}

#[test]
fn whatever_is_no_strict_verdict_denies() {
    let good = r#"{"risk":"low","decision":"allow","reason":"r"}"#;
    let rows = [
        (String::new(), "empty"),
        (" \n".to_owned(), "empty"),
        ("allow".to_owned(), "not one JSON object"),
        ("VERDICT: allow".to_owned(), "not one JSON object"),
        (format!("{good} {good}"), "not one JSON object"),
        (format!("{good}\n{}", good.replace("allow", "deny")), "not one JSON object"),
        (format!("[{good}]"), "no JSON object"),
        (format!("Sure! {good}"), "not one JSON object"),
        (format!("{good} I hope this helps."), "not one JSON object"),
        (format!("```json\n{good}\n```"), "not one JSON object"),
        (format!("\u{feff}{good}"), "not one JSON object"),
        (good.replace('}', ""), "not one JSON object"),
        (good.replace('}', ",}"), "not one JSON object"),
        (good.replace('}', r#","decision":"deny"}"#), "stands twice"),
        (good.replace('}', r#","risk":"low"}"#), "stands twice"),
        (good.replace('}', r#","note":"x"}"#), "\"note\""),
        (good.replace("risk", "Risk"), "\"Risk\""),
        (good.replace(r#""risk":"low","#, ""), "no \"risk\""),
        (good.replace(r#","reason":"r""#, ""), "no \"reason\""),
        (good.replace(r#""r""#, "null"), "no text"),
        (good.replace(r#""low""#, "0"), "no text"),
        (good.replace("low", "none"), "a risk that there is not"),
        (good.replace("low", "LOW"), "a risk that there is not"),
        (good.replace("low", "low "), "a risk that there is not"),
        (good.replace("allow", "ask"), "a decision that there is not"),
        (good.replace("allow", "allow|deny"), "a decision that there is not"),
        ("null".to_owned(), "no JSON object"),
        (format!(r#"{{"verdict":{good}}}"#), "\"verdict\""),
        (good.replace(r#""r""#, &format!("{:?}", "r".repeat(9000))), "longer than a verdict"),
    ];
    for (text, reason) in rows {
        check(&answer(&text), false, reason);
    }
}

#[test]
fn an_answer_that_stopped_otherwise_denies() {
    let good = answer(r#"{"risk":"low","decision":"allow","reason":"r"}"#);
    for (stop, reason) in [
        ("length", "longer than a verdict"),
        ("refusal", "declined"),
        ("cancelled", "without a verdict"),
        ("", "without a verdict"),
    ] {
        check(&Answer { stop, ..good.clone() }, false, reason);
    }
    let call = ToolCall { id: "a".into(), name: "bash".into(), arguments: "{}".into() };
    check(&Answer { tool_calls: vec![call], ..good.clone() }, false, "asked for tools");
}

/// Others read the reason: people and the main model.
#[test]
fn a_reason_is_one_bounded_line() {
    let reason = "a\\n\\u001b[31mb\\u2028c".to_owned() + &"d".repeat(2000);
    let text = format!(r#"{{"risk":"low","decision":"deny","reason":"{reason}"}}"#);
    check(&answer(&text), false, "low risk: a [31mb cdd");
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_denies() {
    let good = || answer(r#"{"risk":"low","decision":"allow","reason":"r"}"#);
    let asked = |seconds: u64| async move {
        sleep(Duration::from_secs(seconds)).await;
        Ok(good())
    };
    let cancel = CancellationToken::new();
    assert!(judge(asked(89), &cancel).await.unwrap().allowed);
    let late = judge(asked(91), &cancel).await.unwrap();
    assert_eq!(late, Judged::no("it did not answer within 90 s"));
}

#[tokio::test]
async fn a_fault_denies_and_a_cancel_is_no_verdict() {
    let cancel = CancellationToken::new();
    let fault = async { Err("it could not be asked: no network".to_owned()) };
    let judged = judge(fault, &cancel).await.unwrap();
    assert_eq!(judged, Judged::no("it could not be asked: no network"));
    cancel.cancel();
    assert_eq!(judge(std::future::pending(), &cancel).await, None);
}
