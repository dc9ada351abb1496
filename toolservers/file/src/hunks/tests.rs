//! Goal: a hunk applies at the one place that it means, or nowhere.

use super::*;
use crate::{
    patch::{Action, parse},
    testing::Numbers,
};

fn hunks(body: &str) -> Vec<Hunk> {
    let patch = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch\n");
    let section = parse(&patch).unwrap().remove(0);
    let Action::Update(hunks, _) = section.action else { panic!("{section:?}") };
    hunks
}

fn applied(text: &[u8], body: &str) -> Result<(Vec<u8>, Vec<String>), Failed> {
    let plan = plan(text, &hunks(body))?;
    let new = plan.apply(text, |at| at, |text| Ok(text.as_bytes().to_vec()))?;
    Ok((new, plan.notes))
}

#[track_caller]
fn check(text: &str, body: &str, expected: &str) {
    let (new, notes) = applied(text.as_bytes(), body).unwrap();
    assert_eq!(String::from_utf8_lossy(&new), expected);
    assert!(notes.is_empty(), "{notes:?}");
}

#[track_caller]
fn check_noted(text: &str, body: &str, expected: &str, part: &str) {
    let (new, notes) = applied(text.as_bytes(), body).unwrap();
    assert_eq!(String::from_utf8_lossy(&new), expected);
    assert!(notes.iter().any(|note| note.contains(part)), "{notes:?}");
}

#[track_caller]
fn refused(text: &str, body: &str, class: Class, part: &str) {
    let failed = applied(text.as_bytes(), body).unwrap_err();
    assert_eq!(failed.class, class, "{}", failed.message);
    assert!(failed.message.contains(part), "{}", failed.message);
}

#[test]
fn lines_go_and_come_where_their_context_stands() {
    check("a\nb\nc\n", " a\n-b\n+B\n c", "a\nB\nc\n");
    check("a\nb\nc\n", " a\n+x\n+y\n b", "a\nx\ny\nb\nc\n");
    check("a\nb\nc\n", " b\n-c", "a\nb\n");
    check("a\nb\nc\n", "-a\n b\n-c\n+d", "b\nd\n");
    check("a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-d\n+D", "A\nb\nc\nD\n");
    // Hunks need not come in the order of the file: each is judged against the same text.
    check("a\nb\nc\nd\n", "@@\n-d\n+a\n@@\n-a\n+d", "d\nb\nc\na\n");
    check("x\n\ny\n", " x\n\n-y\n+z", "x\n\nz\n");
    check("", "+a\n+b", "a\nb\n");
}

/// [B001, B002, B035]: each line takes the break of the one that it replaces, or of its neighbour.
#[test]
fn breaks_follow_the_file() {
    check("a\r\nb\r\nc\r\n", " a\n-b\n+x\n+y\n c", "a\r\nx\r\ny\r\nc\r\n");
    check("a\r\nb\r\n", "-b\n+B", "a\r\nB\r\n");
    check("a\nb\r\nc\n", "-b\n-c\n+B\n+C\n+D", "a\nB\r\nC\nD\n");
    check("a\r\nb\n", " a\n+x", "a\r\nx\r\nb\n");
}

/// [B004]: a file without a break at its end keeps none.
#[test]
fn an_end_without_a_break_stays_so() {
    check("a=1\nb=2\nc=3", "-a=1\n+a=9", "a=9\nb=2\nc=3");
    check("a=1\nb=2\nc=3", "-c=3\n+c=4", "a=1\nb=2\nc=4");
    check("a\nb", " b\n+c\n+d", "a\nb\nc\nd");
    check("a\r\nb", " b\n+c", "a\r\nb\r\nc");
    check("a\nb", "-b\n+x\n+", "a\nx\n");
    check("a\nb", " a\n-b", "a\n");
    check("a\nb\n", " b\n+c", "a\nb\nc\n");
}

const TWO: &str = "class A:\n    def f(self):\n        return None\nclass B:\n    def f(self):\n        return None\n";

/// [B014]: several places are refused with their lines, unless the hunk says which.
#[test]
fn one_of_several_places_must_be_told() {
    let change = "-        return None\n+        return 1";
    let message = "its lines stand 2 times, at lines 3, 6";
    refused(TWO, change, Class::Ambiguous, message);
    let first = TWO.replacen("None", "1", 1);
    let (start, end) = TWO.rsplit_once("None").unwrap();
    let second = format!("{start}1{end}");
    check(TWO, &format!("@@ class B:\n{change}"), &second);
    check(TWO, &format!("@@ class B\n{change}"), &second);
    check(TWO, &format!("@@ class A:\n@@     def f(self):\n{change}"), &first);
    check(TWO, &format!("@@ -6,1 +6,1 @@\n{change}"), &second);
    check(TWO, &format!("{change}\n*** End of File"), &second);
    check(TWO, &format!("@@\n-class B:\n+class C:\n@@\n{change}"), &second.replace("B:", "C:"));
    refused(TWO, &format!("@@ def f(self):\n{change}"), Class::Ambiguous, "stands at lines 2, 5");
    refused(TWO, &format!("@@ class X:\n{change}"), Class::NoMatch, "no line \"class X:\"");
    refused(TWO, &format!("@@ -4,1 +4,1 @@\n{change}"), Class::Ambiguous, message);
    // Two hunks below one heading.
    let twice = format!("@@ class A:\n{change}\n@@ class A:\n-class B:\n+class C:");
    check(TWO, &twice, &first.replace("B:", "C:"));
}

