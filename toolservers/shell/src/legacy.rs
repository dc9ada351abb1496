//! Names that saved conversations and protocol clients still call: `Bash` and `exec_shell` ([CAT-07]).
//!
//! | call | judged as | done by |
//! |---|---|---|
//! | `exec_shell`, `Bash` without action or with `run` | `bash` | `run` |
//! | `Bash` with `wait`, `interact`, `cancel` | `process` | `task` |
//!
//! Each has its old schema and its own handler over the same core; none is rewritten into another name's
//! arguments. Background runs (`background: true`) are judged as `bash`, whose lines may leave processes in
//! the background anyway, and name the tool `process` as a subject, so that no rule for commands alone
//! lets them through unless the line is proven to only read.
//!
//! Not here: what the lines do (`line`), the processes (`process`).

mod run;
mod task;
#[cfg(test)]
mod tests;

pub(crate) use run::{BashRun, ExecShell};
pub(crate) use task::{BashCancel, BashInteract, BashWait};
