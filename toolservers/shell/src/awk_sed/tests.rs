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
        "b",
        ":a",
        "{p}",
        "a text",
        "1!e x",
        "/a/e x",
        "s/a/b/ge",
        "s/a/b",
        "s\\a\\b\\e",
        "F",
        "v",
        "/[/]/w x/p",
        "0~4w x",
        "$!{w x\n}",
        "#n\nw x",
        "s/[]/]/;y/w/w/",
        "s/[[:alpha:]/]/;y/w/w/",
    ] {
        assert!(check_sed(script).is_err(), "{script}");
    }
}

#[test]
fn awk_programs_that_print_pass() {
    for program in ["{print $1}", "NR==2", "/a/{n++} END{print n}", "length($0)<80", "1"] {
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
    ] {
        assert!(check_awk(program).is_err(), "{program}");
    }
}