#[test]
fn what_does_not_occur_is_refused_with_the_nearest_text() {
    refused("alpha\nbeta\n", "-alpah\n+x", Class::NoMatch, "alpha");
    refused("    a\n    b\n", "-  a\n-  b\n+  c", Class::NoMatch, "at line 1 with other blanks");
    refused("a\nb\n", "-a\n+x\n*** End of File", Class::NoMatch, "not stand at the end");
    refused(
        "def a\nx\ndef b\n",
        "@@ def b\n-x\n+y",
        Class::NoMatch,
        "above its `@@` line at line 3",
    );
    refused("", "-a\n+b", Class::NoMatch, "line 3 of the patch");
    let both = "@@\n-nope\n+x\n@@\n-neither\n+y";
    refused("a\n", both, Class::NoMatch, "Hunk 2 (line 6 of the patch)");
}

#[test]
fn trailing_blanks_and_unicode_form_are_near_enough_and_said() {
    let part = "differ from those at line 1";
    check_noted("a  \nb\n", " a\n-b\n+c", "a  \nc\n", part);
    check_noted("cafe\u{301}\nb\n", " caf\u{e9}\n-b\n+c", "cafe\u{301}\nc\n", part);
    // To the letter comes first.
    check("a \na\n", "-a\n+b", "a \nb\n");
    refused("a \na\t\n", "-a\n+b", Class::Ambiguous, "lines 1, 2");
}

#[test]
fn a_hunk_that_only_adds_needs_a_place() {
    check_noted("a\nb\n", "@@ a\n+x", "a\nx\nb\n", "after line 1");
    check_noted("a\nb\n", "@@\n+x", "a\nb\nx\n", "at the end");
    refused("a\nb\n", "@@ -1,0 +2 @@\n+x", Class::Ambiguous, "no line of the file around");
    refused("a\na\n", "@@ a\n+x", Class::Ambiguous, "lines 1, 2");
}

#[test]
fn hunks_that_meet_or_change_nothing_are_refused() {
    refused(
        "a\nb\nc\n",
        "@@\n-a\n-b\n+x\n@@\n-b\n-c\n+y",
        Class::Overlap,
        "meets hunk 1 at line 2",
    );
    refused("a\nb\n", "@@\n a\n+x\n b\n@@\n a\n+y\n b", Class::Overlap, "meets hunk 1");
    refused("a\nb\n", "-a\n+a", Class::InvalidPatch, "changes nothing");
    // Lines that stay may be shared.
    check("a\nb\nc\n", "@@\n-a\n+A\n b\n@@\n b\n-c\n+C", "A\nb\nC\n");
}

/// Bytes that are not UTF-8 stay, and cannot be written by the character that stands for them.
#[test]
fn faulty_bytes_stay_as_they_are() {
    let text = b"caf\xE9\nx\n";
    let (new, notes) = applied(text, " caf\u{FFFD}\n-x\n+y").unwrap();
    assert_eq!((new.as_slice(), notes.len()), (b"caf\xE9\ny\n".as_slice(), 1));
    let failed = applied(text, "-x\n+\u{FFFD}").unwrap_err();
    assert_eq!(failed.class, Class::Encoding);
    check("x\n", "-x\n+\u{FFFD}", "\u{FFFD}\n");
}

/// Whatever a text holds, a change of some of its lines leaves all others as they were.
#[test]
fn every_other_byte_stays() {
    let mut numbers = Numbers::new(7);
    let pieces: [&[u8]; 8] =
        [b"a", b" ", b"\t", b"\r", b"\xFF", "\u{e9}".as_bytes(), b"\0", "\u{4e2d}".as_bytes()];
    for _ in 0..500 {
        let mut lines: Vec<Vec<u8>> = Vec::new();
        for k in 0..=numbers.below(6) {
            let mut line = k.to_string().into_bytes();
            for _ in 0..numbers.below(4) {
                line.extend(pieces[numbers.below(pieces.len())]);
            }
            line.push(b'x');
            line.extend([&b"\n"[..], b"\r\n"][numbers.below(2)]);
            lines.push(line);
        }
        let k = numbers.below(lines.len());
        let shown = String::from_utf8_lossy(&lines[k]).into_owned();
        let shown = shown.trim_end_matches(['\r', '\n']).to_owned();
        let text = lines.concat();
        let (new, _) = applied(&text, &format!("-{shown}\n+new")).unwrap();
        let ending: &[u8] = if lines[k].ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
        lines[k] = [b"new", ending].concat();
        assert_eq!(new, lines.concat());
    }
}

/// A text made of one line over and over costs no more than another.
#[test]
fn repeated_lines_are_searched_in_linear_time() {
    let text = "x\n".repeat(200_000);
    let body = format!("{}-x\n+y\n*** End of File", " x\n".repeat(100_000));
    let (new, _) = applied(text.as_bytes(), &body).unwrap();
    assert!(new.ends_with(b"x\ny\n"));
    refused(&text, "-x\n+y", Class::Ambiguous, "200000 times");
    refused(&"\n".repeat(PATCH_LINES_MAX + 1), "-x\n+y", Class::TooLarge, "Use edit");
}
