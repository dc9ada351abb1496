//! Reads one word of a shell line as bash reads it, without running anything.
//!
//! What a word becomes is known, or known to be exactly one argument, or to be any number of them;
//! of the last two the beginning may be known, and then it is known whether it can be an option.
//! Whatever is not certain is a [`Doubt`]: substitutions, arithmetic, expansions with an operator,
//! brace lists, characters that shells and people see differently.
//!
//! Not here: operators, reserved words, redirections (`grammar`, `parse`).

#[cfg(test)]
mod tests;

/// Why something is not certain; one clause, for people.
pub(crate) type Doubt = &'static str;

/// A word after quoting is resolved.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Word {
    /// Its text; parts that are not known stand as they are written.
    pub(crate) text: String,
    /// What it becomes.
    pub(crate) shape: Shape,
    /// Written without any quoting or expansion; only such a word can be a reserved one.
    pub(crate) bare: bool,
}

/// What a word becomes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Shape {
    /// One argument: the text.
    Known,
    /// One argument that begins with this.
    One(String),
    /// Any number of arguments, each of which begins with this.
    Many(String),
}

impl Word {
    /// A word of which nothing is known but how it is written.
    pub(crate) fn unknown(text: impl Into<String>) -> Self {
        Self { text: text.into(), shape: Shape::Many(String::new()), bare: false }
    }

    /// The argument, if it is known.
    pub(crate) fn argument(&self) -> Option<&str> {
        match self.shape {
            Shape::Known => Some(&self.text),
            Shape::One(_) | Shape::Many(_) => None,
        }
    }

    /// Whether none of its arguments can be taken for an option.
    pub(crate) fn is_operand(&self) -> bool {
        match &self.shape {
            Shape::Known => !self.text.starts_with('-'),
            Shape::One(prefix) | Shape::Many(prefix) => {
                !prefix.is_empty() && !prefix.starts_with('-')
            }
        }
    }
}

/// Characters that end a word.
pub(crate) fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '|' | '&' | ';' | '(' | ')' | '<' | '>')
}

/// Refuses text in which a shell and a person may see different things: control characters but tab
/// and line feed, and blanks and invisible characters beyond ASCII.
///
/// # Errors
/// There is one.
pub(crate) fn check_characters(text: &str) -> Result<(), Doubt> {
    let strange = |c: char| match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => {
            true
        }
        '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control() || (!c.is_ascii() && c.is_whitespace()),
    };
    if text.chars().any(strange) {
        Err("it holds a control or an invisible character")
    } else {
        Ok(())
    }
}

/// Reads the word at the beginning of `text` and gives what follows it.
///
/// # Errors
/// It holds something whose value is not certain.
pub(crate) fn read_word(text: &str) -> Result<(Word, &str), Doubt> {
    let mut reader = Reader { rest: text, text: String::new(), bare: true, ..Reader::default() };
    while let Some(c) = reader.peek().filter(|c| !ends_word(*c)) {
        reader.part(c)?;
    }
    let rest = reader.rest;
    Ok((reader.finish()?, rest))
}

/// Reads a whole text that should be one word.
///
/// # Errors
/// As for [`read_word`], or there is more than one word.
pub(crate) fn whole_word(text: &str) -> Result<Word, Doubt> {
    let (word, rest) = read_word(text)?;
    if rest.is_empty() { Ok(word) } else { Err("it is not one word") }
}

