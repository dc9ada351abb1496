//! Every bound of the kernel's decisions: unit, source, and what it is for.

/// Bytes of a call's arguments. Beyond it a model has gone wrong; `write` of a large file fits.
pub const ARGUMENTS_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Nesting of a call's arguments. Deeper text is an attack on parsers, not a call.
pub const ARGUMENTS_DEPTH_MAX: usize = 64;
/// Calls of one turn, nested ones included (spec 30, layer 0).
pub const TURN_CALLS_MAX: u32 = 1000;
/// Calls that stand above one another, each asked for by the one before (spec 30, layer 0). A server
/// that asks for itself without end must not use up the kernel's stack; real work needs three.
pub const NESTED_CALLS_MAX: u32 = 16;
/// Near names offered after an unknown one.
pub const NEAREST_NAMES_MAX: usize = 3;
/// Bytes of a tool's schema, as the manifest allows.
pub const SCHEMA_BYTES_MAX: usize = 64 * 1024;
/// Subjects of one call, as `Preparation` allows.
pub const SUBJECTS_MAX: usize = 256;
/// Tools that one server may bring.
pub const SERVER_TOOLS_MAX: usize = 100_000;
/// Calls of one step that run side by side (`[KERN-03]`).
pub const PARALLEL_CALLS_MAX: usize = 10;
/// Bytes of a result in the conversation, where a tool does not bound itself (`[TOOL-03]`).
pub const RESULT_BYTES_MAX: u32 = 100 * 1024;
/// Bytes that stay in the conversation of a result that was spilled (`[TOOL-03]`).
pub const PREVIEW_BYTES: usize = 2 * 1024;
