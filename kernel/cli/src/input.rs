//! Standard input: prompts and arguments that are not on the command line.

use std::io::{self, IsTerminal as _, Read as _};

use crate::{exit::Failure, limits::STDIN_BYTES_MAX};

/// The message of a turn: as given, or from standard input for `-` or nothing.
///
/// # Errors
/// There is none: nothing was given and standard input is a terminal, or it is empty.
pub(crate) fn prompt(given: Option<&str>) -> Result<String, Failure> {
    let text = match given {
        Some("-") => read("the message")?,
        Some(text) => text.to_owned(),
        None if io::stdin().is_terminal() => {
            return Err(Failure::usage(
                "there is no message; write it behind the command, or pipe it in: tollgate exec \"What is in README.md?\"",
            ));
        }
        None => read("the message")?,
    };
    if text.trim().is_empty() {
        return Err(Failure::usage("the message is empty; say what is to be done"));
    }
    Ok(text)
}

/// All of standard input as text.
///
/// # Errors
/// It cannot be read, is too long, or is no UTF-8.
pub(crate) fn read(what: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(STDIN_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| {
        Failure::usage(format!("cannot read {what} from standard input: {error}"))
    })?;
    if bytes.len() as u64 > STDIN_BYTES_MAX {
        return Err(Failure::usage(format!(
            "{what} on standard input is longer than {STDIN_BYTES_MAX} bytes"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        Failure::usage(format!("{what} on standard input is no UTF-8: {}", error.utf8_error()))
    })
}
