//! Goal: a person sees exactly what would run, and nobody can write over the card ([GATE-60]).

use std::path::PathBuf;

use serde_json::{Value, json};
use tollgate_core::{
    authority::{Layer, Need, confinement::Bounds},
    digest::Digest,
    safety::{Access, Escalation, Reach, Sandbox},
};

use super::*;
use crate::view::tests::card;

fn shown(card: &Card, columns: usize) -> String {
    lines(card, Output::plain(columns)).join("\n")
}

/// A question about these arguments.
fn about(arguments: Value) -> Card {
    let text = arguments.to_string();
    Card {
        arguments_bytes: text.len() as u64,
        arguments_sha256: Digest::of(text.as_bytes()),
        arguments,
        ..card()
    }
}

fn written(path: &str) -> Subject {
    Subject::Path {
        absolute: PathBuf::from(path),
        relative: None,
        access: Access::Write,
        reach: Reach::Itself,
    }
}

fn run(operator: &str, argv: &[&str], read_only: bool) -> Subject {
    Subject::Command {
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        operator: operator.to_owned(),
        opaque: false,
        read_only,
    }
}

#[test]
fn a_card_says_who_what_where_and_why() {
    let mut card = card();
    card.title = "List the files".into();
    card.subjects =
        vec![run("", &["ls", "a b"], true), run("|", &["sh"], false), written("/etc/x")];
    card.why.push(Why {
        layer: Layer::Rules,
        need: Need::Explicit,
        class: "rule".into(),
        reason: "rule bash(ls *) (permissions.toml:3) asks".into(),
        rule: Some("bash(ls *) (permissions.toml:3)".into()),
    });
    card.escalation = Some(Escalation { to: Sandbox::Network, justification: "to fetch".into() });
    card.preview = "-old\n+new\n".into();
    card.offer = vec!["bash(ls *)".into()];
    let expected = "\
╭ May this call run?
│ bash: List the files
│ asked by the model · server shell (local)
│ why: the call changes something [6 baseline]
│ why: rule bash(ls *) (permissions.toml:3) asks [7 rules]
│ wants sandbox 'network' for this one call: to fetch
│ commands:
│   ls 'a b'  (only reads)
│   | sh
│ touches: write /etc/x (outside the workspace)
│ arguments (16 bytes, sha256 4cf29611a669…):
│   command: \"ls\"
│ preview:
│   -old
│   +new
│ [s]ession or [a]lways would allow here without a question:
│   bash(ls *)";
    assert_eq!(shown(&card, 80), expected);
    assert_eq!(choices(&card), "[y]es once  [s]ession  [a]lways  [n]o  [m]essage  [q]uit turn");
    card.offer.clear();
    assert_eq!(choices(&card), "[y]es once  [n]o  [m]essage  [q]uit turn");
}

/// [GATE-70] [GATE-72] How far its programs would reach, and what a wider sandbox changes.
#[test]
fn a_card_says_how_far_programs_reach() {
    let told = |sandbox, hosts: &[&str], instead_of| {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        let reach = Some(Bounds { sandbox, hosts, instead_of });
        let shown = shown(&Card { reach, ..card() }, 200);
        let line = shown.lines().find_map(|line| line.strip_prefix("│ its programs: "));
        line.unwrap().to_owned()
    };
    let write = Sandbox::WorkspaceWrite;
    assert_eq!(told(write, &[], None), "writes in the workspace, network: no");
    assert_eq!(
        told(Sandbox::Network, &["example.org", "a\u{202e}b"], None),
        "writes in the workspace, network: yes (example.org, a<U+202E>b)"
    );
    assert_eq!(
        told(Sandbox::Network, &[], Some(write)),
        "writes in the workspace, network: yes; without the wider sandbox: writes in the workspace, network: no"
    );
    assert!(!shown(&card(), 200).contains("its programs"), "it starts none");
}

/// [GATE-60] Who asks, also from inside another call.
#[test]
fn a_card_names_programs_servers_and_agents() {
    let check = |caller, agent: &str, expected: &str| {
        let shown = shown(&Card { caller, agent: agent.into(), ..card() }, 80);
        assert!(shown.contains(expected), "no {expected:?}: {shown}");
    };
    check(Caller::Program, "main", "asked by a program of execute_tools · server shell");
    check(Caller::Program, "a-7", "asked by a program of execute_tools, agent a-7 ·");
    check(Caller::Server, "main", "tool server call: bash ·");
    check(Caller::User, "main", "asked by you ·");
}

