//! Places that a program cannot read or cannot change, though it may write the folder around them.

use std::{
    ffi::OsStr,
    fs::{self, Permissions},
    os::unix::{
        ffi::OsStrExt as _,
        fs::{MetadataExt as _, PermissionsExt as _, symlink},
    },
    path::{Path, PathBuf},
};

use tollgate_confine::child::Plan;

use super::world::{CANARY, World};

/// A folder with the files and folders of the tests.
fn grown(world: &World) -> PathBuf {
    let folder = world.work.join("folder");
    fs::create_dir_all(folder.join("closed/deep")).unwrap();
    for file in ["secret", "closed/secret", "closed/deep/secret"] {
        fs::write(folder.join(file), CANARY).unwrap();
    }
    fs::hard_link(folder.join("secret"), folder.join("other")).unwrap();
    folder
}

/// A file with another name, and a folder.
pub(crate) fn masked() {
    let world = World::new();
    let folder = grown(&world);
    let [secret, other, closed] = ["secret", "other", "closed"].map(|name| folder.join(name));
    let plan = Plan { masked: vec![secret.clone(), other.clone(), closed.clone()], ..world.plan() };
    for place in [&secret, &closed] {
        world
            .act(&plan, "try places", &[place.as_os_str(), other.as_os_str()])
            .only_worked(&[], 24);
    }
    // Whatever script one writes.
    let ran = world.sh(
        &plan,
        "cd folder; cat secret other closed/secret closed/deep/secret; cat < secret; cp -r . ../copy; tar c .
         ln secret linked && cat linked; grep -r secret .; find . -exec cat {} +; (cd closed && cat secret)
         chmod -R u+rwX . ; cat secret closed/secret; cp -l secret ../hard; cat ../hard /proc/1/root/$PWD/secret
         cd ..; mv folder elsewhere; cat elsewhere/secret elsewhere/closed/secret; rm -rf elsewhere; true",
    );
    assert!(!ran.output.contains(CANARY), "{}", ran.output);
    assert_eq!(fs::read_to_string(world.work.join("elsewhere/secret")).unwrap(), CANARY);
    assert_eq!(
        fs::read_to_string(world.work.join("elsewhere/closed/deep/secret")).unwrap(),
        CANARY
    );
    // Nothing of the sort is held without a mask.
    assert!(world.sh(&world.plan(), "cat elsewhere/secret").output.contains(CANARY));
}

/// The same places: they can be read.
pub(crate) fn held() {
    let world = World::new();
    let folder = grown(&world);
    let [secret, other, closed] = ["secret", "other", "closed"].map(|name| folder.join(name));
    for place in [&secret, &closed] {
        let before = fs::metadata(place).unwrap();
        let plan =
            Plan { held: vec![secret.clone(), other.clone(), closed.clone()], ..world.plan() };
        let ran = world.act(&plan, "try places", &[place.as_os_str(), other.as_os_str()]).well();
        for (what, how) in ran.rows() {
            assert_eq!(how == "WORKED", what.starts_with("read"), "{what} of {place:?}: {how}");
        }
        let after = fs::metadata(place).unwrap();
        assert_eq!((after.mode(), after.mtime_nsec()), (before.mode(), before.mtime_nsec()));
        fs::remove_file(world.work.join("linked")).unwrap();
    }
    // A held place goes with the folder around it, and stays what it is. What comes in its stead is for
    // whoever started the program to look at.
    let plan = Plan { held: vec![secret, closed], ..world.plan() };
    let ran = world.sh(
        &plan,
        "mv folder elsewhere; echo x > elsewhere/secret; echo x > elsewhere/closed/new; rm -rf elsewhere
         mkdir folder; echo new > folder/secret; cat elsewhere/secret elsewhere/closed/deep/secret",
    );
    assert_eq!(ran.output.matches(CANARY).count(), 2, "{}", ran.output);
    assert_eq!(fs::read_to_string(world.work.join("elsewhere/secret")).unwrap(), CANARY);
    assert_eq!(fs::read_to_string(world.work.join("folder/secret")).unwrap(), "new\n");
}

