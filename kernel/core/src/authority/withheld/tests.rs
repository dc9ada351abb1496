//! Goal: what rules and the floor deny below a folder is withheld from a call that passes over it, and
//! asked about, or denied, for any other call that goes through the folder.

use std::{path::PathBuf, sync::Arc};

use super::*;
use crate::{
    authority::{
        Verdict, judge,
        law::{Law, LawAction, Protect, Protected},
        managed::Managed,
        rules::{Action, PathPattern, Rules, Source, compact},
        words::testing::{World, call},
    },
    catalog::Entry,
    safety::{Access, Safety, Trust},
    testing::{READ, WORKSPACE, entry},
};

fn world(rules: &[&str]) -> World {
    let mut world = World::default();
    world.policy.rules = rules_of(rules, Source::User);
    world
}

/// "ACTION COMPACT".
fn rules_of(texts: &[&str], source: Source) -> Rules {
    let rule = |text: &&str| {
        let (action, text) = text.split_once(' ').unwrap();
        let action = match action {
            "allow" => Action::Allow,
            "ask" => Action::Ask,
            _ => Action::Deny,
        };
        compact::parse(text, action, source, Some("/home/u"), "here").unwrap()
    };
    Rules::new(texts.iter().map(rule).collect())
}

fn of_tool(tool: &str, trust: Trust, safety: Safety, subjects: Vec<Subject>) -> Classified {
    let mut call = call(trust, safety, subjects, "");
    let entry = Entry { trust, ..entry(tool, safety) };
    call.checked.resolved.entry = Arc::new(entry);
    call
}

fn tree(place: &str, access: Access, reach: Reach) -> Subject {
    let absolute = PathBuf::from(WORKSPACE).join(place);
    let absolute = absolute.to_str().unwrap().trim_end_matches('/').into();
    Subject::Path { absolute, relative: Some(place.into()), access, reach }
}

/// A call that reads a folder but for what is withheld.
fn reads(tool: &str, place: &str) -> Classified {
    let subjects = vec![tree(place, Access::Read, Reach::GrantedTree)];
    of_tool(tool, Trust::Trusted, READ, subjects)
}

fn word(call: &Classified, world: &World) -> String {
    match judge(call, &world.at()).verdict {
        Verdict::Allow(_) => "allow".to_owned(),
        Verdict::Review(_) => "review".to_owned(),
        Verdict::Ask(_) => "ask".to_owned(),
        Verdict::Refuse(refusal) => refusal.class,
    }
}

/// The verdict, and the globs that are withheld.
#[track_caller]
fn check(rules: &[&str], tool: &str, place: &str, verdict: &str, globs: &[&str]) {
    let (world, call) = (world(rules), reads(tool, place));
    assert_eq!(word(&call, &world), verdict, "{rules:?} of {tool} {place:?}");
    let withheld = withheld(&call, &world.at()).unwrap();
    assert_eq!(withheld.globs, globs, "{rules:?} of {tool} {place:?}");
}

/// [GATE-20] B094
#[test]
fn what_is_denied_below_is_withheld() {
    let all = ["grep", "find", "list", "anything"];
    for tool in all {
        check(&["deny read(secrets/**)"], tool, "", "allow", &["/w/secrets/**"]);
    }
    check(&["deny read(.env)"], "grep", "", "allow", &["/w/.env/**"]);
    check(&["deny *(path:**/*.key)"], "grep", "src", "allow", &["/w/**/*.key"]);
    check(&["deny grep(src/x)", "deny find(src/y)"], "grep", "src", "allow", &["/w/src/x/**"]);
    check(&["deny grep(/w/src/x)"], "grep", "", "allow", &["/w/src/x/**"]);
    check(&["ask read(vendor/**)"], "grep", "", "allow", &["/w/vendor/**"]);
    check(&["deny read(~/x)"], "grep", "/home", "allow", &["/home/u/x/**"]);
    // What lies elsewhere, is written, is allowed, or is another tool's, is none of it.
    let others = ["deny read(other/**)", "deny write(src/x)", "allow read(src/**)", "deny bash"];
    check(&others, "grep", "src", "allow", &[]);
    check(&["deny *(path:src/x) access=write"], "grep", "src", "allow", &[]);
    check(&["deny bash(cat *) path=src/x"], "grep", "", "allow", &[]);
    check(&["deny read"], "grep", "", "allow", &[]);
}

