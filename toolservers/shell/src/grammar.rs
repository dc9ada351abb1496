//! Reads the part of the shell's grammar in which a line can be proven read-only.
//!
//! Simple commands joined by `&&`, `||`, `;`, line ends and pipes, inside `( )`, `{ }`, `if`, `for`
//! and `while`, and redirections; those that do more than read a file, write to `/dev/null` or join
//! descriptors are noted with the commands that they hold for. `[[ … ]]` is read as if it was a command; it
//! is one only without operators between its words. Everything else is a [`Doubt`]: assignments, functions,
//! background jobs, here-documents, `case` ….
//! Deliberately apart from the parser of `parse`, which reads every line but some of them
//! differently from bash: a line is read-only only if both see the same commands.
//!
//! Not here: what a command does (`readonly`).

use crate::{
    limits::NESTING_MAX,
    words::{Doubt, Word, check_characters, ends_word, read_word},
};

#[cfg(test)]
mod tests;

/// Words that bash reserves and this grammar does not know.
const UNKNOWN_WORDS: &[&str] = &[
    "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "function", "select",
    "then", "time", "until", "}",
];

/// A line of this grammar.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Its simple commands in the order they are written.
    pub(crate) commands: Vec<Simple>,
    /// Whether some redirection does more than read; also one that holds for no command.
    pub(crate) redirected: bool,
    /// Whether commands run beside each other.
    pub(crate) pipes: bool,
    /// Whether commands run more than once.
    pub(crate) repeats: bool,
}

/// A simple command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Simple {
    /// Program and arguments.
    pub(crate) words: Vec<Word>,
    /// Whether a redirection of it, or of a group around it, does more than read.
    pub(crate) redirected: bool,
}

/// Reads a line.
///
/// # Errors
/// The line goes beyond this grammar.
pub(crate) fn read(line: &str) -> Result<Line, Doubt> {
    check_characters(line)?;
    let mut reader = Reader { rest: line, token: None, line: Line::default(), depth: 0 };
    reader.list(&[Ender::End])?;
    Ok(reader.line)
}

