//! Goal: the table holds at every depth and in every spelling, and touches nothing ordinary.

use std::{path::PathBuf, time::Instant};

use super::{place::fold, *};

fn own() -> Own {
    Own {
        places: vec![PathBuf::from("/home/u/.config/tollgate"), PathBuf::from("/run/u/tollgate")],
        ..Own::default()
    }
}

#[track_caller]
fn check(place: &str, expected: Option<(Protection, &str)>) {
    let found = guarded(Path::new(place), &own());
    match (found, expected) {
        (Some(found), Some((protection, what))) => {
            assert_eq!(found.protection, protection, "{place}: {}", found.what);
            assert!(found.what.contains(what), "{place}: {}", found.what);
        }
        (found, expected) => assert_eq!(found.is_some(), expected.is_some(), "{place}: {found:?}"),
    }
}

/// `[THR-05]`, FS-08, GT-05: also deep inside, also where nothing is yet.
#[test]
fn every_row_holds_at_every_depth() {
    for row in ROWS {
        for text in row.places.split_ascii_whitespace() {
            let place = text.trim_end_matches("/**").replace('*', "x");
            let place = Path::new("/").join(place.trim_start_matches('/'));
            let deep = Path::new("/w/sub/more").join(place.strip_prefix("/").unwrap());
            let places = if text.starts_with('/') { vec![place] } else { vec![place, deep] };
            for place in places {
                let found = guarded(&place, &Own::default()).unwrap();
                assert!(found.protection >= row.protection, "{}: {found:?}", place.display());
            }
            assert_eq!(fold(text), text, "a row is written folded");
        }
    }
}

#[test]
fn a_card_says_what_the_place_is() {
    use Protection::{Card, Never, NoCarveOut};
    for (place, protection, what) in [
        ("/w/.git/hooks/pre-commit", Card, "git hooks"),
        ("/w/sub/.git/hooks/x/y", Card, "git hooks"),
        ("/w/.git/config", Card, "can name programs"),
        ("/w/.git", Card, "git's own data"),
        ("/w/.git/modules/a/hooks/x", Card, "git's own data"),
        ("/w/.mcp.json", Card, "MCP servers"),
        ("/w/AGENTS.md", Card, "agent instructions"),
        ("/w/docs/CLAUDE.md", Card, "agent instructions"),
        ("/w/.github/copilot-instructions.md", Card, "agent instructions"),
        ("/w/.vscode/tasks.json", Card, "editor"),
        ("/home/u/.bashrc", Card, "shell start-up"),
        ("/home/u/.config/systemd/user/x.service", Card, "starts by itself"),
        ("/home/u/.ssh/authorized_keys", Card, "SSH"),
        ("/w/.tollgate/law.toml", Card, "Tollgate's settings and law"),
        ("/w/.envrc", Card, "on entering the folder"),
        ("/w/.env.local", NoCarveOut, "environment files"),
        ("/w/certs/server.pem", NoCarveOut, "private keys"),
        ("/w/.ssh/id_rsa", Card, "SSH"),
        ("/home/u/.aws/credentials", NoCarveOut, "credentials"),
        ("/home/u/.config/tollgate/permissions.toml", Never, "Tollgate's own"),
        ("/run/u/tollgate", Never, "Tollgate's own"),
        ("/w/.git/../../run/u/tollgate/x", Never, "Tollgate's own"),
    ] {
        check(place, Some((protection, what)));
    }
}

/// Safety that stops ordinary work is a fault.
#[test]
fn ordinary_files_are_not_protected() {
    for place in [
        "/w/.gitignore",
        "/w/src/main.rs",
        "/w/git/config",
        "/w/.github/workflows/ci.yml",
        "/w/.vscode/extensions.json",
        "/w/env/x",
        "/w/.venv/bin/activate",
        "/w/src/credentials/mod.rs",
        "/w/etc/profile",
        "/w/lib/systemd/x",
        "/w/keys.rs",
        "/w/agents.rs",
        "/w/README.md",
        "/home/u/.config/tollgate-other/x",
        "/w/.cargo/registry/x",
        "/etc/hosts",
        "/",
    ] {
        check(place, None);
    }
}

/// FS-06.
#[test]
fn spellings_of_a_name_are_one() {
    for name in [
        ".GIT",
        ".Git",
        ".g\u{200c}it",
        ".\u{feff}git",
        ".g\u{ad}it",
        ".git.",
        ".git ",
        ".git. .",
        "\u{ff0e}git",
        "\u{2024}git",
        ".\u{ff27}it",
        ".g\u{1}it",
        "git~1",
        "GIT~1",
        ".git::$INDEX_ALLOCATION",
        ".gi*",
        ".g?t",
        ".[g]it",
    ] {
        check(&format!("/w/{name}/hooks/x"), Some((Protection::Card, "git")));
    }
    check("/w/.git\u{200b}hooks/x", None);
    check("/w/.gĭt/hooks", None);
    check("/w/*/hooks", None);
    check("/home/u/.CONFIG/TollGate/x", Some((Protection::Never, "own")));
    check("/w/.vs\u{200b}code/Tasks.JSON", Some((Protection::Card, "editor")));
    check("/w/.vscode/*", Some((Protection::Card, "programs")));
    // K of the Kelvin sign, long s.
    check("/w/.hu\u{17f}\u{212a}y/x", Some((Protection::Card, "git hooks")));
}

/// CFG-08: moving a folder away or another one there moves what is in it.
#[test]
fn folders_above_go_with_what_is_in_them() {
    let own = own();
    let guards = Guards::new(&own);
    let found = |place: &str, role| {
        guards.of(&Place::of(Path::new(place)), role).map(|guard| guard.protection)
    };
    assert_eq!(found("/home/u/.config", Role::Removed), Some(Protection::Never));
    assert_eq!(found("/", Role::Removed), Some(Protection::Never));
    assert_eq!(found("/home/u", Role::Made), None);
    assert_eq!(found("/home/u/.config", Role::Named), None);
    for role in [Role::Made, Role::Removed] {
        assert_eq!(found("/w/.vscode", role), Some(Protection::Card));
        assert_eq!(found("/w/.github", role), Some(Protection::Card));
        assert_eq!(found("/w/library", role), None);
        assert_eq!(found("/w/src", role), None);
    }
    assert_eq!(found("/w/.vscode", Role::Named), None);
}

#[test]
fn folding_borrows_what_is_folded() {
    assert!(matches!(fold(".git"), std::borrow::Cow::Borrowed(_)));
    assert_eq!(fold("a b"), "a b");
    assert_eq!(fold("..."), "...");
    assert_eq!(fold(":x"), ":x");
}

/// Names without end are compared in linear time.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test measures")]
fn long_names_are_folded_in_linear_time() {
    let began = Instant::now();
    for part in ["A", ".", " ", "\u{200b}", ".git/", "a/", "*", ":"] {
        let text = format!("/{}", part.repeat(65_536 / part.len()));
        assert!(
            guarded(Path::new(&text), &own()).is_none_or(|it| it.protection == Protection::Card)
        );
    }
    assert!(began.elapsed().as_millis() < 2_000, "{:?}", began.elapsed());
}