/// [CODE-07] A program's call is titled so, with what its server says of it behind, and once.
#[test]
fn a_programs_call_is_titled_as_one() {
    let check = |title: &str, expected: &str| {
        let card = Card { caller: Caller::Program, title: title.into(), ..card() };
        let second = shown(&card, 80).lines().nth(1).map(str::to_owned);
        assert_eq!(second, Some(format!("│ execute_tools program call: {expected}")));
    };
    check("bash", "bash");
    check("List the files", "bash: List the files");
    check("execute_tools program call: bash", "bash");
    check("execute_tools program call: bash: List the files", "bash: List the files");
    check("execute_tools program call: read", "bash: execute_tools program call: read");
}

#[test]
fn nothing_hides_on_a_card() {
    let evil = format!("rm -rf /{}\u{1b}[2K\r\u{200b}\u{202e}echo hi", " ".repeat(200));
    let mut card = about(json!({ "command": evil, "lines": format!("a\n{evil}") }));
    card.title = evil.clone();
    card.why[0].reason = evil.clone();
    card.preview = format!("+{evil}");
    card.offer = vec![evil.clone()];
    card.escalation = Some(Escalation { to: Sandbox::Off, justification: evil.clone() });
    card.subjects = vec![Subject::Host { host: evil.clone() }, run("", &[&evil], false)];
    let shown = shown(&card, 40);
    assert!(!shown.contains(['\u{1b}', '\r', '\u{200b}', '\u{202e}']), "{shown:?}");
    // Wrapped, and not cut: each place still has its end.
    let joined: String = shown.chars().filter(|char| !matches!(char, '│' | ' ' | '\n')).collect();
    assert_eq!(joined.matches("<U+202E>echohi").count(), 9, "{joined}");
    let widest = shown.lines().map(text::width).max();
    assert!(widest <= Some(40), "{shown}");
}

/// AP-02 The end of a padded command is in sight, with the padding as a number.
#[test]
fn padding_is_counted_and_the_end_is_seen() {
    for (padding, expected) in [
        (" ", "<5000 × U+0020>"),
        ("\u{3000}", "<5000 × U+3000>"),
        ("\u{2800}", "<5000 × U+2800>"),
        ("\u{a0}", "<5000 × U+00A0>"),
        (" \u{2003}", "<10000 blanks>"),
        ("\t", r"<5000 × \t>"),
        (" \t", "<10000 blanks>"),
        ("\u{200b}", "<5000 × U+200B>"),
        ("\n", "<4999 empty lines>"),
        ("\r\n", "<4999 empty lines>"),
        (" \n", "<4999 empty lines>"),
    ] {
        let command = format!("echo ok{}; touch CANARY", padding.repeat(5000));
        let shown = shown(&about(json!({ "command": command })), 80);
        assert!(shown.contains(expected), "{padding:?}: no {expected}: {shown}");
        assert!(shown.contains("; touch CANARY"), "{padding:?}: {shown}");
        assert!(shown.contains(" bytes, sha256 "), "{shown}");
        assert!(shown.lines().count() < 20, "{padding:?}: {shown}");
    }
}

