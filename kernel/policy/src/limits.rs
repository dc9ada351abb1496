//! Every bound of policy files: unit and what it is for.

/// Bytes of one policy file. Ten thousand rules fit.
pub const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Rules of one file.
pub const RULES_MAX: usize = 20_000;
/// Faults that are told of one file; the first ones, for the others often follow from them.
pub const FAULTS_MAX: usize = 50;
/// Faults that are told in one line, to a model or in a note.
pub const FAULTS_IN_LINE: usize = 3;
/// Characters of one fault: it quotes what is wrong.
pub const FAULT_CHARS_MAX: usize = 600;
/// Hooks of one file.
pub const HOOKS_MAX: usize = 256;
/// Seconds that a hook may take, at most.
pub const HOOK_TIMEOUT_S_MAX: u64 = 600;
/// Seconds that a hook may take when its file does not say (`[GATE-40]`).
pub const HOOK_TIMEOUT_S: u64 = 30;
/// Patterns of one `match` of a hook.
pub const HOOK_TOOLS_MAX: usize = 64;
/// `[[protect]]` tables of one law, and patterns of all of them: a project writes it, and each pattern
/// costs memory and a comparison with each written place.
pub const LAW_PLACES_MAX: usize = 1_024;
/// Bytes of one pattern of a law.
pub const LAW_PATTERN_BYTES_MAX: usize = 512;
/// How often a file is written anew when others change it meanwhile.
pub const WRITE_TRIES: usize = 3;
/// Workspaces of the trust store.
pub const WORKSPACES_MAX: usize = 10_000;
/// Files of one project that trust covers; a project with more cannot be trusted as a whole.
pub const PROJECT_FILES_MAX: usize = 2_000;
/// Levels of folders below `.tollgate/skills`.
pub const PROJECT_DEPTH_MAX: usize = 16;
/// Programs of hooks of which trust keeps the content.
pub const HOOK_PROGRAMS_MAX: usize = 256;
/// A file that changed this recently is read again, ms: file systems keep time in steps of up to 2 s, and
/// within one step a second change shows in no time stamp.
pub const SETTLED_MS: u64 = 2_000;
