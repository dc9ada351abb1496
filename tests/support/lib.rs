//! What black-box tests need: a world of their own, the real binaries in it, and a look at what these
//! print, keep and start.
//!
//! | module | job |
//! |---|---|
//! | [`world`] | a temporary home and workspace; configuration, scripts, files |
//! | [`run`] | runs `tollgate` to its end, or beside the test, within a bound |
//! | [`events`] | reads `stream-json`, and checks that it is well-formed |
//! | [`receipts`] | what the receipts of a world say, and that every call has exactly one |
//! | [`script`] | files for the script model |
//! | [`processes`] | the process table |
//! | [`mod@eventually`] | waiting for something to become so; no test sleeps |
//! | [`server`], [`peer`] | a tool server without a kernel, and a kernel made by hand to speak to it |
//! | [`terminal`] | a pseudo-terminal with a program at it, and a person who types |
//! | [`kernel`] | `tollgate serve`, and a client of it |
//! | [`python`], [`mock`] | the foreign server and the mock of a provider |
//!
//! Invariants: every wait has a bound and says what it waited for; what a test starts ends with it;
//! nothing is written outside the world.
//!
//! Not here: `tollgate-engine`, whose types would then exist twice.

#![expect(
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a test that cannot go on says why and ends"
)]

pub mod binaries;
pub mod events;
pub mod eventually;
pub mod kernel;
pub mod mock;
pub mod peer;
pub mod processes;
pub mod python;
pub mod receipts;
pub mod run;
pub mod script;
pub mod server;
pub mod terminal;
pub mod world;

pub use binaries::{binary, workspace_root};
pub use events::Events;
pub use eventually::eventually;
pub use run::{Command, Ran, Running};
pub use script::Script;
pub use terminal::Terminal;
pub use world::World;
