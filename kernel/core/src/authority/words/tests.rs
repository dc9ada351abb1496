//! Goal: words say what they mean, by their text alone.

use super::*;
use crate::safety::Subject;

fn command(line: &str) -> Subject {
    testing::subjects(line).remove(0)
}

#[test]
fn options_are_found_in_every_spelling() {
    for (line, options, expected) in [
        ("rm -rf x", "-r --recursive", true),
        ("rm -fR x", "-r -R", true),
        ("rm --recursive x", "-r --recursive", true),
        ("rm --recurs x", "--recursive", true),
        ("rm -f x", "-r --recursive", false),
        ("rm -- -r", "-r", false),
        ("git push --force-with-lease=x", "--force-with-lease", true),
        ("git push --follow-tags", "--force", false),
        ("a --re", "--recursive", false),
        ("a -", "-", false),
    ] {
        let subject = command(line);
        assert_eq!(Command::of(&subject).unwrap().has(options), expected, "{line}");
    }
}

#[test]
fn the_first_words_are_found_behind_options() {
    for (line, words, expected) in [
        ("kubectl delete pod", "delete", true),
        ("kubectl -n space delete pod", "delete", true),
        ("kubectl --namespace=space delete pod", "delete", true),
        ("kubectl get delete", "delete", false),
        ("cargo +nightly publish", "publish", true),
        ("cargo test publish", "publish", false),
        ("cargo test --lib publish", "publish", false),
        ("gh release create v1", "release create", true),
        ("gh release", "release create", false),
        ("shutdown", "", true),
        ("shutdown now", "", true),
    ] {
        let subject = command(line);
        assert_eq!(Command::of(&subject).unwrap().begins(words), expected, "{line}");
    }
}

#[test]
fn git_is_seen_behind_its_own_options() {
    let subject = command("git -C dir -c a=b --no-pager push origin x");
    let command = Command::of(&subject).unwrap();
    let git = command.git().unwrap();
    assert_eq!((git.program, git.rest), ("push", ["origin".to_owned(), "x".to_owned()].as_slice()));
}

#[test]
fn runners_are_seen_through() {
    for (line, program) in [
        ("npx semantic-release --x", Some("semantic-release")),
        ("npx --yes vsce@2 publish", Some("vsce")),
        ("python3 -m twine upload x", Some("twine")),
        ("pnpm dlx np", Some("np")),
        ("python3 x.py", None),
        ("cargo run", None),
    ] {
        let subject = command(line);
        let inner = Command::of(&subject).unwrap().run_by_it();
        assert_eq!(inner.map(|it| it.program), program, "{line}");
    }
}

#[test]
fn interpreters_are_known_with_their_version() {
    for (program, expected) in
        [("python3.12", true), ("node", true), ("lua5.4", true), ("pythonic", false), ("", false)]
    {
        assert_eq!(is_interpreter(program), expected, "{program}");
    }
}

#[test]
fn names_stand_behind_signs() {
    let names = |word, scattered| names_in(word, scattered).collect::<Vec<_>>();
    assert_eq!(names("of=/dev/sda", false), ["of=/dev/sda", "/dev/sda"]);
    assert_eq!(names("./x:/y", false), ["./x:/y", "/y"]);
    assert_eq!(names("fix .git and x", false), ["fix .git and x"]);
    assert_eq!(names("open('.git/x')", true), ["open('.git/x')", "open", ".git/x"]);
}
