//! Goal: what a terminal sends for keys and text.

use super::*;

const PLAIN: Manner = Manner { application_cursor: false, bracketed_paste: false };

#[track_caller]
fn check(text: &str, keys: &[&str], manner: Manner, expected: &str) {
    let names: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let sent = bytes(text, &named(&names).unwrap(), manner);
    assert_eq!(String::from_utf8(sent).unwrap(), expected, "{text:?} {keys:?}");
}

#[test]
fn keys_send_what_a_terminal_sends() {
    check("", &["enter", "tab", "escape", "backspace"], PLAIN, "\r\t\x1b\x7f");
    check("", &["up", "home", "page-up", "f1", "f12"], PLAIN, "\x1b[A\x1b[H\x1b[5~\x1bOP\x1b[24~");
    let application = Manner { application_cursor: true, ..PLAIN };
    check("", &["up", "end", "delete"], application, "\x1bOA\x1bOF\x1b[3~");
    check("", &["ctrl-c", "ctrl-d", "ctrl-z", "ctrl-\\"], PLAIN, "\x03\x04\x1a\x1c");
    check("", &["Ctrl+C", "CTRL_C", "Esc", "PageDown", "return"], PLAIN, "\x03\x03\x1b\x1b[6~\r");
    check("", &["alt-x", "alt-X", "alt-é"], PLAIN, "\x1bx\x1bX\x1bé");
}

#[test]
fn text_is_typed_and_a_line_feed_is_enter() {
    check("ls -l\n", &[], PLAIN, "ls -l\r");
    check("a\nb\tc", &["enter"], PLAIN, "a\rb\tc\r");
}

#[test]
fn several_lines_are_pasted_where_the_program_takes_pastes() {
    let paste = Manner { bracketed_paste: true, ..PLAIN };
    check("ls\n", &[], paste, "ls\r");
    check("if x:\n\ty\n\n", &[], paste, "\x1b[200~if x:\r\ty\x1b[201~\r\r");
    check("a\nb", &["enter"], paste, "\x1b[200~a\rb\x1b[201~\r");
}

#[test]
fn text_presses_no_hidden_key() {
    for text in ["\x03", "a\x1b[201~b", "\r", "\u{9b}31m", "\0", "\x7f"] {
        let invalid = check_failed(text);
        assert!(invalid.message.contains("keys"), "{}", invalid.message);
    }
    assert!(super::check("plain\n\ttext é 中\n").is_ok());
}

fn check_failed(text: &str) -> Invalid {
    super::check(text).unwrap_err()
}

#[test]
fn an_unknown_key_is_told_with_those_that_there_are() {
    for name in ["ctrl-1", "x", "", "f13", "alt-", "alt-xy", "ctrl-", "alt-\x1b", "hyper-x"] {
        let invalid = Key::named(name).unwrap_err();
        assert!(invalid.message.contains("page-up"), "{name:?}: {}", invalid.message);
        assert!(!invalid.message.contains('\x1b'));
    }
    assert!(named(&vec!["up".to_owned(); KEYS_MAX + 1]).is_err());
}

#[test]
fn what_a_key_does_to_the_line_is_known() {
    for (name, does) in [
        ("enter", Does::Ends),
        ("ctrl-m", Does::Ends),
        ("ctrl-j", Does::Ends),
        ("ctrl-o", Does::Ends),
        ("ctrl-c", Does::Interrupts),
        ("backspace", Does::Erases),
        ("up", Does::Edits),
        ("tab", Does::Edits),
        ("ctrl-d", Does::Edits),
        ("ctrl-u", Does::Edits),
    ] {
        assert_eq!(Key::named(name).unwrap().does(), does, "{name}");
    }
}
