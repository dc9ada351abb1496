//! Goal: nothing of a project counts but what the user saw (`[GATE-13]`, CFG-01, CFG-05, CFG-06).

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::{State, Trust};
use crate::testing::World;

const STORE: &str = "home/state/trust.json";

fn trust(world: &World) -> Trust {
    Trust::load(&world.at(STORE)).unwrap()
}

fn grant(world: &World) {
    let mut trust = trust(world);
    let shown = trust.review(&world.at("work")).unwrap();
    trust.grant(&world.at("work"), &shown).unwrap();
}

/// "name state", by name.
fn review(world: &World) -> Vec<String> {
    let files = trust(world).review(&world.at("work")).unwrap();
    files.iter().map(|file| format!("{} {:?}", file.path.display(), file.state)).collect()
}

/// `[GATE-13]`
#[test]
fn trust_is_given_and_taken_back() {
    let world = World::new();
    assert!(!trust(&world).is_trusted(&world.at("work")));
    grant(&world);
    let known = trust(&world);
    assert!(known.is_trusted(&world.at("work")));
    assert!(!known.is_trusted(&world.at("home")) && !known.is_trusted(&world.at("work/sub")));
    assert_eq!(known.list().collect::<Vec<_>>(), [world.at("work")]);
    let mode = fs::metadata(world.at(STORE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    world.link(&world.at("work"), "link");
    assert!(known.is_trusted(&world.at("link")), "a workspace is its folder, not its name");
    assert!(trust(&world).revoke(&world.at("link")).unwrap());
    assert!(!trust(&world).is_trusted(&world.at("work")));
    assert!(!trust(&world).revoke(&world.at("work")).unwrap());
}

/// A folder that is gone can be taken back too.
#[test]
fn trust_in_a_folder_that_is_gone_can_be_taken_back() {
    let world = World::new();
    grant(&world);
    fs::remove_dir_all(world.at("work")).unwrap();
    assert!(!trust(&world).is_trusted(&world.at("work")));
    assert!(trust(&world).revoke(&world.at("work")).unwrap());
}

/// CFG-06
#[test]
fn each_file_is_compared_with_what_was_seen() {
    let world = World::new();
    let hooks = "[[hook]]\nevent = \"error\"\ncommand = [\"./guard.sh\"]\n";
    world.put("work/.mcp.json", "{}").put("work/.tollgate/hooks.toml", hooks);
    world.put("work/guard.sh", "exit 2").put("work/.tollgate/skills/a/SKILL.md", "text");
    assert_eq!(
        review(&world),
        [
            ".mcp.json New",
            ".tollgate/hooks.toml New",
            ".tollgate/skills/a/SKILL.md New",
            "guard.sh New"
        ]
    );
    grant(&world);
    assert!(review(&world).iter().all(|line| line.ends_with(" Same")), "{:?}", review(&world));
    world.put("work/guard.sh", "exit 0").put("work/.tollgate/law.toml", "");
    fs::remove_file(world.at("work/.mcp.json")).unwrap();
    assert_eq!(
        review(&world),
        [
            ".mcp.json Removed",
            ".tollgate/hooks.toml Same",
            ".tollgate/law.toml New",
            ".tollgate/skills/a/SKILL.md Same",
            "guard.sh Changed"
        ]
    );
    assert!(trust(&world).is_trusted(&world.at("work")));
}

/// CFG-06: the yes is to what was shown.
#[test]
fn what_is_granted_is_what_was_shown() {
    let world = World::new();
    world.put("work/.mcp.json", "{}");
    let mut trust = trust(&world);
    let shown = trust.review(&world.at("work")).unwrap();
    world.put("work/.mcp.json", "{\"evil\": 1}");
    trust.grant(&world.at("work"), &shown).unwrap();
    let again = trust.review(&world.at("work")).unwrap();
    assert_eq!(again[0].state, State::Changed);
}

/// CFG-05 `[THR-03]`
#[test]
fn a_broken_store_trusts_nothing() {
    let world = World::new();
    grant(&world);
    let good = fs::read_to_string(world.at(STORE)).unwrap();
    let rows = [
        good.chars().take(good.len() / 2).collect(),
        String::new(),
        "[]".to_owned(),
        good.replace("\"version\": 1", "\"version\": 2"),
        good.replace("\"owner\"", "\"trusted\": true, \"owner\""),
        good.replace("\"files\"", "\"fils\""),
    ];
    for broken in rows {
        world.put(STORE, &broken);
        Trust::load(&world.at(STORE)).map(drop).expect_err(&broken);
    }
    world.put(STORE, &good).mode(STORE, 0o666);
    Trust::load(&world.at(STORE)).map(drop).unwrap_err();
}

/// Two commands at once: the second does not take back what the first gave.
#[test]
fn a_store_that_changed_meanwhile_is_not_overwritten() {
    let world = World::new();
    let (mut one, mut two) = (trust(&world), trust(&world));
    one.grant(&world.at("work"), &[]).unwrap();
    two.grant(&world.at("home"), &[]).unwrap_err();
    assert_eq!(trust(&world).list().count(), 1);
}

/// The path can be made again by somebody else, as in `/tmp`.
#[test]
fn another_owner_is_another_workspace() {
    let world = World::new();
    grant(&world);
    let text = fs::read_to_string(world.at(STORE)).unwrap();
    let owner = nix::unistd::geteuid().as_raw();
    world.put(STORE, text.replace(&format!("\"owner\": {owner}"), "\"owner\": 4242"));
    assert!(!trust(&world).is_trusted(&world.at("work")));
}

/// Nothing outside the project is shown as a part of it, and a pipe stops nobody.
#[test]
fn files_that_are_none_of_the_project_stop_a_review() {
    let world = World::new();
    world.put("secret", "TOKEN").link(&world.at("secret"), "work/.mcp.json");
    let error = trust(&world).review(&world.at("work")).unwrap_err();
    assert!(error.to_string().contains("leaves the project"), "{error}");
    fs::remove_file(world.at("work/.mcp.json")).unwrap();
    nix::unistd::mkfifo(&world.at("work/.mcp.json"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let error = trust(&world).review(&world.at("work")).unwrap_err();
    assert!(error.to_string().contains("no regular file"), "{error}");
    fs::remove_file(world.at("work/.mcp.json")).unwrap();
    world.put("work/.tollgate/hooks.toml", "[[hook]]\n");
    trust(&world).review(&world.at("work")).unwrap_err();
}
