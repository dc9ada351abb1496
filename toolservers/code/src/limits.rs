//! Every bound of a program (`[CODE-15]`): unit, and what happens at it. A call may lower its time, the
//! configuration (`[code]`) any of them; nothing raises one.

use std::time::Duration;

/// How long a program that is told to stop may take to notice; then the process is replaced.
pub const YIELD_WITHIN: Duration = Duration::from_millis(50);
/// Runtimes that may be left behind, each with up to the memory of a program, before the process is replaced.
pub const LEFT_BEHIND_MAX: usize = 4;
/// Characters of a value that is too large, which are shown of it.
pub const PREVIEW_CHARS: usize = 2000;
/// Bytes of a returned value that the structured result repeats; a larger one is in the content only.
pub const VALUE_STRUCTURED_BYTES_MAX: usize = 64 * 1024;

/// Bounds of one program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Bytes of the runtime's heap; over it the program ends with class `memory`.
    pub memory_bytes: usize,
    /// Bytes of the interpreter's stack; over it the program meets a catchable error.
    pub stack_bytes: usize,
    /// Nested calls in all; the next one throws and says the number.
    pub calls: usize,
    /// Nested calls that are with the kernel at once; further ones queue.
    pub calls_in_flight: usize,
    /// Bytes of the program's text; a longer one is refused before it is parsed.
    pub code_bytes: usize,
    /// Bytes of one nested call's arguments as JSON; a larger call throws.
    pub arguments_bytes: usize,
    /// Bytes of the returned value as compact JSON that come back whole; a larger one is kept as an artifact.
    pub value_bytes: usize,
    /// Bytes of the returned value at all; a larger one is an error.
    pub value_bytes_max: usize,
    /// Bytes of logs; what comes after is dropped and counted.
    pub log_bytes: usize,
    /// Levels of a value that is returned or passed; a deeper one is an error that names the path.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 64 * 1024 * 1024,
            stack_bytes: 1024 * 1024,
            calls: 1000,
            calls_in_flight: 32,
            code_bytes: 256 * 1024,
            arguments_bytes: 16 * 1024 * 1024,
            value_bytes: 1024 * 1024,
            value_bytes_max: 32 * 1024 * 1024,
            log_bytes: 64 * 1024,
            depth: 64,
        }
    }
}
