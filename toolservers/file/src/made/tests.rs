//! Goal: a made text is seen as a file's own text is.

use super::*;

#[test]
fn long_lines_are_broken() {
    let text = format!("{}\nshort\n{}", "word ".repeat(3_000), "中".repeat(5_000));
    let lines = broken(&text);
    assert!(lines.lines().all(|line| line.len() <= MADE_LINE_BYTES_MAX));
    assert!(lines.lines().take(3).all(|line| line.ends_with("word ")), "at a blank");
    assert_eq!(lines.replace('\n', ""), text.replace('\n', ""));
    assert_eq!(broken("a\u{7}b\tc\r\n\n"), "ab\tc\n\n");
}

#[test]
fn windows_of_a_made_text() {
    // As long as a block, so that the end is a block of its own.
    let text = "ab\n".repeat(BLOCK_BYTES);
    let made = Made::new(text, Of::Notebook { cells: 1, language: String::new() }, Vec::new());
    let last = BLOCK_BYTES as u64;
    let view = made.view(Wanted { offset: last, limit: None }, 7, None);
    assert_eq!((view.shown.text.as_str(), view.total, view.size), ("ab\n", Some(last), 7));
}

#[test]
fn the_texts_made_last_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let versions: Vec<Version> = (0..=DOCUMENTS_KEPT_MAX)
        .map(|name| {
            let path = folder.path().join(name.to_string());
            std::fs::write(&path, "x").unwrap();
            Version::of(&std::fs::metadata(path).unwrap())
        })
        .collect();
    for version in &versions {
        let of = Of::Notebook { cells: 0, language: String::new() };
        let made = Arc::new(Made::new(String::new(), of, Vec::new()));
        keep(*version, Kept { made, sha256: [0; 32] });
    }
    assert!(recall(versions[0]).is_none(), "it made room");
    assert!(versions[1..].iter().all(|version| recall(*version).is_some()));
}
