//! Goal: a place is withheld where the gate means it, by any spelling, and never read for want of a pattern.

use tollgate_core::authority::protected::{Own, guarded};

use super::*;

fn withheld(globs: &[&str], names: &[&str]) -> Withheld {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    Withheld::new(&owned(globs), &owned(names))
}

#[track_caller]
fn glob(pattern: &str, held: &[&str], free: &[&str]) {
    let withheld = withheld(&[pattern], &[]);
    held.iter().for_each(|path| assert!(withheld.holds(Path::new(path)), "{pattern}: {path}"));
    free.iter().for_each(|path| assert!(!withheld.holds(Path::new(path)), "{pattern}: {path}"));
}

#[track_caller]
fn name(pattern: &str, held: &[&str], free: &[&str]) {
    let withheld = withheld(&[], &[pattern]);
    held.iter().for_each(|path| assert!(withheld.holds(Path::new(path)), "{pattern}: {path}"));
    free.iter().for_each(|path| assert!(!withheld.holds(Path::new(path)), "{pattern}: {path}"));
}

#[test]
fn globs_are_absolute_and_folders_hold_what_is_below() {
    glob("/w/secrets/**", &["/w/secrets", "/w/secrets/a/b"], &["/w", "/w/secrets2", "/x/secrets"]);
    glob("/w/**/*.key", &["/w/a.key", "/w/a/b.key"], &["/w/a.keys", "/a.key"]);
    glob("/w/*.key", &["/w/a.key"], &["/w/a/b.key"]);
    glob(r"/w/\[id\]/**", &["/w/[id]", "/w/[id]/x"], &["/w/i/x"]);
    glob("/**", &["/", "/w", "/w/a"], &[]);
}

#[test]
fn names_are_matched_at_every_depth_and_spelling() {
    let odd = ["/h/.SSH/id_rsa", "/.s\u{200c}sh/ID_x", "/h/.ssh./id_a.", "/h/．ssh/id_a:s"];
    name(".ssh/id_*", &odd, &["/h/.ssh", "/h/ssh/id_a", "/h/.ssh/x/id_a", "/id_a"]);
    name(".netrc", &["/h/.netrc", "/w/a/.NETRC"], &["/h/.netrc/x", "/h/netrc", "/h/x.netrc"]);
    name(".config/op/**", &["/h/.config/op"], &["/h/op", "/h/.config"]);
    name("/etc/shadow", &["/etc/shadow"], &["/w/etc/shadow", "/etc"]);
    name("/proc/*/mem", &["/proc/1/mem"], &["/proc/mem", "/x/proc/1/mem"]);
}

#[test]
fn what_cannot_be_read_withholds_everything() {
    for broken in ["/w/[", "/w/{a", "/w/**/["] {
        let withheld = withheld(&["/x/**", broken], &[]);
        assert!(!withheld.is_empty() && withheld.holds(Path::new("/any")), "{broken}");
    }
    assert!(withheld(&[], &[]).is_empty() && !Withheld::default().holds(Path::new("/any")));
}

/// FS-06: over all characters that may be folded, and in every place of a name; but for those that make a word of a command a
/// pattern for the kernel, which a file's name is not.
#[test]
fn names_are_folded_as_the_kernel_folds_them() {
    let withheld = withheld(&[], &[".ssh/**", ".git/**"]);
    let own = Own::default();
    // The first plane, musical signs, and tags: all others are letters that are nothing special.
    let chars =
        ('\0'..='\u{ffff}').chain('\u{1d100}'..='\u{1d1ff}').chain('\u{e0000}'..='\u{e0fff}');
    for c in chars.filter(|c| !"/\0*?[]＊？［］".contains(*c)) {
        for name in [format!("{c}.ssh"), format!(".s{c}h"), format!(".ss{c}h"), format!(".ssh{c}")]
        {
            let path = format!("/h/{name}");
            let kernel = guarded(Path::new(&path), &own).is_some_and(|it| it.what.contains("SSH"));
            assert_eq!(withheld.holds(Path::new(&path)), kernel, "{name:?}");
        }
    }
    assert!(withheld.holds(Path::new("/h/GIT~1")));
}

#[test]
fn patterns_from_the_root_say_where_they_begin() {
    let rows = [
        ("/w/secrets/**", "/w/secrets", true),
        ("/w/secret.txt", "/w/secret.txt", true),
        ("/w/**/*.key", "/w", false),
        ("/w/a*/b", "/w", false),
        ("/w/{a,b}/c", "/w", false),
        (r"/w/\[id\]/x", "/w/[id]/x", true),
        ("/**/*.pem", "/", false),
        ("/**", "/", true),
    ];
    for (glob, place, whole) in rows {
        let expected = vec![Beginning { place: place.into(), whole }];
        assert_eq!(withheld(&[glob], &[]).beginnings(), expected, "{glob}");
    }
    let names =
        withheld(&[], &["/etc/shadow", "/etc/ssh/ssh_host_*_key", ".netrc", "/etc/pam.d/**"]);
    let places: Vec<_> = names
        .beginnings()
        .into_iter()
        .map(|it| (it.place.display().to_string(), it.whole))
        .collect();
    let expected = [("/etc/pam.d", true), ("/etc/shadow", true), ("/etc/ssh", false)];
    assert_eq!(places, expected.map(|(place, whole)| (place.to_owned(), whole)));
}

#[test]
fn folders_that_lead_to_a_place_are_known_by_their_names() {
    let names = withheld(&["/w/conf/*.key"], &[".ssh/id_*", ".config/op/**", ".netrc"]);
    let leads = |path: &str| names.leads(Path::new(path));
    assert!(leads("/h/.ssh") && leads("/.SSH.") && leads("/h/.config") && !leads("/h/.config/op"));
    assert!(!leads("/w/conf") && !leads("/h/.netrc") && !leads("/"));
    assert!(withheld(&["/["], &[]).leads(Path::new("/any")));
}

#[test]
fn patterns_are_the_same_in_the_same_words() {
    assert_eq!(withheld(&["/a"], &[".b"]), withheld(&["/a"], &[".b"]));
    assert_ne!(withheld(&["/a"], &[".b"]), withheld(&["/a"], &[".c"]));
    assert_ne!(withheld(&["/["], &[]), withheld(&[], &[]));
}
