//! Goal: a pattern means what its author thinks, or is refused with what helps.

use super::*;

#[track_caller]
fn check(pattern: &str, yes: &[&str], no: &[&str]) {
    let glob = Glob::new(pattern).unwrap();
    for (paths, expected) in [(yes, true), (no, false)] {
        for path in paths {
            assert_eq!(glob.matches(Path::new(path)), expected, "{pattern} {path}");
        }
    }
}

#[test]
fn a_pattern_without_a_slash_is_for_names() {
    check("*.rs", &["a.rs", "src/a.rs", ".rs"], &["a.rsx", "a.rs/b"]);
    check("*.{ts,tsx}", &["x/y.tsx", "a.ts"], &["a.tss"]);
    check("[Mm]ake*", &["Makefile", "a/make.sh"], &["cmake"]);
    check("web[{]1[}]", &["web{1}"], &["web1"]);
    check("中*", &["a/中文"], &["文"]);
}

#[test]
fn a_pattern_with_a_slash_is_for_paths() {
    check("src/*.rs", &["src/a.rs"], &["src/b/a.rs", "x/src/a.rs"]);
    check("./src/**/*.rs", &["src/a.rs", "src/b/c/a.rs"], &["a.rs"]);
    check("**/test/**", &["test/a", "x/test/y/z"], &["test", "tests/a"]);
    assert!(Glob::new("src/").unwrap().of_directories);
}

#[test]
fn what_is_no_glob_is_refused_with_help() {
    for (pattern, part) in [
        ("", "empty"),
        ("./", "empty"),
        ("[", "character class"),
        ("{a", "alternate"),
        ("/etc/*", "as `path`"),
        ("../*", "as `path`"),
        ("a/../../b", "as `path`"),
        (&"x".repeat(GLOB_BYTES_MAX + 1), "at most"),
    ] {
        let failed = Glob::new(pattern).unwrap_err();
        assert_eq!(failed.class, Class::InvalidPattern);
        assert!(failed.message.contains(part), "{}", failed.message);
    }
    let many = vec!["a".to_owned(); GLOBS_MAX + 1];
    let bad = ["[".to_owned()];
    for failed in [
        LeftOut::new(&many).map(|_| ()),
        LeftOut::new(&bad).map(|_| ()),
        Wanted::new(&many).map(|_| ()),
        Wanted::new(&bad).map(|_| ()),
    ] {
        assert_eq!(failed.unwrap_err().class, Class::InvalidPattern);
    }
}

#[test]
fn left_out_and_wanted_are_as_git_and_ripgrep_have_them() {
    let left_out = LeftOut::new(&["target/".to_owned(), "*.log".to_owned()]).unwrap();
    assert!(left_out.has(Path::new("a/target"), true) && left_out.has(Path::new("x/y.log"), false));
    assert!(!left_out.has(Path::new("target"), false) && !left_out.has(Path::new("a.rs"), false));

    let wanted = Wanted::new(&["*.rs".to_owned()]).unwrap();
    assert!(wanted.has(Path::new("a/b.rs"), false) && wanted.has(Path::new("a"), true));
    assert!(!wanted.has(Path::new("a/b.py"), false));
    let unwanted = Wanted::new(&["!*.rs".to_owned()]).unwrap();
    assert!(!unwanted.has(Path::new("a/b.rs"), false) && unwanted.has(Path::new("b.py"), false));
    assert!(Wanted::new(&[]).unwrap().has(Path::new("any"), false));
}
