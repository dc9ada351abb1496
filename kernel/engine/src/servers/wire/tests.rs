//! Goal: what a server says of a call's confinement is a claim in words, and bounded.

use super::*;

/// [GATE-80] One line, without signs that a terminal obeys; too many words are none.
#[test]
fn the_words_for_a_calls_confinement_are_one_short_line() {
    let words = |text: &str| {
        let completed =
            proto::Completed { confinement: text.to_owned(), ..proto::Completed::default() };
        ended(completed).confinement
    };
    let longest = "x".repeat(CONFINEMENT_BYTES_MAX);
    for (text, expected) in [
        ("", ""),
        ("namespaces landlock:7", "namespaces landlock:7"),
        ("a\nb\u{1b}[31m", "a b [31m"),
        (longest.as_str(), longest.as_str()),
        (format!("{longest}y").as_str(), ""),
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
}

/// Each level keeps its name, and no places are no field.
#[test]
fn a_grant_says_levels_and_places() {
    for (sandbox, expected) in [
        (Sandbox::ReadOnly, proto::Sandbox::ReadOnly),
        (Sandbox::WorkspaceWrite, proto::Sandbox::WorkspaceWrite),
        (Sandbox::Network, proto::Sandbox::Network),
        (Sandbox::Off, proto::Sandbox::Off),
    ] {
        assert_eq!(super::sandbox(sandbox), expected);
    }
    assert_eq!(withheld(Withheld::default()), None);
    let names = vec![".netrc".to_owned()];
    let some = Withheld { names: names.clone(), ..Withheld::default() };
    assert_eq!(withheld(some).map(|it| it.names), Some(names));
}
