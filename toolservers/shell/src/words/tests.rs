//! Goal: the value that bash gives a word, or a doubt.

use super::*;

#[track_caller]
fn known(written: &str, expected: &str) {
    let word = whole_word(written).unwrap();
    assert_eq!((word.argument(), word.text.as_str()), (Some(expected), expected), "{written}");
}

#[track_caller]
fn check(written: &str, expected: Shape) {
    assert_eq!(whole_word(written).unwrap().shape, expected, "{written}");
}

#[track_caller]
fn doubtful(written: &str) {
    assert!(whole_word(written).is_err(), "{written}: {:?}", whole_word(written));
}

/// SH-06.
#[test]
fn quoting_is_resolved() {
    known("touch", "touch");
    known(r#"t"ou"ch"#, "touch");
    known(r"\touch", "touch");
    known(r"t\ouch", "touch");
    known(r"$'to\x75ch'", "touch");
    known(r"$'\164ouch'", "touch");
    known("'a b'\"c d\"", "a bc d");
    known(r#""\$HOME \n \"""#, r#"$HOME \n ""#);
    known("a\\\nb", "ab");
    known("$", "$");
    known("stash@{0}", "stash@{0}");
    known("{}", "{}");
}

#[test]
fn what_stays_open_has_its_shape() {
    check("\"$x\"", Shape::One(String::new()));
    check("\"./$x\"", Shape::One("./".into()));
    check("$x", Shape::Many(String::new()));
    check("./$x", Shape::Many(String::new()));
    check("\"$@\"", Shape::Many(String::new()));
    check("src/*.rs", Shape::Many("src/".into()));
    check("*.rs", Shape::Many(String::new()));
    check("~/a", Shape::One("~".into()));
    check("'*'", Shape::Known);
}

/// SH-04, SH-05, SH-06.
#[test]
fn what_runs_or_rewrites_something_is_doubtful() {
    for written in [
        "$(touch C)",
        "`touch C`",
        "\"$(touch C)\"",
        "$((1+1))",
        "$[1]",
        "${x@P}",
        "${x:-y}",
        "${!x}",
        "${a[0]}",
        "${#x}",
        "{touch,C}",
        "{1..3}",
        "{PATH}",
        "~+/x",
        "~-",
        "~1/x",
        "$\\\n{x@P}",
        "\"$\\\n(touch C)\"",
        "$\"x\"",
        "'open",
        "\"open",
        "a\\",
        r"$'\c'",
        r"$'\xff'",
    ] {
        doubtful(written);
    }
}

#[test]
fn a_word_ends_at_operators_and_blanks() {
    for written in ["a b", "a;b", "a|b", "a&b", "a>b", "a<b", "a(b", "a\nb"] {
        let (word, rest) = read_word(written).unwrap();
        assert_eq!((word.text.as_str(), rest.len()), ("a", 2), "{written}");
    }
}

/// SH-03.
#[test]
fn characters_that_deceive_are_refused() {
    for text in ["ls\rx", "ls\0x", "ls\u{a0}-l", "a\u{202e}b", "\u{feff}ls", "a\u{b}b"] {
        assert!(check_characters(text).is_err(), "{text:?}");
    }
    assert!(check_characters("ls\t-l\n\"é 你\"").is_ok());
}
