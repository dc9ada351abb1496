//! PERF-10: `tool_search` among 10,000 and 100,000 tools: a search, and building the index.

use std::{hint::black_box, time::Instant};

use anyhow::ensure;
use tollgate_search::{Index, Kind, Query};

use super::Sizes;
use crate::{
    row::{Goal, Row, Unit},
    stats::{Rounds, Samples},
    toolsearch::{
        Setting,
        plain::Plain,
        synthetic::{REQUESTS, Synthetic},
    },
};

/// # Errors
/// A request finds nothing.
pub(super) fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (count, most) in [(10_000, 1_000.0), (100_000, 8_000.0)] {
        let tools = Synthetic::new(count);
        let plain = Plain::new(tools.texts());
        for setting in Setting::ALL {
            let index = setting.index(&tools.documents());
            let what = format!("among {count} tools, {}", setting.name());
            rows.push(searched(&index, &plain, &what, sizes)?.goal(Goal::AtMost(most)));
            rows.push(misspelt(&index, &what, sizes)?);
        }
    }
    rows.extend(Setting::ALL.map(|setting| building(setting, sizes)));
    Ok(rows)
}

fn searched(index: &Index, plain: &Plain, what: &str, sizes: Sizes) -> anyhow::Result<Row> {
    let queries = REQUESTS.map(|it| Query::parse(it, None, Kind::Auto, None));
    let queries: Vec<Query> = queries.into_iter().collect::<Result<_, _>>()?;
    let (mut p50, mut p99, mut beside) = (Rounds::default(), Rounds::default(), Rounds::default());
    for _ in 0..sizes.rounds {
        let (mut ours, mut theirs) = (Samples::default(), Samples::default());
        for _ in 0..sizes.calls.div_ceil(100) {
            for (query, text) in queries.iter().zip(REQUESTS) {
                let start = Instant::now();
                let found = index.search(black_box(query));
                ours.since(start);
                ensure!(!found.matches.is_empty(), "{text:?} finds nothing");
                let start = Instant::now();
                let found = plain.search(black_box(text), 5);
                theirs.since(start);
                ensure!(!found.is_empty(), "plain BM25: {text:?} finds nothing");
            }
        }
        p50.push(ours.p50_us());
        p99.push(ours.percentile_us(0.99));
        beside.push(theirs.p50_us());
    }
    let row = Row::new(format!("search {what}"), Unit::Micros, p50.median());
    Ok(row.p99(p99.median()).beside("plain BM25", beside.median()))
}

/// With a word that no tool has: it is compared with all.
fn misspelt(index: &Index, what: &str, sizes: Sizes) -> anyhow::Result<Row> {
    let query = Query::parse("serch the calender isues", None, Kind::Auto, None)?;
    let mut p50 = Rounds::default();
    for _ in 0..sizes.rounds {
        let mut samples = Samples::default();
        for _ in 0..sizes.calls.div_ceil(100) {
            let start = Instant::now();
            let found = index.search(black_box(&query));
            samples.since(start);
            ensure!(!found.matches.is_empty(), "misspelt words find nothing");
        }
        p50.push(samples.p50_us());
    }
    Ok(Row::new(format!("misspelt, {what}"), Unit::Micros, p50.median()))
}

fn building(setting: Setting, sizes: Sizes) -> Row {
    let tools = Synthetic::new(100_000);
    let (mut ours, mut beside) = (Rounds::default(), Rounds::default());
    for _ in 0..sizes.rounds.min(3) {
        let mut samples = Samples::default();
        let start = Instant::now();
        drop(black_box(setting.index(&tools.documents())));
        samples.since(start);
        ours.push(samples.p50_us());
        let mut samples = Samples::default();
        let start = Instant::now();
        drop(black_box(Plain::new(tools.texts())));
        samples.since(start);
        beside.push(samples.p50_us());
    }
    let row = Row::new(
        format!("index of 100000 tools, {}, built", setting.name()),
        Unit::Micros,
        ours.median(),
    );
    row.beside("plain BM25", beside.median()).goal(Goal::AtMost(1_000_000.0))
}
