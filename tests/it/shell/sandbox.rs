//! What the operating system holds commands to, whatever their lines say (`[GATE-70, 71, 72]`, `[SHELL-05]`):
//! through the kernel, and past its gate with grants that the tests write.
//!
//! Each refusal stands beside the same without its cause, which works.
//!
//! | module | what |
//! |---|---|
//! | [`denied`] | what a rule withholds cannot be read by any line |
//! | [`floor`] | nothing is changed outside |
//! | [`network`] | nobody is reached without leave |
//! | [`ordinary`] | daily work goes on |
//! | [`processes`] | nothing of other processes and of the kernel's forgotten doors |
//! | [`protected`] | what makes programs run stays as it is |
//! | [`levels`] | receipts, levels, settings, hosts that have less |
//! | [`told`] | a refusal is told as the sandbox's, and nothing else is |
//! | [`user`] | the same as a user that is not root |
//!
//! Not here: the launcher alone (`tollgate-confine`), wider sandboxes (`confine::escalation`), what a grant
//! says (`confine::grants`).

mod denied;
mod floor;
mod hand;
mod levels;
mod network;
mod ordinary;
mod processes;
mod protected;
mod told;
mod user;
