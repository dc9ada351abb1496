//! Tests of `rank`.

use super::*;
use crate::{Document, terms::wanted};

fn of(query: &str) -> Vec<f32> {
    let named = |name| Document { name, trusted: true, ..Document::default() };
    let documents =
        [named("alpha"), named("alpha_beta"), named("alpha_gamma_delta"), named("other")];
    let index = Index::new(&documents);
    scores(&index, &wanted(&index, query), false)
}

#[test]
fn scores_are_shares_of_what_could_be_had() {
    for query in ["alpha", "alpha beta", "beta unknownword", "alpha beta gamma delta other"] {
        let scores = of(query);
        assert!(scores.iter().all(|it| (0.0..=1.0).contains(it)), "{query}: {scores:?}");
    }
    assert!(of("alpha beta")[1] > of("alpha beta")[0]);
    assert!(of("beta")[1] > of("beta unknownword")[1], "what nobody has counts too");
}

#[test]
fn a_rare_word_is_worth_more() {
    let scores = of("alpha beta");
    let (both, common) = (scores[1], scores[2]);
    assert!(both - common > common, "{scores:?}");
}