/// A folder to write below one that is closed or held, and the other way round.
pub(crate) fn nested() {
    let world = World::new();
    let base = world.path();
    for folder in ["a/b/c", "h/i/j"] {
        fs::create_dir_all(base.join(folder)).unwrap();
        fs::write(base.join(folder).join("secret"), CANARY).unwrap();
    }
    let at = |path: &str| base.join(path);
    let script = |text: &str| text.replace('@', base.to_str().unwrap());
    // Closed around, written inside: what is closed wins.
    let plan =
        Plan { write: vec![at("a/b/c"), at("work")], masked: vec![at("a/b")], ..world.plan() };
    let ran =
        world.sh(&plan, &script("cat @/a/b/c/secret; echo x > @/a/b/c/new; ls @/a/b; echo end"));
    assert!(ran.output.ends_with("end\n") && !ran.output.contains(CANARY), "{}", ran.output);
    assert!(!at("a/b/c/new").exists());
    // Written around, closed and held inside, written again inside that.
    let plan = Plan {
        write: vec![at("h"), at("h/i/j")],
        held: vec![at("h/i")],
        masked: vec![at("h/i/j/secret")],
        ..world.plan()
    };
    let ran = world.sh(
        &Plan { cwd: at("h"), ..plan },
        &script("echo 1 > @/h/one; echo 2 > @/h/i/two; echo 3 > @/h/i/j/three; cat @/h/i/j/secret; echo end"),
    );
    assert!(ran.output.ends_with("end\n") && !ran.output.contains(CANARY), "{}", ran.output);
    let made = ["h/one", "h/i/two", "h/i/j/three"].map(|path| at(path).exists());
    assert_eq!(made, [true, false, true], "{}", ran.output);
    // The same folder to write and to hold: held.
    let plan = Plan { held: vec![world.work.clone()], ..world.plan() };
    world.sh(&plan, "echo x > new");
    assert!(!world.work.join("new").exists());
}

/// Their targets are held and closed; links to nowhere, loops and what is gone are passed over.
pub(crate) fn links() {
    let world = World::new();
    let folder = grown(&world);
    let [read, change, nowhere, around] =
        ["read", "change", "nowhere", "loop"].map(|it| folder.join(it));
    fs::write(folder.join("config"), "config").unwrap();
    symlink("secret", &read).unwrap();
    symlink("config", &change).unwrap();
    symlink("missing/file", &nowhere).unwrap();
    symlink("loop", &around).unwrap();
    let gone = [nowhere, around, folder.join("gone"), folder.join("secret/below")];
    let plan = Plan {
        held: gone.iter().cloned().chain([change.clone()]).collect(),
        masked: gone.iter().cloned().chain([read, folder.join("other")]).collect(),
        ..world.plan()
    };
    let ran = world
        .sh(&plan, "cd folder; cat read secret other; echo x > change; echo x > config; echo end");
    assert!(ran.output.ends_with("end\n") && !ran.output.contains(CANARY), "{}", ran.output);
    assert_eq!(fs::read_to_string(&change).unwrap(), "config");
}

/// A program may take its own rights to a folder away, and give them back: a place in it is not passed
/// over in between. Root's launcher can look everywhere.
pub(crate) fn unseen() {
    let world = World::new();
    let folder = grown(&world);
    fs::set_permissions(&folder, Permissions::from_mode(0o0)).unwrap();
    let plan = Plan { masked: vec![folder.join("secret"), folder.join("other")], ..world.plan() };
    let ran = world.sh(&plan, "chmod 700 folder; cat folder/secret; echo end");
    assert!(!ran.output.contains(CANARY), "{}", ran.output);
    if !nix::unistd::geteuid().is_root() {
        let failed = ran.report.failed.unwrap();
        assert!(failed.contains("cannot close") && failed.contains("folder/secret"), "{failed}");
    }
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
}

