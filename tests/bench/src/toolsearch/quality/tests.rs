//! Tests of `quality`, and the floors of PERF-11: no change may make `tool_search` worse than this.

use tollgate_search::{Index, Kind, Query};

use super::*;
use crate::{
    figures::perf_11,
    toolsearch::{self, sets},
};

/// Recall at 5 and nDCG at 10 of each set.
const FLOORS: [(&str, f64, f64); 4] = [
    ("mcpproxy45", 0.80, 0.81),
    ("ironclaw72", 0.97, 0.97),
    ("sealtools", 0.87, 0.90),
    ("sealtools, unseen", 0.84, 0.88),
];

/// [PERF-11] Quality has floors, and every set is ranked better than by plain BM25.
#[test]
fn tool_search_does_not_fall_below_its_floors() {
    for (set, (name, recall_5, ndcg_10)) in sets::all().unwrap().iter().zip(FLOORS) {
        assert_eq!(set.name, name);
        let ours = perf_11::quality_of(set, &toolsearch::index(&set.documents(true)));
        let plain = perf_11::of_plain(set);
        assert!(ours.recall_5 >= recall_5, "{name}: {ours:?}");
        assert!(ours.ndcg_10 >= ndcg_10, "{name}: {ours:?}");
        assert!(
            ours.recall_5 > plain.recall_5 && ours.ndcg_10 > plain.ndcg_10,
            "{name}: {plain:?}"
        );
    }
}

/// [PERF-11] [CAT-11] What no tool fits finds nothing; a name finds its tool, whatever the catalog.
#[test]
fn hopeless_requests_find_nothing_and_names_their_tools() {
    // The last has the tools of the one before.
    for set in sets::all().unwrap().into_iter().take(3) {
        let index = toolsearch::index(&set.documents(true));
        if !set.hopeless.is_empty() {
            assert_eq!(perf_11::of_hopeless(&set, &index).verdict(), "ok", "{}", set.name);
        }
        let row = perf_11::of_names(&set, &index);
        assert_eq!(row.verdict(), "ok", "{row:?}");
    }
}

/// [CAT-14] A tool that is hidden or denied is not among the documents, and changes nothing of the others'
/// scores where it shares no word of the request.
#[test]
fn a_tool_that_is_left_out_changes_no_score() {
    let sets = sets::all().unwrap();
    let set = sets.iter().find(|it| it.name == "ironclaw72").unwrap();
    let all = set.documents(true);
    let visible: Vec<_> = all.iter().copied().filter(|it| it.server != "stripe").collect();
    let answer = |documents: &[tollgate_search::Document<'_>], text: &str| {
        let query = Query::parse(text, Some(20), Kind::Auto, None).unwrap();
        let found = Index::new(documents).search(&query);
        let matches = found.matches.iter();
        matches
            .map(|it| (documents[it.index].name.to_owned(), it.score.to_bits()))
            .collect::<Vec<_>>()
    };
    for text in ["emoji reaction", "recurring meeting", "compress files", "pdf pages"] {
        assert_eq!(answer(&all, text), answer(&visible, text), "{text}");
    }
}

#[test]
fn a_perfect_ranking_has_everything_and_none_has_nothing() {
    let sets = sets::all().unwrap();
    let set = &sets[2];
    let perfect = measure(set, |text, _| {
        let request = set.requests.iter().find(|it| it.query == text).unwrap();
        let gold = request.gold.iter();
        gold.map(|it| set.tools.iter().position(|tool| tool.name == *it).unwrap()).collect()
    });
    assert!(perfect.ndcg_10 > 0.999 && perfect.recall_10 > 0.999, "{perfect:?}");
    let nothing = measure(set, |_, _| Vec::new());
    assert!(nothing.ndcg_10 < 1e-9 && nothing.recall_10 < 1e-9, "{nothing:?}");
}
