//! Goal: a diff says what changed, within its bounds.

use super::*;

#[test]
fn a_diff_is_unified_and_counted() {
    let diff = Diff::new("f", b"a\nb\nc\n", b"a\nB\nc\nd\n");
    assert_eq!((diff.added, diff.removed), (2, 1));
    assert_eq!(diff.text, "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n");
    assert_eq!(diff.bounded(1_000), diff.text);
}

#[test]
fn a_long_diff_is_cut_at_a_line() {
    let new: String = (0..5_000).map(|k| format!("\"line\" {k}\n")).collect();
    let diff = Diff::new("f", b"", new.as_bytes());
    let short = diff.bounded(200);
    assert!(short.len() < 300 && short.contains("more lines of the diff are not shown"), "{short}");
    assert!(
        serde_json::to_string(&diff.for_metadata()).unwrap().len() <= DIFF_JSON_BYTES_MAX + 100
    );
    let wide = Diff::new("f", b"", &[1; 100_000]);
    assert!(
        serde_json::to_string(&wide.for_metadata()).unwrap().len() <= DIFF_JSON_BYTES_MAX + 100
    );
}
