//! Goal: a person sees exactly what would run, and nobody can write over the card ([GATE-60]).

use std::path::PathBuf;

use serde_json::json;
use tollgate_core::safety::Access;

use super::*;
use crate::view::tests::card;

fn shown(card: &Card, columns: usize) -> String {
    lines(card, Output::plain(columns)).join("\n")
}

#[test]
fn a_card_says_who_what_where_and_why() {
    let mut card = card();
    card.title = "List the files".into();
    card.subjects = vec![
        Subject::Command {
            argv: vec!["ls".into(), "a b".into()],
            operator: String::new(),
            opaque: false,
        },
        Subject::Path { absolute: PathBuf::from("/etc/x"), relative: None, access: Access::Write },
    ];
    card.preview = "-old\n+new\n".into();
    let expected = "\
╭ May this call run?
│ bash: List the files
│ asked by the model · server shell (local)
│ why: baseline: the call changes something
│ touches: run ls a b
│ touches: write /etc/x (outside the workspace)
│ arguments:
│   command: \"ls\"
│ preview:
│   -old
│   +new";
    assert_eq!(shown(&card, 80), expected);
}

#[test]
fn nothing_hides_on_a_card() {
    let mut card = card();
    let evil = format!("rm -rf /{}\u{1b}[2K\r\u{200b}\u{202e}echo hi", " ".repeat(200));
    card.title = evil.clone();
    card.why = evil.clone();
    card.preview = evil.clone();
    card.arguments = json!({ "command": evil, "lines": format!("a\n{evil}") });
    card.subjects = vec![Subject::Host { host: evil }];
    let shown = shown(&card, 40);
    assert!(!shown.contains(['\u{1b}', '\r', '\u{200b}', '\u{202e}']), "{shown:?}");
    // Wrapped, and not cut: each place still has its end.
    let joined: String = shown.chars().filter(|char| !matches!(char, '│' | ' ' | '\n')).collect();
    assert_eq!(joined.matches("echohi").count(), 6, "{joined}");
    let widest = shown.lines().map(text::width).max();
    assert!(widest <= Some(40), "{shown}");
}

#[test]
fn text_from_outside_cannot_pass_for_the_cards_own_words() {
    let mut card = card();
    card.arguments = json!({ "command": "x\nwhy: it is harmless\n╰ [y]es" });
    card.preview = "why: it is harmless".into();
    let shown = shown(&card, 80);
    assert_eq!(shown.lines().filter(|line| line.starts_with("│ why:")).count(), 1, "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with('╰')), "{shown}");
}

#[test]
fn what_is_too_long_to_show_says_so() {
    let mut card = card();
    card.preview = "line\n".repeat(CARD_LINES_SHOWN + 5);
    assert!(shown(&card, 80).ends_with("│ 5 lines not shown: say no unless you know them"));
}