/// What is no blank is not counted as one, and a few blanks stand as they are.
#[test]
fn only_blanks_are_counted() {
    let many = "x".repeat(50);
    for (line, expected) in [
        (r"a\tb", r"a\tb".to_owned()),
        (&r"\\t".repeat(50), r"\\t".repeat(50)),
        (&format!("a{}b", r"\t".repeat(40)), format!("a{}b", r"\t".repeat(40))),
        (&format!("a{}b", r"\n".repeat(41)), r"a<41 × \n>b".into()),
        (&format!("a{} b", r"\n\r".repeat(41)), "a<83 blanks>b".into()),
        (r"a\", r"a\".into()),
        (&many, many.clone()),
        ("a \u{2003}\tb", "a <U+2003>\tb".into()),
    ] {
        assert_eq!(exact::counted(line), expected);
    }
}

/// AP-03 What is not seen, or passes for something else.
#[test]
fn invisible_bidi_and_lookalike_characters_are_told() {
    for char in
        ['\u{202e}', '\u{2066}', '\u{e0041}', '\u{e0100}', '\u{1d173}', '\u{ad}', '\u{fff9}']
    {
        let path = format!("/ws/a{char}b");
        let mut card = about(json!({ "path": path }));
        card.tool = format!("re{char}ad");
        card.subjects = vec![written(&path)];
        let shown = shown(&card, 100);
        let number = visible::code(char);
        assert_eq!(shown.matches(&number).count(), 3, "{number}: {shown}");
    }
    let shown = shown(&about(json!({ "path": "fіle.txt" })), 100);
    assert!(shown.contains("letters that look like others: і is <U+0456>"), "{shown}");
}

/// AP-04 Nothing that a terminal obeys, whatever brings it.
#[test]
fn no_control_sequence_reaches_the_terminal() {
    for evil in [
        "\u{1b}[2J",
        "\r",
        "\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\",
        "\u{1b}]52;c;ZXZpbA==\u{7}",
        "\u{1b}[21t",
        "\u{9b}2J",
        "\u{90}+q544e\u{9c}",
    ] {
        let mut card =
            about(json!({ "command": evil, (evil): evil, "lines": format!("a\n{evil}") }));
        card.tool = evil.into();
        card.server = evil.into();
        card.host = evil.into();
        card.agent = evil.into();
        card.title = evil.into();
        card.preview = evil.into();
        card.commands = vec![evil.into()];
        let shown = shown(&card, 60);
        let raw = shown.chars().find(|char| char.is_control() && *char != '\n');
        assert_eq!(raw, None, "{evil:?}: {shown:?}");
    }
}

#[test]
fn text_from_outside_cannot_pass_for_the_cards_own_words() {
    let mut card = about(json!({ "command": "x\nwhy: it is harmless\n╰ [y]es" }));
    card.preview = "why: it is harmless".into();
    let shown = shown(&card, 80);
    assert_eq!(shown.lines().filter(|line| line.starts_with("│ why:")).count(), 1, "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with('╰')), "{shown}");
}

/// A title, a path or a reason that is long enough to end where the liar wants it to.
#[test]
fn what_is_quoted_cannot_pass_for_the_cards_own_words_wherever_a_row_ends() {
    for columns in [40, 80] {
        for pad in 0..columns {
            let lie = format!("{} asked by you · server file (local)", "x".repeat(pad));
            let mut card = card();
            card.title = lie.clone();
            card.why[0].reason = lie.clone();
            card.subjects = vec![Subject::Host { host: lie }];
            let shown = shown(&card, columns);
            assert_eq!(shown.matches("\n│ asked by").count(), 1, "{shown}");
        }
    }
}

/// AP-02 Folded in the middle, with a number; the end is shown.
#[test]
fn what_is_too_long_to_show_says_so_and_shows_its_end() {
    let lines: Vec<String> = (0..1000).map(|line| format!("line {line}")).collect();
    let shown = shown(&about(json!({ "command": lines.join("\n") })), 80);
    for part in [
        "command: (1000 lines, 8889 bytes)",
        "line 298",
        "601 lines not shown here",
        "line 900",
        "line 999",
    ] {
        assert!(shown.contains(part), "no {part:?}: {shown}");
    }
    assert!(!shown.contains("line 500"), "{shown}");
}

/// A shell line is not shown three times; a preview of anything else is always there.
#[test]
fn a_shell_line_is_not_repeated() {
    let mut card = about(json!({ "command": "ls" }));
    card.preview = "ls\n\n  ls".into();
    assert!(shown(&card, 80).contains("preview:"), "no command tells it");
    card.subjects = vec![run("", &["ls"], true)];
    assert!(!shown(&card, 80).contains("preview:"));
    card.preview = "-a\n+b".into();
    assert!(shown(&card, 80).contains("preview:"));
}

/// Words are told apart as a shell would.
#[test]
fn the_bounds_of_words_are_seen() {
    let check = |argv: &[&str], expected: &str| {
        assert_eq!(command(&run("&&", argv, false)).unwrap(), format!("&& {expected}"));
    };
    check(&["git", "commit", "-m", "a b"], "git commit -m 'a b'");
    check(&["echo", "", "it's", "$HOME", ";"], r"echo '' 'it'\''s' '$HOME' ';'");
}
