//! Goal: the line that is being typed, as far as it is known.

use super::*;
use crate::terminal::keys;

#[track_caller]
fn check(before: &str, text: &str, names: &[&str], expected: &str) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(after(before, text, &keys::named(&names).unwrap()), expected);
}

#[test]
fn what_is_typed_is_followed_from_key_to_key() {
    check("rm -r", "f /x\n", &[], "rm -rf /x\n");
    check("git pusx", "", &["backspace"], "git pus");
    check("ls", "", &["enter", "backspace"], "ls\n");
    check("ls", "", &["ctrl-c"], "ls\n");
    check("git", "", &["space", "tab"], "git \u{fffc}");
    check("", "", &["up", "enter"], "\u{fffc}\n");
}

#[test]
fn a_command_is_found_behind_a_prompt() {
    for (line, expected) in [
        ("bash-5.2$ git push", vec!["git push"]),
        ("[u@h ~]# rm -rf /", vec!["rm -rf /"]),
        ("h% a > b", vec!["a > b", "b"]),
        ("a > b$ c", vec!["b$ c", "c"]),
        ("$ ", vec![]),
        ("", vec![]),
        ("no prompt", vec![]),
    ] {
        assert_eq!(shown_commands(line), expected, "{line}");
    }
    let many = "$ x ".repeat(100);
    assert_eq!(shown_commands(&many).len(), PROMPTS_MAX);
}
