//! What `[servers.code.settings]` may say, and what follows from it. The kernel fills it from `[code]`.
//!
//! Not here: what a limit means ([`Limits`]), and limits that one call lowers.

use tollgate_confine::Requirement;
use tollgate_sdk::Deserialize;

use crate::{confine::Plan, limits::Limits};

/// Programs at once, where the settings do not say.
const PROGRAMS_MAX: u32 = 32;
/// Address space of the process beside its programs: its text, the runtime, frames, and the texts of all
/// programs outside their interpreters (arguments and results on their way, values).
const ADDRESS_BYTES_BASE: u64 = 4 * 1024 * 1024 * 1024;
/// Address space of a program beside its heap and stack: 128 MiB that the C library reserves as it makes a
/// thread's arena, the thread's own stack, the parser's.
const ADDRESS_BYTES_PROGRAM: u64 = 160 * 1024 * 1024;

/// The settings, as typed; what is absent has its default.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(crate = "tollgate_sdk::serde", deny_unknown_fields, default)]
pub struct Settings {
    /// [`Limits::memory_bytes`].
    pub memory_bytes: Option<u64>,
    /// [`Limits::stack_bytes`].
    pub stack_bytes: Option<u64>,
    /// [`Limits::calls`].
    pub calls_max: Option<u64>,
    /// [`Limits::code_bytes`].
    pub code_bytes: Option<u64>,
    /// [`Limits::log_bytes`].
    pub log_bytes: Option<u64>,
    /// [`Limits::value_bytes`].
    pub value_bytes: Option<u64>,
    /// [`Limits::depth`].
    pub depth: Option<u64>,
    /// Programs at once; further ones wait in the kernel.
    pub programs_max: Option<u64>,
    /// How much of the confinement must hold.
    pub sandbox: Requirement,
}

/// A setting that is too small to work or too large to be safe.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the setting {key} = {value} of server 'code' is out of range: {least} to {most}")]
pub struct OutOfRange {
    key: &'static str,
    value: u64,
    least: u64,
    most: u64,
}

/// What the settings mean.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Meaning {
    /// Of each program.
    pub limits: Limits,
    /// Programs at once.
    pub programs_max: u32,
    /// Of the process.
    pub plan: Plan,
}

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

impl Settings {
    /// Checks each setting against its range.
    ///
    /// # Errors
    /// [`OutOfRange`] for the first that is not within.
    pub fn meaning(&self) -> Result<Meaning, OutOfRange> {
        let usual = Limits::default();
        let bound = |key, value, usual, least, most| within(key, value, least, most, usual);
        let limits = Limits {
            // Less does not hold the interpreter's own objects.
            memory_bytes: bound(
                "memory_bytes",
                self.memory_bytes,
                usual.memory_bytes,
                MIB,
                1024 * MIB,
            )?,
            stack_bytes: bound(
                "stack_bytes",
                self.stack_bytes,
                usual.stack_bytes,
                64 * KIB,
                16 * MIB,
            )?,
            calls: bound("calls_max", self.calls_max, usual.calls, 1, 100_000)?,
            code_bytes: bound("code_bytes", self.code_bytes, usual.code_bytes, 1, 4 * MIB)?,
            log_bytes: bound("log_bytes", self.log_bytes, usual.log_bytes, 1, MIB)?,
            value_bytes: bound(
                "value_bytes",
                self.value_bytes,
                usual.value_bytes,
                1,
                bytes(usual.value_bytes_max),
            )?,
            depth: bound("depth", self.depth, usual.depth, 1, 256)?,
            ..usual
        };
        let programs_max = within("programs_max", self.programs_max, 1, 64, PROGRAMS_MAX)?;
        let program =
            bytes(limits.memory_bytes) + bytes(limits.stack_bytes) + ADDRESS_BYTES_PROGRAM;
        let address_bytes = ADDRESS_BYTES_BASE + u64::from(programs_max) * program;
        let plan = Plan { sandbox: self.sandbox, address_bytes };
        Ok(Meaning { limits, programs_max, plan })
    }
}

/// The value, or the usual one, as the type that its reader wants.
fn within<T: TryFrom<u64>>(
    key: &'static str,
    value: Option<u64>,
    least: u64,
    most: u64,
    usual: T,
) -> Result<T, OutOfRange> {
    let Some(value) = value else { return Ok(usual) };
    let out = OutOfRange { key, value, least, most };
    if !(least..=most).contains(&value) {
        return Err(out);
    }
    T::try_from(value).map_err(|_| out)
}

fn bytes(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX / 1024)
}

#[cfg(test)]
mod tests;
