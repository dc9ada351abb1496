//! Old names, for saved transcripts that are run again: each with its own arguments and handler.
//!
//! A handler reads its own schema and calls the same functions as the tools do; no call is rewritten
//! into another one. What an old name meant, it means here: [`register`] is the table, and the kernel
//! judges each call by the tool that the table names. Results are those of today's tools.
//!
//! Arguments that only guided what is gone (`fuzz`, `pages`) are taken and have no effect.
//!
//! Not here: `apply_patch` under its old argument names. The name is a tool's own, so those are
//! aliases of its argument (`crate::apply_patch`).

mod edit_file;
mod file_patch;
mod grep_files;
mod list_dir;
mod read_file;
mod search_files;
mod write_file;

use tollgate_sdk::{Deserialize, JsonSchema, Server};

use crate::failed::{Class, Failed};

/// A server with all old names.
pub(crate) fn register(server: Server) -> Server {
    server
        .legacy("read", read_file::ReadFile::<ALONE>)
        .legacy_when("read", ("action", "read"), read_file::ReadFile::<FAMILY>)
        .legacy("write", write_file::WriteFile::<ALONE>)
        .legacy_when("write", ("action", "write"), write_file::WriteFile::<FAMILY>)
        .legacy("edit", edit_file::EditFile::<ALONE>)
        .legacy_when("edit", ("action", "edit"), edit_file::EditFile::<FAMILY>)
        .legacy_when("apply_patch", ("action", "patch"), file_patch::FilePatch)
        .legacy("list", list_dir::ListDir::<ALONE>)
        .legacy_when("list", ("action", "list"), list_dir::ListDir::<FAMILY>)
        .legacy("find", search_files::SearchFiles::<ALONE>)
        .legacy_when("find", ("action", "search_name"), search_files::SearchFiles::<FAMILY>)
        .legacy("grep", grep_files::GrepFiles::<ALONE>)
        .legacy_when("grep", ("action", "search_content"), grep_files::GrepFiles::<FAMILY>)
}

/// A name of its own.
const ALONE: bool = false;

/// One action of `File`.
const FAMILY: bool = true;

/// The old name of a handler.
const fn name(family: bool, alone: &'static str) -> &'static str {
    if family { "File" } else { alone }
}

/// What every description says; nobody is shown it.
const OLD: &str = "An old name, kept for saved transcripts.";

/// A list that was also written as one text.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(crate = "tollgate_sdk::serde", untagged)]
#[schemars(crate = "tollgate_sdk::schemars", inline)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    /// All that are not blank.
    fn all(texts: Option<&Self>) -> Vec<String> {
        let all = match texts {
            None => Vec::new(),
            Some(Self::One(text)) => vec![text.clone()],
            Some(Self::Many(texts)) => texts.clone(),
        };
        all.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
    }
}

/// The value of an argument that had several names.
///
/// # Errors
/// `invalid_arguments` if two of them differ.
fn one_of<'a, T: PartialEq + ?Sized>(
    names: &str,
    values: impl IntoIterator<Item = Option<&'a T>>,
) -> Result<Option<&'a T>, Failed> {
    let mut given = values.into_iter().flatten();
    let first = given.next();
    match given.find(|other| first.is_some_and(|first| first != *other)) {
        None => Ok(first),
        Some(_) => {
            Err(wrong(&format!("{names} are one argument and were given twice, differently")))
        }
    }
}

/// The value of an argument that must be there.
///
/// # Errors
/// `invalid_arguments`.
fn needed<'a, T: PartialEq + ?Sized>(
    names: &str,
    values: impl IntoIterator<Item = Option<&'a T>>,
) -> Result<&'a T, Failed> {
    one_of(names, values)?.ok_or_else(|| wrong(&format!("{names}: one of these must be given")))
}

/// Refuses `action` where it is no argument.
fn no_action(family: bool, action: Option<&String>) -> Result<(), Failed> {
    if family || action.is_none() {
        return Ok(());
    }
    Err(wrong("`action` is an argument of File alone"))
}

/// The digest `sha256:HEX` of the file that is meant.
fn expected(hash: Option<&String>) -> Result<Option<[u8; 32]>, Failed> {
    let Some(hash) = hash else { return Ok(None) };
    let digits = hash.strip_prefix("sha256:").unwrap_or(hash);
    let mut digest = [0; 32];
    let pairs = digits.as_bytes().chunks(2);
    let is_whole = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_whole {
        return Err(wrong("`expected_hash` must be sha256: and 64 hex digits").at("/expected_hash"));
    }
    for (byte, pair) in digest.iter_mut().zip(pairs) {
        let digits = std::str::from_utf8(pair).unwrap_or_default();
        *byte = u8::from_str_radix(digits, 16).unwrap_or_default();
    }
    Ok(Some(digest))
}

fn wrong(message: &str) -> Failed {
    Failed::new(Class::InvalidArguments, message).at("")
}

#[cfg(test)]
mod tests;
