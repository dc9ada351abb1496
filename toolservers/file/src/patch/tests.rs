//! Goal: a patch is read as one thing only, or refused with its line.

use super::*;

fn patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

fn hunk(line: usize, anchors: &[&str], text: &str) -> Hunk {
    let anchors = anchors.iter().map(|anchor| (*anchor).to_owned()).collect();
    let lines = text.lines().map(|line| marked(0, line).unwrap()).collect();
    Hunk { line, anchors, lines, ..Hunk::default() }
}

#[track_caller]
fn check(text: &str, expected: &[(&str, usize, Action)]) {
    let expected: Vec<Section> = expected
        .iter()
        .map(|(path, line, action)| Section::new(*path, *line, action.clone()))
        .collect();
    assert_eq!(parse(text).unwrap(), expected);
}

#[test]
fn all_kinds_of_sections_are_read() {
    let text = patch(
        "*** Add File: new.txt\n+a\n+\n+ b\n*** Delete File: old.txt\n*** Update File: src/a.rs\n\
         *** Move to: src/b.rs\n@@ class A\n@@ def f():\n x\n-y\n+z\n\n \n w\n*** End of File\n",
    );
    let mut update = hunk(9, &["class A", "def f():"], " x\n-y\n+z\n\n \n w");
    update.at_end = true;
    check(
        &text,
        &[
            ("new.txt", 2, Action::Add("a\n\n b\n".to_owned())),
            ("old.txt", 6, Action::Delete),
            ("src/a.rs", 7, Action::Update(vec![update], Some("src/b.rs".to_owned()))),
        ],
    );
}

#[test]
fn hunks_begin_with_or_without_a_heading() {
    let text =
        patch("*** Update File: a\n-x\n+y\n@@\n-1\n+2\n\n@@ -10,2 +10,2 @@ fn f() {\n-3\n+4\n\n");
    let mut third = hunk(9, &[], "-3\n+4");
    third.at = Some(10);
    let hunks = vec![hunk(3, &[], "-x\n+y"), hunk(5, &[], "-1\n+2\n\n"), third];
    check(&text, &[("a", 2, Action::Update(hunks, None))]);
}

/// What wraps a patch in a transcript is left aside; CRLF is the transcript's own.
#[test]
fn wrappers_and_crlf_are_left_aside() {
    let plain = patch("*** Add File: a\n+x\n");
    let added = ("a", 2, Action::Add("x\n".to_owned()));
    check(&plain, std::slice::from_ref(&added));
    check(&plain.replace('\n', "\r\n"), std::slice::from_ref(&added));
    let (path, _, action) = added;
    let at_3 = [(path, 3, action)];
    check(&format!("apply_patch <<'EOF'\n{plain}EOF\n"), &at_3);
    check(&format!("```patch\n{plain}```"), &at_3);
}

#[test]
fn what_is_no_patch_is_refused_with_its_line() {
    for (text, part) in [
        ("", "line 1 of the patch: it must begin"),
        ("hello", "must begin with a line"),
        ("*** Begin Patch\n*** Add File: a\n+x\n", "cut off"),
        ("*** Begin Patch\n*** End Patch", "it is empty"),
        ("*** Begin Patch\n\n\n*** End Patch", "it is empty"),
        ("*** Begin Patch\n*** End Patch\n*** Begin Patch\n*** End Patch", "a second patch"),
        (&patch("x\n"), "line 2 of the patch: \"x\" is no heading"),
        (&patch("*** Add File:\n+x\n"), "names no file"),
        (&patch("*** Add File: a\n+x\ny\n"), "line 4 of the patch: each line of a new file"),
        (&patch("*** Add File: a\n+x\n\n+y\n"), "line 4 of the patch: each line of a new file"),
        (&patch("*** Delete File: a\n-x\n"), "line 3 of the patch: \"-x\" is no heading"),
        (&patch("*** Update File: a\n"), "line 2 of the patch: an update has at least"),
        (&patch("*** Update File: a\n@@\n x\n"), "line 3 of the patch: this hunk changes nothing"),
        (&patch("*** Update File: a\n@@\n"), "changes nothing"),
        (&patch("*** Update File: a\n@@\n-x\n*y\n"), "line 5 of the patch: \"*y\" is no line"),
        (&patch("*** Move to: a\n"), "is no heading"),
    ] {
        let failed = parse(text).unwrap_err();
        assert_eq!(failed.class, Class::InvalidPatch);
        assert!(failed.message.contains(part), "{}", failed.message);
    }
}

#[test]
fn bounds_are_told() {
    let many: String = (0..=PATCH_FILES_MAX).map(|k| format!("*** Delete File: {k}\n")).collect();
    for text in [patch(&many), "x".repeat(PATCH_BYTES_MAX + 1)] {
        assert_eq!(parse(&text).unwrap_err().class, Class::TooLarge);
    }
}

#[test]
fn unified_diffs_are_read() {
    let git = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n\
               @@ -3,2 +3,2 @@ fn f()\n x\n-y\n+z\n\\ No newline at end of file\n\
               diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n\
               +1\n+2\ndiff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n\
               @@ -1 +0,0 @@\n-gone\n";
    let mut update = hunk(5, &[], " x\n-y\n+z");
    update.at = Some(3);
    check(
        git,
        &[
            ("src/a.rs", 3, Action::Update(vec![update], None)),
            ("new", 12, Action::Add("1\n2\n".to_owned())),
            ("old", 19, Action::Delete),
        ],
    );
    let plain =
        "--- f.txt\t2024-01-01 00:00:00\n+++ f.txt\t2024-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n";
    let mut update = hunk(3, &[], "-a\n+b");
    update.at = Some(1);
    check(plain, &[("f.txt", 1, Action::Update(vec![update.clone()], None))]);
    let renamed = "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n";
    check(renamed, &[("x", 3, Action::Update(Vec::new(), Some("y".to_owned())))]);
    update.line = 7;
    let edited = format!("{renamed}--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n");
    check(&edited, &[("x", 3, Action::Update(vec![update], Some("y".to_owned())))]);
}

#[test]
fn unified_diffs_of_other_things_are_refused() {
    let heading = "--- a/f\n+++ b/f\n";
    for (text, part) in [
        (heading.to_owned(), "no hunk for this file"),
        (format!("{heading}@@ -1 +1 @@\n x\n"), "changes nothing"),
        (format!("{heading}x\n"), "a hunk begins with"),
        (format!("@@ -1 +1 @@\n-x\n+y\n{heading}"), "without \"--- FILE\""),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n".to_owned(), "neither side"),
        ("--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n".to_owned(), "only lines with '+'"),
        (format!("old mode 1\n{heading}@@ -1 +1 @@\n-x\n"), "modes cannot"),
        (format!("Binary files a and b differ\n{heading}"), "binary files"),
    ] {
        let failed = parse(&text).unwrap_err();
        assert_eq!(failed.class, Class::InvalidPatch);
        assert!(failed.message.contains(part), "{}", failed.message);
    }
}