#[derive(Debug, Default)]
struct Reader<'a> {
    rest: &'a str,
    text: String,
    bare: bool,
    /// What stood before the first part that is not known.
    prefix: Option<String>,
    /// A part becomes one text that is not split.
    unknown: bool,
    /// A part becomes file names.
    glob: bool,
    /// A part is split into any number of arguments.
    split: bool,
    braces: bool,
    brace_first: bool,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    /// Takes as long as `belongs` holds.
    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn part(&mut self, c: char) -> Result<(), Doubt> {
        match c {
            '\'' => {
                self.quoting();
                let end = self.rest.find('\'').ok_or("a quote is not closed")?;
                let (inside, rest) = self.rest.split_at(end);
                self.text.push_str(inside);
                self.rest = rest;
                self.next();
            }
            '"' => {
                self.quoting();
                self.double_quoted()?;
            }
            '\\' => {
                self.quoting();
                match self.next().ok_or("it ends in a backslash")? {
                    '\n' => {}
                    escaped => self.text.push(escaped),
                }
            }
            '$' => {
                self.quoting();
                self.dollar(false)?;
            }
            '`' => return Err("a command is substituted"),
            '~' if self.text.is_empty() && self.bare => {
                self.next();
                self.bare = false;
                self.text.push('~');
                // `~+` and `~-` are folders in which the shell was, `~1` one of its list.
                if self.peek().is_some_and(|c| matches!(c, '+' | '-' | '0'..='9')) {
                    return Err("a folder of the shell's own list is named");
                }
                // A home folder is an absolute path; without one the tilde stays.
                self.mark_unknown();
                self.prefix = Some("~".into());
            }
            '*' | '?' | '[' => {
                self.mark(|reader| reader.glob = true);
                self.plain();
            }
            '{' | '}' => {
                self.braces = true;
                self.brace_first |= self.text.is_empty() && c == '{';
                self.plain();
            }
            _ => self.plain(),
        }
        Ok(())
    }

    fn quoting(&mut self) {
        self.bare = false;
        self.next();
    }

    fn plain(&mut self) {
        if let Some(c) = self.next() {
            self.text.push(c);
        }
    }

    fn mark(&mut self, set: impl FnOnce(&mut Self)) {
        if self.prefix.is_none() {
            self.prefix = Some(self.text.clone());
        }
        set(self);
    }

    fn mark_unknown(&mut self) {
        self.mark(|reader| reader.unknown = true);
    }

    fn double_quoted(&mut self) -> Result<(), Doubt> {
        loop {
            match self.next().ok_or("a quote is not closed")? {
                '"' => return Ok(()),
                '$' => self.dollar(true)?,
                '`' => return Err("a command is substituted"),
                '\\' => match self.next().ok_or("a quote is not closed")? {
                    '\n' => {}
                    escaped @ ('$' | '`' | '"' | '\\') => self.text.push(escaped),
                    other => self.text.extend(['\\', other]),
                },
                c => self.text.push(c),
            }
        }
    }

    /// After a dollar sign.
    fn dollar(&mut self, quoted: bool) -> Result<(), Doubt> {
        match self.peek() {
            Some('(') => Err("a command or an arithmetic value is substituted"),
            Some('[') => Err("an arithmetic value is substituted"),
            Some('\'') if !quoted => {
                self.next();
                self.ansi_quoted()
            }
            Some('"') if !quoted => Err("a text is translated"),
            // Bash joins the lines first, and then something may be substituted.
            Some('\\') if self.rest.starts_with("\\\n") => Err("a line ends in a dollar sign"),
            Some('{') => {
                self.next();
                let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                if name.is_empty() || self.next() != Some('}') {
                    return Err("a variable is expanded with an operator");
                }
                self.variable(&format!("${{{name}}}"), quoted);
                Ok(())
            }
            Some('@' | '*') => {
                self.next();
                self.mark(|reader| reader.split = true);
                self.text.push_str("$@");
                Ok(())
            }
            Some(c @ ('0'..='9' | '?' | '#' | '$' | '!' | '-')) => {
                self.next();
                self.variable(&format!("${c}"), quoted);
                Ok(())
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                self.variable(&format!("${name}"), quoted);
                Ok(())
            }
            _ => {
                self.text.push('$');
                Ok(())
            }
        }
    }

    fn variable(&mut self, written: &str, quoted: bool) {
        if quoted {
            self.mark_unknown();
        } else {
            self.mark(|reader| reader.split = true);
        }
        self.text.push_str(written);
    }

    /// After `$'`.
    fn ansi_quoted(&mut self) -> Result<(), Doubt> {
        loop {
            match self.next().ok_or("a quote is not closed")? {
                '\'' => return Ok(()),
                '\\' => {
                    let c = self.ansi_escape()?;
                    self.text.push(c);
                }
                c => self.text.push(c),
            }
        }
    }

    fn ansi_escape(&mut self) -> Result<char, Doubt> {
        Ok(match self.next().ok_or("a quote is not closed")? {
            'n' => '\n',
            't' => '\t',
            c @ ('\\' | '\'' | '"' | '?') => c,
            'x' => self.ansi_number("", 2, 16)?,
            first @ '0'..='7' => self.ansi_number(first.encode_utf8(&mut [0; 4]), 2, 8)?,
            'u' => self.ansi_number("", 4, 16)?,
            _ => return Err("a text holds an escape that is not read here"),
        })
    }

    /// A printable ASCII character by its number, after the digits `begun`.
    fn ansi_number(&mut self, begun: &str, digits_max: usize, radix: u32) -> Result<char, Doubt> {
        let mut digits = begun.to_owned();
        for _ in 0..digits_max {
            let Some(digit) = self.peek().filter(|c| c.is_digit(radix)) else { break };
            digits.push(digit);
            self.next();
        }
        let code = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32);
        code.filter(|c| c.is_ascii_graphic() || *c == ' ')
            .ok_or("a text holds an escaped control character")
    }

    fn finish(self) -> Result<Word, Doubt> {
        if self.braces && (self.text.contains(',') || self.text.contains("..")) {
            return Err("a list in braces is expanded");
        }
        // `{name}>file` sets a variable.
        if self.brace_first && !matches!(self.text.as_str(), "{" | "{}") {
            return Err("a word begins with a brace");
        }
        // The names of a test, which match no file.
        if self.bare && matches!(self.text.as_str(), "[" | "[[") {
            return Ok(Word { text: self.text, shape: Shape::Known, bare: true });
        }
        let prefix = self.prefix.unwrap_or_default();
        let shape = match (self.split, self.glob, self.unknown) {
            // Only the first of the split parts begins as written.
            (true, _, _) => Shape::Many(String::new()),
            (false, true, _) => Shape::Many(prefix),
            (false, false, true) => Shape::One(prefix),
            (false, false, false) => Shape::Known,
        };
        let bare = self.bare && !self.glob;
        Ok(Word { text: self.text, shape, bare })
    }
}
