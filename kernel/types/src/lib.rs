//! Turns a tool's JSON Schema into TypeScript text: a signature of one line for a search result, and a
//! whole declaration for a program `[CAT-11]` `[CODE-14]`. Pure: bytes and names in, text out.
//!
//! | module | job |
//! |---|---|
//! | `json` | a schema's text as a tree that keeps the order of members |
//! | `types` | what a schema comes down to; unions and intersections made simple |
//! | `read`, `read/…` | schema → types: references, `allOf`, objects, arrays, literals |
//! | `doc`, `text` | what is said beside a type; texts of strangers made harmless |
//! | `print`, `plan` | types → text; which definitions get a name |
//! | `compact`, `parameters`, `signature` | one line |
//! | `declaration` | several lines, whole or not at all |
//! | `limits` | every number |
//!
//! Invariants: no input panics or takes long (`anything_ends_within_bounds`); the same bytes give the
//! same text; the order is the schema's; a text of the schema never leaves its string or comment.
//!
//! Not here: checking arguments (`tollgate-core`), finding tools (`tollgate-search`), running programs.

mod compact;
mod declaration;
mod doc;
mod json;
pub mod limits;
mod parameters;
mod plan;
mod print;
mod read;
mod signature;
mod text;
mod types;

pub use declaration::{Declaration, declaration, module};
pub use signature::signature;

#[cfg(test)]
mod tests;
