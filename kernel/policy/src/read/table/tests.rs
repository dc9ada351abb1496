//! Goal: every value is of its kind or leaves a fault, and faults say where they stand and what is right.

use std::path::Path;

use super::{Table, parse};

#[track_caller]
fn check(text: &str, read: impl FnOnce(&Table<'_>), expected: &[&str]) {
    let faults = match parse(Path::new("f.toml"), text, read) {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    };
    let faults: Vec<&str> = faults.lines().collect();
    assert_eq!(faults, expected);
}

/// `[GATE-20]` G-07
#[test]
fn every_fault_is_told_with_its_place() {
    let text = "\nname = 1\nlist = [\n  \"a\",\n  2,\n]\nspeling = true\nword = \"alow\"\nflag = \"yes\"\n\n[[part]]\nx = 0\n\n[[part]]\nx = 2000\nempty = \"\"\n";
    let read = |root: &Table<'_>| {
        root.only(&["name", "list", "spelling", "word", "flag", "part"]);
        assert!(root.text("name").is_none() && root.texts("list").is_none());
        root.word("word", &[("allow", 1), ("deny", 2)]);
        root.flag("flag");
        for part in root.tables("part", 10) {
            part.only(&["x"]);
            part.count("x", 1..=600);
        }
    };
    check(
        text,
        read,
        &[
            "f.toml:2: name: must be a text, and is the number 1",
            "f.toml:5: list: must be a list of texts, and is the number 2",
            "f.toml:7: speling: there is no such key; did you mean 'spelling'?; there are: name, list, spelling, word, flag, part",
            "f.toml:8: word: \"alow\" is none of \"allow\", \"deny\"; did you mean 'allow'?",
            "f.toml:9: flag: must be true or false, and is the text \"yes\"",
            "f.toml:12: part.x: must be a whole number from 1 to 600, and is the number 0",
            "f.toml:15: part.x: must be a whole number from 1 to 600, and is the number 2000",
            "f.toml:16: part.empty: there is no such key; there are: x",
        ],
    );
}

/// G-07: half a file is no file, wherever it was cut.
#[test]
fn half_a_file_is_a_fault_at_its_line() {
    for text in ["a = 1\nb = [\"x\",\n", "a = 1\n[[rule", "a = 1\nb = \"x", "a = 1\nb ="] {
        let error = parse(Path::new("f.toml"), text, |_| ()).unwrap_err();
        let line = error.0[0].line.unwrap();
        assert!((2..=3).contains(&line), "{text:?}: {error}");
        assert!(error.0[0].what.starts_with("this is no TOML"), "{error}");
    }
}

/// A key that is written twice is no choice between two.
#[test]
fn a_key_twice_is_a_fault() {
    let error = parse(Path::new("f.toml"), "a = 1\nb = 2\na = 3\n", |_| ()).unwrap_err();
    assert_eq!(error.0[0].line, Some(3), "{error}");
}

#[test]
fn a_table_where_a_list_of_tables_belongs_is_a_fault() {
    let read = |root: &Table<'_>| {
        assert!(root.tables("rule", 1).is_empty());
    };
    check("[rule]\n", read, &["f.toml:1: rule: must be written as [[rule]], and is a table"]);
    check(
        "rule = [1]\n",
        read,
        &["f.toml:1: rule: must be written as [[rule]], and is the number 1"],
    );
    check(
        "[[rule]]\n[[rule]]\n",
        read,
        &["f.toml:1: rule: there are 2 of them, and 1 are the most"],
    );
}

#[test]
fn the_line_of_a_table_is_the_line_of_its_head() {
    let read = |root: &Table<'_>| {
        let lines: Vec<usize> = root.tables("rule", 9).iter().map(Table::line).collect();
        assert_eq!(lines, [2, 6]);
    };
    check("# one\n[[rule]]\na = 1\n\n# two\n[[rule]]\na = 1\n", read, &[]);
}

/// `[THR-02]`: a project writes these texts; none of them may stop the kernel.
#[test]
fn deep_texts_are_faults() {
    let deep = 1_000_000;
    let texts = [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}", "{a=".repeat(deep)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
        format!("[[{}a]]", "a.".repeat(deep)),
        format!("a = {{ {}a = 1 }}", "a.".repeat(deep)),
        "[[a]]\n".repeat(deep / 2),
        "[a]\n".repeat(deep),
        "a = 1\n".repeat(deep / 2),
        "\"\\u0000\" = ".repeat(deep / 4),
    ];
    for text in texts {
        parse(Path::new("f.toml"), &text, |root| root.only(&[])).unwrap_err();
    }
}

/// A text of faults is no text for anybody to read, nor to keep.
#[test]
fn faults_are_bounded() {
    let text: String = (0..100_000).map(|at| format!("a{at} = 1\n")).collect();
    let error = parse(Path::new("f.toml"), &text, |root| root.only(&["b"])).unwrap_err();
    assert_eq!(error.0.len(), 50);
    let line = error.line();
    assert!(line.lines().count() == 1 && line.ends_with("; and 47 more"), "{line}");
}

/// AP-04: a fault quotes what a project wrote, and shows it.
#[test]
fn a_fault_holds_no_control_characters() {
    let text = "a = \"x\\u001b[2J\\u0007\\n\\u009b\"\n";
    let read = |root: &Table<'_>| {
        let spot = root.text("a").unwrap();
        root.fault_of("a", format!("'{}' is wrong{}", spot.text, "!".repeat(10_000)));
    };
    let error = parse(Path::new("f.toml"), text, read).unwrap_err().to_string();
    assert!(error.starts_with("f.toml:1: a: 'x\\u{1b}[2J\\u{7}\\n\\u{9b}' is wrong"), "{error}");
    assert!(!error.contains(char::is_control) && error.len() < 1_000);
}
