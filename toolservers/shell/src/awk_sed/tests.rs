//! Goal: scripts that print pass, scripts that write or run do not. SH-09.

use super::*;

#[test]
fn sed_scripts_that_print_pass() {
    for script in [
        "p",
        "1,5p",
        "$p",
        "/a/p",
        "/a/,/b/p",
        "2q",
        "s/a/b/",
        "s|a|b|g;s/c/d/2p",
        "1~2d",
        "/x/I!d",
        "1,+3p",
        "y/abc/xyz/",
        "/^$/d",
        "s/[0-9]*//g",
        "1p\n2p",
        "=",
        "",
        "F",
        "b",
        "{p}",
        "/x/{p;q}",
        "/x/{s/a/b/;p}",
        "1{p\n};$!d",
        "$!{N;D;}",
        "1,/x/{/y/!{d};p}",
        ":a;N;$!ba;s/\\n/ /g",
        ":a;s/x/y/;ta",
        "a text",
        "1i two words; w is one more",
        "c}",
    ] {
        assert_eq!(check_sed(script), Ok(()), "{script}");
    }
}

#[test]
fn sed_scripts_that_write_or_run_do_not() {
    for script in [
        "w CANARY",
        "1e touch CANARY",
        "s/a/touch CANARY/e",
        "s/a/b/w CANARY",
        "s/a/b/gw CANARY",
        "W CANARY",
        "r f",
        "e",
        "1,5w x",
        "p;w x",
        "p\nw x",
        "s/[/]/b/w x/",
        "1!e x",
        "/a/e x",
        "s/a/b/ge",
        "s/a/b",
        "s\\a\\b\\e",
        "v",
        "/[/]/w x/p",
        "0~4w x",
        "$!{w x\n}",
        "#n\nw x",
        "s/[]/]/;y/w/w/",
        "s/[[:alpha:]/]/;y/w/w/",
        "{w x\n}",
        "{p;w x\n}",
        "{p}w x",
        "{e}",
        "1{s/a/b/e}",
        "ba}w x",
        ":a w x",
        ":a}",
        "a\\\nw x",
        "a text\nw x",
        "a text\\\nw x",
        "{1!e x\n}",
        "R f",
        "}e x",
    ] {
        assert!(check_sed(script).is_err(), "{script}");
    }
}

#[test]
fn awk_programs_that_print_pass() {
    for program in
        ["{print $1}", "NR==2", "/a/{n++} END{print n}", "length($0)<80", "1"].into_iter().chain([
            "$3 > 5",
            "$3 > 5 || $1 == \"x\"",
            "$3>5{print $1}",
            "{if ($1 > 2) {print \"a > b\"}}",
            "{n = $1 > 2 ? 1 : 0; print n}",
            "/a|b/",
        ])
    {
        assert_eq!(check_awk(program), Ok(()), "{program}");
    }
}

#[test]
fn awk_programs_that_write_or_run_do_not() {
    for program in [
        "BEGIN{system(\"x\")}",
        "{print > \"f\"}",
        "{print | \"x\"}",
        "BEGIN{\"x\"|getline}",
        "@load \"x\"",
        "BEGIN{f=\"sys\" \"tem\";@f(\"x\")}",
        "BEGIN{sys\\\ntem(\"x\")}",
        "$3>5{print > \"f\"}",
        "{print \"}\" > \"f\"}",
        "{print \"\\\"}\" > \"f\"}",
        "{print \"a\",\n\"b\" > \"f\"}",
        "{printf(\"%s\", $1) >> \"f\"}",
        "{print /\"}/ > \"f\"}",
        "{print # }\n > \"f\"}",
        "{print $1 |& \"x\"}",
        "{if ($1 > 2) print $1; print > \"f\"}",
    ] {
        assert!(check_awk(program).is_err(), "{program}");
    }
}
