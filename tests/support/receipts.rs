//! What the receipts of a world say (`[GATE-80]`).

use std::collections::HashMap;

use serde_json::Value;

use crate::world::World;

/// The receipts of one session, oldest first, as `receipts list --json` has them.
#[derive(Clone, Debug)]
pub struct Receipts(pub Vec<Value>);

impl Receipts {
    #[track_caller]
    pub(crate) fn of(world: &World, session: Option<&str>) -> Self {
        let mut arguments = vec!["receipts", "list", "--json", "--limit", "0"];
        arguments.extend(session.into_iter().flat_map(|id| ["--session", id]));
        let list = world.tollgate(arguments).run().success().json();
        Self(list.as_array().expect("a list").clone())
    }

    /// Asserts that each call has its receipt, exactly one, and that the chain verifies.
    #[track_caller]
    pub fn sound(self, world: &World) -> Self {
        let mut ended: HashMap<&str, usize> = HashMap::new();
        for record in &self.0 {
            let id = record["id"].as_str().unwrap_or_else(|| panic!("no id: {record}"));
            assert_eq!(record["type"], "receipt", "the call has no receipt: {record}");
            *ended.entry(id).or_default() += 1;
        }
        assert!(ended.values().all(|count| *count == 1), "a call with two receipts: {:#?}", self.0);
        world.tollgate(["receipts", "verify"]).run().success();
        self
    }

    /// "tool status decision" of each.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let words = self.0.iter().map(|it| {
            [word(&it["tool"]), word(&it["end"]["status"]), word(&it["decision"])].join(" ")
        });
        words.collect()
    }
}

/// The records of a session's receipt log as they stand on disk, oldest first.
#[track_caller]
#[must_use]
pub fn log_of(world: &World, session: &str) -> Vec<Value> {
    let file = world.state("receipts").join(format!("{session}.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let record = |line: &str| {
        let frame: Value = serde_json::from_str(line).ok()?;
        Some(frame["record"].clone())
    };
    text.lines().filter_map(record).collect()
}
