//! The options of a program, by which its words are sorted, and what its operands may be.
//!
//! Not here: which program has which (`readonly_table`).

use crate::words::{Doubt, Shape, Word};

/// Options by exact name; a long one that is abbreviated is not listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Short ones without a value, as letters.
    pub(crate) flags: &'static str,
    /// Short ones with a value, glued or as the next word.
    pub(crate) valued: &'static str,
    /// Short ones that may have a value, glued only: the rest of the word.
    pub(crate) glued: &'static str,
    /// Long ones without dashes, with `=` if a value must follow and `?` if one may (by `=` alone).
    pub(crate) long: &'static str,
    /// Whether `-12` is an option.
    pub(crate) numeric: bool,
}

/// Words that are no options.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operands {
    /// As many as wanted.
    Free,
    /// Known ones, at most this many.
    AtMost(usize),
    /// They pass this.
    Checked(fn(&[&Word]) -> Result<(), Doubt>),
}

/// The words of a command, sorted by [`Options::sort`].
#[derive(Debug, Default)]
pub(crate) struct Sorted<'a> {
    /// Names of options, in order, without dashes, with their value if it is known.
    pub(crate) options: Vec<(&'a str, Option<&'a str>)>,
    /// The rest.
    pub(crate) operands: Vec<&'a Word>,
}

impl Sorted<'_> {
    /// Whether one of these options was given.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(name))
    }
}

impl Options {
    /// No option at all.
    pub(crate) const NONE: Self = Self::new("", "", "");

    /// These; see the fields.
    pub(crate) const fn new(flags: &'static str, valued: &'static str, long: &'static str) -> Self {
        Self { flags, valued, glued: "", long, numeric: false }
    }

    /// And these short ones with or without a value behind them in the same word.
    pub(crate) const fn glued(self, glued: &'static str) -> Self {
        Self { glued, ..self }
    }

    /// And `-12`.
    pub(crate) const fn numeric(self) -> Self {
        Self { numeric: true, ..self }
    }

    /// Sorts words into options and operands, which may be mixed until `--`.
    ///
    /// # Errors
    /// An option is not listed, lacks its value, or a word could be an option and is not known.
    pub(crate) fn sort<'a>(&self, words: &'a [Word]) -> Result<Sorted<'a>, Doubt> {
        let mut sorted = Sorted::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.argument() else {
                if !word.is_operand() {
                    return Err("a word that is not known could be an option");
                }
                sorted.operands.push(word);
                continue;
            };
            if text == "--" {
                sorted.operands.extend(words);
                return Ok(sorted);
            }
            if let Some(long) = text.strip_prefix("--") {
                self.long(long, &mut words, &mut sorted)?;
            } else if let Some(letters) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) {
                if !(self.numeric && letters.chars().all(|c| c.is_ascii_digit())) {
                    self.short(letters, &mut words, &mut sorted)?;
                }
            } else {
                sorted.operands.push(word);
            }
        }
        Ok(sorted)
    }

    fn long<'a>(
        &self,
        text: &'a str,
        words: &mut std::slice::Iter<'a, Word>,
        sorted: &mut Sorted<'a>,
    ) -> Result<(), Doubt> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let listed =
            self.long.split(' ').find(|listed| listed.trim_end_matches(['=', '?']) == name);
        let listed = listed.filter(|listed| !listed.is_empty()).ok_or("an option is not known")?;
        let value = match (listed.ends_with('='), value) {
            (true, None) => value_of(words)?,
            (false, Some(_)) if !listed.ends_with('?') => return Err("an option takes no value"),
            (_, value) => value,
        };
        sorted.options.push((name, value));
        Ok(())
    }

    fn short<'a>(
        &self,
        letters: &'a str,
        words: &mut std::slice::Iter<'a, Word>,
        sorted: &mut Sorted<'a>,
    ) -> Result<(), Doubt> {
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            let (name, after) = rest.split_at(letter.len_utf8());
            rest = after;
            if self.flags.contains(letter) {
                sorted.options.push((name, None));
            } else if self.valued.contains(letter) {
                let value = if rest.is_empty() { value_of(words)? } else { Some(rest) };
                sorted.options.push((name, value));
                return Ok(());
            } else if self.glued.contains(letter) {
                sorted.options.push((name, Some(rest).filter(|rest| !rest.is_empty())));
                return Ok(());
            } else {
                return Err("an option is not known");
            }
        }
        Ok(())
    }
}

/// An option's value in the next word. It must be exactly one and must not look like an option:
/// where another version of the program takes no value there, nothing is then overlooked.
fn value_of<'a>(words: &mut std::slice::Iter<'a, Word>) -> Result<Option<&'a str>, Doubt> {
    let word = words.next().ok_or("an option lacks its value")?;
    match word.shape {
        Shape::Known | Shape::One(_) if word.is_operand() => Ok(word.argument()),
        Shape::Known | Shape::One(_) | Shape::Many(_) => {
            Err("an option's value is not known to be one word")
        }
    }
}

impl Operands {
    /// Checks the operands among the words.
    ///
    /// # Errors
    /// They could make the program do more than read.
    pub(crate) fn check(self, sorted: &Sorted<'_>) -> Result<(), Doubt> {
        match self {
            Self::Free => Ok(()),
            Self::AtMost(most) => {
                let known = sorted.operands.iter().all(|word| word.argument().is_some());
                if known && sorted.operands.len() <= most {
                    Ok(())
                } else {
                    Err("a program could write to one of its operands")
                }
            }
            Self::Checked(check) => check(&sorted.operands),
        }
    }
}
