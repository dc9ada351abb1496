//! Goal: few tools, few bytes, the least recently used leave, and nothing comes back that was taken away.

use std::sync::Arc;

use super::{Activated, Toolbox};
use crate::{
    authority::{
        policy::{Lists, Policy},
        rules::NamePattern,
    },
    catalog::{Catalog, Entry, Exposure, Surface, View},
    digest::Digest,
    limits::{TOOLBOX_BYTES_MAX, TOOLBOX_TOOLS_MAX},
    stance::Mode,
    testing::{READ, entry},
};

/// A deferred tool whose schema has so many bytes.
fn tool(name: &str, bytes: usize) -> Entry {
    let pad = bytes.saturating_sub(r#"{"type":"object","title":""}"#.len());
    let schema = format!(r#"{{"type":"object","title":"{}"}}"#, "x".repeat(pad));
    Entry {
        exposure: Exposure::Deferred,
        schema_sha256: Digest::of(schema.as_bytes()),
        input_schema: schema.into(),
        ..entry(name, READ)
    }
}

fn names(toolbox: &Toolbox) -> Vec<&str> {
    toolbox.names().map(crate::name::ToolName::as_str).collect()
}

#[track_caller]
fn added(got: &Activated, expected: &[&str]) {
    let Activated::Added { evicted } = got else { panic!("{got:?}") };
    assert_eq!(evicted.iter().map(|it| it.as_str()).collect::<Vec<_>>(), expected);
}

/// `[CAT-20]`: at most eight; the least recently used leaves; the order is that of activation.
#[test]
fn the_least_recently_used_leave() {
    let mut toolbox = Toolbox::default();
    for number in 0..TOOLBOX_TOOLS_MAX {
        added(&toolbox.activate(&tool(&format!("t{number}"), 100)), &[]);
    }
    assert!(toolbox.used("t0"));
    added(&toolbox.activate(&tool("new", 100)), &["t1"]);
    assert_eq!(names(&toolbox), ["t0", "t2", "t3", "t4", "t5", "t6", "t7", "new"]);
    assert_eq!(toolbox.activate(&tool("t2", 100)), Activated::Already);
    added(&toolbox.activate(&tool("newer", 100)), &["t3"]);
    assert!(!toolbox.used("t3"));
}

/// `[CAT-20]`, B128: bytes count too, and one that is too large alone evicts nobody.
#[test]
fn bytes_are_bounded() {
    let mut toolbox = Toolbox::default();
    for name in ["a", "b", "c"] {
        added(&toolbox.activate(&tool(name, 5000)), &[]);
    }
    added(&toolbox.activate(&tool("d", 6000)), &["a"]);
    assert_eq!(toolbox.bytes(), 16_000);
    let huge = tool("huge", TOOLBOX_BYTES_MAX + 1);
    assert_eq!(toolbox.activate(&huge), Activated::TooLarge { bytes: TOOLBOX_BYTES_MAX + 1 });
    assert_eq!(names(&toolbox), ["b", "c", "d"]);
    added(&toolbox.activate(&tool("whole", TOOLBOX_BYTES_MAX)), &["b", "c", "d"]);
    assert_eq!(names(&toolbox), ["whole"]);
}

#[test]
fn an_eager_tool_needs_no_toolbox() {
    let mut toolbox = Toolbox::default();
    let read = Entry { exposure: Exposure::Eager, ..entry("read", READ) };
    assert_eq!(toolbox.activate(&read), Activated::Eager);
    assert_eq!(toolbox.names().count(), 0);
}

/// `[CAT-20]`: it cannot bring back what was removed, was denied, became eager or has grown.
#[test]
fn what_is_not_there_any_more_leaves() {
    let view = |entries: Vec<Entry>, denied: &str, always: &str| {
        let always = [NamePattern::new(always).unwrap()];
        let catalog = Arc::new(Catalog::new(entries, &always));
        let lists = Lists { deny: vec![NamePattern::new(denied).unwrap()], ..Lists::default() };
        let policy = Policy { lists, ..Policy::default() };
        View::of(catalog, &policy, Mode::Work, Surface::Full, 0)
    };
    let mut toolbox = Toolbox::default();
    for name in ["stays", "removed", "denied", "becomes_eager", "grows"] {
        added(&toolbox.activate(&tool(name, 100)), &[]);
    }
    let now = ["stays", "denied", "becomes_eager"].map(|name| tool(name, 100));
    let now: Vec<_> = now.into_iter().chain([tool("grows", TOOLBOX_BYTES_MAX)]).collect();
    let view = view(now, "denied", "becomes_eager");
    assert!(toolbox.used("grows"));
    let dropped = toolbox.revalidate(&view);
    let dropped: Vec<_> = dropped.iter().map(|it| it.as_str()).collect();
    assert_eq!(dropped, ["removed", "denied", "becomes_eager", "stays"]);
    assert_eq!(names(&toolbox), ["grows"]);
    assert!(toolbox.revalidate(&view).is_empty());
}