/// [GATE-21] A rule that holds for the folder itself is judged as for any place.
#[test]
fn what_is_denied_of_the_folder_itself_is_not_read() {
    check(&["deny read(secrets/**)"], "grep", "secrets", "rule", &[]);
    check(&["deny read(secrets/**)"], "grep", "secrets/deep", "rule", &[]);
    check(&["deny read(secrets)"], "list", "secrets/deep", "rule", &[]);
    check(&["deny *(path:**)"], "grep", "", "rule", &[]);
    check(&["ask grep(vendor/**)"], "grep", "vendor", "ask", &[]);
    // Somebody said yes to the one, not to the other.
    let both = ["ask grep(vendor/**)", "deny read(vendor/x)"];
    check(&both, "grep", "vendor", "ask", &["/w/vendor/x/**"]);
}

/// [GATE-51] The owner's rules and the project's withhold as the user's do.
#[test]
fn every_source_withholds() {
    let mut world = world(&[]);
    world.session = rules_of(&["deny read(a)"], Source::Session);
    let rules = rules_of(&["deny read(b)", "ask read(c)"], Source::Managed);
    world.policy.managed = Managed { rules, ..Managed::default() };
    let call = reads("grep", "");
    assert_eq!(word(&call, &world), "allow");
    let withheld = withheld(&call, &world.at()).unwrap();
    assert_eq!(withheld.globs, ["/w/a/**", "/w/b/**", "/w/c/**"]);
}

/// [GATE-31] Credentials are withheld wherever they are, but for those that somebody said yes to.
#[test]
fn credentials_are_withheld() {
    let mut world = world(&[]);
    let names =
        |place: &str, world: &World| withheld(&reads("grep", place), &world.at()).unwrap().names;
    let all = names("", &world);
    assert!(all.contains(&".ssh/id_*".to_owned()) && all.contains(&".aws/credentials".to_owned()));
    let cache = reads("grep", "/home/u/.aws/sso/cache/x");
    assert_eq!(word(&cache, &world), "ask");
    let without = names("/home/u/.aws/sso/cache/x", &world);
    assert!(without.len() == all.len() - 1 && !without.contains(&".aws/sso/cache/**".to_owned()));
    assert_eq!(word(&reads("grep", "/home/u"), &world), "allow");
    world.posture = Posture::FullAccess;
    assert!(names("", &world).is_empty());
}

