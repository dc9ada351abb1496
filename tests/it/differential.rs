//! One gate for every caller (`[GATE-01]`, `[CODE-04]`, `[THR-02]`, G-01, B104): the same call by the model, by
//! a JavaScript program of the model, from inside another call, over the kernel's gRPC and by `tollgate
//! call` has the same decision and the same receipt but for the caller, over generated (mode, posture,
//! rules, hooks, law, managed policy, trust, call) tuples. A program is told of each call what a model is.
//! In plan no program runs (`[CODE-05]`); there the others are compared.
//!
//! Every question is answered the same way, by the digest of its arguments. Each ground (a kernel with its
//! world) has a thread of its own. The seed is printed and may be given (`TOLLGATE_SEED`), as may the number
//! of tuples (`TOLLGATE_TUPLES`; 10,000 is the default) and of those that `tollgate call` runs too
//! (`TOLLGATE_CALLS`, 400: each is a process).

mod essence;
mod generate;
mod paths;
mod program;

use std::{collections::BTreeMap, num::ParseIntError, str::FromStr};

use generate::{Group, Random};
use paths::{Ground, Watched};
use tokio::runtime::Builder;

const TUPLES: usize = 10_000;
const CALLS: usize = 400;
const SEED: u64 = 0x7011_6a7e;

/// A number of the environment, or what it is otherwise.
fn number<N: FromStr<Err = ParseIntError>>(name: &str, default: N) -> N {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("it is a number"))
}

/// [GATE-01] [CODE-04] [THR-02]: 0 differences.
#[test]
fn every_caller_meets_the_same_gate() {
    let seed = number("TOLLGATE_SEED", SEED);
    let tuples = number("TOLLGATE_TUPLES", TUPLES);
    let calls = number("TOLLGATE_CALLS", CALLS);
    println!("seed {seed}: {tuples} tuples");
    let all = std::thread::scope(|scope| {
        let kinds = (1..).zip(paths::KINDS);
        let threads = kinds.map(|(number, kind)| {
            scope.spawn(move || {
                let random = Random::new(seed.wrapping_mul(number));
                let runtime = Builder::new_current_thread().enable_all().build().unwrap();
                let tuples = tuples.div_ceil(paths::KINDS.len());
                let calls = if paths::runs_processes(kind) { calls / 2 } else { 0 };
                runtime.block_on(compare(kind, random, tuples, calls))
            })
        });
        let threads = threads.collect::<Vec<_>>().into_iter();
        threads.map(|it| it.join().expect("no difference")).collect::<Vec<_>>()
    });
    let count = |of: fn(&Done) -> usize| all.iter().map(of).sum::<usize>();
    let (done, in_programs, by_processes) =
        (count(|it| it.tuples), count(|it| it.in_programs), count(|it| it.by_processes));
    let mut decisions = BTreeMap::<&str, usize>::new();
    for (word, count) in all.iter().flat_map(|it| &it.decisions) {
        *decisions.entry(word).or_default() += count;
    }
    println!(
        "{done} tuples, {in_programs} of them in programs and {by_processes} by processes too, 0 differences: \
         {decisions:?}"
    );
    assert!(in_programs * 2 > done, "few programs: {in_programs}");
    // A generator that only meets one wall shows nothing.
    for kind in ["auto", "approved", "denied", "refused"] {
        let met: usize = decisions
            .iter()
            .filter(|(word, _)| word.starts_with(kind))
            .map(|(_, count)| count)
            .sum();
        assert!(met * 100 > done, "{kind}: {decisions:?}");
    }
    assert!(decisions.len() > 15 || done < 5_000, "few kinds of decision: {decisions:?}");
}

/// What was compared on one ground.
#[derive(Default)]
struct Done {
    tuples: usize,
    in_programs: usize,
    by_processes: usize,
    /// How often each kind of decision was met.
    decisions: BTreeMap<String, usize>,
}

/// Compares so many tuples on a ground of their own, and of those so many by `tollgate call` too.
async fn compare(
    kind: (&'static str, bool),
    mut random: Random,
    tuples: usize,
    by_processes: usize,
) -> Done {
    let ground = Ground::new(kind);
    let mut done = Done::default();
    while done.tuples < tuples {
        let group = Group::generate(&mut random, ground.workspace());
        ground.lay_down(&group);
        let Watched { model, server, client, program, told } =
            Box::pin(ground.watched(&group)).await;
        let ways = [Some(&model), Some(&server), Some(&client), program.as_ref()];
        assert!(ways.into_iter().flatten().all(|it| it.len() == group.calls.len()), "{group}");
        for (index, call) in group.calls.iter().enumerate() {
            let place = || format!("{kind:?}, tuple {}: {call}\n{group}", done.tuples + index);
            assert_eq!(model[index], server[index], "from inside a call: {}", place());
            assert_eq!(model[index], client[index], "over gRPC: {}", place());
            if let Some(program) = &program {
                assert_eq!(model[index], program[index], "in a program: {}", place());
                assert_eq!(told.0[index], told.1[index], "what a program is told: {}", place());
                done.in_programs += 1;
            }
            *done.decisions.entry(essence::word(&model[index])).or_default() += 1;
        }
        let count = group.calls.len().min(5).min(by_processes - done.by_processes);
        if count > 0 {
            let (alone, user) = ground.unwatched(&group, count).await;
            assert_eq!(alone, user, "by `tollgate call`: {kind:?}\n{group}");
            done.by_processes += count;
        }
        done.tuples += group.calls.len();
    }
    done
}
