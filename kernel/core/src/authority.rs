//! The authority gate's decisions. The whole pipeline, in its order (spec 30):
//!
//! | # | layer | where | state |
//! |---|---|---|---|
//! | 0 | budget | [`Budget::take`] | here |
//! | 1 | name | [`crate::catalog::Catalog::resolve`] | here |
//! | 2 | admission | [`admission::admit`] | mode, caller, availability; lists come with rules |
//! | 3 | arguments | [`crate::schema::check`] | here |
//! | 4 | preparation | `engine::gate`, then [`crate::call::Checked::classify`] | here |
//! | 5 | hooks | – | no hooks exist yet |
//! | 6 | baseline | [`decide`] | here |
//! | 7 | rules | – | no rules exist yet |
//! | 8 | auto-review | [`decide`] | no floor or guardian exists yet: what they would judge is refused |
//! | 9 | law | – | no law exists yet |
//! | 10 | managed policy | – | no managed policy exists yet |
//! | 11 | approval | [`Prompt::grant`] | once, or not |
//! | 12 | recheck | [`Prompt::grant`], [`recheck`] | here |
//! | 13 | grant | `engine::gate` | here |
//! | 14 | execution | the server | here |
//! | 15 | receipt | [`crate::receipt`] | here |
//!
//! From layer 6 on a result can only get tighter. A [`Permit`] is made in this module only, by
//! [`decide`] or by a person's yes that [`Prompt::grant`] checks against now, and dispatch consumes
//! it: a call that skipped the gate does not compile.
//!
//! Invariants: no posture widens plan (test `plan_refuses_whatever_the_posture`); no posture turns a
//! refusal into an allowance it did not have under `full-access` (test `full_access_is_the_widest`).
//!
//! Not here: waiting for a server or a person (`engine::gate`, `engine::approval`).

pub mod admission;
mod budget;
mod decide;
mod permit;
mod refusal;

pub use budget::Budget;
pub use decide::{Verdict, decide, recheck};
pub use permit::{Decider, Permit, Prompt};
pub use refusal::{Layer, Refusal};

#[cfg(test)]
mod tests;
