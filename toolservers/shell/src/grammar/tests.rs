//! Goal: the same commands as bash, or a doubt.

use super::*;

#[track_caller]
fn check(line: &str, expected: &[&str]) {
    let line_read = read(line).unwrap();
    assert_eq!(texts(&line_read, |_| true), expected, "{line:?}");
    assert!(!line_read.redirected, "{line:?}");
}

fn texts(line: &Line, which: impl Fn(&Simple) -> bool) -> Vec<String> {
    let chosen = line.commands.iter().filter(|command| which(command));
    let words = |command: &Simple| -> Vec<String> {
        command.words.iter().map(|word| word.text.clone()).collect()
    };
    chosen.map(|command| words(command).join(" ")).collect()
}

/// The commands of `line` whose output or input is redirected to more than reading.
#[track_caller]
fn redirected(line: &str, expected: &[&str]) {
    let line_read = read(line).unwrap();
    assert_eq!(texts(&line_read, |command| command.redirected), expected, "{line:?}");
    assert!(line_read.redirected, "{line:?}");
}

#[track_caller]
fn doubtful(line: &str) {
    assert!(read(line).is_err(), "{line:?}: {:?}", read(line));
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

/// SH-13, SH-14.
#[test]
fn a_redirection_that_may_write_is_noted_with_its_commands() {
    for target in ["> f", ">| f", ">> f", ">& f", "&> f", "2> f", "> $x", "> *", "< /dev/tcp/h/1"] {
        redirected(&format!("a {target}; b"), &["a"]);
        redirected(&format!("{target} a | b"), &["a"]);
    }
    redirected("a < $x; b", &["a"]);
    redirected("a; (b; c | d) > f; e", &["b", "c", "d"]);
    redirected("a; { b; { c; } >&2; } 2>&1 >> f", &["b", "c"]);
    redirected("for x in y; do a; done > f; b", &["a"]);
    redirected("if a; then b; else c; fi 2> f", &["a", "b", "c"]);
    redirected("while a; do b; done < $x", &["a", "b"]);
    redirected("() > f", &[]);
}

#[test]
fn pipes_and_loops_are_noted() {
    let flags = |line| read(line).map(|line| (line.pipes, line.repeats)).unwrap();
    assert_eq!(flags("a && b; (c)\n! d || e"), (false, false));
    assert_eq!(flags("a; (b | c)"), (true, false));
    assert_eq!(flags("for x in y; do a; done"), (false, true));
    assert_eq!(flags("if while a; do b; done; then c |& d; fi"), (true, true));
}

/// SH-04, SH-05, SH-11, SH-13, SH-15.
#[test]
fn the_rest_is_doubtful() {
    for line in [
        "a 1<> f",
        "> f",
        "a > >(b)",
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
        "((x=1))",
        "'[[' -f x ]]",
        "[[ a > b ]] ]]; ]]",
        "a; ]]",
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
    assert_eq!(read(&line).unwrap().commands.len(), 20_001);
}
