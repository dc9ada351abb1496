//! The tool server `shell` through the real kernel.
//!
//! | module | what |
//! |---|---|
//! | [`cases`] | public reports of defects in other shell tools, one by one |
//! | [`classify`] | which lines run without a question: the whole set of lines whose effect is known |
//! | [`gold`] | the lines of that set, and the repository that they are about |
//! | [`orphans`] | whoever is killed, and however processes hide: none is left |
//! | [`sandbox`] | what the operating system holds commands to |
//! | [`streams`] | output of any size and kind |
//! | [`terminal`] | programs at a terminal over the calls of a session |
//! | [`verify`] | the tests and verifiers of real projects |

mod cases;
mod classify;
mod gold;
mod orphans;
mod sandbox;
mod streams;
mod terminal;
mod verify;
