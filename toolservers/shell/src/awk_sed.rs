//! Scripts of sed and awk that only print.
//!
//! For sed a small grammar of addresses and printing commands; anything else is a doubt (`e`, `w`,
//! `r`, labels, braces, the flags `e` and `w` of `s`). For awk, whose grammar is large, the absence
//! of everything by which a program could write, run or read something else.

use crate::words::Doubt;

#[cfg(test)]
mod tests;

/// What an awk program must not hold: running, reading from elsewhere, indirect calls and loading, and a
/// line continued inside a word.
const AWK_FORBIDDEN: &[&str] = &["system", "getline", "@", "\\\n", "\\\r", "ARGV"];

/// Output and pipes, and comparisons, which look the same.
const AWK_OUTPUT: [char; 2] = ['>', '|'];

/// Checks an awk program.
///
/// # Errors
/// It could do more than print.
pub(crate) fn check_awk(program: &str) -> Result<(), Doubt> {
    let forbidden = AWK_FORBIDDEN.iter().any(|text| program.contains(text));
    if forbidden || !only_compares(program) {
        return Err("an awk program could do more than print");
    }
    Ok(())
}

/// Whether no `>` and no `|` of an awk program can stand behind a print: only there they are output, since
/// what reads from a pipe says `getline`. A statement ends at `;`, `{` or `}` and nowhere else for certain.
fn only_compares(program: &str) -> bool {
    if !program.contains(AWK_OUTPUT) || !program.contains("print") {
        return true;
    }
    let Some(bare) = without_texts(program) else { return false };
    let mut statements = bare.split([';', '{', '}']);
    !statements.any(|statement| statement.contains("print") && statement.contains(AWK_OUTPUT))
}

/// A program without the texts in quotes, if it is certain where those are: a slash may begin a pattern, in
/// which quotes and braces mean nothing, and a `#` a comment.
fn without_texts(program: &str) -> Option<String> {
    let mut bare = String::new();
    let mut quoted = false;
    let mut chars = program.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quoted => drop(chars.next()),
            '"' => quoted = !quoted,
            '\n' if quoted => return None,
            _ if quoted => {}
            '/' | '#' | '\\' | '\'' => return None,
            c => bare.push(c),
        }
    }
    (!quoted).then_some(bare)
}

/// Checks a sed script.
///
/// # Errors
/// It could do more than print.
pub(crate) fn check_sed(script: &str) -> Result<(), Doubt> {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ';', '\n']);
        if rest.is_empty() {
            return Ok(());
        }
        rest = command(rest)?;
    }
}

const DOUBT: Doubt = "a sed script could do more than print";

/// One command with its addresses; gives what follows.
fn command(text: &str) -> Result<&str, Doubt> {
    let mut rest = address(text)?;
    if let Some(after) = rest.trim_start().strip_prefix(',') {
        let after = after.trim_start();
        let second = address(after.strip_prefix(['+', '~']).unwrap_or(after))?;
        if second.len() == after.len() {
            return Err(DOUBT);
        }
        rest = second;
    }
    rest = rest.trim_start_matches([' ', '\t']).trim_start_matches(['!', ' ']);
    let mut chars = rest.chars();
    let name = chars.next().ok_or(DOUBT)?;
    let after = chars.as_str();
    let after = match name {
        'p' | 'd' | 'D' | 'P' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | '=' | 'F' | 'z' | '}' => {
            after
        }
        // What stands in a block is checked as what stands outside.
        '{' => return Ok(after),
        'q' | 'Q' | 'l' => after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' '),
        's' => substitution(after)?,
        'y' => {
            let delimiter = delimiter(after)?;
            let after = after.get(delimiter.len_utf8()..).ok_or(DOUBT)?;
            part(part(after, delimiter)?, delimiter)?
        }
        ':' | 'b' | 't' | 'T' => label(after),
        // All of the rest is a text to print; where it goes on below, nobody reads on.
        'a' | 'i' | 'c' if !after.contains(['\n', '\\']) => return Ok(""),
        _ => return Err(DOUBT),
    };
    let after = after.trim_start_matches([' ', '\t']);
    let ends = after.is_empty() || after.starts_with([';', '\n']);
    // Some versions take a brace for a part of a label.
    if ends || (after.starts_with('}') && !matches!(name, ':' | 'b' | 't' | 'T')) {
        Ok(after)
    } else {
        Err(DOUBT)
    }
}

/// The name of a place in the script, of which the shortest is none.
fn label(text: &str) -> &str {
    text.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// A line number, `$`, `FIRST~STEP`, or `/REGEX/`; or nothing.
fn address(text: &str) -> Result<&str, Doubt> {
    if let Some(after) = text.strip_prefix('/') {
        let after = part(after, '/')?;
        return Ok(after.strip_prefix('I').unwrap_or(after));
    }
    if let Some(after) = text.strip_prefix('$') {
        return Ok(after);
    }
    let digits = |text| str::trim_start_matches(text, |c: char| c.is_ascii_digit());
    let after = digits(text);
    Ok(after.strip_prefix('~').filter(|_| after.len() < text.len()).map_or(after, digits))
}

/// After `s`: `/REGEX/TEXT/FLAGS` with flags that neither write nor run.
fn substitution(text: &str) -> Result<&str, Doubt> {
    let delimiter = delimiter(text)?;
    let regex = text.get(delimiter.len_utf8()..).ok_or(DOUBT)?;
    let after = part(part(regex, delimiter)?, delimiter)?;
    Ok(after.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'i' | 'I')))
}

fn delimiter(text: &str) -> Result<char, Doubt> {
    text.chars().next().filter(char::is_ascii_punctuation).filter(|c| *c != '\\').ok_or(DOUBT)
}

/// What follows the delimiter. A delimiter inside brackets ends the part for some versions of sed
/// and not for others, so a bracket before it is a doubt.
fn part(text: &str, delimiter: char) -> Result<&str, Doubt> {
    let mut chars = text.chars();
    let mut brackets = 0_usize;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '\n' => return Err(DOUBT),
            '[' if chars.as_str().trim_start_matches('^').starts_with(']') => return Err(DOUBT),
            '[' => brackets += 1,
            ']' => brackets = brackets.saturating_sub(1),
            c if c == delimiter && brackets > 0 => return Err(DOUBT),
            c if c == delimiter => return Ok(chars.as_str()),
            _ => {}
        }
    }
    Err(DOUBT)
}
