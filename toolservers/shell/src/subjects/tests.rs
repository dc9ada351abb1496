//! Goal: what rules match, and what a person is shown. [GATE-22], [PROTO-03].

use std::{fs, os::unix::fs::symlink};

use super::*;
use crate::parse::parse;

fn of_line(line: &str, cwd: &Path) -> Vec<Subject> {
    subjects(&parse(line), &[], false, cwd, &[cwd.to_owned()])
}

fn paths(line: &str, cwd: &Path) -> Vec<(PathBuf, PathAccess)> {
    let mut found = Vec::new();
    for subject in of_line(line, cwd) {
        if let Subject::Path { absolute, access, .. } = subject {
            found.push((absolute, access));
        }
    }
    found
}

#[test]
fn redirected_files_are_paths_with_their_access() {
    let base = tempfile::tempdir().unwrap();
    let cwd = base.path().canonicalize().unwrap();
    fs::write(cwd.join("old"), "").unwrap();
    fs::create_dir(cwd.join("real")).unwrap();
    symlink("real", cwd.join("link")).unwrap();
    symlink("/etc/passwd", cwd.join("out.log")).unwrap();
    symlink("/nowhere/yet", cwd.join("new.log")).unwrap();
    symlink("loop", cwd.join("loop")).unwrap();
    let found = paths(
        "a > old; b >> new; c < old; d > link/../x; e > out.log; f 2>/dev/null >&2; g > new.log; h > loop",
        &cwd,
    );
    let expected = [
        (cwd.join("old"), PathAccess::Write),
        (cwd.join("new"), PathAccess::Create),
        (cwd.join("old"), PathAccess::Read),
        (cwd.join("x"), PathAccess::Create),
        ("/etc/passwd".into(), PathAccess::Write),
        (cwd.join("out.log"), PathAccess::Write),
        ("/nowhere/yet".into(), PathAccess::Create),
        (cwd.join("new.log"), PathAccess::Create),
    ];
    assert_eq!(found, expected);
    assert!(of_line("h > loop", &cwd).iter().any(|subject| {
        matches!(subject, Subject::Command { argv, opaque: true, .. } if argv[0] == ">")
    }));
}

/// Roots and the directory may be named by a link; a rule names files by their place in the root.
#[test]
fn a_root_that_is_a_link_holds_its_files() {
    let base = tempfile::tempdir().unwrap();
    let base = base.path().canonicalize().unwrap();
    fs::create_dir(base.join("real")).unwrap();
    symlink("real", base.join("root")).unwrap();
    for subject in of_line("a > f", &base.join("root")) {
        let Subject::Path { relative, .. } = subject else { continue };
        assert_eq!(relative, Some("f".into()));
    }
}

/// SH-14.
#[test]
fn a_target_that_cannot_be_told_is_opaque() {
    let cwd = Path::new("/nowhere");
    for line in ["a > $x", "cd .git/hooks && echo x > pre-commit", "a > $(b)"] {
        let opaque = of_line(line, cwd).into_iter().any(|subject| {
            matches!(subject, Subject::Command { argv, opaque: true, .. } if argv.first().is_some_and(|w| w == ">"))
        });
        assert!(opaque, "{line}: {:?}", of_line(line, cwd));
    }
    assert_eq!(paths("cd x && a > /etc/f", cwd).len(), 1);
}

/// SH-22.
#[test]
fn what_bash_dials_is_a_host() {
    let found = of_line("echo x > /dev/tcp/Example.test/80", Path::new("/nowhere"));
    assert!(found.contains(&Subject::Host("example.test:80".into())), "{found:?}");
}

/// G-06.
#[test]
fn many_commands_are_bounded_and_never_forgotten() {
    let cwd = Path::new("/nowhere");
    let same = of_line(&("true; ".repeat(1000) + "touch C"), cwd);
    assert_eq!(same.len(), 3, "{same:?}");
    let line: String = (0..1000).map(|n| format!("echo {n}; ")).collect();
    let found = of_line(&(line + "touch C"), cwd);
    assert_eq!(found.len(), SUBJECTS_MAX);
    assert!(
        matches!(found.last(), Some(Subject::Command { opaque: true, .. })),
        "{:?}",
        found.last()
    );
}

#[test]
fn a_command_with_too_many_words_is_opaque() {
    for line in [format!("a {}", "b ".repeat(1000)), format!("a {}", "é".repeat(20_000))] {
        let found = of_line(&line, Path::new("/nowhere"));
        let [Subject::Command { argv, opaque: true, .. }] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert!(argv.len() <= SUBJECT_WORDS_MAX && argv.concat().len() <= SUBJECT_BYTES_MAX);
    }
}

#[test]
fn the_preview_lists_the_commands() {
    let line = "sudo touch C && echo $x";
    assert_eq!(preview("ls", &parse("ls")), "ls");
    assert_eq!(
        preview(line, &parse(line)),
        "sudo touch C && echo $x\n\n     sudo touch C\nsudo touch C\n  && echo $x  (not all known)"
    );
}

/// [THR-05] SH-14: a link on the way is followed wherever a command names it that may change something.
#[test]
fn names_that_lead_through_links_are_told() {
    let base = tempfile::tempdir().unwrap();
    let cwd = base.path().canonicalize().unwrap();
    fs::create_dir_all(cwd.join(".git/hooks")).unwrap();
    fs::create_dir(cwd.join("src")).unwrap();
    symlink(".git/hooks", cwd.join("docs")).unwrap();
    let hook = cwd.join(".git/hooks/pre-commit");
    for line in [
        "cp a docs/pre-commit",
        "dd if=a of=docs/pre-commit",
        "cd docs && cp ../a pre-commit",
        "cd docs && echo x > pre-commit",
        "(cd docs; touch pre-commit)",
        "cd src && cp a ../docs/pre-commit",
        "cat a | tee docs/../hooks/pre-commit",
        "sh -c 'cp a docs/pre-commit'",
    ] {
        let found = paths(line, &cwd);
        let told = |path: &Path| found.iter().any(|(found, _)| found == path);
        assert!(told(&hook) || told(hook.parent().unwrap()), "{line}: {found:?}");
    }
    assert_eq!(paths("cp a src/b; cp /bin/sh x; python3 -c 'x=1'", &cwd), []);
    for line in ["cat docs/x", "cd docs; cat x"] {
        let all_read = subjects(&parse(line), &[true, true], true, &cwd, &[]);
        let told = |it: &Subject| {
            let Subject::Path { absolute, access, .. } = it else { return false };
            *access == PathAccess::Read && *absolute == cwd.join(".git/hooks/x")
        };
        assert!(all_read.iter().any(told), "{line}: {all_read:?}");
    }
    let many: String = (0..2100).map(|number| format!(" f{number}")).collect();
    let last = of_line(&format!("touch{many} docs/x"), &cwd).pop();
    assert!(matches!(last, Some(Subject::Command { opaque: true, .. })), "{last:?}");
}
