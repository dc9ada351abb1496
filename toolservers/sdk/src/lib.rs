//! Makes a correct Tollgate tool server short.
//!
//! A tool is a type that implements [`Tool`]: its input type *is* the schema, what it does not say
//! has the careful value, and its safety is judged per call. [`Server`] does the rest: the
//! bootstrap line or the command line, handshake, health, reflection, grants, validation against
//! the schema, deadlines and cancellation, panics, drain, logging.
//!
//! The whole of a server (see `toolservers/example` for one to copy):
//!
//! ```no_run
//! use tollgate_sdk::{Call, Deserialize, Failure, JsonSchema, Reply, Safety, Server, Spec, Tool};
//!
//! /// Counts the words of a text.
//! struct CountWords;
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(crate = "tollgate_sdk::serde", deny_unknown_fields)]
//! #[schemars(crate = "tollgate_sdk::schemars")]
//! struct Input {
//!     /// The text.
//!     text: String,
//! }
//!
//! impl Tool for CountWords {
//!     type Input = Input;
//!     const NAME: &'static str = "count_words";
//!     const DESCRIPTION: &'static str = "Count the words of a text.";
//!
//!     fn spec(&self) -> Spec {
//!         Spec::new(Safety::READ)
//!     }
//!
//!     async fn call(&self, input: Input, _: Call) -> Result<Reply, Failure> {
//!         Ok(Reply::text(input.text.split_whitespace().count().to_string()))
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), tollgate_sdk::ServeError> {
//!     Server::start("words", env!("CARGO_PKG_VERSION"))?.tool(CountWords).serve().await
//! }
//! ```
//!
//! Not here: any decision whether a call may run. The kernel decides; this crate checks its grant.

mod blobs;
mod call;
mod context;
mod describe;
mod erased;
mod execute;
mod executions;
mod fit;
mod grants;
mod limits;
mod options;
mod reply;
mod server;
mod service;
mod session;
mod shared;
mod status;
#[cfg(test)]
mod testing;
mod tool;
mod tools;
mod transport;
mod wire;
mod withheld;

pub use context::{Call, Called, CancelReason, Context, Ending, HostError, Scope};
pub use grants::GrantGate;
pub use reply::{Channel, Effects, Failure, Observation, Rendering, Reply, Truncated};
pub use server::{ServeError, Server};
pub use tool::{
    Caller, Escalation, Exposure, HostService, Interrupt, Invalid, PathAccess, PathReach,
    Preparation, Requirement, Safety, Sandbox, Spec, Subject, Tool,
};
pub use withheld::{Beginning, Withheld};

pub use schemars::{self, JsonSchema};
pub use serde::{self, Deserialize, Serialize};
pub use serde_json;
pub use tokio_util::sync::CancellationToken;
