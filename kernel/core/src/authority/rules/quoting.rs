//! Words as a shell quotes them, for the compact form: read and written.

/// A word, and what of it stood outside quotes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Quoted {
    pub(super) text: String,
    /// Something of it was quoted.
    pub(super) quoted: bool,
    /// A `*` that was not.
    pub(super) star: bool,
    /// A character that joins or redirects commands, and was not quoted.
    pub(super) operator: Option<char>,
}

/// Reads all words of a text.
///
/// # Errors
/// A quote that is not closed.
pub(super) fn words(text: &str) -> Result<Vec<Quoted>, &'static str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, after) = word(rest)?;
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words)
}

/// Reads the word at the beginning of a text, and gives what follows it.
///
/// # Errors
/// A quote that is not closed.
pub(super) fn word(text: &str) -> Result<(Quoted, &str), &'static str> {
    let mut word = Quoted::default();
    let mut chars = text.chars();
    loop {
        let rest = chars.as_str();
        let Some(c) = chars.next().filter(|c| !c.is_whitespace()) else { return Ok((word, rest)) };
        match c {
            '\'' => {
                word.quoted = true;
                let (inside, after) = chars.as_str().split_once('\'').ok_or(UNCLOSED)?;
                word.text.push_str(inside);
                chars = after.chars();
            }
            '"' => {
                word.quoted = true;
                loop {
                    match chars.next().ok_or(UNCLOSED)? {
                        '"' => break,
                        '\\' => word.text.push(chars.next().ok_or(UNCLOSED)?),
                        c => word.text.push(c),
                    }
                }
            }
            '\\' => {
                word.quoted = true;
                word.text.push(chars.next().ok_or("it ends in a backslash")?);
            }
            c => {
                word.star |= c == '*';
                if matches!(c, ';' | '|' | '&' | '<' | '>' | '`') {
                    word.operator = Some(c);
                }
                word.text.push(c);
            }
        }
    }
}

const UNCLOSED: &str = "a quote is not closed; put the whole word into quotes";

/// Where the parenthesis closes that was opened before this text.
///
/// # Errors
/// It never does.
pub(super) fn closing(text: &str) -> Result<usize, &'static str> {
    let mut depth = 0;
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((place, c)) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => {
                chars.next();
            }
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return Ok(place),
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    Err(if quote.is_some() { UNCLOSED } else { "its parenthesis is not closed" })
}

/// The word in quotes, unless all its characters are letters, digits or one of `plain`.
pub(super) fn quote(word: &str, plain: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || plain.contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
