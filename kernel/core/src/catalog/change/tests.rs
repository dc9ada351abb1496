//! Goal: a difference is told once and for the right server; growing touches nothing that is there.

use super::*;
use crate::{
    catalog::Provenance,
    testing::{READ, entry},
};

fn plugin(server: &str, name: &str) -> Entry {
    Entry {
        server: ServerName::try_from(server).unwrap(),
        provenance: Provenance::Plugin,
        exposure: Exposure::Deferred,
        ..entry(name, READ)
    }
}

fn names(catalog: &Catalog) -> Vec<&str> {
    catalog.list().iter().map(|entry| entry.name.as_str()).collect()
}

/// Each difference as "server +added -removed ~changed".
#[track_caller]
fn check(before: Vec<Entry>, after: Vec<Entry>, expected: &[&str]) {
    let of = |entries: Vec<Entry>| Catalog::new(entries, &[]);
    let changes = of(before).changes_to(&of(after));
    let told: Vec<String> = changes
        .iter()
        .map(|(server, change)| {
            let signs = [("+", &change.added), ("-", &change.removed), ("~", &change.changed)];
            let words = signs
                .iter()
                .flat_map(|(sign, names)| names.iter().map(move |name| format!(" {sign}{name}")));
            format!("{server}{}", words.collect::<String>())
        })
        .collect();
    assert_eq!(told, expected);
}

/// `[CAT-40]`
#[test]
fn a_difference_is_told_of_the_server_that_made_it() {
    let two = || vec![plugin("a", "one"), plugin("b", "two")];
    check(two(), two(), &[]);
    check(two(), vec![plugin("a", "one")], &["b -two"]);
    check(vec![plugin("a", "one")], two(), &["b +two"]);
    let reworded = Entry { description: "Another.".to_owned(), ..plugin("b", "two") };
    check(two(), vec![plugin("a", "one"), reworded], &["b ~two"]);
    let facts = Entry { facts: Arc::default(), ..plugin("b", "two") };
    check(two(), vec![plugin("a", "one"), facts], &[]);
    // The name goes to another server.
    check(two(), vec![plugin("a", "one"), plugin("c", "two")], &["b -two", "c +two"]);
    // A second server claims it, and both are told apart.
    let claimed = vec![plugin("a", "one"), plugin("b", "two"), plugin("a", "two")];
    check(two(), claimed, &["a +a_two", "b +b_two -two"]);
}

/// `[CAT-40]` `[CAT-13]`
#[test]
fn growing_adds_deferred_tools_and_nothing_else() {
    let eager = entry("read", READ);
    let old = Entry { exposure: Exposure::Hidden, ..plugin("a", "old") };
    let before = Catalog::new(vec![plugin("a", "one"), plugin("a", "gone"), old], &[]);
    let other = Entry { description: "Another.".to_owned(), ..plugin("a", "one") };
    let newest = vec![other, plugin("b", "old"), plugin("b", "zeta"), plugin("b", "alpha"), eager];
    let grown = before.grown(&Catalog::new(newest, &[]));
    assert_eq!(names(&grown), ["alpha", "gone", "one", "zeta"]);
    assert_eq!(grown.get("one").unwrap().description, "The tool one.");
    assert!(grown.find("old", b"{}").is_some_and(|entry| entry.server.as_str() == "a"));
    assert!(grown.find("zeta", b"{}").is_some() && grown.get("read").is_none());
    assert_eq!(names(&before), ["gone", "one"]);
}

/// A tool that has another name in the newer catalog is not there twice.
#[test]
fn growing_renames_nothing() {
    let before = Catalog::new(vec![plugin("a", "search")], &[]);
    let newest = Catalog::new(vec![plugin("a", "search"), plugin("b", "search")], &[]);
    let grown = before.grown(&newest);
    assert_eq!(names(&grown), ["b_search", "search"]);
    assert_eq!(grown.get("search").unwrap().server.as_str(), "a");
}