/// Hundreds of places, names that are no text, and long ones.
pub(crate) fn many() {
    let world = World::new();
    let mut plan = world.plan();
    for number in 0..256 {
        let [held, masked] =
            ["held", "masked"].map(|kind| world.work.join(format!("{kind}{number}")));
        fs::write(&held, "held").unwrap();
        fs::write(&masked, CANARY).unwrap();
        plan.held.push(held);
        plan.masked.push(masked);
    }
    let odd = world.work.join(OsStr::from_bytes(b"a b\n\xff\\040\t"));
    let long = (0..14).fold(odd.clone(), |folder, _| folder.join("x".repeat(240)));
    fs::create_dir_all(&long).unwrap();
    for (kind, list) in [("held", &mut plan.held), ("masked", &mut plan.masked)] {
        for folder in [&odd, &long] {
            let place = folder.join(kind);
            fs::write(&place, CANARY).unwrap();
            list.push(place);
        }
    }
    plan.cwd.clone_from(&odd);
    plan.write = vec![odd.clone(), world.work.clone()];
    let ran = world.sh(
        &plan,
        "cat masked */*/*/*/*/*/*/*/*/*/*/*/*/*/masked ../masked*; echo x > held; echo x > new
         for place in ../held* */*/*/*/*/*/*/*/*/*/*/*/*/*/held; do echo x > $place; done; echo end",
    );
    assert!(ran.output.ends_with("end\n") && !ran.output.contains(CANARY), "{ran:?}");
    let is =
        |path: &Path, text: &str| assert_eq!(fs::read_to_string(path).unwrap(), text, "{path:?}");
    is(&odd.join("new"), "x\n");
    is(&odd.join("held"), CANARY);
    is(&long.join("held"), CANARY);
    for number in 0..256 {
        is(&world.work.join(format!("held{number}")), "held");
    }
}

/// Two programs at once, one of which may read what the other may not.
pub(crate) fn beside() {
    let world = World::new();
    let secret = grown(&world).join("secret");
    let place = [secret.as_os_str()];
    let plan = Plan { masked: vec![secret.clone()], ..world.plan() };
    let mut kept = world.start_act(&plan, "look", &place);
    let mut free = world.start_act(&world.plan(), "look", &place);
    for program in [&mut kept, &mut free] {
        assert_eq!(program.line().as_deref(), Some("up"));
    }
    for _ in 0..2 {
        kept.say("look");
        let found = kept.line().unwrap();
        assert!(found.contains("PermissionDenied") || found.contains("Ok(\"\")"), "{found}");
        free.say("look");
        assert!(free.line().unwrap().contains(CANARY));
    }
    kept.end().well();
    free.end().well();
}

/// A workspace in `/dev/shm`: the program finds it there, and changes nothing beside it.
pub(crate) fn memory() {
    let world = World::new();
    let folder = tempfile::Builder::new().prefix("confine").tempdir_in("/dev/shm").unwrap();
    let place = folder.path().join("work");
    fs::create_dir(&place).unwrap();
    fs::write(place.join("file"), "text").unwrap();
    let plan = Plan { cwd: place.clone(), write: Vec::new(), ..world.plan() };
    let ran = world.sh(&plan, "cat file; echo x > new; echo x > ../new; true").well();
    assert!(ran.output.starts_with("text"), "{}", ran.output);
    assert!(!place.join("new").exists() && !folder.path().join("new").exists());
    let plan = Plan { write: vec![place.clone()], ..plan };
    world.sh(&plan, "cat file; echo x > new; echo x > ../new; true").well();
    assert!(place.join("new").exists() && !folder.path().join("new").exists());
    if world.has_namespaces() {
        // Elsewhere it has its own.
        let ran = world.sh(&world.plan(), "echo x > /dev/shm/x; ls /dev/shm").well();
        assert_eq!(ran.output, "x\n");
    }
}
