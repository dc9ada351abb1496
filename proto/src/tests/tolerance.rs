//! Goal: a peer that is one version newer is understood as far as it can be ([PROTO-09]).

use prost::Message;

use super::samples;
use crate::tool::v1::{
    Completed, Host, KernelFrame, ServerFrame,
    completed::{Effects, Outcome},
};

/// Field 1000 with the text "new", as a later version could have it.
const FUTURE_FIELD: [u8; 6] = [0xc2, 0x3e, 3, b'n', b'e', b'w'];

/// `number`'s arm of a `oneof`, a message that this version does not know.
fn future_arm(number: u8) -> Vec<u8> {
    vec![number << 3 | 2, 2, 8, 1]
}

#[test]
fn a_field_of_a_later_version_is_skipped() {
    for sample in samples::all() {
        let bytes = [&sample.bytes[..], &FUTURE_FIELD].concat();
        assert!((sample.is_same)(&bytes), "{}", sample.file);
    }
}

#[test]
fn a_frame_of_a_later_version_is_no_frame() {
    let bytes = future_arm(15);
    assert_eq!(KernelFrame::decode(&bytes[..]).unwrap(), KernelFrame { frame: None });
    assert_eq!(ServerFrame::decode(&bytes[..]).unwrap(), ServerFrame { frame: None });
}

/// The kernel can still refuse it: call and request are known.
#[test]
fn a_host_request_of_a_later_version_keeps_its_ids() {
    let known = Host { call_id: "call-1".into(), request_id: 9, request: None };
    let bytes = [known.encode_to_vec(), future_arm(15)].concat();
    assert_eq!(Host::decode(&bytes[..]).unwrap(), known);
}

#[test]
fn an_enum_value_of_a_later_version_reads_as_unspecified() {
    let later = Completed { outcome: 99, effects: 99, ..Completed::default() };
    let read = Completed::decode(&later.encode_to_vec()[..]).unwrap();
    assert_eq!(read.outcome(), Outcome::Unspecified);
    assert_eq!(read.effects(), Effects::Unspecified);
}

#[test]
fn bytes_that_end_early_are_an_error_and_no_panic() {
    for sample in samples::all() {
        let ends = 0..sample.bytes.len();
        // Some prefixes are messages of their own; none is the whole, and none may panic.
        assert!(
            ends.into_iter().all(|end| !(sample.is_same)(&sample.bytes[..end])),
            "{}",
            sample.file
        );
    }
}
