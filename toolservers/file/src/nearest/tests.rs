//! Goal: a wrong path is answered with what was probably meant. [FILE-05]

use crate::testing::World;

#[track_caller]
fn check(path: &str, expected: &str) {
    let world = World::new().with("src/main.rs", "").with("src/lib.rs", "").with("README.md", "");
    let failed = world.place(path).and_then(|place| place.open()).unwrap_err();
    assert_eq!(failed.message, expected);
}

#[test]
fn a_missing_file_is_answered_with_the_nearest_names() {
    check("src/mian.rs", "src/mian.rs does not exist. Nearest names: src/main.rs");
    check("readme.md", "readme.md does not exist. Nearest names: README.md");
    check("quite/other", "quite/other does not exist: there is no quite to begin with");
    check(
        "scr/main.rs",
        "scr/main.rs does not exist: there is no scr to begin with. Nearest names: src/",
    );
}

#[test]
fn a_directory_is_answered_with_what_it_holds() {
    check(
        "src",
        "src is a directory; to see what is in it use list, or name a file in it. It holds: lib.rs, main.rs",
    );
}
