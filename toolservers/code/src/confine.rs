//! Confines this process to its socket and its own memory, for good (`[GATE-70]`, `CM-06`).
//!
//! A program that breaks out of the interpreter finds itself in a process that can answer the kernel and
//! nothing else. The steps, in this order, because each takes away what the one before needed:
//!
//! | # | Step | Holds against | If the host has it not |
//! |---|------|---------------|------------------------|
//! | 1 | [`resources`]: no new privileges, no dumps, rlimits | debuggers of the same user, hoarding | never starts |
//! | 2 | [`paths`]: Landlock without any rule | opening files, TCP, signals to others | as [`Sandbox`] says |
//! | 3 | [`syscalls`]: a seccomp allow-list | all that takes a system call | as [`Sandbox`] says |
//!
//! Invariants: what [`confine`] says is what holds, a tier that is missing is named as missing; called
//! with another thread running, Landlock is missing, because it would hold for the calling thread only.
//!
//! What a program notices: local time is UTC, because the C library cannot read the host's zone.
//!
//! Not here: namespaces and control groups (the launcher's), memory of one program (the engine's).

mod paths;
mod resources;
mod syscalls;

use crate::settings::Sandbox;

/// What to do to this process.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Plan {
    /// How much of it must hold.
    pub sandbox: Sandbox,
    /// Bytes of address space, the interpreter's and everything else's; an allocation over it fails.
    pub address_bytes: u64,
}

/// Why a process that should be confined is not.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// A step that every supported kernel can do.
    #[error("cannot {what}")]
    Step {
        /// A verb with its object.
        what: &'static str,
        /// The operating system's reason.
        source: nix::Error,
    },
    /// A tier is missing, and `sandbox = "required"`.
    #[error(
        "sandbox = \"required\", but {tier} cannot be had here: {why}; it needs {needs}; \
         with sandbox = \"best-effort\" programs run with less, and receipts say so"
    )]
    Missing {
        /// "landlock" or "seccomp".
        tier: &'static str,
        /// What the host answered.
        why: String,
        /// What a host must have.
        needs: &'static str,
    },
}

/// Confines this process, and says in words for receipts what holds: "landlock:7 seccomp rlimits", where
/// 7 is the version of Landlock's interface; "landlock:none" for a tier that cannot be had; "off".
///
/// # Errors
/// [`ConfineError`]: the process may then be confined in part, and should end.
pub fn confine(plan: Plan) -> Result<String, ConfineError> {
    if plan.sandbox == Sandbox::Off {
        return Ok("off".to_owned());
    }
    resources::limit(plan.address_bytes)?;
    let landlock = match paths::close() {
        Ok(version) => format!("landlock:{version}"),
        Err(why) => missing(plan.sandbox, "landlock", why, paths::NEEDS)?,
    };
    let seccomp = match syscalls::filter() {
        Ok(()) => "seccomp".to_owned(),
        Err(why) => missing(plan.sandbox, "seccomp", why, syscalls::NEEDS)?,
    };
    Ok(format!("{landlock} {seccomp} rlimits"))
}

fn missing(
    sandbox: Sandbox,
    tier: &'static str,
    why: String,
    needs: &'static str,
) -> Result<String, ConfineError> {
    if sandbox == Sandbox::Required {
        return Err(ConfineError::Missing { tier, why, needs });
    }
    tracing::warn!("programs run without {tier}: {why}; it needs {needs}");
    Ok(format!("{tier}:none"))
}

#[cfg(test)]
mod tests;
