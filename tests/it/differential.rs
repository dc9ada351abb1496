//! One gate for every caller (`[GATE-01]`, `[THR-02]`, G-01, B104): the same call by the model, from inside
//! another call, over the kernel's gRPC and by `tollgate call` has the same decision and the same
//! receipt but for the caller, over generated (mode, posture, rules, hooks, law, managed policy, trust,
//! call) tuples.
//!
//! Every question is answered the same way, by the digest of its arguments. The seed is printed and may
//! be given (`TOLLGATE_SEED`), as may the number of tuples (`TOLLGATE_TUPLES`; 10,000 is the default) and
//! of those that `tollgate call` runs too (`TOLLGATE_CALLS`, 400: each is a process).

mod essence;
mod generate;
mod paths;

use std::collections::BTreeMap;

use generate::{Group, Random};
use paths::Ground;

const TUPLES: usize = 10_000;
const CALLS: usize = 400;
const SEED: u64 = 0x7011_6a7e;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("it is a number"))
}

/// [GATE-01] [THR-02]: 0 differences.
#[tokio::test]
async fn every_caller_meets_the_same_gate() {
    let seed = number("TOLLGATE_SEED", SEED);
    let tuples = usize::try_from(number("TOLLGATE_TUPLES", TUPLES as u64)).unwrap();
    let mut calls_left = usize::try_from(number("TOLLGATE_CALLS", CALLS as u64)).unwrap();
    println!("seed {seed}: {tuples} tuples");
    let mut random = Random::new(seed);
    let mut grounds = Vec::new();
    for kind in paths::KINDS {
        grounds.push(Ground::new(kind));
    }
    let (mut done, mut decisions) = (0, BTreeMap::<String, usize>::new());
    while done < tuples {
        let number = done / generate::GROUP;
        let ground = &grounds[number % grounds.len()];
        let group = Group::generate(&mut random, ground.workspace());
        ground.lay_down(&group);
        let [model, server, client] = ground.watched(&group).await;
        for (index, call) in group.calls.iter().enumerate() {
            let (model, server, client) = (&model[index], &server[index], &client[index]);
            let told = || format!("seed {seed}, tuple {}: {call}\n{group}", done + index);
            assert_eq!(model, server, "from inside a call: {}", told());
            assert_eq!(model, client, "over gRPC: {}", told());
            *decisions.entry(essence::word(model)).or_default() += 1;
        }
        if ground.runs_processes() && calls_left > 0 {
            let by_process = group.calls.len().min(5).min(calls_left);
            let (alone, user) = ground.unwatched(&group, by_process).await;
            assert_eq!(alone, user, "by `tollgate call`: seed {seed}\n{group}");
            calls_left -= by_process;
        }
        done += group.calls.len();
    }
    println!("{done} tuples, 0 differences: {decisions:?}");
    // A generator that only meets one wall shows nothing.
    for kind in ["auto", "approved", "denied", "refused"] {
        let met: usize = decisions
            .iter()
            .filter(|(word, _)| word.starts_with(kind))
            .map(|(_, count)| count)
            .sum();
        assert!(met * 100 > done, "{kind}: {decisions:?}");
    }
    assert!(decisions.len() > 15, "few kinds of decision: {decisions:?}");
}
