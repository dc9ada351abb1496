//! Goal: the same commands as bash, or a doubt.

use super::*;

#[track_caller]
fn check(line: &str, expected: &[&str]) {
    let commands = commands_of(line).unwrap();
    let joined: Vec<String> = commands
        .iter()
        .map(|words| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(joined, expected, "{line:?}");
}

#[track_caller]
fn doubtful(line: &str) {
    assert!(commands_of(line).is_err(), "{line:?}: {:?}", commands_of(line));
}

#[test]
fn lists_and_pipes_are_read() {
    check("ls", &["ls"]);
    check("a && b || c; d | e\nf", &["a", "b", "c", "d", "e", "f"]);
    check("a &&\n b |\n c", &["a", "b", "c"]);
    check("a \\\n  -l # all\nb", &["a -l", "b"]);
    check("! a | b", &["a", "b"]);
    check("(a; b) | { c; }", &["a", "b", "c"]);
    check("", &[]);
    check("# nothing", &[]);
}

#[test]
fn loops_and_conditions_are_read() {
    check("for f in *.txt; do wc -l \"$f\"; done", &["wc -l $f"]);
    check("for f in a b\ndo\n x\ndone | y", &["x", "y"]);
    check("if [ -f a ]; then b; elif c; then d; else e; fi", &["[ -f a ]", "b", "c", "d", "e"]);
    check("while read -r l; do a; done < f", &["read -r l", "a"]);
}

/// SH-13.
#[test]
fn harmless_redirections_are_read() {
    check("a 2>&1 >/dev/null < f <<< x | b &>/dev/null 2>>/dev/null", &["a", "b"]);
    check("a >& 2", &["a"]);
}

/// SH-04, SH-05, SH-11, SH-13, SH-15.
#[test]
fn the_rest_is_doubtful() {
    for line in [
        "a > f",
        "a >| f",
        "a >> f",
        "a >& f",
        "a &> f",
        "a 1<> f",
        "> f",
        "a > $x",
        "a < /dev/tcp/h/1",
        "X=1",
        "X=1 a",
        "a[1]=2",
        "X+=1 a",
        "f() { a; }",
        "function f { a; }",
        "a & b",
        "a &",
        "cat <<E\nx\nE",
        "cat <(a)",
        "a > >(b)",
        "((x=1))",
        "[[ -v x ]]",
        "case x in x) a;; esac",
        "select x in 1; do a; done",
        "time a",
        "coproc a",
        "until a; do b; done",
        "a;;b",
        "for PATH in .; do a; done",
        "for f; do a; done",
        "if a; then b",
        "(a",
        "a)",
        "$(a)",
        "a | | b",
        "echo $((x))",
        "ls\rx",
        "shopt -s extglob\ncat @(a|b)",
    ] {
        doubtful(line);
    }
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    doubtful(&"(".repeat(100_000));
    doubtful(&format!("{}a{}", "(".repeat(1000), ")".repeat(1000)));
}

/// G-06.
#[test]
fn long_lines_are_read_to_their_end() {
    let line = "true; ".repeat(20_000) + "touch CANARY";
    assert_eq!(commands_of(&line).unwrap().len(), 20_001);
}
