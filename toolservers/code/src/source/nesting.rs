//! How deep a program may go, and the stack that reading it takes.
//!
//! The parser descends once for each level and has no bound of its own. Three things keep it from running
//! over: a count of brackets that refuses what is plainly too deep before any work is done; a thread with a
//! stack for the worst that a text of this length and these brackets can ask for (the count can be deceived
//! by brackets in comments, the stack cannot); [`LEVELS_MAX`] on the tree, for the interpreter's own parser.
//!
//! Not here: levels of values.

use std::{io, thread};

use super::Diagnostic;

/// Levels of the tree. From 800 nested parentheses (500 nested templates) on, QuickJS runs over its stack of
/// 1 MiB, some of it with a misleading message; measured on 0.14 of rquickjs.
pub(super) const LEVELS_MAX: u32 = 500;

/// Brackets that are open at once outside plain strings. Only keeps hopeless texts cheap: some nestings take
/// the parser quadratic time (1,000 levels: 0.3 s without optimisation).
const BRACKETS_OPEN_MAX: usize = 1000;

/// Bytes of stack for one bracket. The worst measured are types in tuples: 1.8 KiB a `[`.
const STACK_BRACKET_BYTES: usize = 3 * 1024;

/// Bytes of stack for one word or operator. The worst measured: 350 an exponent, 290 a `new`, 225 a `!`.
const STACK_TOKEN_BYTES: usize = 512;

/// Bytes of stack for everything else.
const STACK_BASE_BYTES: usize = 1024 * 1024;

/// What is said of a text that goes too deep.
pub(super) const TOO_DEEP: &str = "the program is nested too deeply; write it in steps, with data in arrays or files instead of nesting";

/// Runs `read` on a thread whose stack is large enough to read `text`.
///
/// # Errors
/// Those of `read`; class `limit` for a text that is too deep, or when there is no memory.
pub(super) fn with_stack<T: Send>(
    text: &str,
    read: impl FnOnce() -> Result<T, Diagnostic> + Send,
) -> Result<T, Diagnostic> {
    if let Some(offset) = too_many_open(text) {
        return Err(Diagnostic::at("limit", TOO_DEEP, text, offset));
    }
    thread::scope(|scope| {
        let reader = thread::Builder::new()
            .name("read".to_owned())
            .stack_size(stack_bytes(text))
            .spawn_scoped(scope, read);
        reader.map_err(|error| no_thread(&error))?.join().unwrap_or_else(|_| Err(broken()))
    })
}

/// Address space, of which a program touches what its depth takes.
fn stack_bytes(text: &str) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
    let (mut brackets, mut tokens, mut before) = (0, 0, b' ');
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => brackets += 1,
            b'!' | b'~' | b'+' | b'-' | b'*' | b'=' | b'?' | b':' | b'@' => tokens += 1,
            _ if is_word(byte) && !is_word(before) => tokens += 1,
            _ => {}
        }
        before = byte;
    }
    STACK_BASE_BYTES + brackets * STACK_BRACKET_BYTES + tokens * STACK_TOKEN_BYTES
}

fn no_thread(error: &io::Error) -> Diagnostic {
    let message = format!(
        "no memory to read the program ({error}); run fewer programs at once, or a shorter one"
    );
    Diagnostic::nowhere("limit", message)
}

/// The parser's own invariant failed: one program is lost, the server is not.
fn broken() -> Diagnostic {
    Diagnostic::nowhere("syntax", "the parser failed on this program; write it in plain JavaScript")
}

/// Where more brackets are open than [`BRACKETS_OPEN_MAX`]. Strings are left out; a comment or a template
/// would have to lack a thousand closing brackets to matter.
fn too_many_open(text: &str) -> Option<usize> {
    let (mut open, mut at) = (0_usize, 0);
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            b'"' | b'\'' => at += string(bytes.get(at..).unwrap_or_default()),
            _ => {}
        }
        if open > BRACKETS_OPEN_MAX {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Bytes from a quote to the one that closes it, or to the end of the line.
fn string(bytes: &[u8]) -> usize {
    let mut is_escaped = false;
    let closes = bytes.iter().skip(1).position(|byte| {
        let is_end = *byte == b'\n' || !is_escaped && bytes.first() == Some(byte);
        is_escaped = !is_escaped && *byte == b'\\';
        is_end
    });
    closes.map_or(bytes.len(), |at| at + 1)
}

#[cfg(test)]
mod tests;
