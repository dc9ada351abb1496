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
/// Forms of an old name that a refusal lists; of more the number is said.
pub const FORMS_TOLD_MAX: usize = 16;
/// Names that are compared letter by letter with an unknown one, in a catalog of any size.
pub const NEAREST_COMPARED_MAX: usize = 1024;
/// Bytes of a tool's schema, as the manifest allows.
pub const SCHEMA_BYTES_MAX: usize = 64 * 1024;
/// Subjects of one call, as `Preparation` allows.
pub const SUBJECTS_MAX: usize = 256;
/// Tools that one server may bring.
pub const SERVER_TOOLS_MAX: usize = 100_000;
/// Calls of one step that run side by side (`[KERN-03]`).
pub const PARALLEL_CALLS_MAX: usize = 10;
/// Milliseconds of a program with its calls, where neither it nor its turn has less (`[CODE-08]`).
pub const PROGRAM_WALL_MS: u64 = 600_000;
/// Milliseconds that a program computes by itself, while no tool runs and nobody is asked (`[CODE-08]`).
pub const PROGRAM_GUEST_MS: u64 = 30_000;
/// Calls of one program (`[CODE-15]`).
pub const PROGRAM_CALLS_MAX: u32 = 1000;
/// Bytes of what a program prints that are kept (`[CODE-15]`).
pub const PROGRAM_LOG_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a result in the conversation, where a tool does not bound itself (`[TOOL-03]`).
pub const RESULT_BYTES_MAX: u32 = 100 * 1024;
/// Bytes that stay in the conversation of a result that was spilled (`[TOOL-03]`).
pub const PREVIEW_BYTES: usize = 2 * 1024;
/// Deferred tools that a conversation holds in its requests (`[CAT-20]`).
pub const TOOLBOX_TOOLS_MAX: usize = 8;
/// Bytes of their schemas in all (`[CAT-20]`).
pub const TOOLBOX_BYTES_MAX: usize = 16 * 1024;
/// Tools that a snapshot of a request shows (`[CAT-31]`); the rest is counted.
pub const SNAPSHOT_TOOLS_MAX: usize = 32;
/// Bytes of a tools field whose size and digest a snapshot tells (`[CAT-31]`).
pub const SNAPSHOT_MEASURED_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of a snapshot as JSON text, whatever is shown: its tools, its surface facts and their frame.
pub const SNAPSHOT_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a snapshot's tools as JSON text; the frame and [`SURFACE_BYTES_MAX`] fit beside.
pub const SNAPSHOT_TOOLS_BYTES_MAX: usize = 160 * 1024;
/// Bytes of a name in a snapshot; longer ones are no tool's, and cut.
pub const SNAPSHOT_NAME_BYTES_MAX: usize = 256;
/// Bytes of a description in a snapshot; a longer one is cut.
pub const SNAPSHOT_TEXT_BYTES_MAX: usize = 8 * 1024;
/// Bytes of `defer_loading`, `strict`, `allowed_callers`, `cache_control` in a snapshot, each: whole or
/// not at all.
pub const SNAPSHOT_FIELD_BYTES_MAX: usize = 1024;
/// Levels of JSON in what a snapshot shows as it came; deeper text is an attack on whoever reads it.
pub const SNAPSHOT_DEPTH_MAX: usize = 64;
/// Registered tools that a request does not carry, by name (`[CAT-35]`); the rest is counted.
pub const NOT_CARRIED_NAMES_MAX: usize = 64;
/// Bytes of surface facts as JSON text. 32 tools and 64 names of the largest kind need 55 KiB.
pub const SURFACE_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a reason in a snapshot: it may quote a rule.
pub const REASON_BYTES_MAX: usize = 160;
