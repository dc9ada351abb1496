//! One value of each frame and each message of an RPC, with every field set.
//!
//! Struct literals without `..Default::default()`: a new field does not compile until it has a value
//! here, and then the tests of `golden` ask for its bytes.

mod blob;
mod kernel;
mod model;
mod server_frames;
mod tool;

pub(super) use tool::{manifest, tool_spec};

use bytes::Bytes;
use prost::Message;

type IsSame = Box<dyn Fn(&[u8]) -> bool>;

/// A golden message.
pub(super) struct Sample {
    /// File name in `golden/messages`, without extension.
    pub(super) file: String,
    /// Full name of the message.
    pub(super) message: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) text: String,
    /// Whether bytes decode to this value.
    pub(super) is_same: IsSame,
}

/// All of them.
pub(super) fn all() -> Vec<Sample> {
    [tool::all(), server_frames::all(), blob::all(), model::all(), kernel::all()]
        .into_iter()
        .flatten()
        .collect()
}

/// A sample of `message`; `arm` tells several of one message apart.
fn sample<M>(message: &'static str, arm: &str, value: M) -> Sample
where
    M: Message + Default + PartialEq + std::fmt::Debug + 'static,
{
    let file = if arm.is_empty() { message.to_owned() } else { format!("{message}.{arm}") };
    Sample {
        file,
        message,
        bytes: value.encode_to_vec(),
        text: format!("{value:#?}\n"),
        is_same: Box::new(move |bytes| M::decode(bytes).is_ok_and(|read| read == value)),
    }
}

fn s(text: &str) -> String {
    text.to_owned()
}

fn b(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

/// A digest: 32 times one byte.
fn sha(byte: u8) -> Bytes {
    vec![byte; 32].into()
}
