//! Goal: what git would run because of a repository is noticed. GT-03, GT-04, GT-09.

use super::*;

const PLAIN: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
     [remote \"origin\"]\n\turl = https://example.test/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
     [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n# end\n";

#[test]
fn an_ordinary_configuration_is_plain() {
    assert_eq!(check_config(PLAIN), Ok(()));
    assert_eq!(check_config(""), Ok(()));
}

#[test]
fn keys_that_run_something_are_noticed() {
    for config in [
        "[core]\nfsmonitor = touch CANARY\n",
        "[core] fsmonitor=touch CANARY\n",
        "[CORE]\nFSMonitor=x\n",
        "[diff]\nexternal = ./evil.sh\n",
        "[diff \"x\"]\ntextconv = ./evil.sh\n",
        "[filter \"x\"]\nclean = touch CANARY; cat\n",
        "[include]\npath = ../evil\n",
        "[includeIf \"gitdir:/\"]\npath = x\n",
        "[core]\nhooksPath = x\n",
        "[core]\nworktree = /\n",
        "[alias]\nx = !touch CANARY\n",
        "[remote \"o\"]\nuploadpack = x\n",
        "[gpg]\nprogram = x\n",
        "[log]\nshowSignature = true\n",
        "[remote \"o\"]\npromisor = true\n",
        "[core.sub]\nfsmonitor = x\n",
        "[branch \"a\\\n\"]\n",
        "[user]\nname = a\\\n[core]\n",
        "[user \"x]\n[core]\"]\nfsmonitor = x\n",
        "core.fsmonitor = x\n",
        "[core \"]\"]\nfsmonitor = x\n",
    ] {
        assert!(check_config(config).is_err(), "{config}");
    }
}

#[track_caller]
fn check(files: &[(&str, &[u8])], cwd: &str, plain: bool) {
    let base = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = base.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    assert_eq!(
        check_plain(&base.path().join(cwd)).is_ok(),
        plain,
        "{:?}",
        check_plain(base.path())
    );
}

#[test]
fn the_repository_is_found_as_git_finds_it() {
    let plain = PLAIN.as_bytes();
    let evil: &[u8] = b"[core]\nfsmonitor = x\n";
    check(&[("a/b", b"")], "a", true);
    check(&[(".git/config", plain), ("a/b", b"")], "a", true);
    check(&[(".git/config", plain), ("a/.git/config", evil)], "a", false);
    check(&[(".git/config", evil), ("a/.git/config", plain)], "a", false);
    check(&[(".git/config", plain), (".git/config.worktree", evil)], "", false);
    check(&[(".git/config", plain), (".git/hooks/post-index-change", b"")], "", false);
    check(&[(".git/config", plain), (".git/modules/x", b"")], "", false);
    check(&[(".git/config", plain), (".git/index", b"DIRC\0\0\xe0\0")], "", false);
    check(&[(".git/config", plain), (".git/index", b"DIRC\0\0\x81\xa4")], "", true);
    check(&[("HEAD", b"x"), ("objects/x", b""), ("config", evil)], "", false);
    check(
        &[("w/.git", b"gitdir: ../m/wt\n"), ("m/wt/commondir", b"..\n"), ("m/config", evil)],
        "w",
        false,
    );
    check(
        &[("w/.git", b"gitdir: ../m/wt\n"), ("m/wt/commondir", b"..\n"), ("m/config", plain)],
        "w",
        true,
    );
    check(&[("w/.git", b"nonsense\n")], "w", false);
}
