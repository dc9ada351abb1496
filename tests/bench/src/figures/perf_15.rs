//! PERF-15, the catalog's part: how costs grow from 10,000 to 100,000 tools. Taking them in and filtering
//! them is linear work; a lookup by name costs the same, whatever the spelling.

use std::{hint::black_box, sync::Arc, time::Instant};

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use tollgate_core::{
    authority::policy::Policy,
    catalog::{Catalog, Entry, Exposure, Provenance, Surface, Toolbox, View},
    digest::Digest,
    name::{ServerName, ToolName},
    safety::{Interrupt, Safety, Trust},
    stance::Mode,
};

use super::Sizes;
use crate::{
    row::{Goal, Row, Unit},
    stats::{Rounds, Samples},
};

/// Lookups of one sample: one alone is too short for the clock.
const LOOKUPS: usize = 1000;

/// # Errors
/// A tool is not found.
pub(super) fn measure(sizes: Sizes) -> anyhow::Result<Vec<Row>> {
    let (few, many) = (entries(10_000)?, entries(100_000)?);
    let mut taken = [Rounds::default(), Rounds::default()];
    let mut filtered = [Rounds::default(), Rounds::default()];
    let mut array = [Rounds::default(), Rounds::default()];
    let mut exact = [Rounds::default(), Rounds::default()];
    let mut variant = [Rounds::default(), Rounds::default()];
    for _ in 0..sizes.rounds {
        for (place, entries) in [&few, &many].into_iter().enumerate() {
            let cloned = entries.clone();
            let (catalog, us) = once(|| Arc::new(Catalog::new(cloned, &[])));
            push(&mut taken, place, us);
            let policy = Policy::default();
            let view = || View::of(Arc::clone(&catalog), &policy, Mode::Work, Surface::Full, 0);
            let (view, us) = once(view);
            push(&mut filtered, place, us);
            let (field, us) = once(|| view.tools_field(&Toolbox::default()));
            ensure!(field.carried.is_empty(), "these tools are deferred");
            push(&mut array, place, us);
            push(&mut exact, place, lookups(&catalog, entries.len(), |it| format!("many_{it}"))?);
            push(&mut variant, place, lookups(&catalog, entries.len(), |it| format!("Many{it}"))?);
        }
    }
    let row = |name: &str, [few, many]: &[Rounds; 2]| {
        Row::new(name, Unit::Micros, many.median()).beside("10,000 tools", few.median())
    };
    let constant = Goal::RatioAtMost(1.5);
    Ok(vec![
        row("100,000 tools taken in", &taken).goal(Goal::RatioAtMost(12.0)),
        row("… and filtered", &filtered).goal(Goal::RatioAtMost(12.0)),
        row("… and the tools array made", &array).goal(Goal::RatioAtMost(12.0)),
        row("1,000 lookups among 100,000 by name", &exact).goal(constant),
        row("1,000 lookups among 100,000 by a variant", &variant).goal(constant),
    ])
}

fn push(rounds: &mut [Rounds; 2], place: usize, us: f64) {
    if let Some(rounds) = rounds.get_mut(place) {
        rounds.push(us);
    }
}

fn once<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let mut samples = Samples::default();
    let start = Instant::now();
    let done = black_box(work());
    samples.since(start);
    (done, samples.p50_us())
}

/// Larger than the caches: reading it leaves nothing else in them.
const COLD_BYTES: usize = 96 * 1024 * 1024;

/// µs of [`LOOKUPS`] lookups of names that are far from one another, with nothing of the catalog in the
/// processor's caches: else a smaller one would be measured in them and a larger one beside them.
fn lookups(catalog: &Catalog, count: usize, name: impl Fn(usize) -> String) -> anyhow::Result<f64> {
    let names: Vec<String> = (0..LOOKUPS).map(|it| name((it * 7919) % count)).collect();
    black_box(vec![1_u8; COLD_BYTES].iter().map(|it| u64::from(*it)).sum::<u64>());
    let (found, us) = once(|| {
        let found = names.iter().filter(|name| catalog.find(black_box(name), b"{}").is_some());
        found.count()
    });
    ensure!(found == LOOKUPS, "{found} of {LOOKUPS} names are found");
    Ok(us)
}

fn entries(count: usize) -> anyhow::Result<Vec<Entry>> {
    let schema = Bytes::from_static(br#"{"type":"object","properties":{}}"#);
    let server = ServerName::try_from("many")?;
    let digest = Digest::of(&schema);
    (0..count)
        .map(|number| {
            let name = ToolName::try_from(format!("many_{number}")).context("a tool's name")?;
            Ok(Entry {
                server: server.clone(),
                facts: Arc::default(),
                trust: Trust::Untrusted,
                provenance: Provenance::Mcp,
                source: Some("many".to_owned()),
                served_as: name.clone(),
                name,
                means: None,
                when: None,
                title: String::new(),
                description: "Does something.".to_owned(),
                search_hint: String::new(),
                input_schema: schema.clone(),
                schema_sha256: digest,
                exposure: Exposure::Deferred,
                safety: Safety::WORST,
                prepares: true,
                interrupt: Interrupt::Block,
                result_bytes_max: 0,
                callers: Vec::new(),
                host_services: Vec::new(),
                requirements: Vec::new(),
                argument_aliases: Vec::new(),
                compiled: Arc::default(),
            })
        })
        .collect()
}
