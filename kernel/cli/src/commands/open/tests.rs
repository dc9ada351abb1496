//! Goal: without a person there is nobody to ask ([GATE-03]).

use super::*;

#[test]
fn whoever_is_not_there_cannot_be_asked() {
    let desk = Desk::of_process(true, true);
    assert!(!desk.approver.can_ask());
    assert!(!Desk::of_process(false, false).approver.can_ask());
}
