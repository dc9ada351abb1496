//! [`Refusals`]: which calls did not run because of a no, and which for another reason.

use tollgate_core::{
    authority::Layer,
    receipt::{Decision, LayerVerdict, Receipt},
};

/// Calls that did not run because of a no.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Refusals {
    /// By the gate, for any reason.
    pub(crate) refused: usize,
    /// Of these: because nobody could be asked.
    pub(crate) unasked: usize,
    /// By a person.
    pub(crate) denied: usize,
}

impl Refusals {
    /// Counts a call that did not run.
    pub(crate) fn add(&mut self, receipt: &Receipt) {
        match (receipt.decision, refusing_layer(receipt)) {
            (Decision::Denied, _) => self.denied += 1,
            (Decision::Refused, Some(layer)) if forbids(layer) => {
                self.refused += 1;
                self.unasked += usize::from(layer == Layer::Approval);
            }
            (Decision::Refused | Decision::Auto | Decision::Approved, _) => {}
        }
    }
}

/// Whether a refused call was refused for what it is, and not because it was wrong.
pub(super) fn is_forbidden(receipt: &Receipt) -> bool {
    refusing_layer(receipt).is_none_or(forbids)
}

/// The layer that said no.
fn refusing_layer(receipt: &Receipt) -> Option<Layer> {
    let last = receipt.layers.iter().rev().find(|note| note.verdict == LayerVerdict::Refuse);
    last.map(|note| note.layer)
}

/// Whether a no of this layer forbids; the others say that the call was a slip, or nobody was there.
fn forbids(layer: Layer) -> bool {
    !matches!(layer, Layer::Name | Layer::Arguments | Layer::Preparation | Layer::Execution)
}

#[cfg(test)]
mod tests;
