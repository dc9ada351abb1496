//! PERF-11: the quality of `tool_search` on public sets, one setting for all, beside plain BM25.

use tollgate_search::{Index, Kind, Query, Why};

use crate::{
    row::{Goal, Row, Unit},
    toolsearch::{
        Setting,
        plain::Plain,
        quality::{self, Quality},
        sets::{self, Set},
    },
};

/// What is wanted of a set: recall at 5 and nDCG at 10.
const WANTED: [(&str, f64, f64); 3] =
    [("mcpproxy45", 0.82, 0.81), ("ironclaw72", 0.97, 0.97), ("sealtools", 0.87, 0.90)];

/// # Errors
/// A set cannot be read.
pub(super) fn measure() -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for set in sets::all()? {
        let plain = of_plain(&set);
        let wanted = WANTED.iter().find(|it| it.0 == set.name);
        for setting in Setting::ALL {
            let name = format!("{}, {}", set.name, setting.name());
            let index = setting.index(&set.documents(true));
            rows.extend(of(&name, &quality_of(&set, &index), &plain, wanted));
            let untrusted = setting.index(&set.documents(false));
            let quality = quality_of(&set, &untrusted);
            let shown = of(&format!("{name}, untrusted"), &quality, &plain, None);
            rows.extend(shown.into_iter().skip(1).step_by(2));
            if !set.hopeless.is_empty() {
                rows.push(of_hopeless(&set, &index, &name));
            }
            rows.push(of_names(&set, &index, &name));
        }
    }
    Ok(rows)
}

/// Of ours.
pub(crate) fn quality_of(set: &Set, index: &Index) -> Quality {
    quality::measure(set, |text, most| {
        let found = Query::parse(text, Some(most), Kind::Auto, None).map(|it| index.search(&it));
        found.unwrap_or_default().matches.into_iter().map(|it| it.index).collect()
    })
}

/// Of the yardstick.
pub(crate) fn of_plain(set: &Set) -> Quality {
    let texts = set.tools.iter().map(|it| format!("{} {}", it.name, it.description));
    let plain = Plain::new(texts);
    quality::measure(set, |text, most| plain.search(text, most))
}

fn of(name: &str, ours: &Quality, plain: &Quality, wanted: Option<&(&str, f64, f64)>) -> Vec<Row> {
    let row = |what: &str, ours, plain, goal: Option<f64>| {
        let row =
            Row::new(format!("{name}: {what}"), Unit::Share, ours).beside("plain BM25", plain);
        row.goal(goal.map_or(Goal::Shown, Goal::AtLeast))
    };
    vec![
        row("recall@1", ours.recall_1, plain.recall_1, None),
        row("recall@5", ours.recall_5, plain.recall_5, wanted.map(|it| it.1)),
        row("recall@10", ours.recall_10, plain.recall_10, None),
        row("nDCG@10", ours.ndcg_10, plain.ndcg_10, wanted.map(|it| it.2)),
    ]
}

/// The share of hopeless requests that find nothing.
pub(crate) fn of_hopeless(set: &Set, index: &Index, name: &str) -> Row {
    let nothing = set.hopeless.iter().filter(|request| {
        let query = Query::parse(&request.query, None, Kind::Auto, None);
        query.is_ok_and(|it| index.search(&it).matches.is_empty())
    });
    let (found, all) = (nothing.count(), set.hopeless.len());
    Row::new(format!("{name}: no match said, of {all}"), Unit::Share, share(found, all))
        .goal(Goal::AtLeast(1.0))
}

/// The share of tools that come first when their name is asked for, alone or within a sentence.
pub(crate) fn of_names(set: &Set, index: &Index, name: &str) -> Row {
    let is_first = |name: &str, text: &str| {
        let query = Query::parse(text, Some(1), Kind::Auto, None);
        query.is_ok_and(|query| {
            let found = index.search(&query);
            let first = found.matches.first().filter(|it| it.why == Why::Name);
            first.and_then(|it| set.tools.get(it.index)).is_some_and(|it| it.name == name)
        })
    };
    let found = set.tools.iter().filter(|it| {
        let name = &it.name;
        is_first(name, name) && is_first(name, &format!("I need `{name}` to do this for me"))
    });
    let (found, all) = (found.count(), set.tools.len());
    Row::new(format!("{name}: exact names, of {all}"), Unit::Share, share(found, all))
        .goal(Goal::AtLeast(1.0))
}

#[expect(clippy::cast_precision_loss, reason = "numbers of tools")]
fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}
