//! What the words of a simple command mean, by the text alone: its program, its options, its operands,
//! and the names that stand inside a word.
//!
//! Words come resolved where the shell server knows their value, and as they are written where not
//! (`~/x`, `$HOME/x`, `"$(curl x)"`), so texts are compared as they stand.
//!
//! Not here: what programs do (`floor`, `taint`), which places matter (`protected`).

#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

/// Programs that run a text or a file in a language of their own; a version may follow the name.
const INTERPRETERS: &str = "sh bash dash ash ksh mksh zsh rbash fish csh tcsh pwsh python pypy node \
    nodejs deno bun perl ruby php lua luajit awk gawk mawk nawk sed ed ex vi vim nvim emacs tclsh \
    expect osascript Rscript julia groovy scala elixir erl";

/// One simple command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command<'a> {
    /// The program as it is written; of a line that does not parse, the whole line.
    pub(super) first: &'a str,
    /// The program without its folder.
    pub(super) program: &'a str,
    /// What follows it.
    pub(super) rest: &'a [String],
    /// The operator before it, or the wrapper that runs it.
    pub(super) operator: &'a str,
    /// A word could not be resolved.
    pub(super) opaque: bool,
    /// Proven to only read.
    pub(super) read_only: bool,
}

impl<'a> Command<'a> {
    /// The command of a subject, if it is one; a command without words has an empty program.
    pub(super) fn of(subject: &'a crate::safety::Subject) -> Option<Self> {
        let crate::safety::Subject::Command { argv, operator, opaque, read_only } = subject else {
            return None;
        };
        let (first, rest) =
            argv.split_first().map_or(("", [].as_slice()), |(first, rest)| (first.as_str(), rest));
        let program = base_name(first);
        Some(Self { first, program, rest, operator, opaque: *opaque, read_only: *read_only })
    }

    /// Whether its program is one of `names`, separated by blanks.
    pub(super) fn runs(&self, names: &str) -> bool {
        listed(names, self.program)
    }

    /// Words that are no options; after `--` all are.
    pub(super) fn operands(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut only_operands = false;
        self.rest.iter().map(String::as_str).filter(move |word| {
            if only_operands {
                return true;
            }
            only_operands = *word == "--";
            !only_operands && (!word.starts_with('-') || *word == "-")
        })
    }

    /// Words that look like options.
    pub(super) fn options(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let words = self.rest.iter().map(String::as_str);
        words.take_while(|word| *word != "--").filter(|word| word.starts_with('-') && *word != "-")
    }

    /// Whether one of the options, separated by blanks, is given: `-f` also among letters that stand
    /// together (`-rf`), `--force` also with a value and as `--forc` (programs take beginnings).
    pub(super) fn has(&self, options: &str) -> bool {
        self.options().any(|given| options.split(' ').any(|option| is_option(given, option)))
    }

    /// Whether the operands begin with these words, separated by blanks. A word before them that stands
    /// behind an option may be its value (`kubectl -n NAME delete`), and `+nightly` is none.
    pub(super) fn begins(&self, words: &str) -> bool {
        let mut may_skip = false;
        for (place, word) in self.rest.iter().enumerate() {
            if word.starts_with('-') {
                may_skip = true;
                continue;
            }
            let here = self.rest.get(place..).unwrap_or_default().iter();
            let mut operands = here.filter(|word| !word.starts_with('-'));
            if words
                .split_ascii_whitespace()
                .all(|word| operands.next().is_some_and(|it| it == word))
            {
                return true;
            }
            if !may_skip && !word.starts_with('+') {
                return false;
            }
            may_skip = word.starts_with('+');
        }
        words.is_empty()
    }

    /// Git's command and what follows it, behind git's own options (`-C DIR`, `-c KEY=VALUE`, …).
    pub(super) fn git(&self) -> Option<Self> {
        if self.program != "git" {
            return None;
        }
        let mut rest = self.rest;
        while let Some((word, after)) = rest.split_first() {
            if !word.starts_with('-') {
                return Some(Self { first: word, program: word, rest: after, ..*self });
            }
            let valued = listed("-C -c --git-dir --work-tree --namespace --exec-path", word);
            rest = if valued { after.get(1..).unwrap_or_default() } else { after };
        }
        None
    }

