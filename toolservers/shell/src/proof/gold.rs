//! Goal: of the lines whose effect was proven by running them, none with an effect is proven to only read,
//! and of those that only read nearly all are. [SHELL-04], [GATE-22], SH-01 … SH-16, SH-20.

use std::collections::BTreeMap;

use tollgate_sdk::serde_json::{self, Value};

use super::ground::Ground;

pub(crate) const GOLD: &str = include_str!("../../../../tests/data/shell_gold.jsonl");
const TLDR: &str = include_str!("../../../../tests/data/tldr_core.jsonl");

/// Of a hundred lines that only read, how many run without a question at least (SH-02).
const READS_PERCENT_MIN: usize = 95;

/// Of a hundred lines of the collection, how many need no question at least (measured: 14).
const TLDR_PERCENT_MIN: usize = 12;

/// The rows of a file, each with its fields.
pub(crate) fn rows(data: &str) -> Vec<BTreeMap<String, String>> {
    let row = |line: &str| {
        let row: BTreeMap<String, Value> = serde_json::from_str(line).unwrap();
        row.into_iter()
            .map(|(key, value)| (key, value.as_str().unwrap_or_default().to_owned()))
            .collect()
    };
    data.lines().map(row).collect()
}

/// SH-01, SH-02, SH-17.
#[test]
fn the_gold_lines_are_told_apart() {
    let ground = Ground::new();
    let mut table: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    let (mut wrong, mut asked) = (Vec::new(), Vec::new());
    for row in rows(GOLD) {
        let reads = ground.reads(&row["cmd"]);
        let cell = table.entry((row["label"].clone(), row["cls"].clone())).or_default();
        cell.0 += usize::from(reads);
        cell.1 += 1;
        match row["label"].as_str() {
            "not_ro" if reads => wrong.push(format!("{} {:?}", row["id"], row["cmd"])),
            "ro" if !reads => asked.push(format!("{} {:?}", row["id"], row["cmd"])),
            _ => {}
        }
    }
    for ((label, class), (auto, all)) in &table {
        println!("{label:12} {class:12} auto {auto:3} of {all}");
    }
    assert_eq!(wrong, Vec::<String>::new(), "these have an effect");
    let (auto, all) = table[&("ro".to_owned(), "ro".to_owned())];
    assert!(auto * 100 >= all * READS_PERCENT_MIN, "{auto} of {all}: {asked:#?}");
}

/// SH-20 No line of a large collection breaks the readers of it, each within the bounds of `limits`, and those
/// that only read everyday things need no question. What is not about reading is most of it.
#[test]
fn every_line_of_a_large_collection_is_judged() {
    let ground = Ground::new();
    let lines = rows(TLDR);
    let auto = lines.iter().filter(|row| ground.reads(&row["cmd"])).count();
    println!("{auto} of {} lines need no question", lines.len());
    assert!(auto * 100 >= lines.len() * TLDR_PERCENT_MIN, "{auto} of {}", lines.len());
    // Names and patterns in place of what the collection leaves open.
    for row in lines {
        for open in ["$x", "*", "'a b'", "$(b)"] {
            ground.prove(&row["cmd"].replace("path/to/file", open));
        }
    }
}
