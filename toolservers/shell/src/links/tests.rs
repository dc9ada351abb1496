//! Goal: the file that a shell would open or make is told, whatever links lead there. FS-07, [THR-05].

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn every_name_is_told_and_the_file_first() {
    let base = tempfile::tempdir().unwrap();
    let base = base.path().canonicalize().unwrap();
    fs::create_dir_all(base.join("real/sub")).unwrap();
    fs::write(base.join("real/f"), "").unwrap();
    let link = |target: &str, name: &str| symlink(target, base.join(name)).unwrap();
    link("real", "folder");
    link("folder", "second");
    link("folder/f", "file");
    link(&base.join("real/new").display().to_string(), "dangling");
    link("missing/deep", "hole");
    link("loop", "loop");
    let rows: &[(&str, &[&str])] = &[
        ("real/f", &["real/f"]),
        ("./real/sub/../f", &["real/f"]),
        ("folder/f", &["real/f", "folder/f"]),
        ("second/f", &["real/f", "second/f", "folder/f"]),
        ("file", &["real/f", "file", "folder/f"]),
        ("folder/sub/../x", &["real/x", "folder/x"]),
        ("folder/../x", &["x"]),
        ("dangling", &["real/new", "dangling"]),
        ("hole", &["missing/deep", "hole"]),
        ("hole/x", &["missing/deep/x", "hole/x"]),
        ("nothing/x", &["nothing/x"]),
        ("real/f/x", &["real/f/x"]),
    ];
    for (path, expected) in rows {
        let expected: Vec<PathBuf> = expected.iter().map(|name| base.join(name)).collect();
        assert_eq!(names(&base.join(path)), Some(expected), "{path}");
    }
    assert_eq!(names(&base.join("loop")), None);
}
