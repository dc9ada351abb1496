//! Goal: nothing that bash runs is passed over as a blank or a comment (SH-03).

use crate::parse::parse;

/// Whether all of a line is known.
fn is_known(line: &str) -> bool {
    let parsed = parse(line);
    parsed.whole && !parsed.commands.iter().any(|command| command.opaque)
}

#[test]
fn what_is_no_blank_to_bash_makes_a_line_unknown() {
    for line in [
        "a \\ #; touch C",
        "a \\\t#; touch C",
        "a \r#; touch C",
        "a \x0b# | touch C",
        "a \x0c#\ntouch C",
        "a \\\r\ntouch C",
        "a\r\nb",
        "a \\ b",
        "\\ #! ; touch C",
        "a; \\ # && touch C",
        "a \\\n\\ #; touch C",
        "a x\n\\\ntouch C",
        "a\n \\\n \\\ntouch C",
    ] {
        assert!(!is_known(line), "{line:?}");
    }
}

#[test]
fn blanks_and_comments_are_passed_over() {
    for line in [
        "a # b; c",
        "# a\nb",
        "a;# b",
        "a \\\n  b",
        "a \\\n\tb # c",
        "a && # b\nc",
        "(a # b\n)",
        "a 'x\r' \"  y\\ \" z\\ z",
        "\n\n a \n",
        "if a; then # b\nc; fi",
        "a \"$b\n $c\"",
    ] {
        assert!(is_known(line) || line.contains('$'), "{line:?}: {:?}", parse(line));
    }
    assert!(parse("a \"$b\n $c\"").whole);
}
