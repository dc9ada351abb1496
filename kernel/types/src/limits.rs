//! Every number of this crate: what it bounds, its unit, and what happens at it.

/// Bytes of a signature. Parameters that do not fit are counted, not cut.
pub const SIGNATURE_BYTES_MAX: usize = 240;
/// Bytes of a tool's name that a signature shows; the rest of a longer one is cut.
pub const NAME_BYTES_MAX: usize = 128;
/// Values of an enumeration that a signature spells out; of more it says `string`.
pub const SIGNATURE_VALUES_MAX: usize = 4;
/// Bytes of one such value.
pub const SIGNATURE_VALUE_BYTES_MAX: usize = 24;
/// Properties of a nested object that a signature spells out; a larger one is `object`.
pub const SIGNATURE_PROPERTIES_MAX: usize = 6;
/// Places of a tuple that a signature spells out; a longer one is an array.
pub const SIGNATURE_PLACES_MAX: usize = 4;
/// Bytes of an argument that has to share its line; of a longer one, only the kind is shown.
pub const SIGNATURE_ARGUMENT_BYTES_MAX: usize = 96;
/// Properties, over all alternatives, that a signature is made from: more than one schema can hold
/// without repeating them by reference.
pub const PROPERTIES_MAX: usize = 64 * 1_024;
/// Types that are looked at for one signature; later ones are `unknown`.
pub const SIGNATURE_STEPS_MAX: usize = 4_000;

/// Bytes of a whole declaration, named types included. A larger one is not given, `[CAT-11]`: nothing
/// is cut in the middle.
pub const TYPES_BYTES_MAX: usize = 16 * 1_024;
/// Bytes of a tool's description in a declaration; the rest is cut at a word.
pub const DESCRIPTION_BYTES_MAX: usize = 1_024;
/// Bytes of what is said of one property: description and facts each; the rest is cut at a word.
pub const DOC_BYTES_MAX: usize = 320;
/// Bytes of one fact: a default, a pattern, a format. A longer one is not said.
pub const FACT_BYTES_MAX: usize = 80;
/// Values of an enumeration that a declaration spells out; of more it shows the first few in a comment.
pub const VALUES_MAX: usize = 200;
/// Columns of a type that stays on one line.
pub const LINE_COLUMNS_MAX: usize = 88;
/// Bytes of a type that is repeated rather than given a name.
pub const REPEATED_BYTES_MAX: usize = 60;

/// Bytes of a schema. A larger one is not read: its arguments are `unknown`.
pub const SCHEMA_BYTES_MAX: usize = 256 * 1_024;
/// Schemas that are looked at for one tool. What comes later is `unknown` in a signature, and there is
/// no declaration.
pub const SCHEMAS_MAX: usize = 4_000;
/// Levels of schemas within each other, between two references. Deeper ones count as too many.
pub const DEPTH_MAX: usize = 40;
/// Schemas that references lead to. Further ones count as too many.
pub const DEFINITIONS_MAX: usize = 200;
/// Members of an object above which they are looked up by an index.
pub const INDEXED_MEMBERS_MIN: usize = 12;
/// Bytes of a reference. A longer one leads nowhere.
pub const REFERENCE_BYTES_MAX: usize = 1_024;