/// Whether a variable may be set by a loop or by `read`: one that no program and no shell knows.
///
/// # Errors
/// It may mean something.
pub(crate) fn check_variable(name: &str) -> Result<(), Doubt> {
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if plain && begins && name != "histchars" {
        Ok(())
    } else {
        Err("a variable with a meaning may be set")
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Token {
    Word(Word),
    /// `&&`, `||`, `;`, `|`, `(`, `)`, or a line end.
    Operator(&'static str),
    Redirect(&'static str),
    End,
}

/// What ends a list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Ender {
    End,
    Operator(&'static str),
    Reserved(&'static str),
}

/// Operators and redirections, longer ones before their beginnings; `None`: beyond this grammar.
const OPERATORS: &[(&str, Option<Token>)] = &[
    ("&&", Some(Token::Operator("&&"))),
    ("&>", Some(Token::Redirect("&>"))),
    ("&", None),
    ("||", Some(Token::Operator("||"))),
    ("|&", Some(Token::Operator("|"))),
    ("|", Some(Token::Operator("|"))),
    (";;", None),
    (";&", None),
    (";", Some(Token::Operator(";"))),
    ("\n", Some(Token::Operator("\n"))),
    ("((", None),
    ("(", Some(Token::Operator("("))),
    (")", Some(Token::Operator(")"))),
    ("<<<", Some(Token::Redirect("<<<"))),
    ("<<", None),
    ("<(", None),
    ("<>", None),
    ("<&", Some(Token::Redirect("<&"))),
    ("<", Some(Token::Redirect("<"))),
    (">(", None),
    (">>", Some(Token::Redirect(">>"))),
    (">|", Some(Token::Redirect(">|"))),
    (">&", Some(Token::Redirect(">&"))),
    (">", Some(Token::Redirect(">"))),
];

struct Reader<'a> {
    rest: &'a str,
    /// The next token, once looked at, and what follows it.
    token: Option<(Token, &'a str)>,
    line: Line,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Result<&Token, Doubt> {
        if self.token.is_none() {
            self.token = Some(token(self.rest)?);
        }
        Ok(self.token.as_ref().map_or(&Token::End, |(token, _)| token))
    }

    fn next(&mut self) -> Result<Token, Doubt> {
        self.peek()?;
        let Some((token, rest)) = self.token.take() else { return Ok(Token::End) };
        self.rest = rest;
        Ok(token)
    }

    fn skip_line_ends(&mut self) -> Result<(), Doubt> {
        while *self.peek()? == Token::Operator("\n") {
            self.next()?;
        }
        Ok(())
    }

    /// The reserved word that comes next, if one does.
    fn reserved(&mut self) -> Result<Option<String>, Doubt> {
        Ok(match self.peek()? {
            Token::Word(word) if word.bare => Some(word.text.clone()),
            Token::Word(_) | Token::Operator(_) | Token::Redirect(_) | Token::End => None,
        })
    }

    /// Reads commands up to one of `enders`, takes it, and says which it was.
    fn list(&mut self, enders: &[Ender]) -> Result<Ender, Doubt> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            return Err("it is nested too deeply");
        }
        loop {
            self.skip_line_ends()?;
            let here = self.peek()?.clone();
            let ends = |ender: &&Ender| match (ender, &here) {
                (Ender::End, Token::End) => true,
                (Ender::Operator(text), Token::Operator(operator)) => text == operator,
                (Ender::Reserved(text), Token::Word(word)) => word.bare && word.text == *text,
                _ => false,
            };
            if let Some(ender) = enders.iter().find(ends) {
                self.next()?;
                self.depth -= 1;
                return Ok(*ender);
            }
            self.and_or()?;
            if matches!(self.peek()?, Token::Operator(";" | "\n")) {
                self.next()?;
            }
        }
    }

    fn and_or(&mut self) -> Result<(), Doubt> {
        loop {
            self.pipeline()?;
            match self.peek()? {
                Token::Operator("&&" | "||") => {
                    self.next()?;
                    self.skip_line_ends()?;
                }
                Token::Operator(";" | "\n" | ")") | Token::End => return Ok(()),
                Token::Word(_) | Token::Operator(_) | Token::Redirect(_) => {
                    return Err("it is not a list of commands");
                }
            }
        }
    }

    fn pipeline(&mut self) -> Result<(), Doubt> {
        while self.reserved()?.as_deref() == Some("!") {
            self.next()?;
        }
        loop {
            self.command()?;
            if *self.peek()? != Token::Operator("|") {
                return Ok(());
            }
            self.next()?;
            self.line.pipes = true;
            self.skip_line_ends()?;
        }
    }

    fn command(&mut self) -> Result<(), Doubt> {
        let from = self.line.commands.len();
        if *self.peek()? == Token::Operator("(") {
            self.next()?;
            self.list(&[Ender::Operator(")")])?;
            return self.redirects(from);
        }
        match self.reserved()?.as_deref() {
            Some("{") => {
                self.next()?;
                self.list(&[Ender::Reserved("}")])?;
                self.redirects(from)
            }
            Some("if") => {
                self.next()?;
                self.if_clauses()?;
                self.redirects(from)
            }
            Some("for") => {
                self.next()?;
                self.line.repeats = true;
                self.for_words()?;
                self.list(&[Ender::Reserved("done")])?;
                self.redirects(from)
            }
            Some("while") => {
                self.next()?;
                self.line.repeats = true;
                self.list(&[Ender::Reserved("do")])?;
                self.list(&[Ender::Reserved("done")])?;
                self.redirects(from)
            }
            Some(word) if UNKNOWN_WORDS.contains(&word) => {
                Err("it uses a part of the shell's grammar that is not read here")
            }
            _ => self.simple(),
        }
    }

    fn if_clauses(&mut self) -> Result<(), Doubt> {
        const ENDS: &[Ender] =
            &[Ender::Reserved("elif"), Ender::Reserved("else"), Ender::Reserved("fi")];
        loop {
            self.list(&[Ender::Reserved("then")])?;
            match self.list(ENDS)? {
                Ender::Reserved("elif") => {}
                Ender::Reserved("else") => {
                    self.list(&[Ender::Reserved("fi")])?;
                    return Ok(());
                }
                Ender::Reserved(_) | Ender::End | Ender::Operator(_) => return Ok(()),
            }
        }
    }

    /// `NAME in WORD… ; do`
    fn for_words(&mut self) -> Result<(), Doubt> {
        let Token::Word(name) = self.next()? else { return Err("a loop has no variable") };
        check_variable(name.argument().filter(|_| name.bare).unwrap_or_default())?;
        if self.reserved()?.as_deref() != Some("in") {
            return Err("a loop has no words");
        }
        self.next()?;
        while let Token::Word(_) = self.peek()? {
            self.next()?;
        }
        if !matches!(self.next()?, Token::Operator(";" | "\n")) {
            return Err("a loop's words do not end");
        }
        self.skip_line_ends()?;
        if self.reserved()?.as_deref() != Some("do") {
            return Err("a loop has no body");
        }
        self.next()?;
        Ok(())
    }

    fn simple(&mut self) -> Result<(), Doubt> {
        let mut words: Vec<Word> = Vec::new();
        let mut redirected = false;
        loop {
            match self.peek()? {
                Token::Word(_) => {
                    let written = self.written();
                    if words.is_empty() && is_assignment(written) {
                        return Err("a variable is set");
                    }
                    let Token::Word(word) = self.next()? else { break };
                    words.push(word);
                }
                Token::Redirect(_) => redirected |= self.redirect()?,
                Token::Operator("(") => return Err("a function is defined"),
                Token::Operator(_) | Token::End => break,
            }
        }
        let first = words.first().ok_or("there is no command")?;
        if first.text == "[[" && !first.bare {
            return Err("a reserved word is quoted");
        }
        self.line.commands.push(Simple { words, redirected });
        Ok(())
    }

    /// Redirections after a group, which hold for its commands: those since `from`.
    fn redirects(&mut self, from: usize) -> Result<(), Doubt> {
        let mut redirected = false;
        while let Token::Redirect(_) = self.peek()? {
            redirected |= self.redirect()?;
        }
        for command in self.line.commands.iter_mut().skip(from) {
            command.redirected |= redirected;
        }
        Ok(())
    }

    /// Whether the redirection that comes next does more than read.
    fn redirect(&mut self) -> Result<bool, Doubt> {
        let Token::Redirect(operator) = self.next()? else { return Ok(false) };
        let Token::Word(target) = self.next()? else { return Err("a redirection has no target") };
        let reads = operator == "<<<" || target.argument().is_some_and(|to| reads(operator, to));
        self.line.redirected |= !reads;
        Ok(!reads)
    }

    /// The next token as it is written, and all that follows.
    fn written(&self) -> &str {
        skip_blanks(self.rest)
    }
}

/// Whether a redirection reads, goes to nowhere, or joins descriptors.
fn reads(operator: &str, target: &str) -> bool {
    let descriptor = !target.is_empty() && target.chars().all(|c| c.is_ascii_digit());
    // Bash itself dials these names.
    let network = target.starts_with("/dev/tcp") || target.starts_with("/dev/udp");
    match operator {
        "<" => !network,
        "<&" | ">&" => descriptor,
        ">" | ">>" | ">|" | "&>" => target == "/dev/null",
        _ => false,
    }
}

/// `NAME=`, `NAME+=`, or anything with a subscript that could be an assignment.
pub(crate) fn is_assignment(written: &str) -> bool {
    let name = written.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let named = name.len() < written.len() && !written.starts_with(|c: char| c.is_ascii_digit());
    named && (name.starts_with('=') || name.starts_with("+=") || name.starts_with('['))
}

/// The first token and what follows it.
fn token(text: &str) -> Result<(Token, &str), Doubt> {
    let mut text = skip_blanks(text);
    if text.starts_with('#') {
        text = text.find('\n').and_then(|end| text.get(end..)).unwrap_or_default();
    }
    if text.is_empty() {
        return Ok((Token::End, text));
    }
    let after_digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if after_digits.starts_with(['<', '>']) { after_digits } else { text };
    for (operator, token) in OPERATORS {
        if let Some(rest) = text.strip_prefix(operator) {
            let token = token.clone().ok_or("it uses an operator that is not read here")?;
            return Ok((token, rest));
        }
    }
    let (word, rest) = read_word(text)?;
    debug_assert!(rest.is_empty() || rest.starts_with(ends_word), "a word ends where it ends");
    Ok((Token::Word(word), rest))
}

fn skip_blanks(mut text: &str) -> &str {
    loop {
        let skipped = text.trim_start_matches([' ', '\t']);
        let skipped = skipped.strip_prefix("\\\n").unwrap_or(skipped);
        if skipped.len() == text.len() {
            return text;
        }
        text = skipped;
    }
}
