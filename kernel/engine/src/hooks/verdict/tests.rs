//! Goal: the table of words, and that the strictest holds in whatever order. [GATE-40] HK-05

use std::time::Duration;

use serde_json::json;
use tollgate_policy::hooks::HookCommand;

use super::*;

fn hook(strict: bool) -> Hook {
    Hook {
        event: HookEvent::ToolCallBefore,
        command: HookCommand::Argv(Vec::new()),
        tool: None,
        modes: Vec::new(),
        timeout: Duration::from_secs(1),
        strict,
        background: false,
        origin: "hooks.toml:1".to_owned(),
    }
}

fn answer(word: Word) -> Answer {
    Answer { word, ..Answer::default() }
}

fn name(said: &HookSaid) -> &'static str {
    match said {
        HookSaid::Nothing => "nothing",
        HookSaid::Allow { .. } => "allow",
        HookSaid::Ask { .. } => "ask",
        HookSaid::Deny { failed: false, .. } => "deny",
        HookSaid::Deny { failed: true, .. } => "failed",
    }
}

#[test]
fn every_word_means_what_the_table_says() {
    for strict in [true, false] {
        let of = |ran, is_whole, cancelled| word(&hook(strict), ran, is_whole, cancelled).said;
        let plain = [
            (Word::Pass, "nothing"),
            (Word::Allow, "allow"),
            (Word::Ask, "ask"),
            (Word::Deny, "deny"),
        ];
        for (word, expected) in plain {
            assert_eq!(name(&of(Ok(answer(word)), true, false)), expected);
        }
        let blind = if strict { "ask" } else { "nothing" };
        for (word, expected) in
            [(Word::Pass, blind), (Word::Allow, blind), (Word::Ask, "ask"), (Word::Deny, "deny")]
        {
            assert_eq!(name(&of(Ok(answer(word)), false, false)), expected, "{word:?}");
        }
        let fault = if strict { "failed" } else { "nothing" };
        assert_eq!(name(&of(Err("broke".to_owned()), true, false)), fault);
        assert_eq!(name(&of(Err("was given up".to_owned()), true, true)), "failed");
    }
}

/// HK-05
#[test]
fn the_strictest_holds_in_every_order() {
    let words = [Word::Pass, Word::Allow, Word::Ask, Word::Deny];
    for first in words {
        for second in words {
            for third in words {
                let mut heard = Heard::default();
                for said in [first, second, third] {
                    take(&mut heard, word(&hook(true), Ok(answer(said)), true, false));
                }
                let strictest = first.max(second).max(third);
                let expected = name(&word(&hook(true), Ok(answer(strictest)), true, false).said);
                assert_eq!(name(&heard.said), expected, "{first:?} {second:?} {third:?}");
            }
        }
    }
}

/// HK-06: an allowance is for the bytes that were seen.
#[test]
fn rewriting_takes_an_earlier_allowance_back_and_no_earlier_question() {
    for (before, after) in [(Word::Allow, "nothing"), (Word::Ask, "ask")] {
        let mut heard = Heard::default();
        take(&mut heard, word(&hook(true), Ok(answer(before)), true, false));
        let rewrite = Answer { updated: Some(json!({ "a": 1 })), ..Answer::default() };
        take(&mut heard, word(&hook(true), Ok(rewrite), true, false));
        assert_eq!(name(&heard.said), after);
        let last = Answer { updated: Some(json!({ "a": 2 })), ..answer(Word::Allow) };
        take(&mut heard, word(&hook(true), Ok(last), true, false));
        assert_eq!(heard.updated, Some(json!({ "a": 2 })));
    }
}

#[test]
fn a_denial_brings_no_arguments() {
    let said = Answer { updated: Some(json!({})), ..answer(Word::Deny) };
    assert_eq!(word(&hook(true), Ok(said), true, false).updated, None);
}
