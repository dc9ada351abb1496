//! Goal: every simple command of a line is a subject, wherever it stands. [GATE-22], SH-04, SH-12, SH-16.

use super::*;
use crate::limits::COMMAND_BYTES_MAX;

fn texts(line: &str) -> Vec<String> {
    let commands = parse(line).commands;
    commands
        .iter()
        .map(|command| command.words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" "))
        .collect()
}

#[track_caller]
fn check(line: &str, expected: &[&str]) {
    assert_eq!(texts(line), expected, "{line:?}");
    assert!(parse(line).whole, "{line:?}");
}

#[track_caller]
fn finds(line: &str, command: &str) {
    assert!(texts(line).iter().any(|text| text == command), "{line:?}: {:?}", texts(line));
}

#[test]
fn commands_are_found_in_every_position() {
    check("a x && b || c; d | e |& f\ng & h", &["a x", "b", "c", "d", "e", "f", "g", "h"]);
    check("(a; b)", &["a", "b"]);
    check("{ a; b; }", &["a", "b"]);
    check("! a", &["a"]);
    check("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]);
    check("for i in 1 2; do a $i; done", &["for i in 1 2", "a $i"]);
    check("while a; do b; done", &["a", "b"]);
    check("until a; do b; done", &["a", "b"]);
    check("case x in x) a;; *) b;; esac", &["a", "b"]);
    check("f() { a; }; f", &["a", "f"]);
    check("[ -f x ] && a", &["[ -f x ]", "a"]);
    check("export A=1; a", &["export A=1", "a"]);
    check("A=1 B=2 a", &["a", "A=1", "B=2"]);
    check("A=1", &["A=1"]);
    check("unset x", &["unset x"]);
    check("", &[]);
}

/// The parser takes a line end before a backslash for the beginning of a word. Rows of gold lines did not
/// show it, since none has a backslash on its second line.
#[test]
fn a_line_that_begins_with_a_backslash_is_another_command() {
    check("ls\n\\a x", &["ls", "a x"]);
    check("ls x\n\n\\a x\n\\b\nc", &["ls x", "a x", "b", "c"]);
    check("(ls\n\\a x)", &["ls", "a x"]);
    check("A=1\n\\a x", &["a x", "A=1"]);
    check("ls | b\n\\a x", &["ls", "b", "a x"]);
    check("ls > f\n\\a x", &["ls", "a x"]);
    check("> f ls\n\\a x", &["ls", "a x"]);
    check("export A\n\\a x", &["export A", "a x"]);
    check("if b\n\\a x\nthen c; fi", &["b", "a x", "c"]);
    check("cat <<E\nx\nE\n\\a x", &["cat", "a x"]);
    check("ls\n\\a\"b\"c x", &["ls", "abc x"]);
    finds("ls\n\\\na x", "a x");
    finds("ls\n\\\n\\a x\n\\\nb y", "b y");
    finds("bash\n\\a x <<< 'c y'", "c y");
    finds("ls\n\\bash <<< 'c y'", "c y");
    assert_eq!(parse("ls\n\\a x").commands[1].operator, "\n");
}

/// A line end behind a backslash is nothing at all to bash, and a blank to the parser.
#[test]
fn lines_are_joined_as_bash_joins_them() {
    check("a b \\\n  -c \\\n  d", &["a b -c d"]);
    check("a \"b\\\nc\" d", &["a bc d"]);
    for line in [
        "t\\\nouch C",
        "ls; t\\\n\\\nouch C",
        "\\\nt\\\nouch C",
        "A=1\\\nb touch C",
        "> f\\\ng touch C",
        "i\\\nf ls; then touch C; fi",
        "ls #\\\nt\\\nouch C",
        "echo '#' \\\n; t\\\nouch C",
        "bash -c 't\\\nouch C'",
        "echo \"$(t\\\nouch C)\"",
    ] {
        finds(line, "touch C");
        assert!(!parse(line).whole, "{line:?}");
    }
    // Bash keeps these.
    finds("ls #\\\ntouch C", "touch C");
    finds("touch 'a\\\nb'", "touch a\\\nb");
    finds("touch $'a\\\nb' \\\n c", "touch $'a\\\nb' c");
    finds("touch a\\\\\nb", "touch a\\");
}

/// `for PATH in x` sets what the loop's commands are, and `for f in FILE` names what they read (B093):
/// the head is told with them.
#[test]
fn the_head_of_a_loop_is_told() {
    check("for PATH in /x; do a; done", &["for PATH in /x", "a"]);
    check("for f in .env \"b c\"\ndo cat $f; done", &["for f in .env b c", "cat $f"]);
    check("select PATH in /x; do a; done", &["select PATH in /x", "a"]);
    check("for f; do a; done", &["for f", "a"]);
    check("a; for f in $(b); do c; done", &["a", "for f in $(b)", "b", "c"]);
    for (line, opaque) in [("for f in a b; do c; done", false), ("for f in *; do c; done", true)] {
        let head = parse(line).commands.into_iter().next().unwrap();
        assert!(head.loops && !head.direct && head.opaque == opaque, "{head:?}");
    }
}

#[test]
fn commands_are_found_inside_words() {
    for line in [
        "echo $(touch C)",
        "echo `touch C`",
        "echo \"$(touch C)\"",
        "cat <(touch C)",
        "echo x > >(touch C)",
        "cat <<E\n$(touch C)\nE",
        "echo $((1+$(touch C)))",
        "echo ${x:-$(touch C)}",
        "x=$(touch C)",
        "echo \"${a[$(touch C)0]}\"",
        "[[ -n $(touch C) ]]",
        "cat <<< $(touch C)",
        "select x in 1; do touch C; done",
        "coproc touch C",
        "time touch C",
        "for x in $(touch C); do a; done",
        "case $(touch C) in x) ;; esac",
    ] {
        finds(line, "touch C");
    }
}

/// The parser takes all words after a redirection for targets; bash takes one.
#[test]
fn words_after_a_redirection_belong_to_the_command() {
    finds("> f touch C", "touch C");
    finds("echo > f a b", "echo a b");
    finds("touch <in C", "touch C");
    finds("touch 2>&1 C", "touch C");
    finds("cat <<E C\nx\nE", "cat C");
}

#[test]
fn wrappers_are_seen_and_what_they_run_too() {
    check(
        "sudo -n env A=1 nice touch C",
        &["sudo -n env A=1 nice touch C", "env A=1 nice touch C", "nice touch C", "touch C"],
    );
    check("sh -c 'a; b'", &["sh -c a; b", "a", "b"]);
    finds("bash <<E\ntouch C\nE", "touch C");
    finds("bash <<< 'touch C'", "touch C");
    finds("eval 'touch C'", "touch C");
    finds("find . -exec touch C \\;", "touch C");
    finds("x | xargs touch", "touch");
    finds("alias ls='touch C'", "touch C");
    finds("timeout 5 bash -c 'sudo touch C'", "touch C");
}

/// SH-06.
#[test]
fn spellings_of_a_name_are_resolved() {
    for line in
        ["t\"ou\"ch C", "\\touch C", "t\\ouch C", "$'to\\x75ch' C", "'touch' C", "touch\\\n C"]
    {
        finds(line, "touch C");
    }
}

#[track_caller]
fn opaque(line: &str, expected: bool) {
    let parsed = parse(line);
    assert_eq!(
        parsed.commands.iter().any(|command| command.opaque),
        expected,
        "{line:?}: {parsed:?}"
    );
}

#[test]
fn what_cannot_be_told_is_opaque() {
    opaque("ls -l f", false);
    opaque("cat '*'", false);
    for line in [
        "$x a",
        "touch${IFS}C",
        "{touch,C}",
        "eval \"$x\"",
        "printf x | bash",
        "bash -s",
        "a $x",
        "a *",
        "echo 'open",
        "a $(b)",
        "xargs touch",
        "((",
        "sh -c \"$x\"",
        "a )",
        "if a; then b",
    ] {
        opaque(line, true);
    }
}

/// SH-05: arithmetic and subscripts run what the value of a variable says, also where they stand in
/// no command's words.
#[test]
fn what_is_computed_outside_of_commands_is_opaque() {
    for line in [
        "for y in 'a[$(touch C)]'; do ((y)); done",
        "((x=1))",
        "if ! ((y)); then ls; fi",
        "while ((y)); do ls; done",
        "f() ((y)); f",
        "for ((i=y; i<3; i++)); do ls; done",
        "for x in $((y)); do ls; done",
        "for x in \"a${b[y]}\"; do ls; done",
        "for x in $[y]; do ls; done",
        "select x in ${a[y]}; do ls; done",
        "case $((y)) in a) ls;; esac",
        "case a in ${b[y]}) ls;; esac",
        "cat <<< $((y))",
        "cat <<< \"${a[y]}\"",
        "cat <<E\n$((y))\nE",
        "cat <<E\n${x:y}\nE",
    ] {
        let opaque = |command: &Command| command.opaque && command.words.len() == 1;
        assert!(parse(line).commands.iter().any(opaque), "{line:?}: {:?}", parse(line).commands);
    }
    for line in ["cat <<E\n$x ${y}\nE", "for x in a b; do ls; done", "case x in a) ls;; esac"] {
        assert!(!parse(line).commands.iter().any(|command| command.opaque), "{line:?}");
    }
}

#[test]
fn what_is_computed_costs_no_more_than_it_is_long() {
    for part in ["${a:-", "$((", "((", "$(( $(", "for ((;;)); do "] {
        let parsed = parse(&part.repeat(COMMAND_BYTES_MAX / part.len()));
        let told: usize = parsed.commands.iter().map(|c| c.words[0].text.len()).sum();
        assert!(told < 16 * 1024 * 1024, "{part:?}: {told}");
    }
}

#[test]
fn operators_are_those_before_the_command() {
    let parsed = parse("a && b | c; d $(e) || f\ng");
    let operators: Vec<&str> =
        parsed.commands.iter().map(|command| command.operator.as_str()).collect();
    assert_eq!(operators, ["", "&&", "|", ";", "$(", "||", "\n"]);
}

#[test]
fn redirected_files_are_targets() {
    let parsed = parse("a > x 2>> y < z &> w >| v 2>&1 <&3 >&- >&u; { b; } > t");
    let targets: Vec<(&str, bool)> =
        parsed.targets.iter().map(|target| (target.word.text.as_str(), target.write)).collect();
    assert_eq!(
        targets,
        [
            ("x", true),
            ("y", true),
            ("z", false),
            ("w", true),
            ("v", true),
            ("u", true),
            ("t", true)
        ]
    );
}

/// G-06: neither depth nor length hides a command, overflows the stack, or takes long.
#[test]
fn long_and_deep_lines_are_read() {
    let long = parse(&("true; ".repeat(20_000) + "touch C"));
    assert!(!long.whole || long.commands.len() == 20_001, "{}", long.commands.len());
    let began = Instant::now();
    for (part, times) in [
        ("(", 50_000),
        ("$(", 50_000),
        ("a && ", 20_000),
        ("{ ", 50_000),
        ("a=1 && ", 18_000),
        ("bash <<< x;", 10_000),
        ("export a=1 | ", 10_000),
        ("if a; then ", 10_000),
        ("> f ", 30_000),
        ("a <<E\n", 10_000),
        ("\"$(", 30_000),
        ("`", 50_000),
        ("${a:-", 20_000),
        ("f() { ", 10_000),
        ("! ", 50_000),
        ("\\\n", 50_000),
        ("[[ ", 20_000),
        ("a\n\\b ", 20_000),
    ] {
        parse(&part.repeat(times));
    }
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    let nested = (0..40).fold("touch C".to_owned(), |script, _| format!("eval {script}"));
    opaque(&nested, true);
}