    /// The command that a runner of packages runs: `npx X`, `pnpm dlx X`, `python -m X`.
    pub(super) fn run_by_it(&self) -> Option<Self> {
        let after = |name: &str| {
            let place = self.rest.iter().position(|word| word == name)?;
            self.rest.get(place + 1..)
        };
        let rest = match self.program {
            "npx" | "bunx" | "pnpx" | "uvx" => Some(self.rest),
            "pipx" => after("run"),
            "npm" | "pnpm" | "yarn" | "bun" => {
                after("exec").or_else(|| after("dlx")).or_else(|| after("x"))
            }
            "uv" | "poetry" | "pdm" | "bundle" => after("run").or_else(|| after("exec")),
            program if program.starts_with("python") => after("-m"),
            _ => None,
        }?;
        let begin = rest.iter().position(|word| !word.starts_with('-'))?;
        let (first, rest) = rest.get(begin..)?.split_first()?;
        let name = base_name(first);
        let program = name.split('@').next().filter(|name| !name.is_empty()).unwrap_or(name);
        Some(Self { first, program, rest, ..*self })
    }

    /// Whether its program is an interpreter.
    pub(super) fn interprets(&self) -> bool {
        is_interpreter(self.program)
    }
}

/// The name of a program without its folder.
pub(super) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a text is one of `names`, separated by blanks. Nearly none is, which `contains` tells fast.
pub(super) fn listed(names: &str, text: &str) -> bool {
    !text.is_empty()
        && names.contains(text)
        && names.split_ascii_whitespace().any(|name| name == text)
}

/// Whether a program is an interpreter, with its version behind the name or not.
pub(super) fn is_interpreter(program: &str) -> bool {
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    listed(INTERPRETERS, bare)
}

fn is_option(given: &str, option: &str) -> bool {
    match (given.strip_prefix("--"), option.strip_prefix("--")) {
        (Some(given), Some(option)) => {
            let name = given.split('=').next().unwrap_or_default();
            name == option || (name.len() >= LONG_OPTION_CHARS_MIN && option.starts_with(name))
        }
        (None, None) => {
            let (given, option) = (given.trim_start_matches('-'), option.trim_start_matches('-'));
            // One letter stands among others; a word with one dash (`-delete`) stands alone.
            given == option || (option.chars().count() == 1 && given.contains(option))
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Letters of a long option from which on its beginning is taken for it.
const LONG_OPTION_CHARS_MIN: usize = 3;

/// Whether something else runs inside a word: a substitution that the shell server could not resolve.
pub(super) fn runs_inside(word: &str) -> bool {
    ["$(", "`", "<(", ">("].iter().any(|mark| word.contains(mark))
}

/// Whether a word is a piece of program, in which names stand anywhere: a substitution, a list in
/// braces, what is given to an interpreter, a line that did not parse.
pub(super) fn is_scattered(word: &str, command: &Command<'_>) -> bool {
    // Nearly all words are.
    let is_simple = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&byte);
    if word.bytes().all(is_simple) {
        return false;
    }
    let text = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ';');
    runs_inside(word)
        || (word.contains('{') && word.contains(','))
        || (word.contains(text) && (command.rest.is_empty() || command.interprets()))
}

/// The names that a word may hold: itself, and what stands behind `=` or `:`. A word that is a piece of
/// program (`scattered`) holds one between any two characters that end names.
pub(super) fn names_in(word: &str, scattered: bool) -> impl Iterator<Item = &str> {
    let ends = |c: char| {
        matches!(c, '"' | '\'' | '`' | '(' | ')' | '{' | '}' | '[' | ']' | '<' | '>')
            || matches!(c, '|' | '&' | ';' | ',' | '=' | ':' | '@')
            || c.is_whitespace()
    };
    let pieces = scattered.then(|| word.split(ends)).into_iter().flatten();
    let pieces = pieces.filter(move |piece| piece.len() < word.len());
    let behind = (!scattered).then(|| word.split(['=', ':']).skip(1)).into_iter().flatten();
    std::iter::once(word).chain(pieces).chain(behind).filter(|name| !name.is_empty())
}
