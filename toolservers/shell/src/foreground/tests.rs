//! Goal: what a command leaves to its session.

use super::*;
use crate::capture::Captured;

fn ended_in(last_cwd: Option<PathBuf>) -> Finished {
    Finished {
        ending: Some(Ending::Code(0)),
        stop: Stop::Itself,
        duration: Duration::ZERO,
        output: Captured::default(),
        passed_on: 0,
        background: 0,
        survivors: 0,
        last_cwd,
        confined: String::new(),
        pipe: None,
    }
}

/// [SHELL-01]
#[test]
fn the_directory_goes_on_inside_the_roots_only() {
    let base = tempfile::tempdir().unwrap();
    let real = base.path().canonicalize().unwrap().join("real");
    std::fs::create_dir_all(real.join("sub")).unwrap();
    let link = base.path().join("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let roots = [link.clone()];
    let next = |last: Option<PathBuf>| {
        let mut notes = Vec::new();
        (next_directory(&ended_in(last), &roots, &link, &mut notes), notes.len())
    };
    assert_eq!(next(None), (link.clone(), 0));
    assert_eq!(next(Some(real.clone())), (link.clone(), 0));
    assert_eq!(next(Some(real.join("sub"))), (link.join("sub"), 0));
    assert_eq!(next(Some("/".into())), (link.clone(), 1));
    assert_eq!(next(Some(real.join("gone"))), (link.clone(), 0));
}
