//! The floor: bare tonic with the wire's own HTTP/2 settings, and nothing of the SDK or the kernel.
//!
//! `Describe` is the unary echo: a text there and back. A `Start` on the session stream is answered by
//! a `Completed` with the same bytes: the echo of one long-lived stream.

mod client;
mod server;
mod spawned;

pub(crate) use client::Client;
pub(crate) use server::serve;
pub(crate) use spawned::Spawned;

/// The payload, in bytes.
pub(crate) const PAYLOAD_BYTES: usize = 1024;