/// A grant has an end, and what it cannot hold is refused.
#[test]
fn too_many_places_are_refused() {
    let many: Vec<String> = (0..300).map(|k| format!("deny read(d/{k})")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(word(&reads("grep", ""), &world(&many)), "too_much_withheld");
    check(&many, "grep", "d/7/x", "rule", &[]);
    check(&many, "grep", "src", "allow", &[]);
    let long = format!("deny read({})", "x".repeat(BYTES_MAX));
    assert_eq!(word(&reads("grep", ""), &world(&[&long])), "too_much_withheld");
}

/// I17: who does not pass over what is withheld, or is not believed to, is asked about.
#[test]
fn other_trees_ask_or_are_denied() {
    let deny = world(&["deny read(secrets/**)"]);
    let free = world(&[]);
    let (read, write) = (Access::Read, Access::Write);
    for (trust, access, reach, place, expected, without) in [
        (Trust::Trusted, read, Reach::Tree, "", "ask", "allow"),
        (Trust::Trusted, read, Reach::Tree, "src", "allow", "allow"),
        (Trust::Trusted, read, Reach::Tree, "/home", "ask", "ask"),
        (Trust::Trusted, read, Reach::Tree, "/home/u/.ssh", "ask", "ask"),
        (Trust::Trusted, read, Reach::Itself, "", "allow", "allow"),
        (Trust::Untrusted, read, Reach::GrantedTree, "", "ask", "ask"),
        (Trust::Trusted, write, Reach::Tree, "", "ask", "ask"),
        (Trust::Trusted, write, Reach::GrantedTree, "", "ask", "ask"),
        (Trust::Trusted, write, Reach::Itself, "new", "allow", "allow"),
    ] {
        let safety = Safety { read_only: access == read, ..Safety { open_world: false, ..READ } };
        let call = of_tool("survey", trust, safety, vec![tree(place, access, reach)]);
        let told = format!("{trust:?} {access:?} {reach:?} {place:?}");
        assert_eq!(word(&call, &deny), expected, "{told}");
        assert_eq!(word(&call, &free), without, "{told}");
        assert_eq!(withheld(&call, &deny.at()).unwrap(), Withheld::default(), "{told}");
    }
    let call = of_tool("survey", Trust::Trusted, WRITING, vec![tree("", write, Reach::Tree)]);
    assert_eq!(word(&call, &world(&["deny survey(secrets/**)"])), "rule");
}

const WRITING: Safety = Safety { read_only: false, open_world: false, ..READ };

/// [THR-05] [GATE-50] A tree that is written is a card always, and the law looks below it.
#[test]
fn a_tree_that_is_written_may_touch_what_is_protected() {
    let call = |place| {
        of_tool("tidy", Trust::Trusted, WRITING, vec![tree(place, Access::Write, Reach::Tree)])
    };
    let mut world = world(&["allow tidy"]);
    assert_eq!(word(&call("src"), &world), "ask");
    world.policy.law = Law::Protects {
        root: WORKSPACE.into(),
        places: vec![Protect {
            paths: vec![Protected::from(PathPattern::new("**/*.sql").unwrap())],
            action: LawAction::Block,
            reason: String::new(),
            origin: "law.toml:1".to_owned(),
        }],
    };
    assert_eq!(word(&call("src"), &world), "law");
    assert_eq!(word(&call("/elsewhere"), &world), "ask");
    world.policy.own.places = vec!["/w/own/receipts".into()];
    assert_eq!(word(&call("own"), &world), "own_place");
}

/// [GATE-22] What is allowed of a folder's own path is not allowed of all below it.
#[test]
fn only_a_pattern_of_the_whole_tree_allows_a_tree() {
    for (rule, expected) in [
        ("notes/**", true),
        ("**", true),
        ("note*/**", true),
        ("notes", false),
        ("note*", false),
        ("*", false),
        ("notes/*", false),
        ("notes/x/**", false),
    ] {
        let pattern = PathPattern::new(rule).unwrap();
        let (folder, base) = (Path::new("/w/notes"), Path::new(WORKSPACE));
        assert_eq!(pattern.covers_tree(folder, base), expected, "{rule}");
    }
    // A rule of files lets a folder be read where an owner asks about all reads.
    for (rule, expected) in [("allow survey(notes/**)", true), ("allow survey(notes)", false)] {
        let world = world(&[rule]);
        let subjects = vec![tree("notes", Access::Create, Reach::Itself)];
        let itself = of_tool("survey", Trust::Trusted, WRITING, subjects);
        let subjects = vec![tree("notes", Access::Create, Reach::Tree)];
        let all = of_tool("survey", Trust::Trusted, WRITING, subjects);
        let notes = |call| {
            let notes = judge(call, &world.at()).notes;
            notes.iter().any(|note| note.reason.starts_with("allowed by rule"))
        };
        assert!(notes(&itself) && notes(&all) == expected, "{rule}");
    }
}

/// `grep` of one file is `read` of it, for who denies that.
#[test]
fn who_denies_reading_a_file_denies_it_to_whatever_reads() {
    let world = world(&["deny read(.env)", "allow grep"]);
    let file = |tool, access| {
        let subjects = vec![tree(".env", access, Reach::Itself)];
        let safety = if access == Access::Read { READ } else { WRITING };
        word(&of_tool(tool, Trust::Trusted, safety, subjects), &world)
    };
    assert_eq!(
        (file("grep", Access::Read), file("view", Access::Read)),
        ("rule".into(), "rule".into())
    );
    assert_ne!(file("write", Access::Write), "rule");
}
