//! Goal: law is there, absent or broken, and never absent because it could not be read (`[GATE-50]`).

use std::fs;

use tollgate_core::authority::law::{Law, LawAction};

use super::{join, roots, take};
use crate::testing::World;

const LAW: &str = "work/.tollgate/law.toml";

fn law(world: &World, root: &str) -> Law {
    let (folders, _) = roots(&world.at(root));
    let taken = folders.into_iter().map(|folder| {
        let content = take(&folder);
        (folder, content)
    });
    join(&taken.collect::<Vec<_>>())
}

#[track_caller]
fn check_broken(world: &World, expected: &str) {
    let Law::Broken { fault } = law(world, "work") else { panic!("the law is not broken") };
    assert!(world.short(&fault).contains(expected), "{fault}");
}

/// `[GATE-50]`
#[test]
fn a_law_protects_places() {
    let world = World::new();
    assert!(matches!(law(&world, "work"), Law::Absent));
    world.put(LAW, "[[protect]]\npaths = [\"migrations/**\", \"./x\"]\nreason = \"no\"\n[[protect]]\npaths = \"doc\"\naction = \"ask\"\n");
    let Law::Protects { root, places } = law(&world, "work") else { panic!("no law") };
    assert_eq!(root, world.at("work"));
    assert_eq!((places[0].action, places[1].action), (LawAction::Block, LawAction::Ask));
    assert!(places[0].paths[0].pattern().matches(&world.at("work/migrations/1.sql"), &root));
    assert_eq!((places[0].reason.as_str(), places[0].origin.as_str()), ("no", "law.toml:1"));
}

/// `[GATE-50]` `[THR-03]`: fails closed, with the place of the fault.
#[test]
fn a_law_with_a_fault_is_broken() {
    let world = World::new();
    let rows = [
        ("[[protect]]\npaths = [", "work/.tollgate/law.toml:2: this is no TOML"),
        ("[[protect]]\npath = [\"a\"]", "law.toml:2: protect.path: there is no such key"),
        ("[[protect]]\npaths = []", "protect.paths: the list is empty"),
        (
            "[[protect]]\npaths = [\"a\"]\naction = \"allow\"",
            "protect.action: \"allow\" is none of",
        ),
        ("[[protect]]\npaths = [\"a{\"]", "protect.paths: 'a{' is no usable pattern"),
        ("[[protect]]\npaths = [\"../a\"]", "protect.paths: "),
        ("[[protect]]\npaths = [\"/etc\"]", "must begin in the repository"),
        ("[[protect]]\npaths = [\"~/x\"]", "must begin in the repository"),
        (
            "[[protects]]\npaths = [\"a\"]",
            "protects: there is no such key; did you mean 'protect'?",
        ),
        ("\u{feff}", "byte order mark"),
    ];
    for (text, expected) in rows {
        world.put(LAW, text);
        check_broken(&world, expected);
    }
}

/// `[GATE-50]` `[THR-03]`: what cannot be looked at could be a law.
#[test]
fn a_law_that_cannot_be_read_is_broken() {
    let world = World::new();
    world.put("work/.tollgate", "");
    check_broken(&world, ".tollgate is no folder");
    fs::remove_file(world.at("work/.tollgate")).unwrap();
    world.link(&world.at("nothing"), "work/.tollgate");
    check_broken(&world, ".tollgate is no folder");
    fs::remove_file(world.at("work/.tollgate")).unwrap();

    fs::create_dir_all(world.at(LAW)).unwrap();
    check_broken(&world, "is no regular file");
    fs::remove_dir(world.at(LAW)).unwrap();
    world.link(&world.at("nothing"), LAW);
    check_broken(&world, "cannot be read");
    fs::remove_file(world.at(LAW)).unwrap();
    nix::unistd::mkfifo(&world.at(LAW), nix::sys::stat::Mode::S_IRWXU).unwrap();
    check_broken(&world, "is no regular file");
}

/// A law from elsewhere could be exchanged by who may write there.
#[test]
fn a_law_that_leaves_the_repository_is_broken() {
    let world = World::new();
    world.put("elsewhere/law.toml", "").put("work/.tollgate/x", "").put("work/law", "");
    world.link(&world.at("elsewhere/law.toml"), LAW);
    check_broken(&world, "is a link that leaves the repository");
    fs::remove_file(world.at(LAW)).unwrap();
    world.link(&world.at("work/law"), LAW);
    assert!(matches!(law(&world, "work"), Law::Protects { .. }));
    fs::remove_dir_all(world.at("work/.tollgate")).unwrap();
    world.link(&world.at("elsewhere"), "work/.tollgate");
    check_broken(&world, "is a link that leaves the repository");
}

/// `git init` below a repository's root must not be a way out of its law.
#[test]
fn the_law_of_an_outer_repository_holds_inside() {
    let world = World::new();
    let outer = "[[protect]]\npaths = [\"work/sub/gen/**\"]\n";
    world.put(".git/HEAD", "").put(".tollgate/law.toml", outer).put("work/sub/x", "");
    let gen_file = world.at("work/sub/gen/x");
    let is_held = || {
        let Law::Protects { root, places } = law(&world, "work/sub") else { panic!("no law") };
        places
            .iter()
            .flat_map(|place| &place.paths)
            .any(|it| it.pattern().matches(&gen_file, &root))
    };
    assert!(is_held());
    world.put("work/sub/.git/HEAD", "");
    assert!(is_held());
    world.put("work/sub/.tollgate/law.toml", "[[protect]]\npaths = [\"own/**\"]\n");
    assert!(is_held());
    world.put("work/sub/.tollgate/law.toml", "[[protect]]\n");
    assert!(matches!(law(&world, "work/sub"), Law::Broken { .. }));
}

/// `[THR-02]`: a project writes its law; reading it is cheap all the same.
#[test]
fn a_law_is_bounded() {
    let world = World::new();
    let protect = |patterns: usize, pattern: &str| {
        let patterns = vec![pattern; patterns];
        format!("[[protect]]\npaths = {patterns:?}\n")
    };
    let began = std::time::Instant::now();
    world.put(LAW, protect(1_024, &"?{a,b}*".repeat(73)));
    assert!(matches!(law(&world, "work"), Law::Protects { .. }));
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    world.put(LAW, protect(1_024, "a").repeat(2));
    check_broken(&world, "law.toml:4: protect.paths: there are more than 1024 patterns");
    world.put(LAW, "[[protect]]\npaths = [\"a\"]\n".repeat(1_025));
    check_broken(&world, "1024 are the most");
    world.put(LAW, protect(1, &"a".repeat(513)));
    check_broken(&world, "a pattern has at most 512 bytes");
}
