//! Goal: what is told as refused was refused, and a slip is not.

use tollgate_core::receipt::{LayerNote, Status};

use super::*;
use crate::view::tests::receipt;

/// What a refusal at a layer counts as.
#[track_caller]
fn check(decision: Decision, layer: Layer, expected: Refusals) {
    let mut refused = receipt(decision, Status::Refused);
    refused.layers.push(LayerNote { layer, verdict: LayerVerdict::Refuse, reason: "x".into() });
    let mut found = Refusals::default();
    found.add(&refused);
    assert_eq!(found, expected, "{layer:?}");
}

#[test]
fn only_a_no_counts_as_one() {
    let none = Refusals::default();
    check(Decision::Refused, Layer::Approval, Refusals { refused: 1, unasked: 1, ..none });
    check(Decision::Refused, Layer::Admission, Refusals { refused: 1, ..none });
    check(Decision::Denied, Layer::Approval, Refusals { denied: 1, ..none });
    check(Decision::Refused, Layer::Arguments, none);
    check(Decision::Refused, Layer::Name, none);
}
