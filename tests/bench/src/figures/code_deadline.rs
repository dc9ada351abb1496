//! How long after its deadline a hostile program has ended, by what the caller sees: the result with its
//! receipts. Beside it a program that only waits, which has nothing to be stopped in.
//!
//! A program that does not yield has its process replaced; each is followed by one that must run.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::json;

use super::Sizes;
use crate::{
    kernel::{Bench, text},
    row::{Goal, Row, Unit},
    stats::us,
};

/// The deadline of each program.
const DEADLINE: Duration = Duration::from_millis(200);
/// What the suite of hostile programs wants, in µs.
const OVERRUN_MAX_US: f64 = 100_000.0;

/// Loops, swallowed stops, waits: they yield.
const YIELDING: [&str; 14] = [
    "while (true) {}",
    "try { for (;;); } finally { for (;;); }",
    "for (;;) { try { for (;;); } catch {} finally { continue } }",
    "while (true) { await Promise.resolve() }",
    "await null; for (;;) {}",
    "(async () => { while (true) { await null } })(); for (;;) {}",
    "new Promise(() => { while (1) {} })",
    "async function loop() { for (;;); } for (;;) await loop().catch(() => {})",
    "async function loop() { for (;;) await null } for (;;) await loop().catch(() => {})",
    "return /(a+)+$/.test('a'.repeat(40) + 'b')",
    "for (;;) try { await tools.call('nothing', {}) } catch {}",
    "for (;;) try { tools.call() } catch {}",
    "return { toJSON() { for (;;); } }",
    "for (;;) console.log('x'.repeat(1000))",
];
/// One native operation each.
const NATIVE: [&str; 8] = [
    "return new Array(1e9).join().length",
    "return (new Array(1_000_000_000) + '').length",
    "const a = []; a.length = 2 ** 32 - 1; a.reverse()",
    "return [].concat.apply([], Array(100).fill(Array(1e7))).length",
    "return new Array(2 ** 31).join('x').length",
    "return Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)",
    "const a = []; a.length = 2 ** 32 - 1; return a.flat().length",
    "return ('a'.repeat(5e6) + 'b').indexOf('a'.repeat(2e6) + 'c')",
];
/// What nothing holds up.
const WAITING: &str = "await new Promise((done) => { globalThis.done = done; for (;;) ; })";

/// # Errors
/// A program ended otherwise than by its deadline, or one behind it did not run.
pub(super) async fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let bench = Bench::open_for_programs().await?;
    let (mut rows, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..sizes.rounds {
        plain.push(overrun(&bench, WAITING).await?);
    }
    let plain = worst(&plain);
    for (name, programs) in
        [("that yields", YIELDING.as_slice()), ("in one native operation", NATIVE.as_slice())]
    {
        let mut overruns = Vec::new();
        for _ in 0..sizes.rounds {
            for program in programs {
                overruns.push(overrun(&bench, program).await?);
            }
        }
        overruns.sort();
        let median = overruns.get(overruns.len() / 2).copied().unwrap_or_default();
        let goal = Goal::AtMost(OVERRUN_MAX_US);
        let row = |what: &str, value: Duration| {
            Row::new(
                format!("hostile program {name}: {what} after its deadline"),
                Unit::Micros,
                us(value),
            )
            .beside("a plain endless loop, worst", us(plain))
            .goal(goal)
        };
        rows.push(row("worst", worst(&overruns)));
        rows.push(row("median", median));
    }
    Ok(rows)
}

fn worst(overruns: &[Duration]) -> Duration {
    overruns.iter().copied().max().unwrap_or_default()
}

/// From the deadline to the result.
async fn overrun(bench: &Bench, code: &str) -> anyhow::Result<Duration> {
    let ms = u64::try_from(DEADLINE.as_millis())?;
    let arguments = json!({ "code": code, "timeout_ms": ms }).to_string();
    let began = Instant::now();
    let end = bench.ended("execute_tools", arguments.into()).await?;
    let took = began.elapsed();
    let class = end.receipt.end.as_ref().map_or("", |end| end.error_class.as_str());
    ensure!(class == "timeout", "{code}: ended as '{class}': {}", text(&end));
    bench.ask("execute_tools", r#"{"code":"return 1"}"#.into()).await?;
    Ok(took.saturating_sub(DEADLINE))
}
